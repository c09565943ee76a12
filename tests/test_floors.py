"""The plan of the house holds: imports go downwards, and no room has grown too large."""

from __future__ import annotations

import ast
import logging.config
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

REPOSITORY = Path(__file__).resolve().parent.parent
LONGEST_FILE = 330
LONGEST_FUNCTION = 45

PURE = ("contract.py", "rules", "formats", "measures", "judging", "analysis", "resources", "plots")
NOT_IN_PURE = {"flask", "werkzeug", "sqlalchemy", "wtforms", "flask_wtf", "huey", "time", "random"}


def _sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((REPOSITORY / folder).rglob("*.py"))]


def _pure_sources() -> list[Path]:
    places = [REPOSITORY / "leaderboard" / name for name in PURE]
    return [
        path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*.py")))
    ]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of code, without the docstring: to explain well costs nothing."""
    first = function.body[0]
    has_docstring = ast.get_docstring(function) is not None
    explained = (first.end_lineno or first.lineno) - first.lineno + 1 if has_docstring else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - explained


def test_the_import_contracts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    # It would silence every logger that there is, for the tests after this one too.
    monkeypatch.setattr(logging.config, "dictConfig", lambda _settings: None)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


def test_pure_floors_import_no_web_database_clock_or_chance() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path in _pure_sources()
        for name in _imported(ast.parse(path.read_text(encoding="utf-8")))
        if name in NOT_IN_PURE
    ]
    assert found == []


def test_no_file_is_too_long() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines()) for path in _sources("leaderboard", "tasks")
    }
    assert {str(path.relative_to(REPOSITORY)): n for path, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_function_is_too_long() -> None:
    found = {
        f"{path.relative_to(REPOSITORY)}: {function.name}": _length(function)
        for path in _sources("leaderboard", "tasks")
        for function in _functions(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {name: length for name, length in found.items() if length > LONGEST_FUNCTION} == {}
