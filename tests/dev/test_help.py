"""The help of the command line: groups of commands, examples, paragraphs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dev.documented import commands, parse
from wotr_experiments.cli import main as cli
from wotr_experiments.cli.examples import EXAMPLES

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
ALL = [name for group in cli.COMMANDS.values() for name in group]


def shown(capsys, monkeypatch, *arguments: str) -> str:
    """What ``wotr`` prints on a wide terminal, with single spaces."""
    monkeypatch.setenv("COLUMNS", "200")
    assert cli.main([*arguments, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_the_groups_are_those_of_the_page_of_commands(capsys, monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    page: dict[str, list[str]] = {}
    for level, title in re.findall(r"^(##+) (.+)$", text, re.MULTILINE):
        if level == "##":
            page[title] = names = []
        else:
            names.append(title.removeprefix("wotr "))
    assert {title: names for title, names in page.items() if names} == {
        title: list(group) for title, group in cli.COMMANDS.items()
    }
    help_text = shown(capsys, monkeypatch)
    places = [help_text.index(f"─ {title} ─") for title in cli.COMMANDS]
    assert places == sorted(places)


def test_each_command_has_examples_that_it_can_read():
    assert list(EXAMPLES) == ALL
    for name, examples in EXAMPLES.items():
        for line in examples:
            assert shlex.split(line)[:2] == ["wotr", name]
            (command,) = commands(line)
            parse(command)


@pytest.mark.parametrize("name", ALL)
def test_the_help_of_a_command_ends_with_its_examples(name, capsys, monkeypatch):
    assert shown(capsys, monkeypatch, name).endswith(f"Examples: {' '.join(EXAMPLES[name])}")


def test_sentences_are_wrapped_to_the_terminal_only(capsys, monkeypatch):
    text = shown(capsys, monkeypatch, "train")
    assert "start them with torchrun: torchrun --nproc-per-node 2" in text
    monkeypatch.setenv("COLUMNS", "200")
    cli.main(["--help"])
    assert "in pairs of games with exchanged sides." in capsys.readouterr().out


@pytest.mark.parametrize("name", ALL)
def test_numbers_are_shown_by_their_type_and_by_ranges_that_matter(name, capsys, monkeypatch):
    text = shown(capsys, monkeypatch, name)
    assert "int range" not in text and "float range" not in text and str(2**63 - 1) not in text


def test_a_range_that_matters_is_shown(capsys, monkeypatch):
    text = shown(capsys, monkeypatch, "tournament")
    assert "--seed <int> [x>=0]" in text and "--workers <int> [x>=0]" in text


def test_only_the_command_that_is_called_is_loaded():
    """A start takes a second less than with all commands, and needs no bots for the version and no numba."""
    needs = {"wotr_experiments.cli.export", "wotr_experiments.cli.arena"}
    for arguments, needed in ((["--version"], set()), (["export", "--help"], needs)):
        code = (
            "import sys; from wotr_experiments.cli.main import main; main(sys.argv[1:]); print(*sys.modules)"
        )
        run = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        loaded = set(run.stdout.splitlines()[-1].split())
        functions = {place.partition(":")[0] for group in cli.COMMANDS.values() for place in group.values()}
        assert loaded & functions == needed
        assert needed or "wotr_agents" not in loaded
        assert "numba" not in loaded
