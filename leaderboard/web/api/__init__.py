"""The JSON API under ``/api/v1``: the same services as the pages, for scripts that show a token.

`blueprint` has the rules, `problems` every refusal, `schemas` what documents hold, `documents` makes them;
each noun has its routes in a file of its own.
"""
