"""The pages where organisers look at new gold before it counts."""

from __future__ import annotations

from io import BytesIO

import pytest

from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.organisers import Organiser


def flipped(installation: Installation) -> bytes:
    """The sample's gold of the track `rt` with every second judgment turned round."""
    path = installation.spec("russe").folder / "sample" / "gold" / "rt-test.csv"
    head, *lines = path.read_text("utf-8").splitlines()
    turned = []
    for number, line in enumerate(lines):
        left, _, value = line.rpartition(",")
        turned.append(f"{left},{1 - int(float(value))}" if number % 2 else line)
    return "\n".join([head, *turned, ""]).encode()


def send(olga: Organiser, *files: tuple[bytes, str], **fields: object) -> str:
    olga.open(olga.at("gold"))
    sent = [(BytesIO(content), name) for content, name in files]
    return olga.send(olga.at("gold"), files=sent, **fields)  # type: ignore[arg-type]


def work(olga: Organiser) -> None:
    """What the consumers of the queue do."""
    site_of(olga.app).jobs.drain()


def test_a_new_benchmark_from_upload_to_the_rankings(own: Installation) -> None:
    own.enter_samples("russe")
    app = app_of(own)
    ann, olga = Member(app, "ann", "Foxes"), Organiser(app)
    ann.submit(own.spec("russe").folder / "sample" / "runs" / "thesaurus.csv")
    run = ann.run
    work(olga)
    page = send(olga, (flipped(own), "rt-test.csv"), note="judged again")
    assert "being scored" in page
    assert "judged again" in page
    assert "It waits for its turn." in page
    answer = olga.client.get(olga.at("gold/drafts/1/progress"), headers=olga.headers)
    assert answer.json == {"state": "scoring", "done": 0, "total": None, "working": True}
    work(olga)

    page = olga.open(olga.at("gold/drafts/1"))
    assert "What it would change" in page
    assert "Foxes" in page
    assert "ready to apply" in olga.open(olga.at("gold"))
    public = ann.open("/tasks/russe/board?track=rt")
    assert "version=1" not in public
    olga.open("/tasks/russe/board?track=rt&version=2")
    assert olga.last.status_code == 404

    olga.open(olga.at("gold/drafts/1"))
    page = olga.send(olga.at("gold/drafts/1/apply"))
    assert olga.last.status_code == 422
    assert "say so here" in page
    page = olga.send(olga.at("gold/drafts/1/apply"), sure="y")
    assert "its versions score from now on" in page
    assert "What it changed" in page
    letter = ann.letters()[-1]
    assert letter["Subject"].endswith("the place of your team has changed")
    assert 'The places of your team "Foxes":' in letter.get_content()

    public = ann.open("/tasks/russe/board?track=rt")
    assert "version=1" in public
    old = ann.open("/tasks/russe/board?track=rt&version=1")
    assert "as it stood under version 1" in old
    for address in ("/tasks/russe/runs/1", f"/tasks/russe/team/runs/{run}"):
        assert "With earlier versions of the benchmark" in ann.open(address)
    assert "Apply the draft" not in olga.open(olga.at("gold/drafts/1"))


def test_faults_are_told_by_file_and_line_and_make_no_draft(own: Installation) -> None:
    olga = Organiser(app_of(own))
    page = send(olga, (b"word1,word2,sim\n\xd0\xb0,b,x\n", "rt-test.csv"))
    assert olga.last.status_code == 422
    assert "rt-test.csv is not in order" in page
    assert '<td class="number">2</td>' in page
    assert "No draft was made" in page
    assert list((site_of(olga.app).settings.instance / "gold" / "incoming").iterdir()) == []


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ((), "Choose at least one benchmark file."),
        (((b"a,b,1\n", "some.csv"),), "is not the name of a benchmark file"),
    ],
)
def test_what_names_no_track_is_refused(
    own: Installation, files: tuple[tuple[bytes, str], ...], words: str
) -> None:
    olga = Organiser(app_of(own))
    assert words in send(olga, *files)
    assert olga.last.status_code == 422


def test_a_file_of_any_name_goes_into_the_field_of_its_track(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("gold"))
    upload = (BytesIO(flipped(own)), "new version (2).csv")
    page = olga.send(olga.at("gold"), **{"files-rt": upload})  # type: ignore[arg-type]
    assert "Draft 1" in page
    assert "rt-test.csv" in olga.open(olga.at("gold"))


def test_the_files_of_now_make_no_draft(own: Installation) -> None:
    olga = Organiser(app_of(own))
    gold = (own.spec("russe").folder / "sample" / "gold" / "rt-test.csv").read_bytes()
    assert "there is nothing to change" in send(olga, (gold, "rt-test.csv"))


def test_a_draft_is_discarded_and_another_made(own: Installation) -> None:
    olga = Organiser(app_of(own))
    send(olga, (flipped(own), "rt-test.csv"))
    work(olga)
    olga.open(olga.at("gold/drafts/1"))
    page = olga.send(olga.at("gold/drafts/1/discard"))
    assert "The draft is discarded." in page
    assert "Apply the draft" not in page
    assert "Draft 2" in send(olga, (flipped(own), "rt-test.csv"))


def test_runs_that_came_since_are_scored_before_it_is_applied(own: Installation) -> None:
    own.enter_samples("russe")
    app = app_of(own)
    olga = Organiser(app)
    send(olga, (flipped(own), "rt-test.csv"))
    work(olga)
    ann = Member(app, "ann", "Foxes")
    ann.submit(own.spec("russe").folder / "sample" / "runs" / "embeddings.csv")
    work(olga)
    page = olga.open(olga.at("gold/drafts/1"))
    assert "1 run has come since" in page
    assert "being applied" in olga.send(olga.at("gold/drafts/1/apply"), sure="y")
    work(olga)
    assert "What it changed" in olga.open(olga.at("gold/drafts/1"))


def test_a_scorer_newer_than_the_scores_offers_a_draft(
    own: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.enter_samples("russe")
    olga = Organiser(app_of(own))
    assert "Score all runs by it into a draft" not in olga.open(olga.at("gold"))
    scorer = own.site.scorer(own.spec("russe"))
    monkeypatch.setattr(scorer, "VERSION", "2030.1")
    assert "it is version 2030.1 by now" in olga.open(olga.at("gold"))
    page = olga.send(olga.at("gold/scorer"))
    assert "new scorer" in page
    work(olga)
    assert "every place and every value is the same" in olga.open(olga.at("gold/drafts/1"))


def test_a_draft_of_another_task_is_not_found(own: Installation) -> None:
    own.install("cast")
    app = app_of(own)
    olga, oscar = Organiser(app), Organiser(app, "oscar", "cast")
    send(olga, (flipped(own), "rt-test.csv"))
    for address in ("gold/drafts/1", "gold/drafts/1/progress"):
        oscar.open(oscar.at(address))
        assert oscar.last.status_code == 404
        oscar.open(olga.at(address))
        assert oscar.last.status_code == 403
