"""Files that scripts send: to be checked, or to be submitted as a run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flask import Response, json, request, url_for
from flask_babel import gettext

from leaderboard.contract import Report as Found
from leaderboard.contract import TaskSpec
from leaderboard.services import checks, request_keys, submissions
from leaderboard.services.methods import Method, clean_method
from leaderboard.services.request_keys import Answer
from leaderboard.services.runs import Details, Submission, clean_name
from leaderboard.services.submissions import Doing, EmptyFile, Upload
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.api import documents
from leaderboard.web.api.blueprint import READ, SUBMIT, blueprint, holder, operation, own_team
from leaderboard.web.api.problems import MIMETYPE, Problem, document
from leaderboard.web.api.run_schemas import FileForm, NewRun, NewRunForm, Repeatable, Report
from leaderboard.web.api.run_schemas import Submission as SubmissionSchema
from leaderboard.web.api.runs import found_run
from leaderboard.web.api.schemas import Problem as ProblemSchema
from leaderboard.web.api.words import later as _
from leaderboard.web.installation import public_task, site

FILE = "file"

_FORM = "multipart/form-data"
_BINARY = {"schema": {"type": "string", "format": "binary"}}


@dataclass(frozen=True, slots=True)
class Sent:
    """A file of the request, where it lies, and what is said about it."""

    draft: Path
    file_name: str
    words: Mapping[str, Any]


@blueprint.route("/tasks/<task>/check", methods=["POST"], tags=["Files"])
@blueprint.response(200, Report)
@blueprint.doc(
    requestBody={
        "required": True,
        "content": {_FORM: {"schema": FileForm}, "application/octet-stream": _BINARY},
    }
)
@operation(
    READ,
    _("Checks the form of a file without submitting it."),
    _("It costs nothing and is not kept. The file is the whole body, or the part named file of a form."),
)
def check_run(task: str) -> Any:
    with site().database.reading() as session:
        spec = public_task(session, task)
    sent = _sent({})
    found = checks.check(site().transactions, site().files, spec, site().scorer(spec), sent.draft)
    return documents.report(found)


@blueprint.route("/tasks/<task>/runs", methods=["POST"], tags=["Files"], endpoint="submit_run")
@blueprint.arguments(NewRun, location="query")
@blueprint.arguments(Repeatable, location="headers")
@blueprint.response(201, SubmissionSchema, description=_("The run is accepted; Location leads to it."))
@blueprint.alt_response(
    200, schema=SubmissionSchema, description=_("The team had sent this very file before.")
)
@blueprint.alt_response(
    422, schema=ProblemSchema, content_type=MIMETYPE, description=_("The file has faults, by line.")
)
@blueprint.alt_response(
    429, schema=ProblemSchema, content_type=MIMETYPE, description=_("No slot; next_slot says when.")
)
@blueprint.doc(
    requestBody={
        "required": True,
        "content": {_FORM: {"schema": NewRunForm}, "application/octet-stream": _BINARY},
    },
)
@operation(
    SUBMIT,
    _("Submits a run."),
    _(
        "The file is the part named file of a form whose other fields say what it is, or the whole body, "
        "and then the address says what it is. The moment at which the request arrives decides. A small file "
        "is scored before the answer; else ask for the run until its state is no longer received. A file "
        "that the team had sent before leads to that run and costs nothing."
    ),
)
def submit_run(asked: dict[str, Any], header: dict[str, Any], task: str) -> Response:
    spec, _team = own_team(task)
    sent = _sent(asked)
    key = header.get("key")
    if key is None:
        return _answer(spec, _submitted(spec, sent))
    user_id, fingerprint = holder().user_id, _fingerprint(sent)
    with site().database.writing() as session:
        earlier = request_keys.begin(session, user_id, key, fingerprint, utc_now())
    if earlier is not None:
        return _repeated(earlier)
    try:
        answer = _answer(spec, _submitted(spec, sent))
    except Exception:
        with site().database.writing() as session:
            request_keys.forget(session, user_id, key)
        raise
    with site().database.writing() as session:
        request_keys.finish(session, user_id, key, Answer(answer.status_code, answer.get_data(as_text=True)))
    return answer


def _sent(asked: Mapping[str, Any]) -> Sent:
    """The file of the request. Raises EmptyFile, and a Problem where its words are not as they should be."""
    if request.mimetype != _FORM:
        return Sent(uploads.draft_of_body(), asked.get("file_name", ""), asked)
    file = request.files.get(FILE)
    draft = uploads.draft_of(file)
    if draft is None or file is None:
        raise EmptyFile
    schema = NewRun()
    form = {name: value for name, value in request.form.items() if name in schema.fields}
    faults = schema.validate(form)
    if faults:
        errors = [
            {"field": f"form.{name}", "message": str(words)}
            for name, found in faults.items()
            for words in found
        ]
        raise Problem("invalid", gettext("Something in the form is not as it should be."), errors=errors)
    words = schema.load(form)
    return Sent(draft, words["file_name"] or file.filename or "", words)


def _submitted(spec: TaskSpec, sent: Sent) -> Submission:
    upload = Upload(sent.draft, sent.file_name, holder().user_id, uploads.arrived_at(), _details(sent.words))
    doing = Doing(now=site().jobs.run, later=site().jobs.deliver)
    return submissions.submit(
        site().transactions, site().files, spec, site().scorer(spec), upload, utc_now, doing
    )


def _details(words: Mapping[str, Any]) -> Details:
    """What is said about a run. Raises NameRefused and MethodRefused before anything is kept."""
    method = clean_method(Method(words["system"], words["resources"], words["manner"], words["link"]))
    name = clean_name(words["name"]) if words["name"] else ""
    return Details("", name, words["description"], words["kind"], method=method)


def _answer(spec: TaskSpec, done: Submission) -> Response:
    if done.state == "rejected":
        return _faulty(done.run_id, done.report)
    _spec, team = own_team(spec.name)
    found = SubmissionSchema().dump({"run": found_run(spec, team, done.run_id), "again": done.again})
    text = json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n"
    response = Response(text, status=200 if done.again else 201, mimetype="application/json")
    return _located(response, spec.name, done.run_id)


def _faulty(run_id: int, report: Found) -> Response:
    found = documents.report(report)
    problem = Problem(
        "faulty-file",
        gettext("The file cannot be scored as it is; see its faults. This attempt cost no slot."),
        run=run_id,
        faults=found["faults"],
        fault_count=found["fault_count"],
        warnings=found["warnings"],
        notes=found["notes"],
    )
    return document(problem)


def _repeated(earlier: Answer) -> Response:
    mimetype = "application/json" if earlier.status < 400 else MIMETYPE
    response = Response(earlier.body, status=earlier.status, mimetype=mimetype)
    response.headers["Idempotency-Replayed"] = "true"
    if earlier.status < 400:
        run = json.loads(earlier.body)["run"]
        return _located(response, run["task"], run["id"])
    return response


def _located(response: Response, task: str, run_id: int) -> Response:
    response.headers["Location"] = url_for("api.show_run", task=task, run_id=run_id, _external=True)
    return response


def _fingerprint(sent: Sent) -> str:
    """The same for the same request; the form of the body is of no account."""
    digest = hashlib.sha256(request.path.encode())
    words = {name: sent.words.get(name) for name in sorted(sent.words) if name != "file_name"}
    digest.update(json.dumps(words).encode())
    with sent.draft.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
