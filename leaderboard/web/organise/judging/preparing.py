"""What a campaign gets to judge: pool, texts, pairs of words, tests; and judgments made elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, flash
from flask_babel import gettext, ngettext
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import FormatError, TaskSpec
from leaderboard.rules import phases_of
from leaderboard.services import boards, judging_imports, judging_preparing, judging_previews
from leaderboard.services.errors import ServiceError
from leaderboard.services.judging_imports import Imported
from leaderboard.services.judging_pages import View
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.filters import text, told
from leaderboard.web.forms.campaigns import FileForm, PoolForm, TextsForm, WordsForm
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.judging.shared import (
    ONE,
    Sent,
    back,
    blueprint,
    campaign,
    campaign_page,
    named,
    sent_file,
)
from leaderboard.web.own_team import actor

Form = PoolForm | TextsForm | WordsForm | FileForm


@blueprint.get(f"{ONE}/material")
@allow(ORGANISER)
def material(task: str, number: int) -> Response:
    """What there is to judge, and the forms that give more."""
    return _page(*campaign(task, number))


@blueprint.post(f"{ONE}/pool")
@allow(ORGANISER)
def take_pool(task: str, number: int) -> AnyResponse:
    """Makes the pool from grades or runs."""
    spec, view = campaign(task, number)
    form = _pool_form(spec)
    if not form.validate_on_submit():
        return _page(spec, view, 422, pool_form=form)

    def take(session: Session) -> None:
        count = judging_preparing.take_pool(
            session, site().files, spec, number, form.wanted(), actor(), utc_now()
        )
        flash(
            ngettext("The pool has %(num)s candidate.", "The pool has %(num)s candidates.", count), "success"
        )

    return _taken(spec, view, form, take, "pool_form")


@blueprint.post(f"{ONE}/texts")
@allow(ORGANISER)
def take_texts(task: str, number: int) -> AnyResponse:
    """Takes the texts of candidates, or makes them the pool."""
    spec, view = campaign(task, number)
    form = TextsForm().offer(spec)
    if not form.validate_on_submit():
        return _page(spec, view, 422, texts_form=form)
    sent, graded = sent_file(), form.track.data or None

    def take(session: Session) -> None:
        if form.as_pool.data:
            count = judging_preparing.take_texts_as_pool(
                session, site().files, spec, number, sent.path, graded, actor(), utc_now()
            )
            flash(
                ngettext("The pool has %(num)s candidate.", "The pool has %(num)s candidates.", count),
                "success",
            )
            return
        made = judging_preparing.take_texts(session, spec, number, sent.path, actor(), utc_now())
        flash(
            gettext(
                "Texts stored: %(stored)s; of no candidate here: %(unknown)s; candidates still without a "
                "text: %(lacking)s.",
                stored=made.stored,
                unknown=made.unknown,
                lacking=made.lacking,
            ),
            "success" if made.stored else "error",
        )

    return _taken(spec, view, form, take, "texts_form", sent)


@blueprint.post(f"{ONE}/leave-out")
@allow(ORGANISER)
def leave_out(task: str, number: int) -> AnyResponse:
    """Takes the candidates without a text out."""
    spec, view = campaign(task, number)

    def take(session: Session) -> None:
        gone = judging_preparing.leave_out(session, spec, number, actor(), utc_now())
        flash(ngettext("%(num)s candidate left out.", "%(num)s candidates left out.", gone), "success")

    return _taken(spec, view, FileForm(formdata=None), take, "texts_form")


@blueprint.post(f"{ONE}/words")
@allow(ORGANISER)
def take_words(task: str, number: int) -> AnyResponse:
    """Takes pairs of words."""
    spec, view = campaign(task, number)
    form = WordsForm()
    if not form.validate_on_submit():
        return _page(spec, view, 422, words_form=form)
    sent, positives = sent_file(), bool(form.positives.data)

    def take(session: Session) -> None:
        count = judging_preparing.take_words(
            session, spec, number, sent.path, actor(), utc_now(), positives=positives
        )
        flash(ngettext("%(num)s new pair of words.", "%(num)s new pairs of words.", count), "success")

    return _taken(spec, view, form, take, "words_form", sent)


@blueprint.post(f"{ONE}/tests")
@allow(ORGANISER)
def take_tests(task: str, number: int) -> AnyResponse:
    """Takes tests with known answers."""
    spec, view = campaign(task, number)
    form = FileForm()
    if not form.validate_on_submit():
        return _page(spec, view, 422, tests_form=form)
    sent = sent_file()

    def take(session: Session) -> None:
        count = judging_imports.import_tests(session, spec, number, sent.path, sent.name, actor(), utc_now())
        flash(ngettext("%(num)s new test.", "%(num)s new tests.", count), "success")

    return _taken(spec, view, form, take, "tests_form", sent)


@blueprint.post(f"{ONE}/judgments")
@allow(ORGANISER)
def take_judgments(task: str, number: int) -> AnyResponse:
    """Takes judgments that were made elsewhere."""
    spec, view = campaign(task, number)
    form = FileForm()
    if not form.validate_on_submit():
        return _page(spec, view, 422, judgments_form=form)
    sent = sent_file()

    def take(session: Session) -> None:
        made = judging_imports.import_judgments(
            session, spec, number, sent.path, sent.name, actor(), utc_now()
        )
        flash(_imported(made), "info" if made.again else "success")

    return _taken(spec, view, form, take, "judgments_form", sent)


def _imported(made: Imported) -> str:
    if made.again:
        return str(gettext("This very file was taken before; nothing has changed."))
    words: str = gettext(
        "Judgments taken: %(taken)s, of %(judges)s judges; left out: %(left)s.",
        taken=made.judgments,
        judges=made.judges,
        left=made.left_out,
    )
    return words


def _taken(
    spec: TaskSpec,
    view: View,
    form: Form,
    take: Callable[[Session], None],
    which: str,
    sent: Sent | None = None,
) -> AnyResponse:
    """Does it in one transaction, and leads back to the page, which says what was wrong where it was."""
    try:
        with site().database.writing() as session:
            take(session)
    except FormatError as error:
        return _page(spec, view, 422, faulty=named(error, sent) if sent else error)
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _page(spec, view, 422, **{which: form})
    return back("material", spec.name, view.number)


def _pool_form(spec: TaskSpec) -> PoolForm:
    phases = {phase.name: text(phase.title) for phase in phases_of(spec)}
    return PoolForm().offer(spec, phases, boards.current_phase(spec, utc_now()))


def _page(
    spec: TaskSpec, view: View, code: int = 200, *, faulty: FormatError | None = None, **forms: Form
) -> Response:
    with site().database.reading() as session:
        preview = judging_previews.preview(session, spec, view.number)
        imports = judging_imports.imports(session, spec, view.number)
    empty: dict[str, Form] = {
        "pool_form": _pool_form(spec),
        "texts_form": TextsForm(formdata=None).offer(spec),
        "words_form": WordsForm(formdata=None),
        "tests_form": FileForm(formdata=None),
        "judgments_form": FileForm(formdata=None),
    }
    return campaign_page(
        "material",
        spec,
        view,
        code,
        preview=preview,
        imports=imports,
        faulty=faulty,
        most=uploads.most(),
        **(empty | forms),
    )
