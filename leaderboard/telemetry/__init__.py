"""What an installation tells those who run it: log lines and metrics.

Nothing here knows what it is told about. Importing this costs next to nothing: the packages that do the work
are loaded by `logs.set_up` and `exposition.start`, which only long-running processes call.
"""
