"""What tests of training share: one thread, and tiny runs that nothing stopped."""

from __future__ import annotations

import pytest
import typer

from tests.learners import one_torch_thread
from tests.tiny_training import COMMANDED, short_evaluations, shorten_evaluations, train_tiny
from wotr_experiments.cli import main as cli


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with one_torch_thread():
        yield


@pytest.fixture
def short(monkeypatch):
    """Evaluations are short."""
    shorten_evaluations(monkeypatch.setattr)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """The folder of a tiny run that nothing stopped."""
    out = tmp_path_factory.mktemp("run") / "undisturbed"
    with short_evaluations(), one_torch_thread():
        train_tiny(out)
    return out


@pytest.fixture(scope="session")
def commanded(tmp_path_factory):
    """The folder of a run by the command line that nothing stopped."""
    out = tmp_path_factory.mktemp("command") / "run"
    with short_evaluations(), one_torch_thread():
        assert cli.main(["train", str(out), *COMMANDED]) == 0
    return out


@pytest.fixture
def run_main(capsys):
    """Runs the command of a module in this process: its exit code and what it prints."""

    def run_main(main, *arguments):
        program = typer.Typer(add_completion=False)
        program.command()(main)
        code = program(list(map(str, arguments)), standalone_mode=False)
        return code or 0, *capsys.readouterr()

    return run_main


@pytest.fixture
def fail(capsys):
    """Runs a command that must fail as the console command would; returns its one line.

    Its arguments follow ``wotr train``, or another command.
    """

    def fail(*arguments, command="train"):
        assert cli.main([command, *map(str, arguments)]) == 2
        errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("wotr: ")]
        assert len(errors) == 1
        return errors[0]

    return fail
