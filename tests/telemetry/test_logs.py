from __future__ import annotations

import logging
import subprocess
import sys
import threading
import warnings

from leaderboard.config import LogSettings
from leaderboard.telemetry import context, logs
from leaderboard.telemetry.gunicorn_logs import Lines
from tests.conftest import REPOSITORY
from tests.telemetry.piped import piped, restored

log = logging.getLogger("leaderboard.somewhere")


def test_a_line_is_a_document_with_time_grade_place_and_what_is_known() -> None:
    with piped() as told, context.bound({"job": 7, "task": "russe"}):
        log.info("job %s", "done", extra={"outcome": "done"})
    (line,) = told.lines
    assert line.pop("time").endswith("Z")
    assert line == {
        "event": "job done",
        "level": "info",
        "logger": "leaderboard.somewhere",
        "outcome": "done",
        "job": 7,
        "task": "russe",
    }


def test_lines_of_libraries_go_the_same_way_from_warnings_on() -> None:
    with piped() as told:
        logging.getLogger("library").info("noise")
        logging.getLogger("library").warning("something of ann@example.org")
        warnings.warn("old-fashioned", stacklevel=1)
    assert [line["level"] for line in told.lines] == ["warning", "warning"]
    assert told.lines[0]["event"] == "something of <address>"
    assert "old-fashioned" in told.lines[1]["event"]


def test_an_exception_stays_one_line_and_keeps_its_words_to_itself() -> None:
    with piped() as told:
        try:
            float("gold value")
        except ValueError:
            log.exception("it broke off")
    (line,) = told.lines
    assert line["exception"][0]["kind"] == "ValueError"
    assert "gold" not in told.text


def test_an_exception_in_a_sentence_says_no_more_than_elsewhere() -> None:
    with piped() as told:
        log.warning("job %s broke off: %s", 7, ValueError("gold value"))
        log.warning("job %s broke off: %s", 7, ConnectionError("nobody listens"))
    assert [line["event"] for line in told.lines] == [
        "job 7 broke off: ValueError",
        "job 7 broke off: ConnectionError: nobody listens",
    ]


def test_what_nobody_catches_is_told_like_everything_else() -> None:
    with piped() as told:
        try:
            raise ValueError("gold value")
        except ValueError as error:
            sys.excepthook(ValueError, error, error.__traceback__)
            told_of = threading.ExceptHookArgs((ValueError, error, error.__traceback__, None))
            threading.excepthook(told_of)
    assert [line["level"] for line in told.lines] == ["critical", "critical"]
    assert "gold" not in told.text


def test_people_get_text() -> None:
    with piped(LogSettings("text")) as told, context.bound({"job": 7}):
        log.warning("something is odd")
        try:
            float("gold value")
        except ValueError:
            log.exception("it broke off")
    assert "something is odd" in told.text
    assert "job=7" in told.text
    assert "ValueError" in told.text
    assert "gold" not in told.text


def test_from_the_grade_on_that_is_set_lines_are_written() -> None:
    with piped(LogSettings("json", "error")) as told:
        log.warning("something is odd")
        log.error("something is wrong")
    assert [line["event"] for line in told.lines] == ["something is wrong"]


def test_setting_up_twice_writes_each_line_once() -> None:
    with piped() as told:
        logs.set_up(LogSettings("json"), told.stream)
        log.warning("once")
    assert len(told.lines) == 1


def test_without_a_form_a_terminal_gets_text_and_all_else_json() -> None:
    class Terminal(type(sys.stdout)):  # type: ignore[misc]  # any stream will do
        def isatty(self) -> bool:
            return True

    assert logs.resolved(LogSettings(), Terminal.__new__(Terminal)).form == "text"
    with piped(LogSettings()) as told:
        log.warning("odd")
    assert told.lines[0]["event"] == "odd"


def test_what_is_known_goes_along_into_a_thread_and_ends_with_its_block() -> None:
    with restored():
        context.begin({"request": "r"})
        found: list[context.Fields] = []
        with context.bound({"job": 1}):
            thread = threading.Thread(target=context.carried(lambda: found.append(context.current())))
            thread.start()
            thread.join()
        assert found == [{"request": "r", "job": 1}]
        assert context.current() == {"request": "r"}


def test_nothing_that_starts_loads_what_only_telling_needs() -> None:
    code = (
        "import sys, leaderboard.__main__, leaderboard.app;"
        "print({'structlog', 'prometheus_client', 'alembic'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_what_is_no_request_is_not_taken_for_the_one_before() -> None:
    lines = object.__new__(Lines)
    lines.error_log = logging.getLogger("gunicorn.error")
    with piped() as told:
        context.begin({"request": "r", "task": "russe"})
        lines.warning("Invalid request from ip=127.0.0.1: GET /letters/opens-a-door")
    (line,) = told.lines
    assert line["event"] == "Invalid request from ip=127.0.0.1"
    assert not {"request", "task"} & set(line)
