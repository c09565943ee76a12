"""The pages of judges: which campaigns there are, how one begins, and judging itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import (
    Blueprint,
    abort,
    flash,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.wrappers import Response
from flask_babel import gettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import Message, TaskSpec
from leaderboard.services import (
    judging,
    judging_admission,
    judging_desk,
    judging_handing,
    judging_judges,
    judging_work,
    roles,
    task_pages,
    tasks,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_admission import NotAdmitted
from leaderboard.services.judging_desk import Desk
from leaderboard.services.judging_handing import Work
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.filters import told
from leaderboard.web.forms.accounts import Confirm
from leaderboard.web.forms.judging import ANSWERS, SKIP, BeginForm
from leaderboard.web.identity import viewer
from leaderboard.web.identity_rules import remember_place
from leaderboard.web.installation import organised_task, site
from leaderboard.web.judges import JUDGE_HERE, device, give_word, judge_here, me, user_id, word_for

blueprint = Blueprint("judging", __name__, url_prefix="/judging")

CAMPAIGN = "/<task>/<int(max=2147483647):number>"


@blueprint.get("")
@allow(EVERYBODY)
def index() -> Response:
    """The campaigns in which one judges or may begin to."""
    with site().database.reading() as session:
        listed = judging_desk.listing(session, viewer(), word_for, task_pages.public_names(session))
        titles = {each.desk.task: site().spec(session, each.desk.task).title for each in listed}
    return _page("judging/index.html", listed=listed, titles=titles)


@blueprint.get(CAMPAIGN)
@allow(EVERYBODY)
def show(task: str, number: int) -> AnyResponse:
    """What a campaign is about, what one agrees to, and the button that begins."""
    with site().database.reading() as session:
        spec, judge_id = _campaign(session, task, number)
        desk = judging_desk.desk(session, judging.found(session, spec, number), judge_id)
        closed = None if judge_id else _closed(session, spec, desk)
    if desk.joined and desk.agreed:
        return redirect(url_for("judging.work", task=task, number=number))
    return _beginning(desk, closed, url_for("judging.join", task=task, number=number), BeginForm())


@blueprint.get("/join/<token>")
@allow(EVERYBODY)
def invited(token: str) -> AnyResponse:
    """The same for one who comes by a link."""
    try:
        with site().database.reading() as session:
            spec, number = _of_link(session, token)
            judge_id = judge_here(session, spec, number)
            desk = judging_desk.desk(session, judging.found(session, spec, number), judge_id)
            if judge_id is None:
                judging_admission.require_working(session, spec, number, token, utc_now())
    except ServiceError as error:
        return _closed_page(error.message, 410)
    if desk.joined:
        return redirect(url_for("judging.show", task=spec.name, number=number))
    return _beginning(desk, None, url_for("judging.accept", token=token), BeginForm())


@blueprint.post("/join/<token>")
@allow(EVERYBODY)
def accept(token: str) -> AnyResponse:
    """Begins to judge by a link."""
    with site().database.reading() as session:
        spec, number = _of_link(session, token)
    return _join(spec, number, token)


@blueprint.post(f"{CAMPAIGN}/join")
@allow(EVERYBODY)
def join(task: str, number: int) -> AnyResponse:
    """Begins to judge, or agrees now to what there was to agree to."""
    with site().database.reading() as session:
        spec, _ = _campaign(session, task, number)
    return _join(spec, number, None)


@blueprint.get(f"{CAMPAIGN}/work")
@allow(JUDGE_HERE)
def work(task: str, number: int) -> Response:
    """The judging page, with what the judge has now; reading it hands nothing out."""
    with site().database.reading() as session:
        spec = organised_task(session, task)
        found = judging_handing.at_hand(session, spec, number, me())
        context = _context(session, spec, number, found)
    return _page("judging/work.html", **context)


@blueprint.post(f"{CAMPAIGN}/work")
@allow(JUDGE_HERE)
def go_on(task: str, number: int) -> AnyResponse:
    """Hands out what is next."""
    return _after(task, number, lambda _session, _spec: None)


@blueprint.post(f"{CAMPAIGN}/answers")
@allow(JUDGE_HERE)
def answer(task: str, number: int) -> AnyResponse:
    """Takes one answer, or a skip, and hands out what is next."""
    judgment_id = request.form.get("judgment", 0, type=_row_number)
    given, seconds = request.form.get("answer", ""), request.form.get("seconds", type=float)

    def take(session: Session, spec: TaskSpec) -> None:
        if given == SKIP:
            judging_work.skip(session, spec, number, me(), judgment_id, utc_now())
        else:
            judging_work.record(session, spec, number, me(), judgment_id, given, utc_now(), seconds)

    return _after(task, number, take)


@blueprint.post(f"{CAMPAIGN}/undo")
@allow(JUDGE_HERE)
def undo(task: str, number: int) -> AnyResponse:
    """Takes the last answer or skip back and shows the same again."""

    def take_back(session: Session, spec: TaskSpec) -> None:
        judging_work.undo(session, spec, number, me(), utc_now())

    return _after(task, number, take_back)


def _campaign(session: Session, task: str, number: int) -> tuple[TaskSpec, int | None]:
    """The task, and the judge who asks. Of a campaign that is being prepared, or of a task that is hidden,
    only its judges learn."""
    if task not in tasks.installed(session):
        abort(404)
    spec = site().spec(session, task)
    judge_id = judge_here(session, spec, number)
    hidden = task not in task_pages.public_names(session)
    preparing = judging.found(session, spec, number).state == "preparing"
    if judge_id is None and (preparing or (hidden and not roles.judges(viewer(), task))):
        abort(404)
    return spec, judge_id


def _row_number(typed: str) -> int:
    """A number that a row may have; others would be an error of the database."""
    number = int(typed)
    if not 0 <= number < 2**31:
        raise ValueError
    return number


def _of_link(session: Session, token: str) -> tuple[TaskSpec, int]:
    there = judging_admission.campaign_of_link(session, token)
    if there is None:
        raise NotAdmitted(judging_admission.WRONG_LINK)
    return organised_task(session, there[0]), there[1]


def _closed(session: Session, spec: TaskSpec, desk: Desk) -> Message | None:
    try:
        judging_admission.require_open(session, spec, desk.number, user_id())
    except NotAdmitted as error:
        return error.message
    return None


def _beginning(desk: Desk, closed: Message | None, action: str, form: BeginForm, code: int = 200) -> Response:
    if viewer() is None:
        # Whoever registers or signs in from here comes back here.
        remember_place()
        if closed is None:
            give_word()
    if closed is not None and desk.open_to == "invited":
        return _closed_page(closed, 200)
    return _page("judging/begin.html", code, desk=desk, closed=closed, action=action, form=form)


def _closed_page(closed: Message, code: int) -> Response:
    return _page("judging/closed.html", code, closed=closed)


def _join(spec: TaskSpec, number: int, link: str | None) -> AnyResponse:
    form, now = BeginForm(), utc_now()
    with site().database.reading() as session:
        judge_id = judge_here(session, spec, number)
        desk = judging_desk.desk(session, judging.found(session, spec, number), judge_id)
    if desk.consent and not form.agree.data:
        form.agree.errors = [gettext("Tick this if you agree; without it nothing is asked of you.")]
        return _beginning(desk, None, request.path, form, 422)
    give_word()
    word = word_for(spec.name, number) or ""
    try:
        with site().database.writing() as session:
            joined = judging_admission.join(
                session, spec, number, user_id(), now, link=link, device=device(), known_by=word
            )
            judging_judges.consent(session, spec, number, joined.judge_id, now)
            judging_handing.next_(session, spec, number, joined.judge_id, now)
    except NotAdmitted as error:
        return _closed_page(error.message, 403)
    return redirect(url_for("judging.work", task=spec.name, number=number), 303)


def _after(task: str, number: int, act: Callable[[Session, TaskSpec], None]) -> AnyResponse:
    """Does something and hands out what is next: as a page, or as what the script of the page asks for. What
    was done is kept before anything else happens."""
    with site().database.reading() as session:
        spec = organised_task(session, task)
    problem = None
    try:
        with site().database.writing() as session:
            act(session, spec)
    except ServiceError as error:
        problem = error.message
    with site().database.writing() as session:
        found = judging_handing.next_(session, spec, number, me(), utc_now())
    if request.accept_mimetypes.best != "application/json":
        if problem is not None:
            flash(told(problem), "info")
        return redirect(url_for("judging.work", task=task, number=number), 303)
    with site().database.reading() as session:
        context = _context(session, spec, number, found)
    answer = jsonify(
        message=told(problem).striptags() if problem is not None else None,
        units=[
            {"id": unit.judgment_id, "html": render_template("judging/unit.html", unit=unit)}
            for unit in found.units
        ],
        head=render_template("judging/head.html", **context),
        end=None if found.units else render_template("judging/end.html", **context),
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _context(session: Session, spec: TaskSpec, number: int, found: Work) -> dict[str, Any]:
    desk = judging_desk.desk(session, judging.found(session, spec, number), me())
    return {
        "desk": desk,
        "work": found,
        "totals": judging_desk.totals(session, me()),
        "answers": ANSWERS[desk.kind],
        "button": Confirm(),
    }


def _page(template: str, code: int = 200, **context: object) -> Response:
    response = make_response(render_template(template, **{"button": Confirm(), **context}), code)
    response.headers["Cache-Control"] = "no-store"
    # An address may hold the secret of a link; only our own check of forms may see it.
    response.headers["Referrer-Policy"] = "same-origin"
    return response
