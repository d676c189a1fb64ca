"""Options of commands that are the fields of a dataclass."""

import dataclasses
from typing import Annotated

import pytest
import typer
import typer.testing

from wotr_experiments.cli.groups import grouped


@dataclasses.dataclass(frozen=True)
class Dice:
    faces: Annotated[int, typer.Option(min=2, help="Of a die.")] = 6
    loaded: Annotated[bool, typer.Option("--loaded")] = False


@dataclasses.dataclass(frozen=True)
class ManyDice(Dice):
    number: Annotated[int, typer.Option("--dice")] = 2


def run(*arguments: str) -> tuple[int, str, list]:
    called = []

    @grouped
    def roll(name: Annotated[str, typer.Argument()], dice: ManyDice, other: int = 3) -> None:
        """Rolls."""
        called.append((name, dice, other))

    app = typer.Typer()
    app.command()(roll)
    result = typer.testing.CliRunner().invoke(app, arguments)
    return result.exit_code, result.output, called


def test_a_command_is_given_what_its_options_make():
    assert run("one")[2] == [("one", ManyDice(), 3)]
    options = ("one", "--faces", "8", "--other", "4", "--loaded", "--dice", "5")
    assert run(*options)[2] == [("one", ManyDice(8, True, 5), 4)]


@pytest.mark.parametrize("wrong", [("one", "--faces", "1"), (), ("one", "--number", "2")], ids=" ".join)
def test_options_are_checked_like_others(wrong):
    code, _, called = run(*wrong)
    assert code == 2 and not called


def test_help_shows_them_where_the_group_stands():
    code, shown, _ = run("--help")
    places = [shown.index(name) for name in ("--faces", "--loaded", "--dice", "--other")]
    assert code == 0 and places == sorted(places) and "Of a die." in shown and "Rolls." in shown
