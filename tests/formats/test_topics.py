"""Topics as TREC CAsT publishes them, and what is said of files that hold none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leaderboard.contract import FormatError
from leaderboard.formats.topics import Topic, read_topics

CONVERSATIONS = [
    {
        "number": 31,
        "title": "cancer",
        "turn": [
            {"number": 1, "raw_utterance": "What is throat cancer?"},
            {"number": 2, "raw_utterance": " Is it treatable? "},
        ],
    },
    {"number": 32, "turn": [{"number": 1, "raw_utterance": "What are sharks?"}]},
]
EXPECTED = (
    Topic("31_1", "What is throat cancer?"),
    Topic("31_2", "Is it treatable?"),
    Topic("32_1", "What are sharks?"),
)
LINES = "".join(f"{topic.topic}\t{topic.question}\n" for topic in EXPECTED)


def read(tmp_path: Path, content: object) -> tuple[Topic, ...]:
    file = tmp_path / "topics"
    file.write_bytes(content.encode() if isinstance(content, str) else json.dumps(content).encode())
    return read_topics(file)


def error_of(tmp_path: Path, content: object) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    assert caught.value.name == "topics"
    return caught.value


def test_turns_of_conversations_are_topics(tmp_path: Path) -> None:
    assert read(tmp_path, CONVERSATIONS) == EXPECTED


@pytest.mark.parametrize(
    "content",
    [LINES, LINES.replace("\n", "\r\n"), "\ufeff" + LINES, LINES + "\n \n", LINES[:-1]],
    ids=["LF", "CRLF", "byte order mark", "empty lines", "no last line end"],
)
def test_lines_of_topic_and_question_are_topics(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == EXPECTED


def test_further_tabs_belong_to_the_question(tmp_path: Path) -> None:
    assert read(tmp_path, "1\ta\tb\n") == (Topic("1", "a\tb"),)


def test_a_topic_given_twice_is_a_fault_of_its_line(tmp_path: Path) -> None:
    (fault,) = error_of(tmp_path, "1\ta\n2\tb\n1\tc\n").faults
    assert (fault.line, fault.kind) == (3, "duplicate")


def test_a_turn_given_twice_is_a_fault(tmp_path: Path) -> None:
    (fault,) = error_of(tmp_path, CONVERSATIONS + CONVERSATIONS[1:]).faults
    assert fault.kind == "duplicate"
    assert "32_1" in str(fault)


@pytest.mark.parametrize("content", ["", "\n \n", [], [{"number": 1, "turn": []}]])
def test_a_file_without_topics_is_a_fault(tmp_path: Path, content: object) -> None:
    (fault,) = error_of(tmp_path, content).faults
    assert fault.kind == "empty"


@pytest.mark.parametrize(
    ("line", "kind"),
    [("1 What?", "no-tab"), ("1\t", "incomplete"), ("\tWhat?", "incomplete"), ("a b\tWhat?", "incomplete")],
)
def test_a_line_that_is_no_topic_is_named(tmp_path: Path, line: str, kind: str) -> None:
    (fault,) = error_of(tmp_path, f"0\tWhy?\n{line}\n").faults
    assert (fault.line, fault.kind) == (2, kind)


@pytest.mark.parametrize(
    "content",
    [
        {"number": 1},
        ["a"],
        [{"turn": []}],
        [{"number": True, "turn": []}],
        [{"number": 1, "turn": "x"}],
        [{"number": 1, "turn": [{"number": 1}]}],
        [{"number": 1, "turn": [{"number": 1, "raw_utterance": " "}]}],
        [{"number": 1, "turn": [{"raw_utterance": "What?"}]}],
        [{"number": 1, "turn": ["What?"]}],
    ],
)
def test_json_of_another_shape_is_a_fault(tmp_path: Path, content: object) -> None:
    (fault,) = error_of(tmp_path, content).faults
    assert fault.kind == "not-topics"


def test_broken_json_is_named_by_line_and_column(tmp_path: Path) -> None:
    (fault,) = error_of(tmp_path, '[\n  {"number": 1,\n').faults
    assert (fault.line, fault.kind) == (3, "not-json")


def test_json_nested_without_end_is_a_fault(tmp_path: Path) -> None:
    (fault,) = error_of(tmp_path, "[" * 100_000).faults
    assert fault.kind == "not-json"


def test_a_number_of_endless_digits_is_a_fault(tmp_path: Path) -> None:
    (fault,) = error_of(tmp_path, f'[{{"number": {"1" * 5000}, "turn": []}}]').faults
    assert fault.kind == "not-json"


def test_bytes_that_are_no_text_are_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_bytes(b"1\tcaf\xe9\n")
    with pytest.raises(FormatError, match="topics: line 1"):
        read_topics(file)


@pytest.mark.parametrize(
    "file", ["evaluation_topics_v1.0.json", "evaluation_topics_annotated_resolved_v1.0.tsv"]
)
def test_the_published_topics_of_2019_are_read(shared_data: Path, file: str) -> None:
    topics = read_topics(shared_data / "cast2019" / file)
    assert len(topics) == 479
    assert topics[0] == Topic("31_1", "What is throat cancer?")
    assert topics[-1].topic == "80_10"
