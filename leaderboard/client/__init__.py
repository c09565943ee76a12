"""A client of the API for scripts: only the standard library, none of the server's parts.

`connection` asks and is answered, `submitting` brings a file there once however often the line breaks,
`reading` has what a script wants to know, `downloads` brings a task's public files.
"""
