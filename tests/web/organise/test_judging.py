"""The organisers' pages of judging, from a campaign that is made to the draft that comes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask

from leaderboard.services import judging_admission, judging_handing, judging_work
from leaderboard.site import utc_now
from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser

FILLED = {
    "title": "Which is better?",
    "kind": "tournament",
    "track": "combined",
    "k": "2",
    "finalists": "9",
    "pairings": "7",
    "redundancy": "",
    "seed": "3",
    "open_to": "anyone",
    "price": "0.25",
    "budget": "",
    "test_every": "0",
    "tests_needed": "4",
    "threshold": "75",
    "lease": "30",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Flask]:
    made = Installation.make(tmp_path_factory.mktemp("judging"), tasks_folder)
    made.install("russe")
    made.install("cast")
    yield app_of(made)
    made.site.close()


@pytest.fixture(scope="module")
def olga(app: Flask) -> Organiser:
    return Organiser(app, task="cast")


@pytest.fixture(scope="module")
def oleg(app: Flask) -> Organiser:
    return Organiser(app, "oleg")


def made(organiser: Organiser, **changes: str) -> str:
    """A new campaign; the address of its page."""
    organiser.open(organiser.at("judging/new"))
    organiser.send(organiser.at("judging/new"), **(FILLED | changes))
    assert organiser.last.status_code == 200, organiser.last.text
    number = organiser.last.request.path.rpartition("/")[2]
    return organiser.at(f"judging/{number}")


def sent(organiser: Organiser, campaign: str, where: str, name: str, content: str, **fields: str) -> str:
    """What the page of the campaign's material says to a file."""
    organiser.open(f"{campaign}/material")
    file = (BytesIO(content.encode()), name)
    return organiser.send(f"{campaign}/{where}", **({"track": "", "file": file} | fields))  # type: ignore[arg-type]


def moved(organiser: Organiser, campaign: str, step: str) -> str:
    organiser.open(campaign)
    return organiser.send(f"{campaign}/{step}")


def judged(organiser: Organiser, campaign: str, most: int = 10_000) -> int:
    """Somebody without an account prefers the text that comes first in the alphabet; how often."""
    site, number = site_of(organiser.app), int(campaign.rpartition("/")[2])
    spec, now = site.catalog.find(organiser.task), utc_now()
    given = 0
    with site.database.writing() as session:
        judge = judging_admission.join(session, spec, number, None, now).judge_id
    while given < most:
        with site.database.writing() as session:
            work = judging_handing.next_(session, spec, number, judge, now)
            if not work.units:
                break
            left, right = work.units[0].texts
            answer = "left" if left < right else "right"
            judging_work.record(session, spec, number, judge, work.units[0].judgment_id, answer, now, 4.0)
        given += 1
    return given


def pooled(organiser: Organiser) -> dict[str, list[str]]:
    """The four best graded items of each of the first two topics of the sample that have so many."""
    gold = site_of(organiser.app).catalog.find("cast").folder / "sample" / "gold" / "graded.qrels"
    found: dict[str, list[str]] = {}
    lines = [line.split() for line in gold.read_text().splitlines()]
    for topic, _, docno, grade in sorted(lines, key=lambda fields: -float(fields[3])):
        if float(grade) > 0:
            found.setdefault(topic, []).append(docno)
    several = [(topic, items[:4]) for topic, items in found.items() if len(items) > 3]
    return dict(several[:2])


def texts(organiser: Organiser) -> str:
    """Each text is its docno."""
    rows = [
        f"{topic}\tWhat of {topic}?\t{docno}\t{docno}"
        for topic, items in pooled(organiser).items()
        for docno in items
    ]
    return "\n".join(["topic\tquestion\tdocno\ttext", *rows, ""])


def test_a_campaign_from_its_form_to_a_draft_of_the_benchmark(olga: Organiser) -> None:
    campaign = made(olga)
    assert "There is nothing to judge yet" in olga.last.text
    assert "add a pool" in moved(olga, campaign, "open")
    olga.open(f"{campaign}/material")
    page = olga.send(f"{campaign}/pool", source="grades", track="graded", depth="10")
    assert "The pool has" in page
    page = sent(olga, campaign, "texts", "texts.tsv", "topic\tdocno\n31_1\tx\n")
    assert olga.last.status_code == 422
    assert "texts.tsv is not in order" in page
    assert "it lacks" in page
    assert "of no candidate here" in sent(olga, campaign, "texts", "texts.tsv", texts(olga))
    assert "no text yet" in moved(olga, campaign, "open")
    olga.open(f"{campaign}/material")
    assert "left out" in olga.send(f"{campaign}/leave-out")
    page = olga.open(campaign)
    assert "judgments expected" in page
    assert "cost expected" in page
    page = moved(olga, campaign, "open")
    assert "Judges are at work" in page
    given = judged(olga, campaign)
    page = olga.open(campaign)
    assert f"<dd>{given * 0.25:.2f}</dd>" in page
    answer = olga.client.get(f"{campaign}/progress", headers=olga.headers).json
    assert answer == {"state": "open", "working": True, "done": given, "total": given}
    table = olga.open(f"{campaign}/topics.csv").splitlines()
    assert table[0] == "topic,candidates,judgments,open,at_most,done_at"
    assert sum(int(line.split(",")[2]) for line in table[1:]) == given

    page = olga.open(f"{campaign}/results")
    assert "combined.qrels becomes a draft, but goes to nobody" in page
    assert len(olga.open(f"{campaign}/results/judgments.pref").splitlines()) == given
    assert re.fullmatch(r"(\S+ Q0 \S+ [12]0\n)+", olga.open(f"{campaign}/results/levels.qrels"))
    olga.open(f"{campaign}/results/combined.qrels")
    assert olga.last.status_code == 404
    page = moved(olga, campaign, "finish")
    assert "The campaign is finished" in page
    olga.open(f"{campaign}/results")
    page = olga.send(f"{campaign}/results/draft", file="combined.qrels", note="")
    assert re.fullmatch(r"/tasks/cast/organise/gold/drafts/\d+", olga.last.request.path)
    assert "from judging" in olga.open(olga.at("gold"))
    log = olga.open(olga.at("log"))
    for words in ("made the pool of", "their texts", "opened the judging campaign", "made the draft"):
        assert words in log


def test_a_form_says_what_cannot_be(olga: Organiser) -> None:
    olga.open(olga.at("judging/new"))
    page = olga.send(olga.at("judging/new"), **(FILLED | {"title": " ", "k": "x"}))
    assert olga.last.status_code == 422
    assert "Enter a title" in page
    page = olga.send(olga.at("judging/new"), **(FILLED | {"redundancy": "2"}))
    assert "A tournament cannot go on after a tie" in page
    page = olga.send(olga.at("judging/new"), **(FILLED | {"consent_ru": "Только по-русски"}))
    assert "needs an English version" in page


def test_judges_come_by_links_and_are_set_aside_and_taken_back(olga: Organiser) -> None:
    campaign = made(olga, title="By invitation")
    sent(olga, campaign, "texts", "t.tsv", texts(olga), as_pool="y", track="graded")
    moved(olga, campaign, "open")
    judged(olga, campaign, most=3)
    olga.open(f"{campaign}/judges")
    page = olga.send(f"{campaign}/links", people="2", days="7")
    link = page.partition('<output id="fresh-link">')[2].partition("<")[0]
    assert "/judging/join/" in link
    page = olga.open(f"{campaign}/judges")
    assert link not in page
    assert "used by 0 of 2" in page
    page = olga.send(f"{campaign}/links/", people="1")
    assert "The link is withdrawn" in page
    assert "without an account" in page
    action = next(form.action for form in olga.forms() if form.action.endswith("/set-aside"))
    assert "Say why" in olga.send(action, reason="")
    page = olga.send(action, reason="Left is not always better")
    assert "Left is not always better" in page
    assert "<dd>0 /" in olga.open(campaign)
    olga.open(f"{campaign}/judges")
    assert "counts again" in olga.send(action.replace("set-aside", "take-back"))
    assert "<dd>3 /" in olga.open(campaign)
    assert olga.open(f"{campaign}/judges.csv").splitlines()[1].split(",")[3:5] == ["3", "4.0"]


def test_quality_is_shown_in_numbers_plots_and_files(olga: Organiser) -> None:
    first = made(olga, title="Local")
    second = made(olga, title="Crowd", kind="two-stage", k="2", redundancy="1")
    for campaign in (first, second):
        sent(olga, campaign, "texts", "t.tsv", texts(olga), as_pool="y", track="graded")
        moved(olga, campaign, "open")
        judged(olga, campaign)
    page = olga.open(f"{second}/quality?beside={first.rpartition('/')[2]}")
    for words in ("triples are transitive", "Grades of the candidates", "Grades of the chosen answers"):
        assert words in page
    assert "A top answer there for" in page
    # Each bar says under it how many steps below the best it is.
    assert re.search(r"<text[^>]*>1</text>", olga.open(f"{second}/quality/pool.svg"))
    for name in ("pool", "grades"):
        for ending, start in (("svg", b"<svg"), ("pdf", b"%PDF"), ("csv", b"")):
            answer = olga.client.get(f"{second}/quality/{name}.{ending}", headers=olga.headers)
            assert answer.status_code == 200
            assert start in answer.data[:300]
    olga.open(f"{second}/quality/sources.csv?beside={first.rpartition('/')[2]}")
    assert olga.last.status_code == 200
    assert "transitive triples," in olga.open(f"{second}/quality/agreement.csv")
    olga.open(f"{second}/quality?beside=999")
    assert olga.last.status_code == 404


def test_judgments_made_elsewhere_are_taken_once_and_whole(olga: Organiser) -> None:
    campaign = made(olga, title="Elsewhere")
    sent(olga, campaign, "texts", "t.tsv", texts(olga), as_pool="y", track="graded")
    assert "once the campaign is open" in olga.last.text
    moved(olga, campaign, "open")
    topic, items = next(iter(pooled(olga).items()))
    good = "".join(f"{topic} {items[0]} {other} {items[0]}\n" for other in items[1:])
    page = sent(olga, campaign, "judgments", "mine.pref", f"{good}{topic} {items[0]} nobody nobody\n")
    assert olga.last.status_code == 422
    assert "nobody" in page
    assert "mine.pref is not in order" in page
    page = sent(olga, campaign, "judgments", "mine.pref", good)
    assert f"Judgments taken: {len(items) - 1}, of 1 judges; left out: 0" in page
    assert "taken before" in sent(olga, campaign, "judgments", "copy.pref", good)
    assert "mine 1" in olga.open(f"{campaign}/judges")
    assert len(olga.open(f"{campaign}/results/judgments.pref").splitlines()) == len(items) - 1


def test_released_preferences_become_a_draft(olga: Organiser) -> None:
    topic, items = next(iter(pooled(olga).items()))
    wanted = {"kind": "preferences", "track": "combined", "graded": "graded", "k": "5", "finalists": "9"}
    olga.open(olga.at("judging/release"))
    page = olga.send(olga.at("judging/release"), file=(BytesIO(b"a b c\n"), "crowd.pref"), **wanted)  # type: ignore[arg-type]
    assert "crowd.pref is not in order" in page
    content = f"{topic} {items[0]} {items[1]} {items[1]}\n".encode()
    olga.send(olga.at("judging/release"), file=(BytesIO(content), "crowd.pref"), **wanted)  # type: ignore[arg-type]
    assert "/gold/drafts/" in olga.last.request.path
    assert "crowd.pref" in olga.last.text


def test_annotators_files_confirm_unrelated_pairs_for_a_balanced_benchmark(oleg: Organiser) -> None:
    campaign = made(oleg, kind="negative", track="rt", title="Несвязанные слова")
    listed = "num;word1;word2;related;comment;src\n0;дом;сон;;;x\n0;дом;лёд;;;x\n0;кот;лёд;;;x\n"
    assert "3 new pairs" in sent(oleg, campaign, "words", "generated.csv", listed)
    page = sent(
        oleg, campaign, "words", "positives.csv", "word1,word2,sim\nдом,окно,1\nкот,кошка,1\n", positives="y"
    )
    assert "2 new pairs" in page
    moved(oleg, campaign, "open")
    assert "of 1 judges" in sent(
        oleg, campaign, "judgments", "anna.csv", "\ufeff" + listed.replace("\n", "\r\n")
    )
    second = '"num","word1","word2","related"\n# by hand\n0,"дом","сон",0\n0,дом,лёд,\n\n0,кот,лёд,1(?)\n'
    assert "left out: 0" in sent(oleg, campaign, "judgments", "boris.csv", second)
    page = oleg.open(f"{campaign}/results")
    assert "an annotator was in doubt" in page
    rows = oleg.open(f"{campaign}/results/pairs.csv").splitlines()
    assert rows[1] == "дом,окно,1"
    assert len(rows) == 3
    assert "кот,лёд,0,in doubt" in oleg.open(f"{campaign}/results/dropped.csv")
    oleg.open(f"{campaign}/results")
    oleg.send(f"{campaign}/results/draft", file="pairs.csv", note="")
    assert "/gold/drafts/" in oleg.last.request.path


def test_ratings_of_relatedness_become_a_draft_of_human_judgments(oleg: Organiser) -> None:
    campaign = made(oleg, kind="relatedness", track="hj", title="Насколько связаны?")
    assert "2 new pairs" in sent(oleg, campaign, "words", "pairs.csv", "word1,word2\nдом,окно\nкот,лёд\n")
    moved(oleg, campaign, "open")
    page = sent(oleg, campaign, "judgments", "r.csv", "word1;word2;anna;boris\nдом;окно;3;4\nкот;лёд;0;\n")
    assert "is none of: <bdi>0, 1, 2, 3</bdi>" in page
    page = sent(oleg, campaign, "judgments", "r.csv", "word1;word2;anna;boris\nдом;окно;3;2\nкот;лёд;0;\n")
    assert "Judgments taken: 3, of 2 judges" in page
    assert oleg.open(f"{campaign}/results/ratings.csv").splitlines()[1] == f"дом,окно,{5 / 6!r}"
    oleg.open(f"{campaign}/results")
    oleg.send(f"{campaign}/results/draft", file="ratings.csv", note="Rated anew")
    assert "/gold/drafts/" in oleg.last.request.path
    assert "Rated anew" in oleg.last.text
