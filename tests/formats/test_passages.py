"""Texts for judging, as a table or as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import FormatError
from leaderboard.formats.passages import Passage, read_passages

TABLE = "topic\tquestion\tdocno\ttext\n81_1\tWhy?\tMARCO_1\tBecause.\n81_1\t\tCAR_2\tFor that.\n"
READ = (Passage("81_1", "Why?", "MARCO_1", "Because."), Passage("81_1", "Why?", "CAR_2", "For that."))


def read(tmp_path: Path, content: str) -> tuple[Passage, ...]:
    file = tmp_path / "texts.tsv"
    file.write_bytes(content.encode())
    return read_passages(file)


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        "\ufeff" + TABLE.replace("\n", "\r\n"),
        TABLE.replace("topic\tquestion\tdocno\ttext", "turn_id\tquery\tpassage_id\tpassage"),
        '{"topic": "81_1", "question": "Why?", "docno": "MARCO_1", "text": "Because."}\n\n'
        '{"turn_id": "81_1", "passage_id": "CAR_2", "passage": " For that.", "grade": 3}\n',
    ],
)
def test_table_and_json_say_the_same(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == READ


def test_the_conversation_so_far_is_a_list_of_turns(tmp_path: Path) -> None:
    entry = {"topic": "1", "docno": "d", "text": "t", "conversation": ["First?", " ", "Second?"]}
    (from_json,) = read(tmp_path, json.dumps(entry))
    (from_table,) = read(tmp_path, "topic\tdocno\ttext\tcontext\n1\td\tt\tFirst? ||| Second?\n")
    assert from_json.conversation == from_table.conversation == ("First?", "Second?")


def test_quotation_marks_are_those_of_the_table_or_of_the_texts(tmp_path: Path) -> None:
    head = "topic\tdocno\ttext\n"
    assert read(tmp_path, head + '1\td\t"He said ""no""\tand left"\n')[0].text == 'He said "no"\tand left'
    assert (
        read(tmp_path, head + '1\td\t"No" is what he said\n1\te\t"Open\n')[0].text == '"No" is what he said'
    )


@pytest.mark.parametrize(
    ("content", "line", "kind"),
    [
        ("topic\tquestion\n1\tWhy?\n", 1, "header"),
        (TABLE + "81_1\tWhy?\tCAR_3\n", 4, "field-count"),
        (TABLE + "81_1\tWhy?\tCAR_3\t\n", 4, "incomplete"),
        (TABLE + "81_1\tWhy?\tCAR_2\tAnother.\n", 4, "duplicate"),
        (TABLE + "81_1\tHow?\tCAR_3\tSo.\n", 4, "two-questions"),
        (TABLE + "81 1\tHow?\tCAR_3\tSo.\n", 4, "bad-id"),
        ("{]\n", 1, "not-json"),
        ('{"topic": 1, "docno": "d", "text": "t"}\n', 1, "not-text"),
        ('{"topic": "1", "docno": "d", "text": "t", "conversation": 5}\n', 1, "not-text"),
        ('{"topic": "1"}\n[]\n', 2, "not-json"),
        ("topic\tdocno\ttext\n", None, "empty"),
    ],
)
def test_faults_name_the_line(tmp_path: Path, content: str, line: int | None, kind: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    assert (line, kind) in [(fault.line, fault.kind) for fault in caught.value.faults]


@given(st.lists(st.text(max_size=20).filter(str.strip), min_size=1, max_size=4))
def test_any_text_survives_json(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    lines = [json.dumps({"topic": "1", "docno": f"d{n}", "text": text}) for n, text in enumerate(texts)]
    found = read(tmp_path_factory.getbasetemp(), "\n".join(lines))
    assert [passage.text for passage in found] == [text.strip() for text in texts]


def test_real_passages_with_their_questions(shared_data: Path) -> None:
    found = read_passages(shared_data / "cast2020" / "passages" / "cast_snippets_2020.tsv")
    assert len(found) == 1040
    assert len({passage.topic for passage in found}) == 208
    assert all(passage.question and passage.text for passage in found)
