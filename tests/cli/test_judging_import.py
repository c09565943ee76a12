"""Judgments that were made elsewhere, on the command line."""

from __future__ import annotations

from leaderboard.services import judging, judging_material
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_plans import Plan, Settings
from leaderboard.site import opened, utc_now
from tests.cli.installation import Installation


def campaign(toy: Installation) -> None:
    """An open campaign over two pairs of words."""
    with opened(toy.settings) as site, site.database.writing() as session:
        spec, plan = site.catalog.find("toy"), Plan("Words", "negative", settings=Settings(redundancy=2))
        judging.create(session, spec, plan, SHELL, utc_now())
        judging_material.add_words(session, spec, 1, [("дом", "сон"), ("кот", "лёд")], 0)
        judging.open_(session, spec, 1, SHELL, utc_now())


def test_files_are_taken_whole_once_and_with_their_faults_by_line(toy: Installation) -> None:
    campaign(toy)
    good = toy.write("anna.csv", "num;word1;word2;related", "0;дом;сон;", "0;кот;лёд;1(?)")
    bad = toy.write("boris.csv", "word1,word2,related", "дом,сон,0", "дом,мир,0", "кот,лёд,maybe")
    assert "anna.csv: 2 judgments taken, of 1 judge; 0 left out." in toy.done(
        "judging", "import", "toy", "1", good
    )
    assert "boris.csv: line 4" in toy.refused("judging", "import", "toy", "1", bad)
    mended = toy.write("boris.csv", "word1,word2,related", "дом,сон,0", "дом,мир,0")
    assert "boris.csv: line 3: дом, мир is no pair of this campaign" in toy.refused(
        "judging", "import", "toy", "1", mended
    )
    mended = toy.write("boris.csv", "word1,word2,related", "дом,сон,0")
    printed = toy.done("judging", "import", "toy", "1", good, mended)
    assert "anna.csv: taken before; nothing has changed." in printed
    assert "boris.csv: 1 judgment taken" in printed
    assert "no campaign 2" in toy.refused("judging", "import", "toy", "2", good)
