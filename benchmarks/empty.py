"""An application whose one route answers with nothing: what Flask and gunicorn take by themselves."""

from __future__ import annotations

from flask import Flask

app = Flask("empty")


@app.get("/")
def show() -> str:
    return ""
