"""Text is read where its encoding can be told for sure, and refused with the place where it cannot."""

from __future__ import annotations

import codecs
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.formats.faults import Refused
from leaderboard.formats.text import Decoded, decode

TEXT = "word1,word2,sim\r\nкошка,ёж,0.5\r\n"


def test_utf8_is_read_without_a_note() -> None:
    assert decode(TEXT.encode()) == Decoded(TEXT)


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(codecs.BOM_UTF8 + TEXT.encode()) == Decoded(TEXT)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_utf16_and_utf32_with_a_mark_are_read_with_a_note(encoding: str) -> None:
    found = decode(("\ufeff" + TEXT).encode(encoding))
    assert found.text == TEXT
    assert [note.values["encoding"] for note in found.notes] == [encoding[:6].upper()]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_refused_by_name(encoding: str) -> None:
    with pytest.raises(Refused, match="UTF-16 without a byte order mark"):
        decode(TEXT.encode(encoding))


def test_utf16_cut_in_the_middle_of_a_character_is_refused_with_its_offset() -> None:
    content = TEXT.encode("utf-16")[:-1]
    with pytest.raises(Refused, match=f"offset {len(content) - 1}") as caught:
        decode(content)
    assert caught.value.faults[0].line == 2


def test_a_byte_that_is_no_utf8_is_named_with_line_and_offset() -> None:
    content = "word1,word2,sim\nкошка,".encode() + b"\xe9t\xe9,0.5\n"
    with pytest.raises(Refused) as caught:
        decode(content)
    (fault,) = caught.value.faults
    assert (fault.line, fault.message.values["offset"]) == (2, content.index(b"\xe9"))
    assert "0xE9" in str(fault)


def test_the_offset_counts_the_byte_order_mark() -> None:
    with pytest.raises(Refused, match="offset 5 "):
        decode(codecs.BOM_UTF8 + b"ab\xff")


def test_the_line_is_counted_in_files_of_carriage_returns_too() -> None:
    with pytest.raises(Refused) as caught:
        decode(b"a\rb\r\xff")
    assert caught.value.faults[0].line == 3


def test_windows_1251_is_read_with_a_note_where_its_text_makes_sense() -> None:
    found = decode(TEXT.encode("cp1251"), lambda text: "кошка" in text)
    assert found.text == TEXT
    assert "Windows-1251" in str(found.notes[0])


def test_windows_1251_is_refused_where_its_text_makes_none() -> None:
    with pytest.raises(Refused, match="not UTF-8"):
        decode(TEXT.encode("koi8-r"), lambda text: "кошка" in text)


def test_windows_1251_is_refused_where_nobody_can_tell() -> None:
    with pytest.raises(Refused, match="not UTF-8"):
        decode(TEXT.encode("cp1251"))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")))
def test_every_text_survives_the_trip(text: str) -> None:
    assert decode(text.encode()).text == text
    assert decode(("\ufeff" + text).encode("utf-16-be")).text == text


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(Refused):
        assert isinstance(decode(content, lambda _: True).text, str)
