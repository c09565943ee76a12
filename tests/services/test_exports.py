from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import Message, TaskSpec, Text, TrackSpec, say
from leaderboard.services.boards import Board, Row
from leaderboard.services.export_cells import guarded, latex_escaped, markdown_escaped, unguarded
from leaderboard.services.exports import Format, render
from leaderboard.services.references import Published
from leaderboard.services.sureness import Sureness

TIME = datetime(2026, 3, 2, 9, tzinfo=UTC)


def title(text: str) -> Text:
    return Text({"en": text})


SPEC = TaskSpec(
    name="toy",
    folder=Path(),
    scorer=Path("scorer.py"),
    title=title("Toy & co"),
    summary=title("-"),
    tracks=(
        TrackSpec("near", title("Near"), "near.txt", ("nDCG@3", "AP"), "nDCG@3", digits=2),
        TrackSpec("same", title("Same"), "same.txt", ("rho",), "rho", digits=3),
    ),
    overall="mean rank",
)


def row(
    team: str,
    place: int | None,
    value: float | None,
    rho: float | None = 0.5,
    reason: Message | None = None,
) -> Row:
    values = {"near": {"nDCG@3": value, "AP": 1 / 3}, "same": {"rho": rho}}
    places = {} if place is None else {"near": place}
    kind = "ordinary" if place else "baseline"
    return Row(
        1, place, team, 7, "r_1", "ab" * 32, TIME, False, False, kind, value, values, places, {}, reason
    )


def board(*rows: Row, track: str | None = "near", references: tuple[Published, ...] = ()) -> Board:
    versions = {"near": 2, "same": 1}
    number = 2 if track else None
    return Board("toy", "open", track, "all", number, versions, "1", TIME, 3, len(rows), rows, references)


FULL = board(
    row("Юг", 1, 2 / 3),
    row("=cmd|x", None, 0.25, None, say("A baseline.")),
    references=(
        Published("ours", "they", "", "near", {"nDCG@3": 0.123456}, "A paper"),
        Published("more", "they", "", "near", {"AP": 0.5}, "A paper"),
    ),
)


def rendered(wanted: Format, found: Board = FULL) -> str:
    return render(SPEC, found, wanted)


def test_text_is_aligned_with_the_digits_of_each_track() -> None:
    assert rendered("text") == dedent("""\
        Toy & co · Near
        Phase open; benchmark version 2; scorer version 1; computed 2026-03-02 09:00:00 UTC.

        place  team    run   nDCG@3  same rho
        -------------------------------------
            1  Юг      r_1     0.67     0.500
            –  =cmd|x  r_1     0.25         –
        -------------------------------------
            –  they    ours    0.12         –

        =cmd|x (r_1): A baseline.
        Below the line, published results of others: A paper
        1 published result has no nDCG@3; csv and json have its values.
        """)


def test_markdown_is_one_table() -> None:
    assert rendered("markdown") == dedent(r"""
        **Toy \& co · Near**

        Phase open; benchmark version 2; scorer version 1; computed 2026-03-02 09:00:00 UTC.

        | place | team | run | nDCG@3 | same rho |
        | ---: | --- | --- | ---: | ---: |
        | 1 | Юг | r\_1 | 0.67 | 0.500 |
        | – | =cmd\|x | r\_1 | 0.25 | – |
        | – | they | ours | 0.12 | – |

        - =cmd\|x (r\_1): A baseline.
        - Below the line, published results of others: A paper
        - 1 published result has no nDCG@3; csv and json have its values.
        """).lstrip("\n")


def test_latex_is_a_booktabs_table() -> None:
    assert rendered("latex") == dedent(r"""
        % needs \usepackage{booktabs}
        \begin{table}
          \centering
          \caption{Toy \& co · Near. Phase open; benchmark version 2; scorer version 1; computed 2026-03-02 09:00:00 UTC.}
          \begin{tabular}{rllrr}
            \toprule
            place & team & run & nDCG@3 & same rho \\
            \midrule
            1 & Юг & r\_1 & 0.67 & 0.500 \\
            -- & =cmd\textbar{}x & r\_1 & 0.25 & -- \\
            \midrule
            -- & they & ours & 0.12 & -- \\
            \bottomrule
          \end{tabular}
        \end{table}
        % =cmd|x (r_1): A baseline.
        % Below the line, published results of others: A paper
        % 1 published result has no nDCG@3; csv and json have its values.
        """).lstrip("\n")  # noqa: E501


def test_csv_has_full_precision_and_no_formula() -> None:
    first, second, reference, more = csv.DictReader(io.StringIO(rendered("csv")))
    assert (first["place"], first["team"], first["run"], float(first["value"])) == ("1", "Юг", "7", 2 / 3)
    assert float(first["near AP"]) == 1 / 3
    assert (first["near place"], first["same place"]) == ("1", "")
    assert (first["gold_versions"], first["computed_at"]) == ("near=2 same=1", "2026-03-02T09:00:00+00:00")
    assert (second["place"], second["team"], second["same rho"]) == ("", "'=cmd|x", "")
    assert (second["kind"], second["reason"]) == ("baseline", "A baseline.")
    assert (reference["kind"], reference["source"]) == ("published", "A paper")
    assert float(reference["near nDCG@3"]) == 0.123456
    assert (more["value"], more["near AP"]) == ("", "0.5")


def test_json_has_everything() -> None:
    document = json.loads(rendered("json"))
    assert document["ranked_by"] == "nDCG@3"
    assert (document["gold_version"], document["scorer_version"]) == (2, "1")
    assert document["rows"][0]["value"] == 2 / 3
    assert document["rows"][1] | {"values": {}} == {
        "place": None,
        "team": "=cmd|x",
        "run": 7,
        "run_name": "r_1",
        "runs": {},
        "kind": "baseline",
        "late": False,
        "disqualified": False,
        "value": 0.25,
        "values": {},
        "places": {},
        "submitted_at": "2026-03-02T09:00:00+00:00",
        "file_sha256": "ab" * 32,
        "reason": "A baseline.",
        "interval": None,
        "group": None,
    }
    assert [each["values"] for each in document["references"]] == [{"nDCG@3": 0.123456}, {"AP": 0.5}]


def test_an_overall_board_names_the_counted_runs_and_the_versions_of_all_tracks() -> None:
    values = {"near": {"nDCG@3": 0.5}, "same": {"rho": 0.25}}
    runs = {"near": 3, "same": 4}
    overall = Row(1, 1, "A", None, None, None, None, False, False, "ordinary", 1.5, values, {}, runs, None)
    text = rendered("text", board(overall, track=None))
    assert text.startswith("Toy & co · overall\nPhase open; benchmark version near 2, same 1; ")
    assert "    1  A     3, 4       1.50         0.50     0.250" in text
    assert rendered("csv", board(overall, track=None)).splitlines()[1].startswith('1,A,"3, 4",,ordinary,1.5,')


def test_an_empty_board_is_a_header() -> None:
    assert len(rendered("csv", board()).splitlines()) == 1
    assert "place  team  run  nDCG@3  same rho\n" in rendered("text", board())


@given(st.text())
def test_what_is_guarded_can_be_had_back(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


@given(st.text(alphabet="=+-@\t\r'01.e"))
def test_no_guarded_cell_is_a_formula(cell: str) -> None:
    safe = guarded(cell)
    assert not safe.startswith(("=", "@", "\t", "\r"))
    assert not safe.startswith(("+", "-")) or float(safe) is not None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_never_guarded(number: float) -> None:
    assert guarded(repr(number)) == repr(number)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
def test_any_team_name_survives_csv(teams: list[str]) -> None:
    printed = rendered("csv", board(*(row(team, 1, 0.5) for team in teams)))
    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    assert [unguarded(each["team"]) for each in rows] == teams


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))))
def test_no_text_leaves_its_cell(text: str) -> None:
    bare = re.sub(r"\\[#$%&_{}]|\\text[a-z]+\{\}|\{\[\}|\{\]\}", "", latex_escaped(text))
    assert not set(bare) & set("\\{}$&#%_^~\n")
    assert not re.search(r"(?<!\\)(\\\\)*[|<>`*_\[\]]", markdown_escaped(text))


SURE = board(
    replace(row("Юг", 1, 2 / 3), sureness=Sureness(0.61, 0.72, "ab")),
    row("b", 2, 0.5),
    references=(Published("ours", "they", "", "near", {"nDCG@3": 0.1}, "A paper"),),
)


def test_intervals_and_groups_stand_beside_the_value_where_they_are_known() -> None:
    lines = rendered("markdown", SURE).splitlines()
    assert "| place | team | run | nDCG@3 | 95 % | group | same rho |" in lines
    assert "| 1 | Юг | r\\_1 | 0.67 | 0.61 … 0.72 | ab | 0.500 |" in lines
    assert "| 2 | b | r\\_1 | 0.50 | – |  | 0.500 |" in lines
    assert "| – | they | ours | 0.10 | – |  | – |" in lines
    assert r"0.67 & 0.61 \dots{} 0.72 & ab" in rendered("latex", SURE)


def test_csv_and_json_have_the_ends_of_intervals() -> None:
    found = list(csv.DictReader(io.StringIO(rendered("csv", SURE), newline="")))
    assert [(line["interval_low"], line["interval_high"], line["group"]) for line in found] == [
        ("0.61", "0.72", "ab"),
        ("", "", ""),
        ("", "", ""),
    ]
    first, second = json.loads(rendered("json", SURE))["rows"]
    assert (first["interval"], first["group"]) == ([0.61, 0.72], "ab")
    assert (second["interval"], second["group"]) == (None, None)
