"""Runs sent by scripts: checked, kept, scored, refused, and sent again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import func, select

from leaderboard.services import scoring_jobs
from leaderboard.site import utc_now
from leaderboard.store.models import RequestKey, Run, User
from leaderboard.telemetry import exposition, meters
from tests.web.api.scripts import Script, member, sample, token
from tests.web.installation import Installation
from tests.web.members import Clock, Member

EMBEDDINGS = sample("russe", "embeddings.csv")
FAULTY = b"word1,word2,sim\n\xd0\xba\xd0\xbe\xd1\x82,\xd0\xbf\xd1\x91\xd1\x81,much\n"


def kept(installation: Installation) -> int:
    with installation.site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Run)) or 0


def drafts(installation: Installation) -> list[Path]:
    return [
        path for path in (installation.settings.instance / "runs" / "incoming").glob("*") if path.is_file()
    ]


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def test_a_run_is_scored_at_once_and_has_its_place(foxes: Script, installation: Installation) -> None:
    answer = foxes.send("russe", EMBEDDINGS, words={"name": "Vectors", "system": "embeddings"})
    assert answer.status_code == 201, answer.text
    run = answer.json["run"]  # type: ignore[index]
    assert answer.headers["Location"].endswith(f"/api/v1/tasks/russe/runs/{run['id']}")
    assert (run["name"], run["state"], run["method"]["system"]) == ("Vectors", "scored", "embeddings")
    assert {result["track"]: result["place"] for result in run["results"]} == {"hj": 1, "rt": 1, "ae": 1}
    assert run["results"][0]["stand"]["teams"] == 1
    assert foxes.get(f"/tasks/russe/runs/{run['id']}") == run
    assert run["actions"] == ["withdraw", "compare"]
    assert drafts(installation) == []


def test_a_run_that_waits_says_where(foxes: Script, installation: Installation) -> None:
    answer = foxes.send("russe", EMBEDDINGS)
    run_id: int = answer.json["run"]["id"]  # type: ignore[index]
    assert foxes.get(f"/tasks/russe/runs/{run_id}")["queue"] is None
    with installation.site.database.writing() as session:
        session.get_one(Run, run_id).state = "received"
        scoring_jobs.request(session, "russe", run_id, utc_now())
    assert foxes.get(f"/tasks/russe/runs/{run_id}")["queue"] == {
        "number": 1,
        "running": False,
        "seconds": None,
        "consumers": 0,
        "again_at": None,
    }


def test_a_form_does_what_a_plain_body_does(app: Flask, installation: Installation) -> None:
    plain, form = (member(app, installation.site, name=name) for name in ("Foxes", "Bears"))
    first = plain.send("russe", EMBEDDINGS, words={"name": "Vectors", "kind": "contrastive"}).json
    fields = {
        "name": "Vectors",
        "kind": "contrastive",
        "file": (io.BytesIO(EMBEDDINGS.read_bytes()), "e.csv"),
    }
    second = form.ask("POST", "/tasks/russe/runs", data=fields).json
    assert first is not None
    assert second is not None
    differing = {name for name in first["run"] if first["run"][name] != second["run"][name]}
    assert differing == {"id", "url", "file_name"}
    assert first["run"]["kind"] == "contrastive"


def test_faults_are_told_by_line_and_cost_no_slot(foxes: Script) -> None:
    document = foxes.refused(foxes.send("russe", FAULTY), 422, "faulty-file")
    assert document["fault_count"] >= 1
    assert {"line": 2, "column": 9} in [
        {"line": each["line"], "column": each["column"]} for each in document["faults"]
    ]
    quota = foxes.get("/tasks/russe/quota")
    assert (quota["runs_today"], quota["left_today"], quota["rejected_left_today"]) == (0, 2, 2)
    assert foxes.get(f"/tasks/russe/runs/{document['run']}")["faults"] == document["faults"]


def test_a_check_tells_the_same_and_keeps_nothing(foxes: Script, installation: Installation) -> None:
    report = foxes.ask("POST", "/tasks/russe/check", data=FAULTY).json
    assert report is not None
    assert report["accepted"] is False
    fine = {"file": (io.BytesIO(EMBEDDINGS.read_bytes()), "e.csv")}
    assert foxes.ask("POST", "/tasks/russe/check", data=fine).json["accepted"] is True  # type: ignore[index]
    assert kept(installation) == 0
    assert drafts(installation) == []
    assert report["faults"] == foxes.send("russe", FAULTY).json["faults"]  # type: ignore[index]


def test_the_quota_refuses_with_the_time_of_the_next_slot(foxes: Script, clock: Clock) -> None:
    for name in ("embeddings.csv", "random.csv"):
        assert foxes.send("russe", sample("russe", name)).status_code == 201
    answer = foxes.send("russe", sample("russe", "thesaurus.csv"))
    document = foxes.refused(answer, 429, "quota-reached")
    assert document["next_slot"] == "2026-03-03T00:00:00Z"
    assert answer.headers["Retry-After"] == "Tue, 03 Mar 2026 00:00:00 GMT"
    quota = foxes.get("/tasks/russe/quota")
    assert (quota["may_submit"], quota["next_slot"]) == (False, "2026-03-03T00:00:00Z")
    clock.move(hours=15)
    assert foxes.send("russe", sample("russe", "thesaurus.csv")).status_code == 201


def test_pages_and_scripts_use_the_same_slots(app: Flask, installation: Installation) -> None:
    ann = Member(app, "Ann", "Bears")
    with installation.site.database.reading() as session:
        user_id = session.scalars(select(User.id).where(User.name == "Ann")).one()
    bears = Script(app, token(installation.site, user_id))
    ann.submit(EMBEDDINGS)
    assert bears.send("russe", sample("russe", "random.csv")).status_code == 201
    bears.refused(bears.send("russe", sample("russe", "thesaurus.csv")), 429, "quota-reached")
    ann.submit(sample("russe", "thesaurus.csv"))
    assert kept(installation) == 2


def test_a_phase_that_is_not_open_or_used_up_is_another_refusal(foxes: Script, clock: Clock) -> None:
    clock.move(days=-2)
    document = foxes.refused(foxes.send("russe", EMBEDDINGS), 403, "phase-not-open")
    assert document["next_slot"] == "2026-03-01T00:00:00Z"
    names = sorted(path.name for path in EMBEDDINGS.parent.iterdir())
    for number in range(6):
        clock.move(days=1 if number % 2 == 0 else 0)
        assert foxes.send("russe", sample("russe", names[number])).status_code == 201
    clock.move(hours=25)
    document = foxes.refused(foxes.send("russe", sample("russe", names[6])), 403, "quota-used-up")
    assert document["next_slot"] is None


def test_after_the_phase_a_run_is_late_and_what_moves_the_ranking_is_over(
    foxes: Script, clock: Clock
) -> None:
    early = foxes.send("russe", sample("russe", "random.csv")).json["run"]  # type: ignore[index]
    clock.move(days=4)
    late = foxes.send("russe", EMBEDDINGS).json["run"]  # type: ignore[index]
    assert late["late"] is True
    assert {result["place"] for result in late["results"]} == {None}
    document = foxes.refused(
        foxes.ask("POST", f"/tasks/russe/runs/{early['id']}/withdraw"), 409, "not-allowed"
    )
    assert "The phase closed at 2026-03-05 12:00 UTC" in document["detail"]
    rows = foxes.get("/tasks/russe/standings", track="hj")["items"]
    assert [row["run"] for row in rows if row["place"] == 1] == [early["id"]]
    beside = foxes.get("/tasks/russe/standings", track="hj", stage="post-evaluation")["items"]
    assert [(row["place"], row["run"]) for row in beside] == [(1, late["id"])]


def test_an_identical_file_leads_to_the_earlier_run(foxes: Script, installation: Installation) -> None:
    first = foxes.send("russe", EMBEDDINGS)
    again = foxes.send("russe", EMBEDDINGS)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json["again"] is True  # type: ignore[index]
    assert again.json["run"]["id"] == first.json["run"]["id"]  # type: ignore[index]
    assert kept(installation) == 1


def test_the_same_key_gets_the_first_answer_again(foxes: Script, installation: Installation) -> None:
    first = foxes.send("russe", EMBEDDINGS, headers=keyed("k1"), words={"name": "Vectors"})
    foxes.ask("PATCH", f"/tasks/russe/runs/{first.json['run']['id']}", json={"name": "Other"})  # type: ignore[index]
    again = foxes.send("russe", EMBEDDINGS, headers=keyed("k1"), words={"name": "Vectors"})
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Location"] == first.headers["Location"]
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert kept(installation) == 1


def test_the_same_key_in_a_form_is_the_same_request(foxes: Script, installation: Installation) -> None:
    first = foxes.send("russe", EMBEDDINGS, headers=keyed("k1"), words={"name": "Vectors"})
    fields = {"name": "Vectors", "file": (io.BytesIO(EMBEDDINGS.read_bytes()), "e.csv")}
    assert foxes.ask("POST", "/tasks/russe/runs", data=fields, headers=keyed("k1")).data == first.data


def test_a_faulty_file_under_the_same_key_is_one_attempt(foxes: Script, installation: Installation) -> None:
    first, again = (foxes.send("russe", FAULTY, headers=keyed("k1")) for _ in range(2))
    assert foxes.refused(again, 422, "faulty-file") == first.json
    assert kept(installation) == 1


def test_another_file_or_other_words_under_the_same_key_are_refused(foxes: Script) -> None:
    foxes.send("russe", EMBEDDINGS, headers=keyed("k1"))
    other = foxes.send("russe", sample("russe", "random.csv"), headers=keyed("k1"))
    foxes.refused(other, 422, "key-of-another")
    foxes.refused(
        foxes.send("russe", EMBEDDINGS, headers=keyed("k1"), words={"name": "x"}), 422, "key-of-another"
    )
    foxes.refused(foxes.send("russe", EMBEDDINGS, headers=keyed("a b")), 400, "key-refused")


def test_a_key_whose_request_did_nothing_is_free_again(
    foxes: Script, clock: Clock, installation: Installation
) -> None:
    for name in ("embeddings.csv", "random.csv"):
        foxes.send("russe", sample("russe", name))
    third = sample("russe", "thesaurus.csv")
    foxes.refused(foxes.send("russe", third, headers=keyed("k1")), 429, "quota-reached")
    with installation.site.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(RequestKey)) == 0
    clock.move(hours=15)
    assert foxes.send("russe", third, headers=keyed("k1")).status_code == 201


def test_a_request_that_is_being_answered_is_not_done_twice(
    foxes: Script, clock: Clock, installation: Installation
) -> None:
    foxes.send("russe", EMBEDDINGS, headers=keyed("k1"))
    with installation.site.database.writing() as session:
        row = session.scalars(select(RequestKey)).one()
        row.status, row.body, row.begun_at = None, None, clock.moment
    answer = foxes.send("russe", EMBEDDINGS, headers=keyed("k1"))
    foxes.refused(answer, 409, "busy")
    assert answer.headers["Retry-After"] == "2"
    clock.move(minutes=10)
    again = foxes.send("russe", EMBEDDINGS, headers=keyed("k1"))
    assert (again.status_code, kept(installation)) == (200, 1)


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"kind": "baseline"}, "query.kind"),
        ({"manner": "magic"}, "query.manner"),
        ({"name": "x" * 101}, "query.name"),
        ({"link": "javascript:alert(1)"}, "link"),
    ],
)
def test_words_that_cannot_be_kept_are_refused_before_the_file(
    foxes: Script, installation: Installation, words: dict[str, str], field: str
) -> None:
    document = foxes.refused(foxes.send("russe", EMBEDDINGS, words=words), 422, "invalid")
    assert [each["field"] for each in document["errors"]] == [field]
    assert kept(installation) == 0
    assert drafts(installation) == []


def test_a_form_with_such_words_is_refused_too(foxes: Script, installation: Installation) -> None:
    fields = {"kind": "baseline", "file": (io.BytesIO(EMBEDDINGS.read_bytes()), "e.csv")}
    document = foxes.refused(foxes.ask("POST", "/tasks/russe/runs", data=fields), 422, "invalid")
    assert document["errors"][0]["field"] == "form.kind"
    assert (kept(installation), drafts(installation)) == (0, [])


def test_nothing_or_an_empty_file_is_refused(foxes: Script, installation: Installation) -> None:
    for path in ("/tasks/russe/runs", "/tasks/russe/check"):
        foxes.refused(foxes.ask("POST", path, data=b""), 422, "empty-file")
        foxes.refused(
            foxes.ask("POST", path, data={"name": "x"}, content_type="multipart/form-data"), 422, "empty-file"
        )
    assert (kept(installation), drafts(installation)) == (0, [])


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, foxes: Script, app: Flask) -> None:
    site = app.extensions["leaderboard.site"]
    limit = site.settings.max_upload_mb * 1_000_000
    for path in ("/tasks/russe/runs", "/tasks/russe/check"):
        large = io.BytesIO(b"x" * (limit + 1_000_001))
        foxes.refused(
            foxes.ask("POST", path, input_stream=large, content_length=limit + 1_000_001), 413, "too-large"
        )


def test_a_body_that_does_not_come_whole_leaves_nothing(foxes: Script, installation: Installation) -> None:
    whole = EMBEDDINGS.read_bytes()
    for length in (1, len(whole) // 2, len(whole) - 1):
        broken = io.BytesIO(whole[:length])
        promised = {"CONTENT_LENGTH": str(len(whole)), "wsgi.input_terminated": True}
        answer = foxes.ask("POST", "/tasks/russe/runs", input_stream=broken, environ_overrides=promised)
        foxes.refused(answer, 400, "bad-request")
    assert (kept(installation), drafts(installation)) == (0, [])


def test_what_is_not_taken_is_counted_by_its_faults(foxes: Script) -> None:
    exposition.start()
    meters.put_behind(exposition._kept)
    before = rejected()
    try:
        foxes.send("russe", FAULTY)
        foxes.send("russe", FAULTY)
        foxes.send("russe", b"")
        after = rejected()
    finally:
        meters.put_behind(None)
    grown = {labels for labels, count in after.items() if count > before.get(labels, 0)}
    assert 'fault="empty",task="russe"' in grown
    assert any("number" in labels for labels in grown)
    assert all(after[labels] - before.get(labels, 0) == 1 for labels in grown), "sent again, it is no other"


def rejected() -> dict[str, float]:
    lines = exposition.text().decode().splitlines()
    found = [line.partition("} ") for line in lines if line.startswith("leaderboard_uploads_rejected_total{")]
    return {labels.partition("{")[2]: float(count) for labels, _, count in found}
