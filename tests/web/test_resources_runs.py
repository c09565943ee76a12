"""What each team brought to a published MJ."""

from __future__ import annotations

import csv
import io
import re

from flask.testing import FlaskClient

from tests.web.installation import Installation

PAGE = "/tasks/russe/mj/runs"


def cells(page: str) -> list[list[str]]:
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert body is not None
    rows = re.findall(r"<tr>.*?</tr>", body.group(1), re.DOTALL)
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_every_run_has_its_place_weight_and_agreement(client: FlaskClient) -> None:
    found = cells(client.get(PAGE).text)

    assert len(found) > 3
    assert found[0][0] == "1"
    weights = [float(row[2].removesuffix(" %")) for row in found]
    assert abs(sum(weights) - 100) < 1
    for row in found:
        assert float(row[4].replace("−", "-")) <= float(row[3].replace("−", "-"))


def test_another_track_may_be_asked_for(client: FlaskClient) -> None:
    assert cells(client.get(f"{PAGE}?track=rt").text) != cells(client.get(f"{PAGE}?track=hj").text)
    assert client.get(f"{PAGE}?track=none").status_code == 404


def test_the_heat_map_has_a_cell_for_every_two_runs(client: FlaskClient) -> None:
    runs = len(cells(client.get(f"{PAGE}?track=hj").text))
    page = client.get(f"{PAGE}?track=hj").text
    assert page.count('<rect x="') > 0
    table = list(csv.reader(io.StringIO(client.get(f"{PAGE}.csv?track=hj").text, newline="")))
    assert len(table) == 1 + runs**2
    assert client.get(f"{PAGE}.svg?track=hj").status_code == 200


def test_nothing_is_shown_before_mj_is_published(own: Installation) -> None:
    for team, run in {"a": "thesaurus.csv", "b": "embeddings.csv"}.items():
        own.submit("russe", run, team)
    own.build_mj(publish=False)
    reader = own.app().test_client()

    assert reader.get(PAGE).status_code == 404
    assert reader.get(f"{PAGE}.csv").status_code == 404
