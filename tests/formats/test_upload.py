"""Uploads are told by their content, and never cost more memory than an honest one."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.formats.faults import Refused
from leaderboard.formats.upload import MAX_ENTRIES, MAX_MEMBERS, Unpacked, unpack

Upload = Callable[..., Path]

TEXT = "word1,word2,sim\nкошка,собака,0.5\n".encode()


@pytest.fixture
def upload(tmp_path: Path) -> Upload:
    def make(content: bytes, name: str = "upload") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return make


def zipped(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return packed.getvalue()


def bomb(megabytes: int) -> bytes:
    """Zero bytes in gzip: a block that ends with a full flush may be repeated, so that making it is cheap."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1024 * 1024)) + packer.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(7) + block * megabytes + packer.flush() + bytes(8)


def refusal(path: Path, **bounds: int) -> Refused:
    with pytest.raises(Refused) as caught:
        unpack(path, **bounds)
    return caught.value


def kind(path: Path) -> str:
    (fault,) = refusal(path).faults
    return fault.kind


def peak_while_refusing(path: Path) -> tuple[str, int]:
    tracemalloc.start()
    try:
        found = kind(path)
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_plain_file_is_taken_as_it_is(upload: Upload) -> None:
    assert unpack(upload(TEXT)) == Unpacked(TEXT)


def test_gzip_is_told_by_its_content_whatever_the_name(upload: Upload) -> None:
    assert unpack(upload(gzip.compress(TEXT), "run.csv")).content == TEXT


def test_gzip_of_several_members_is_read_whole(upload: Upload) -> None:
    assert unpack(upload(gzip.compress(TEXT) + gzip.compress(b"more\n"))).content == TEXT + b"more\n"


def test_zero_bytes_behind_gzip_are_padding(upload: Upload) -> None:
    assert unpack(upload(gzip.compress(TEXT) + bytes(70_000))).content == TEXT


@pytest.mark.parametrize("cut", [1, 8, 12, 30])
def test_a_gzip_file_cut_off_anywhere_is_refused(upload: Upload, cut: int) -> None:
    assert kind(upload(gzip.compress(TEXT)[:-cut])) == "broken-archive"


def test_a_damaged_gzip_file_is_refused(upload: Upload) -> None:
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 0xFF
    assert kind(upload(bytes(packed))) == "broken-archive"


def test_a_gzip_file_of_very_many_empty_parts_is_refused(upload: Upload) -> None:
    assert kind(upload(gzip.compress(b"") * (MAX_MEMBERS + 1))) == "bomb"
    assert unpack(upload(gzip.compress(b"") * 99 + gzip.compress(TEXT))).content == TEXT


def test_rubbish_behind_gzip_is_refused(upload: Upload) -> None:
    assert kind(upload(gzip.compress(TEXT) + b"rubbish")) == "broken-archive"


def test_a_zip_archive_with_one_file_is_read_with_a_note(upload: Upload) -> None:
    found = unpack(upload(zipped(("runs/best.csv", TEXT))))
    assert found.content == TEXT
    assert [str(note) for note in found.notes] == ["Read runs/best.csv from the zip archive."]


def test_what_macos_adds_to_an_archive_is_ignored(upload: Upload) -> None:
    path = upload(
        zipped(("run.csv", TEXT), ("__MACOSX/._run.csv", b"x"), (".DS_Store", b"x"), ("folder/", b""))
    )
    assert unpack(path).content == TEXT


def test_an_archive_of_several_files_is_refused_with_their_names(upload: Upload) -> None:
    refused = refusal(upload(zipped(("a.csv", TEXT), ("b.csv", TEXT))))
    assert "2 files (a.csv, b.csv)" in str(refused)


def test_an_archive_without_a_file_is_refused(upload: Upload) -> None:
    assert kind(upload(zipped())) == "empty"


def test_an_empty_file_is_refused_plain_or_packed(upload: Upload) -> None:
    assert kind(upload(b"")) == "empty"
    assert kind(upload(gzip.compress(b""))) == "empty"
    assert kind(upload(zipped(("run.csv", b"")))) == "empty"


def test_a_password_is_refused(upload: Upload) -> None:
    packed = bytearray(zipped(("run.csv", TEXT)))
    # The flag of encryption, in the local header and in the directory.
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    assert kind(upload(bytes(packed))) == "encrypted"


@pytest.mark.parametrize("cut", [slice(None, -5), slice(None, 60)])
def test_a_zip_archive_cut_off_is_refused(upload: Upload, cut: slice) -> None:
    assert kind(upload(zipped(("run.csv", TEXT * 9))[cut])) == "broken-archive"


def test_a_zip_archive_with_a_damaged_file_is_refused(upload: Upload) -> None:
    packed = bytearray(zipped(("run.csv", TEXT)))
    packed[packed.index(b"PK\x01\x02") + 16] ^= 0xFF
    assert kind(upload(bytes(packed))) == "broken-archive"


@pytest.mark.parametrize("inner", [gzip.compress(TEXT), zipped(("run.csv", TEXT))], ids=["gzip", "zip"])
def test_an_archive_in_an_archive_is_refused(upload: Upload, inner: bytes) -> None:
    assert kind(upload(gzip.compress(inner))) == "nested-archive"
    assert kind(upload(zipped(("inner", inner)))) == "nested-archive"


def test_an_archive_of_very_many_entries_is_refused(upload: Upload) -> None:
    path = upload(zipped(*((str(number), b"") for number in range(MAX_ENTRIES + 1))))
    assert kind(path) == "several-files"


def test_a_gzip_bomb_of_a_gigabyte_is_refused_without_being_unpacked(upload: Upload) -> None:
    path = upload(bomb(1024))
    assert path.stat().st_size < 1_100_000
    found, peak = peak_while_refusing(path)
    assert found == "bomb"
    assert peak < 32 * 1024 * 1024


def test_a_bomb_of_many_small_members_is_refused_as_well(upload: Upload) -> None:
    found, peak = peak_while_refusing(upload(gzip.compress(bytes(1024 * 1024)) * 500))
    assert found == "bomb"
    assert peak < 32 * 1024 * 1024


def test_a_zip_bomb_is_refused_by_the_size_it_declares(upload: Upload, tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("run.csv", "w", force_zip64=True) as file,
    ):
        for _ in range(160):
            file.write(bytes(1024 * 1024))
    found, peak = peak_while_refusing(path)
    assert found == "too-large"
    assert peak < 8 * 1024 * 1024


def test_a_zip_bomb_that_declares_a_small_size_is_not_unpacked_beyond_it(upload: Upload) -> None:
    packed = bytearray(zipped(("run.csv", bytes(64 * 1024 * 1024))))
    directory = packed.index(b"PK\x01\x02")
    packed[directory + 24 : directory + 28] = (1000).to_bytes(4, "little")
    found, peak = peak_while_refusing(upload(bytes(packed)))
    assert found == "broken-archive"
    assert peak < 8 * 1024 * 1024


def test_a_zip_archive_of_high_ratio_is_a_bomb_below_the_limit_of_size(upload: Upload) -> None:
    assert kind(upload(zipped(("run.csv", bytes(64 * 1024 * 1024))))) == "bomb"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_archive_packed_by_a_method_without_bounds_is_refused(upload: Upload, method: int) -> None:
    found, peak = peak_while_refusing(upload(zipped(("run.csv", bytes(64 * 1024 * 1024)), method=method)))
    assert found == "archive"
    assert peak < 8 * 1024 * 1024


def test_a_zip_archive_that_only_stores_is_read(upload: Upload) -> None:
    assert unpack(upload(zipped(("run.csv", TEXT), method=zipfile.ZIP_STORED))).content == TEXT


def test_a_small_file_of_one_repeated_line_is_no_bomb(upload: Upload) -> None:
    assert len(unpack(upload(gzip.compress(b"a,b,0\n" * 100_000))).content) == 600_000


def test_a_file_above_the_limit_is_refused_plain_and_packed(upload: Upload) -> None:
    for content in (TEXT * 100, gzip.compress(TEXT * 100), zipped(("run.csv", TEXT * 100))):
        (fault,) = refusal(upload(content), max_bytes=1000).faults
        assert fault.kind == "too-large"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (zipped(("[Content_Types].xml", b"x"), ("xl/workbook.xml", b"x")), "Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "Excel workbook"),
        (zipped(("[Content_Types].xml", b"x"), ("word/document.xml", b"x")), "office document"),
        (zipped(("mimetype", b"x"), ("content.xml", b"x")), "spreadsheet"),
        (zipped(("values.npy", b"x")), "binary file"),
        (b"<!DOCTYPE html>\n<html>", "web page (HTML)"),
        ("\ufeff\n  <HTML lang=ru>".encode(), "web page (HTML)"),
        ("<html>".encode("utf-16"), "web page (HTML)"),
        (b"<?xml version='1.0'?><runs/>", "XML"),
        (b'{"word1": 1}', "JSON"),
        (b'[\n  {"word1": 1}]', "JSON"),
        (b"%PDF-1.7", "PDF"),
        (b"PAR1\x15", "binary file"),
        (b"\x80\x04\x95", "binary file"),
        (b"BZh91AY&SY", "archive of a kind"),
        (b"7z\xbc\xaf\x27\x1c\x00", "archive of a kind"),
        (b"run.csv".ljust(257, b"\0") + b"ustar\x0000", "tar archive"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
        (b"{\\rtf1\\ansi", "rich text"),
    ],
)
def test_a_file_of_another_kind_is_named(upload: Upload, content: bytes, says: str) -> None:
    assert says in str(refusal(upload(content)))


def test_a_web_page_in_an_archive_is_named_too(upload: Upload) -> None:
    assert kind(upload(gzip.compress(b"<html><body>404</body></html>"))) == "html"
    assert kind(upload(zipped(("run.csv", b"<html>")))) == "html"


@pytest.mark.parametrize("content", [b"{cat},dog\n", b"<s>,b,1\n", b"BM25 run\n"])
def test_text_that_only_begins_oddly_is_no_other_kind(upload: Upload, content: bytes) -> None:
    assert unpack(upload(content)).content == content


def test_a_path_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        unpack(tmp_path / "nowhere")
