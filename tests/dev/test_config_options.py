"""Options made from the fields of a configuration."""

import dataclasses
import sys
import typing
from typing import Any

import pytest
import typer
from typer.models import OptionInfo

from wotr_experiments.cli import options as shared
from wotr_experiments.cli.config_options import config_from, field_words, options_of
from wotr_experiments.cli.exploit import exploit
from wotr_experiments.cli.train import train
from wotr_experiments.training.config import ExploitConfig, PpoConfig, TrainConfig


@dataclasses.dataclass(frozen=True)
class Engine:
    kind: str = "steam"
    """``steam`` or ``water``."""
    power: int = 3

    def __post_init__(self) -> None:
        if self.power < 0:
            raise ValueError("power must be at least 0")


@dataclasses.dataclass(frozen=True)
class Mill:
    engine: Engine = dataclasses.field(default_factory=Engine)
    sacks: int = 5
    """Sacks of flour
    a day."""
    fine: bool = False
    millers: tuple[str, ...] = ("Sandyman",)
    toll: float = 0.1


@pytest.fixture
def grind():
    """Runs the command; returns the configuration that it got."""
    found = []
    app = typer.Typer()

    @app.command()
    @options_of(Mill)
    def command(where: str, night: bool = False, **settings: Any) -> None:
        found.append((where, night, config_from(Mill, settings)))

    def grind(*arguments):
        app(["Hobbiton", *arguments], standalone_mode=False)
        return found.pop()

    return grind


def test_without_options_the_configuration_is_the_default(grind):
    assert grind() == ("Hobbiton", False, Mill())


def test_every_field_is_an_option(grind):
    words = "--engine water --power 7 --sacks 2e3 --fine --miller Ted --miller Tim --toll 0.5 --night"
    mill = Mill(Engine("water", 7), 2000, True, ("Ted", "Tim"), 0.5)
    assert grind(*words.split()) == ("Hobbiton", True, mill)


@pytest.mark.parametrize("number", ["2.5", "inf", "nan", "many"])
def test_a_number_that_is_not_whole_is_refused(grind, number):
    with pytest.raises(typer.BadParameter):
        grind("--sacks", number)


def test_what_the_configuration_refuses_is_its_own_error(grind):
    with pytest.raises(ValueError, match="power must be at least 0"):
        grind("--power", "-1")


def test_the_words_of_a_field_are_its_docstring():
    assert field_words(Engine) == {"kind": "steam or water."}
    assert field_words(Mill) == {"sacks": "Sacks of flour a day."}


def panels(command):
    """The heads of the help by the names of options."""
    hints = typing.get_type_hints(command, include_extras=True)
    return {
        name: option.rich_help_panel
        for name, (_, *options) in ((name, typing.get_args(hint) or (None,)) for name, hint in hints.items())
        for option in options
        if isinstance(option, OptionInfo)
    }


def test_options_stand_below_the_heads_that_their_configuration_names():
    found = panels(train)
    heads = ("layers", "start", "clip_range", "past_share", "anchors", "decisions", "seed", "out")
    assert [found.get(name) for name in heads] == [
        "Network",
        "Network",
        "Optimiser",
        "Opponents",
        "Evaluation",
        "Run",
        "Run",
        None,
    ]
    assert panels(exploit)["at"] == "Evaluation" and panels(exploit)["advice"] == "Network"


@pytest.mark.parametrize("config", [PpoConfig, TrainConfig, ExploitConfig])
def test_heads_name_fields_that_there_are_and_none_twice(config):
    named = [name for fields in config.PANELS.values() for name in fields]
    assert len(named) == len(set(named)) and set(named) <= {
        field.name for field in dataclasses.fields(config)
    }


@pytest.mark.parametrize("terminal", [True, False])
def test_on_a_terminal_is_said_that_torch_is_loaded(terminal, monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(shared.importlib.util, "find_spec", lambda _name: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    shared.tell_loading()
    assert capsys.readouterr().err == ("wotr: loading torch ...\n" if terminal else "")


@dataclasses.dataclass(frozen=True)
class Town:
    engine: Engine = dataclasses.field(default_factory=lambda: Engine("water", 9))
    lit: bool = True


def test_a_configuration_within_has_the_values_that_it_has_there():
    found = []
    app = typer.Typer()

    @app.command()
    @options_of(Town)
    def command(where: str, **settings: Any) -> None:
        found.append(config_from(Town, settings))

    for options in ([], ["--power", "2"], ["--no-lit"]):
        app(["Bree", *options], standalone_mode=False)
    assert found == [Town(), Town(Engine("water", 2)), Town(lit=False)]
