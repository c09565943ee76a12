"""Findings in words: what was seen, how strong it is, and when honest work looks the same. Nobody is
accused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.contract import Message, say

HEADS: Mapping[str, Message] = {
    "flips": say("Runs with few changes"),
    "coins": say("Answers chosen as by coins"),
    "strangers": say("Runs with nothing in common"),
    "climb": say("Changes kept where the value rose"),
    "copies": say("Runs of two teams that are nearly the same"),
    "same files": say("The same file from two teams"),
    "one person": say("One account in two teams"),
    "one mailbox": say("Two accounts, one mailbox"),
    "one browser": say("Two accounts, one browser"),
    "turns": say("Teams that take turns"),
}
"""By kind, what a finding is called."""

HONEST: Mapping[str, Message] = {
    "flips": say(
        "A repair of single items looks the same, as does a part of the system that few items meet."
    ),
    "coins": say("Real systems differ on hard items and agree on easy ones; few things but chance do not."),
    "strangers": say("So do random baselines, or files whose lines were shuffled by mistake."),
    "climb": say("Who improves a system by hand, item by item, and looks at the value, does the same."),
    "copies": say("Two teams with the same public model, or the same baseline, send such runs too."),
    "same files": say("A file that anybody could download, or a public baseline, may come from both."),
    "one person": say("People change teams, and may: what the earlier team sent counts for them there too."),
    "one mailbox": say("Somebody may have forgotten an account, or a group may share a mailbox."),
    "one browser": say(
        "Colleagues at one computer, or behind one proxy with the same browser, look the same."
    ),
    "turns": say(
        "Teams in two time zones rarely work at the same hours; seldom does one follow the other so soon."
    ),
}
"""By kind, when honest work looks the same."""


def sentence(kind: str, numbers: Mapping[str, Any], teams: Sequence[str]) -> Message:
    """What was seen. Names of teams are those they call themselves: it is for organisers alone."""
    one, other = (*teams, "?", "?")[:2]
    words: dict[str, Any] = {"team": one, "one": one, "other": other}
    if kind == "copies":
        return _copies(numbers, words)
    if kind == "one person":
        return _one_person(numbers, words)
    return Message(_SENTENCES[kind].template, words | _written(numbers))


_SENTENCES: Mapping[str, Message] = {
    "flips": say(
        "{count} of {of} runs of {team} in the phase {phase} differ from an earlier one in at most {most} "
        "of {units} items; together they changed at least so many different ones: {different}."
    ),
    "coins": say(
        "{count} runs of {team} in the phase {phase} choose between the same two answers to {units} sampled "
        "items, and how often each was chosen the rarer way fits coins with the odds {odds} (χ² test of "
        "fit: p = {p_value}; systems that know something do not fit)."
    ),
    "strangers": say(
        "{count} runs of {team} in the phase {phase} do not agree with each other: of all pairs {share} "
        "have a rank correlation nearer to 0 than 0.15, and its mean size is {mean}."
    ),
    "climb": say(
        "Small changes by {team} in the phase {phase}: of those that raised the value on {track} "
        "{kept_better} of {better} were kept, of those that lowered it {kept_worse} of {worse} (Fisher's "
        "exact test, for all tracks: p = {p_value}). Runs better than all before them: {records} (p = "
        "{records_p}); from the first to the best: {rise}."
    ),
    "same files": say("{one} and {other} sent the same file, byte for byte (files: {files})."),
    "one mailbox": say(
        "Accounts of {one} and {other} (people: {people}) have addresses whose letters arrive in one mailbox."
    ),
    "one browser": say(
        "Accounts of {one} and {other} (people: {people}) signed in from one network address with the same "
        "browser within the last {days} days."
    ),
    "turns": say(
        "On {apart} of {days} days on which both sent runs in the phase {phase}, one of {one} and {other} "
        "had ended when the other began, {minutes} minutes later (the median; p = {p_value} for all pairs "
        "of teams)."
    ),
}


def _copies(numbers: Mapping[str, Any], words: dict[str, Any]) -> Message:
    words |= _written(numbers)
    if numbers["items"]:
        return say(
            "Runs of {one} and {other} are alike (pairs of runs: {pairs}). Of the two nearest {share} of "
            "{units} compared topics have the same first results in the same order ({chance} would by "
            "chance), and their first results overlap by {near}.",
            **words,
        )
    return say(
        "Runs of {one} and {other} are alike (pairs of runs: {pairs}). Of the two nearest {share} of "
        "{units} compared items have the same value ({chance} would by chance), and the rank correlation is "
        "{near}.",
        **words,
    )


def _one_person(numbers: Mapping[str, Any], words: dict[str, Any]) -> Message:
    return say(
        "Accounts that were in {one} and in {other}, at different times: {people}. Most runs sent while "
        "such an account was there: by {one} {of_one}, by {other} {of_other}.",
        people=numbers["people"],
        of_one=numbers["one"],
        of_other=numbers["other"],
        **words,
    )


_SHARES = ("share", "chance")


def _written(numbers: Mapping[str, Any]) -> dict[str, str]:
    """Numbers as they are read: probabilities short, shares as per cent."""
    return {name: _number(name, value) for name, value in numbers.items()}


def _number(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if name in _SHARES:
        return f"{100 * value:.1f} %"
    if name in ("p_value", "records_p"):
        return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
    return f"{value:.4f}" if name in ("near", "rise") else f"{value:.2f}"
