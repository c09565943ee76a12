"""The organisers' side of judging.

`shared` is what all have in common, `campaigns` makes, shows and opens them, `preparing` takes what is
judged, `judges` has the judges and their links, `quality` says how good it is, `results` gives it out and
makes drafts of it.
"""

from leaderboard.web.organise.judging import campaigns, judges, preparing, quality, results
from leaderboard.web.organise.judging.shared import blueprint

__all__ = ["blueprint", "campaigns", "judges", "preparing", "quality", "results"]
