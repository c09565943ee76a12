"""The report of probing for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from leaderboard.contract import TaskSpec
from leaderboard.services.probing_pages import Finding, Report


def document(spec: TaskSpec, report: Report) -> dict[str, Any]:
    """All of it, plain enough for JSON; sentences are English."""
    return {
        "task": spec.name,
        "computed_at": _moment(report.computed_at),
        "up_to_date": not report.behind,
        "runs": report.runs,
        "teams": report.teams,
        "unreadable": report.unreadable,
        "findings": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "number": finding.number,
        "kind": finding.kind,
        "strength": finding.strength,
        "seen": str(finding.sentence),
        "honest_work_too": str(finding.honest),
        "numbers": dict(finding.numbers),
        "teams": [{"id": number, "name": name} for number, name in finding.teams],
        "runs": [{"id": run.run_id, "name": run.name, "team": run.team} for run in finding.runs],
        "runs_not_named": finding.more,
        "found_at": _moment(finding.found_at),
        "changed_at": _moment(finding.changed_at),
        "looked_at": _moment(finding.looked_at),
        "looked_by": finding.looked_by,
        "note": finding.note,
        "to_be_looked_at": finding.open,
        "gone": finding.gone,
    }


def _moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()
