"""What fuzzing starts from: the beginnings of the samples and, where they are at hand, of real files."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).resolve().parent / "corpus"

LINES = 6
LONGEST = 1_500

_TEXTS = (
    *("nan", "NaN", "-nan", "inf", "-Infinity", "1e308", "1e309", "-1e-400", "0x1p3", "1_000", "1,5"),
    *("9223372036854775808", "18446744073709551616", "-0", "+.5", "٣", "1" * 400, "0" * 5_000, "∞"),
    *("\0", "\r", "\r\n", "\n\n", "\t", '"', '""', ",", ";", " ", "\x0b", "\x0c", "\x1c", "\x85"),
    *("\u2028", "\u00a0", "\u200b", "\u202e", "\ufeff", "е\u0301", "й", "и\u0306", "cобака", "𝔘"),
    *("word1,word2,sim\n", "sep=;\n", "31_1 Q0 MARCO_1 1 1 x\n", "{", "[", '\\ud800"', '{"number":1}'),
    *("<html>", "=1+1", "# ", "related", "1(?)", "P_3", "ndcg_cut_9", "P_" + "9" * 4_400),
)
_BYTES = (
    *(b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80"),
    *(b"\x1f\x8b\x08", b"PK\x03\x04"),
)
TOKENS: Sequence[bytes] = (*(text.encode() for text in _TEXTS), *_BYTES)
"""What has been trouble for readers somewhere."""

_FILES: Mapping[str, tuple[str, ...]] = {
    "pairs": ("russe/sample/runs/embeddings.csv", "russe/sample/runs/coarse_ratings.csv"),
    "pair_list": ("russe/sample/inputs/pairs.csv",),
    "trec_run": ("cast/sample/runs/bm25_raw.run", "cast/sample/runs/fused.run"),
    "qrels": ("cast/sample/gold/combined.qrels",),
    "graded_qrels": ("cast/sample/gold/graded.qrels",),
    "topics": (
        "cast/sample/inputs/evaluation_topics_annotated_resolved_v1.0.tsv",
        "cast/sample/inputs/evaluation_topics_v1.0.json",
    ),
    "passages": ("cast/sample/passages.tsv",),
    "manifest": ("russe/sample/runs.csv", "cast/sample/runs.csv"),
}
"""Files of the samples, under ``tasks``."""

_REAL: Mapping[str, tuple[str, ...]] = {
    "pairs": ("russe/**/*.csv",),
    "trec_run": ("cast2019/**/*.run", "cast2019/runs/*", "cast2020/runs/*"),
    "qrels": ("cast2019/**/*qrels*", "cast2020/**/*qrels*"),
    "topics": ("cast2019/**/*topics*", "cast2020/**/*topics*"),
    "published": ("official_results/*.csv",),
    "preferences": ("cast2019/preferences/*.pref",),
    "annotations": ("russe/annotations/*.?sv",),
    "mj": ("russe/released_mj/*.csv",),
}
"""Real files, under the folder of `shared_data`; a few of each pattern."""

_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "text": ("word1,word2,sim\nкошка,собака,0.5\n",),
    "preferences": ("31_1 MARCO_1 MARCO_2 MARCO_1\n31_1 CAR_a CAR_b CAR_b\n",),
    "published": ("run,participant,map,P_3,ndcg_cut_3\na,b,0.5,0.25,1\nc,d,,0.1,0\n",),
    "ratings": ("word1,word2,judge,rating\nкошка,пёс,Анна,2\n", "pair;A;B\nа-б;1,5;2\nв-г;;0\n"),
    "numeric_ratings": ("item\tann\tbob\n1\t0\t1\n2\t0.5\t\n",),
    "annotations": (
        "num,word1,word2,related,comment,src\n1,кошка,дом,1(?),,a\n",
        "кошка 10 2 пёс дом\n",
        "а,б\n",
    ),
    "words": ("word1,word2\nкошка,пёс\n", "src;word2;word1\na;дом;кот\n", "1,кошка,дом,1,,a\n"),
    "manifest": ("file,team,submitted_at,baseline\na.csv,Foxes,2026-03-02T09:00:00+03:00,yes\n",),
    "time": ("2026-03-02T09:00:00Z", "2026-03-02 09:00:00.5+03:00"),
    "mj": ("word1,word2,mj,track\nкошка,пёс,0.5,hj;rt\n", "word1\tword2\tsim\twmean\na\tb\t1\t2\n"),
}


def seeds_of(reader: str) -> list[bytes]:
    """Small inputs that are meant for a reader, the kept corpus among them."""
    found = [text.encode() for text in _WRITTEN.get(reader, ())]
    found += [_beginning(REPOSITORY / "tasks" / name) for name in _FILES.get(reader, ())]
    found += [_beginning(path) for path in _real_files(reader)]
    if reader == "upload":
        found += _packed()
    return found + [path.read_bytes() for path in sorted(CORPUS.glob(f"{reader}.*"))]


def _real_files(reader: str) -> list[Path]:
    folder = Path(os.environ.get("LEADERBOARD_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    found = (
        sorted(path for path in folder.glob(pattern) if path.is_file()) for pattern in _REAL.get(reader, ())
    )
    return [path for paths in found for path in paths[:4]]


def _beginning(path: Path) -> bytes:
    """A few first lines; those of JSON would be no JSON, so that a small file of it is taken whole."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        if path.suffix == ".json":
            return bytes(file.read(40 * LONGEST))
        return b"".join(file.readline(LONGEST) for _ in range(LINES))


def _packed() -> list[bytes]:
    text = _WRITTEN["text"][0].encode()
    stored, deflated = io.BytesIO(), io.BytesIO()
    for target, method in ((stored, zipfile.ZIP_STORED), (deflated, zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(target, "w", method) as archive:
            archive.writestr("run.csv", text)
            archive.writestr("__MACOSX/._run.csv", b"x")
    packed = gzip.compress(text, mtime=0)
    return [text, packed, packed + packed + b"\0\0", stored.getvalue(), deflated.getvalue()]
