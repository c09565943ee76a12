"""What lines of the log say in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from leaderboard.contract import Message, say

SENTENCES: Mapping[str, Message] = {
    "right.given": say("{who} gave a right to {name}."),
    "right.taken": say("{who} took a right from {name}."),
    "run.disqualified": say("{who} disqualified the run {name}."),
    "run.qualified": say("{who} took back the disqualification of the run {name}."),
    "run.hidden": say("{who} hid the run {name}."),
    "run.shown": say("{who} showed the run {name} again."),
    "run.kind_changed": say("{who} changed what the run {name} is for."),
    "run.requeued": say("{who} had the run {name} scored again."),
    "run.deleted": say("{who} deleted the run {name}."),
    "run.restored": say("{who} undid the deletion of the run {name}."),
    "run.submitted": say("{who} submitted the run {name} for a team."),
    "team.deleted": say("{who} deleted the team {name}."),
    "team.restored": say("{who} undid the deletion of the team {name}."),
    "team.merged": say("{who} joined the team {name} to another one."),
    "team.written_to": say("{who} wrote to the team {name}."),
    "references.imported": say("{who} imported the published results “{name}”."),
    "references.removed": say("{who} removed the published results “{name}”."),
    "announcement.made": say("{who} announced “{name}”."),
    "announcement.withdrawn": say("{who} withdrew the announcement “{name}”."),
    "question.answered": say("{who} answered the question “{name}”."),
    "question.answer_changed": say("{who} changed the answer to the question “{name}”."),
    "gold.installed": say("{who} installed a benchmark of {name}."),
    "gold.found": say("{who} brought the benchmark {name} back that an archive had left behind."),
    "draft.made": say("{who} made the draft {name} of a benchmark."),
    "draft.applied": say("{who} applied the draft {name} of a benchmark."),
    "draft.discarded": say("{who} discarded the draft {name} of a benchmark."),
    "account.frozen": say("{who} froze the account of {name}."),
    "account.unfrozen": say("{who} let {name} sign in again."),
    "task.opened": say("{who} changed who sees what of the task {name}."),
    "phase.frozen": say("{who} froze the ranking of the phase {name}."),
    "phase.unfrozen": say("{who} showed the ranking of the phase {name} as it is."),
    "task.set": say("{who} changed settings of the task {name}."),
    "phase.revealed": say("{who} revealed the final standing of the phase {name}."),
    "phase.made": say("{who} made the phase {name}."),
    "phase.changed": say("{who} changed the phase {name}."),
    "phase.taken_away": say("{who} took the phase {name} away."),
    "phase.brought_back": say("{who} brought the phase {name} back."),
    "edition.made": say("{who} made the edition {name}."),
    "phases.reordered": say("{who} put the phases of {name} in another order."),
    "allowance.given": say("{who} allowed the team {name} more than a phase does."),
    "allowance.taken": say("{who} took back what the team {name} was allowed."),
    "input.replaced": say("{who} replaced the public file {name}."),
    "account.made": say("{who} made an account for {name}."),
    "archive.downloaded": say("{who} downloaded the archive {name}."),
    "archive.imported": say("{who} imported the archive {name}."),
    "archive.requested": say("{who} had the archive {name} made."),
    "campaign.changed": say("{who} changed the judging campaign {name}."),
    "campaign.made": say("{who} made the judging campaign {name}."),
    "campaign.open": say("{who} opened the judging campaign {name}."),
    "campaign.paused": say("{who} paused the judging campaign {name}."),
    "campaign.finished": say("{who} finished the judging campaign {name}."),
    "campaign.link_made": say("{who} made a link for judges of the campaign {name}."),
    "campaign.links_withdrawn": say("{who} withdrew the links for judges of the campaign {name}."),
    "campaign.pooled": say("{who} made the pool of the judging campaign {name}."),
    "campaign.texts_imported": say("{who} gave the candidates of the judging campaign {name} their texts."),
    "campaign.left_out": say("{who} left candidates without a text out of the judging campaign {name}."),
    "campaign.words_added": say("{who} added pairs of words to the judging campaign {name}."),
    "campaign.tests_added": say("{who} added tests to the judging campaign {name}."),
    "campaign.judgments_imported": say("{who} took judgments from elsewhere into the campaign {name}."),
    "judge.taken_back": say("{who} let the work of judge {name} count again."),
    "judge.set_aside": say("{who} set the work of judge {name} aside."),
    "probing.looked_at": say("{who} looked at what was found: {name}."),
    "probing.opened_again": say("{who} has what was found looked at again: {name}."),
    "resource.built": say("{who} built the resource {name}."),
    "resource.published": say("{who} published the resource {name}."),
    "resource.unpublished": say("{who} took the resource {name} from the public."),
}
"""By action, the sentence; one that is not among them is told by its own word."""

KINDS: Mapping[str, Message] = {
    "account": say("account"),
    "announcement": say("announcement"),
    "archive": say("archive"),
    "campaign": say("judging campaign"),
    "draft": say("draft of a benchmark"),
    "finding": say("finding of the probing report"),
    "gold": say("benchmark"),
    "input": say("public file"),
    "judge": say("judge"),
    "phase": say("phase"),
    "question": say("question"),
    "references": say("published results"),
    "resource": say("machine judgments"),
    "run": say("run"),
    "task": say("task"),
    "team": say("team"),
}
"""By kind of subject, what people call it."""

FIELDS: Mapping[str, Message] = {
    "alias": say("alias"),
    "answer": say("answer"),
    "bibtex": say("BibTeX"),
    "budget": say("budget"),
    "citation": say("citation"),
    "closes_at": say("closes at"),
    "counting": say("which run counts"),
    "deleted_at": say("deleted at"),
    "disqualified_at": say("disqualified at"),
    "disqualified_for": say("disqualified for"),
    "frozen_at": say("frozen at"),
    "frozen_for": say("frozen for"),
    "has_file": say("file is here"),
    "hidden_at": say("hidden at"),
    "invitations": say("invitations"),
    "kind": say("kind"),
    "looked_at": say("looked at"),
    "names_revealed_at": say("names shown from"),
    "note": say("note"),
    "opens_at": say("opens at"),
    "order": say("order"),
    "own_names": say("with own names"),
    "people": say("people (numbers)"),
    "phase": say("phase"),
    "public": say("for everybody"),
    "published_at": say("published at"),
    "rejected_per_day": say("rejected files a day"),
    "reveals": say("what it shows"),
    "right": say("right"),
    "runs": say("runs"),
    "runs left behind": say("runs left behind"),
    "runs_in_all": say("runs in all"),
    "public_values": say("what everybody is told of values"),
    "published": say("published"),
    "split": say("public and private part"),
    "revealed_at": say("final standing shown from"),
    "runs_per_day": say("runs a day"),
    "seed": say("seed"),
    "selected": say("chosen to count"),
    "settings": say("settings"),
    "sha256": say("SHA-256"),
    "size": say("size"),
    "state": say("state"),
    "subject": say("subject"),
    "submitted_at": say("submitted at"),
    "summary": say("summary"),
    "team": say("team"),
    "team_id": say("team (number)"),
    "teams": say("teams (numbers)"),
    "text": say("text"),
    "title": say("title"),
    "visibility": say("who sees it"),
    "weights": say("weights"),
    "with_gold": say("with the benchmarks"),
    "withdrawn_at": say("withdrawn at"),
}
"""By field of what was before and after, what people call it."""

_OTHER = say("{who}: {action}, {kind} {name}.")
_ANY = "…"
_SHELL = say("Somebody at the command line")
_SITE = say("The site itself")
_GONE = say("A deleted account")


def sentence(
    action: str, person_id: int | None, person: str | None, via: str, kind: str, name: str
) -> Message:
    """What happened, with who did it; `person` is what the account is called, None where it is deleted."""
    if person_id is None:
        who: Message | str = _SITE if via == "job" else _SHELL
    else:
        who = person or _GONE
    found = SENTENCES.get(action, _OTHER)
    return replace(found, values={"who": who, "name": name, "action": action, "kind": kind_words(kind)})


def action_words(action: str) -> Message | str:
    """What an action is called in a list to choose from; an unknown one by its own word."""
    if action not in SENTENCES:
        return action
    return replace(SENTENCES[action], values={"who": _ANY, "name": _ANY})


def kind_words(kind: str) -> Message | str:
    """What a kind of subject is called; an unknown one by its own word."""
    return KINDS.get(kind, kind)


def field_words(field: str) -> Message | str:
    """What a field is called; one that has a name of its own, as a track, by that."""
    return FIELDS.get(field, field)
