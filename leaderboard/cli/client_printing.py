"""What a server said, as text for a terminal. Nothing of it is trusted to be printable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboard.cli.printing import aligned, visible
from leaderboard.contract import say, say_count

Document = Mapping[str, Any]

_NOTHING = "–"


def run_lines(task: Document, run: Document) -> Iterator[str]:
    """A run with its state, what it scored and its places."""
    head = say(
        'run {run}: "{name}", submitted {time} in the phase {phase}: {state}',
        run=run["id"],
        name=run["name"],
        time=run["submitted_at"],
        phase=run["phase"],
        state=run["state"],
    )
    yield visible(str(head))
    for flag, words in (
        ("late", say("The phase had closed by then; the run does not move its ranking.")),
        ("withdrawn", say("Your team has withdrawn this run.")),
    ):
        if run[flag]:
            yield str(words)
    if run["failure"]:
        yield visible(run["failure"])
    if run["state"] == "received":
        yield str(say("The run waits for its scores; ask again later with `client runs`."))
        if run.get("queue"):
            yield from _queue_lines(run["queue"])
    tracks = {track["name"]: track for track in task["tracks"]}
    for result in run["results"]:
        yield from _result_lines(tracks.get(result["track"], {}), result)
    for label in ("warnings", "notes"):
        yield from (visible(f"{label[:-1]}: {each}") for each in run[label])
    yield visible(run["url"])


def _queue_lines(queue: Document) -> Iterator[str]:
    if queue["running"]:
        yield str(say("It is being scored now."))
    elif queue["again_at"]:
        yield visible(str(say("An attempt failed; the next one begins at {time}.", time=queue["again_at"])))
    else:
        yield str(say("It is number {number} in the queue at most.", number=int(queue["number"])))
    if not queue["consumers"]:
        yield str(say("Nobody scores at the moment; nothing is lost."))
    elif queue["seconds"] is not None and not queue["again_at"]:
        yield str(
            say_count(
                "Judging by the last runs, it takes about {count} second.",
                "Judging by the last runs, it takes about {count} seconds.",
                int(queue["seconds"]),
            )
        )


def _result_lines(track: Document, result: Document) -> Iterator[str]:
    yield visible(f"{result['track']}: {track.get('title', '')}")
    yield visible(f"  {_place(result)}")
    digits = int(track.get("digits", 4))
    rows = [
        (measure, _shown(value, digits), _remark(track, result, measure))
        for measure, value in _in_order(track, result["values"])
    ]
    yield from (visible(f"  {line}") for line in aligned(rows, right=(1,)) if rows)


def _in_order(track: Document, values: Document) -> list[tuple[str, float | None]]:
    measures = track.get("measures", list(values))
    return [(measure, values[measure]) for measure in measures if measure in values]


def _place(result: Document) -> str:
    stand = result["stand"]
    if result["place"] is not None:
        of = f" of {stand['teams']}" if stand else ""
        return str(say("place {place}", place=f"{result['place']}{of}"))
    would = ""
    if stand:
        would = str(
            say(" It would have place {place} of {teams}.", place=stand["place"], teams=stand["teams"])
        )
    if result["reason"]:
        return str(say("no place: {reason}", reason=result["reason"])) + would
    return str(say("no place is shown now")) + would


def _remark(track: Document, result: Document, measure: str) -> str:
    why = result["undefined"].get(measure, "")
    return why or ("(ranks this track)" if measure == track.get("primary") else "")


def runs_lines(runs: Sequence[Document]) -> Iterator[str]:
    """A line a run."""
    if not runs:
        yield str(say("Your team has sent no run yet."))
        return
    rows = [("run", "submitted", "phase", "state", "kind", "name")]
    for run in runs:
        kind = "withdrawn" if run["withdrawn"] else "late" if run["late"] else run["kind"]
        rows.append((str(run["id"]), run["submitted_at"], run["phase"], run["state"], kind, run["name"]))
    yield from (visible(line) for line in aligned(rows, right=(0,)))


def board_lines(task: Document, board: Document) -> Iterator[str]:
    """A ranking: place, team, run, and the value that ranks on each track."""
    yield visible(f"{task['title']} · {board['track'] or 'overall'}, {board['phase']}")
    tracks = sorted(task["tracks"], key=lambda track: track["name"] != board["track"])
    overall = board["track"] is None
    head = ["place", "team", "run", *([board["ranked_by"]] if overall else [])]
    rows: list[tuple[str, ...]] = [(*head, *(f"{track['name']} {track['primary']}" for track in tracks))]
    for row in board["items"]:
        values = [
            _shown(row["values"].get(track["name"], {}).get(track["primary"]), track["digits"])
            for track in tracks
        ]
        name = row["run_name"] or ", ".join(str(run) for run in dict.fromkeys(row["runs"].values()))
        main = [_shown(row["value"], 2)] if overall else []
        place = _NOTHING if row["place"] is None else str(row["place"])
        rows.append((place, row["team"], name, *main, *values))
    yield from (visible(line) for line in aligned(rows, right=(0, *range(3, len(rows[0])))))
    if not board["items"]:
        yield str(say("Nobody has a place yet."))


def problem_lines(file: Path, problem: Document) -> Iterator[str]:
    """``FILE:LINE:COLUMN: what is wrong`` for each fault that the server found."""
    for fault in problem.get("faults", []):
        numbers = [str(fault[name]) for name in ("line", "column") if fault[name] is not None]
        yield visible(f"{':'.join([str(file), *numbers])}: {fault['message']}")
    count = int(problem.get("fault_count", 0))
    yield f"{file}: " + str(say_count("{count} fault.", "{count} faults.", count))


def _shown(value: float | None, digits: int) -> str:
    return _NOTHING if value is None else f"{value:.{digits}f}"
