"""``admin``: who may do everything on the site."""

from __future__ import annotations

import sys

import click

from leaderboard.cli.errors import Commands
from leaderboard.cli.passwords import kept_as
from leaderboard.cli.printing import aligned
from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import say
from leaderboard.services import roles
from leaderboard.services.accounts import NewPerson, has_account, open_account
from leaderboard.services.audit import SHELL
from leaderboard.site import Site, utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard admin create ada@example.org --name "Ada"
  python -m leaderboard admin create ada@example.org          # has an account already
  python -m leaderboard admin create ada@example.org --name "Ada" --password-stdin < password.txt
  python -m leaderboard admin list
"""


@click.group(cls=Commands, epilog=_EPILOG)
def admin() -> None:
    """Administrators of the site. They make others organisers and judges of tasks on the pages."""


@admin.command(epilog=_EPILOG)
@click.argument("email")
@click.option("--name", default="", help="What to call whoever has no account yet.")
@click.option("--password-stdin", is_flag=True, help="Read the new account's password from standard input.")
@click.pass_obj
def create(settings: Settings, email: str, name: str, password_stdin: bool) -> None:
    """Make whoever has the address EMAIL an administrator, with a new account where there is none yet.

    The password of a new account is asked for. It needs no confirmation by mail.
    """
    with ready(settings) as site:
        if not _has_account(site, email):
            _open(settings, site, NewPerson(email, name), password_stdin)
        with site.database.writing() as session:
            holder = roles.give(session, email, "administrator", None, SHELL, utc_now())
    click.echo(str(say("{email} is an administrator now; sign in on the pages.", email=holder.email)))


@admin.command("list")
@click.pass_obj
def list_holders(settings: Settings) -> None:
    """List the administrators."""
    with ready(settings) as site, site.database.reading() as session:
        found = [each for each in roles.holders(session, None) if each.right == "administrator"]
    if not found:
        click.echo(str(say("There is no administrator yet; `admin create` makes one.")))
        return
    rows = [(each.email, each.name, each.given_at.strftime("%Y-%m-%d %H:%M")) for each in found]
    for line in aligned([("address", "name", "since"), *rows]):
        click.echo(line)


@admin.command()
@click.argument("email")
@click.pass_obj
def remove(settings: Settings, email: str) -> None:
    """Take that right away from whoever has the address EMAIL; the last administrator stays."""
    with ready(settings) as site, site.database.writing() as session:
        found = {each.email: each.user_id for each in roles.holders(session, None)}
        user_id = found.get(email.strip().lower())
        if user_id is None:
            raise roles.NobodyThere(say("{email} is no administrator.", email=email))
        roles.take(session, user_id, "administrator", None, SHELL, utc_now())
    click.echo(str(say("{email} is no administrator any more.", email=email)))


def _has_account(site: Site, email: str) -> bool:
    with site.database.reading() as session:
        return has_account(session, email)


def _open(settings: Settings, site: Site, person: NewPerson, password_stdin: bool) -> None:
    password = (
        sys.stdin.readline().rstrip("\n")
        if password_stdin
        else click.prompt("Password", hide_input=True, confirmation_prompt=True)
    )
    secret = kept_as(settings, str(password))
    with site.database.writing() as session:
        open_account(session, person, secret, utc_now())
