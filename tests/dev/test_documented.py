"""What the documentation says to type: the real commands read all of it, and what is cheap is run."""

from __future__ import annotations

import io
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest
import typer

from tests.dev.documented import (
    PAGES,
    ROOT,
    Block,
    Command,
    blocks,
    commands,
    filled,
    lines,
    mentioned,
    parse,
)
from wotr_agents import BotError, make_bot
from wotr_agents.registry import parse_spec
from wotr_env import Game, Ruleset
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.arena import evaluation
from wotr_experiments.arena.store import load_records
from wotr_experiments.cli import main as cli
from wotr_experiments.language import text_env
from wotr_experiments.language.text_env import TextEnv

OF_THE_READER = {
    "mine": "random",
    "last": "random",
    "last:slips=0.3": "random",
    "my_models:small": "scripted",
    "my_models:large": "scripted",
}
"""Bots that readers have, or the guide's package, and who takes their places."""
FOLLOWED_ELSEWHERE = {
    "bots-and-games.md": "tests/dev/test_guide_bots_and_games.py",
    "changing-the-rules.md": "tests/dev/test_guide_rules.py",
}
"""Pages that another test runs from top to bottom."""
NOT_READ = {}
"""Commands that cannot be read here, by words of theirs."""
NOT_RUN = {
    "wotr demo": "trains for a minute; tests/dev/test_cli.py and tests/training run its parts",
    "wotr bench": "measures for minutes; tests/benchmarks run it small",
    "python -m wotr_benchmarks": "measures for minutes, on a GPU; tests/benchmarks run it small",
    "wotr serve": "serves until it is stopped; tests/table run it",
    "language.openenv": "serves until it is stopped; tests/language/test_openenv.py sends its messages",
    "torchrun": "several machines; tests/training run two processes",
    "RAY_ADDRESS": "needs a Ray cluster",
    "python -m tests.tools.long_run": "runs for an hour; tests/dev/test_long_run.py runs it small",
    "war_of_the_ring.reports.choices": "plays for hours; tests/reports run it small",
    "runs/distilled": "plays for long; tests/training/test_distillation.py runs it small",
    "python -m wotr_experiments.reports.exploit": "writes a page of docs/; tests/reports run it",
    "wotr train runs/gpu --device cuda": "needs a GPU",
    "export-network runs/first first.onnx": "the page of examples exports a network to ONNX",
    "wotr exploit net:zoo": "takes as long as the two against scripted, which are run",
    "wotr exploit scripted --start": "takes as long as the two against scripted, which are run",
    'wotr play --as shadow --against "stdio:./my_bot': "the reader's own program",
}
"""Commands that are read, not run, by words of theirs, and why."""
NOT_EXECUTED = {
    "GenericEnvClient": "needs OpenEnv; tests/language/test_openenv.py sends what it sends",
    "textarena.register": "needs TextArena; tests/language run its calls",
    'device="cuda"': "needs a GPU",
}
"""Blocks of Python that are compiled, not run, by some words of theirs; they fail if they are run."""
NEEDS = {"openspiel.md": "pyspiel"}
"""Modules of extras without which a page is not followed."""
SPECS = {"bot", "spec", "first", "second", "against", "self_play", "values", "shadow", "players", "bots"}
SPECS |= {"anchors", "expert", "opponents", "hint_bot"}
"""Parameters of commands that are specs of bots."""
TURNS = {"--max-turns": "1"}
NO_PAGES = {"--replays": "none"}
FEW = {"--games": "2", "--workers": "1"}
LEARN = {"--games": "8", "--steps": "8", "--minibatch-size": "32", "--workers": "1"}
SMALL = {
    "analyse": {"--choices": "2"},
    "book": {"--positions": "1", "--ruleset": "first:max_turns=3"},
    "check-bot": {"--games": "2", "--decisions": "10"},
    "compare": {"--max-games": "2", "--batch": "2", "--workers": "1", **TURNS, **NO_PAGES},
    "exploit": {
        "--at": "64",
        "--steps": "8",
        "--games": "8",
        "--minibatch-size": "32",
        "--evaluate-games": "2",
        "--workers": "1",
        "--values-first": "0",
        "--ruleset": "first:max_turns=2",
    },
    "export": {},
    "study": {**FEW, **TURNS},
    "text-tournament": {**FEW, **TURNS},
    "tournament": {**FEW, **TURNS, **NO_PAGES},
    "wotr_experiments.games.war_of_the_ring.belief": {"--games": "10", "--every": "40", "--epochs": "1"},
    "train": {**LEARN, "--decisions": "64", "--evaluate-games": "2"},
}
"""What is set in a command so that it takes seconds."""
LESS = {"--expert-decisions": "64", "--games": "2", "--evaluate-games": "2", "--sessions": "1"}
"""What is set only where it is given."""
TYPED = "1\n1\nquit\n"


def command_lines(page: Path) -> list[str]:
    return [line for block in blocks(page) if block.language == "bash" for line in lines(block)]


def listed(text: str, known: dict[str, str]) -> str | None:
    """The exception that is for a command or a block."""
    return next((each for each in known if each in text), None)


def ours(command: Command) -> Command:
    return Command(command.program, [OF_THE_READER.get(each, each) for each in command.arguments])


def check_bots(command: Command, found: dict) -> None:
    """Bots that a command names are known, and so are their parameters; they are made if they can be here."""
    game = found["game"] if isinstance(found.get("game"), str) else DEFAULT_GAME
    for name in SPECS & found.keys():
        values = found[name]
        for value in values if isinstance(values, list | tuple) else [values]:
            if not isinstance(value, str) or not value or value == "none":
                continue
            spec = value.partition("=")[2] if command.arguments[0] == "play" and name == "bot" else value
            if spec.startswith("text:"):
                continue
            _, parameters = parse_spec(spec, game)
            if not re.search(r"runs/|net=self|-run|stdio:", spec):
                assert make_bot(spec, 1, game) is not None, parameters


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_read_as_they_stand(page):
    """By the real commands: names, options, choices, types and bots."""
    for line in command_lines(page):
        excepted = listed(line, NOT_READ)
        try:
            for command in map(ours, commands(line)):
                check_bots(command, parse(command))
        except (typer.TyperException, BotError, SystemExit) as error:
            assert excepted, f"{page.name}: {line}: {error}"
        else:
            assert not excepted, f"{line} can be read: take it off the list"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_text_are_read(page):
    """They may leave out what is not their point; what they say is right."""
    for mention in mentioned(page):
        for command in map(ours, commands(filled(mention))):
            try:
                found = parse(command)
            except typer.TyperException as error:
                words = error.format_message()
                assert re.search(r"Missing|requires an argument", words), f"{page.name}: {mention}: {words}"
            else:
                check_bots(command, found)


def test_exceptions_are_of_commands_that_are_documented():
    written = [line for page in PAGES for line in command_lines(page)]
    for known in (NOT_READ, NOT_RUN):
        assert [each for each in known if not any(each in line for line in written)] == []
    code = "".join(block.text for page in PAGES for block in blocks(page) if block.language == "python")
    assert all(words in code for words in NOT_EXECUTED)
    assert FOLLOWED_ELSEWHERE.keys() <= {page.name for page in PAGES}


def shortened(arguments: list[str]) -> list[str]:
    """The command with few games and decisions."""
    name, *rest = arguments
    given = {option: value for option, value in LESS.items() if option in rest}
    wanted = given | SMALL.get(name, {})
    if "--game" in rest or (name == "tournament" and "--positions" in rest):
        wanted.pop("--max-turns", None)
    if name == "export" and "--self-play" in rest:
        wanted |= {"--games": "4", **TURNS}
    if name == "analyse" and "--bot" not in rest:
        wanted |= {"--bot": "mcts:sims=4"}
    if name == "replay" and "--html" in rest and "--luck" not in rest:
        wanted |= {"--luck": "none"}
    if "--time-limit" not in rest:  # it may name the bot as it stands
        rest = ["mcts:sims=4" if each == "mcts" else each for each in rest]
    if "--resume" in rest or "--report" in rest:
        wanted = {"--decisions": "128"} if "--decisions" in rest else {}
    for option, value in wanted.items():
        if option in rest:
            rest[rest.index(option) + 1] = value
        else:
            rest += [option, value]
    rest = [
        re.sub(r"\b(sims|playouts)=\d+", r"\1=4", re.sub(r"\btime=[\d.]+", "time=0.01", each))
        for each in rest
    ]
    return [name, *rest]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Games of bots, as the pages have them."""
    kernel.ensure_compiled()
    folder = tmp_path_factory.mktemp("played")
    games = ["--games", "4", "--max-turns", "4", "--workers", "1", "--seed", "1", "--replays", "none"]
    assert cli.main(["tournament", "scripted", "random", *games, "--out", str(folder / "strength")]) == 0
    records = load_records(next((folder / "strength").glob("*.sqlite")))
    (folder / "games.jsonl").write_text("".join(record.to_json() + "\n" for record in records))
    return folder


@pytest.fixture
def folder(played, tmp_path, monkeypatch):
    """Where a reader is who has the documentation and some games."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "strength").symlink_to(played / "strength")
    (tmp_path / "runs" / "tournament").symlink_to(played / "strength")
    (tmp_path / "games.jsonl").symlink_to(played / "games.jsonl")
    (tmp_path / "more.sqlite").symlink_to(next((played / "strength").glob("*.sqlite")))
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "openings.txt").write_text(f"{Game(1).position()}\n{Game(2).position()}\n")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_line(line: str, capfd, monkeypatch) -> None:
    """Runs the commands of a line of bash, small."""
    text = Game(5).position()
    for command in map(ours, commands(line)):
        monkeypatch.setattr(sys, "stdin", io.StringIO(TYPED))
        arguments = [each.replace("$TEXT", text) for each in command.arguments]
        if arguments[:1] == ["train"] and not {"--resume", "--report"} & set(arguments):
            shutil.rmtree(arguments[1], ignore_errors=True)  # a recipe of its own, which begins anew
        if command.program == "wotr":
            code = cli.main(shortened(arguments))
        else:
            monkeypatch.setattr(sys, "argv", shortened([command.program, *arguments]))
            try:
                runpy.run_module(command.program, run_name="__main__", alter_sys=True)
                code = 0
            except SystemExit as end:
                code = end.code or 0
        printed = capfd.readouterr()
        assert code == 0, f"{line}: {printed.err}"
        if found := re.search(r"> ([\w.]+)", line.partition("#")[0]):
            Path(found[1]).write_text(printed.out)


def run_python(block: Block, page: Path) -> None:
    excepted = listed(block.text, NOT_EXECUTED)
    code = compile(block.text, page.name, "exec")
    if excepted is None:
        exec(code, {})
        return
    with pytest.raises((ModuleNotFoundError, NameError, ValueError, RuntimeError)):
        exec(code, {})


def short_text_env(ruleset=Ruleset.first_edition(max_turns=2), *others, **named):  # noqa: B008 (it is frozen)
    """The text environment, without a ruleset with a short one."""
    return TextEnv(ruleset, *others, **named)


FOLLOWED = [page for page in PAGES if page.name not in FOLLOWED_ELSEWHERE and blocks(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.name)
def test_a_page_is_followed_from_top_to_bottom(page, folder, capfd, monkeypatch):
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.setattr(evaluation, "LONGEST", 1)  # turns; evaluations would take longer than all the rest
    monkeypatch.setattr("wotr_experiments.luck.open_positions.AT_ONCE", 8)
    monkeypatch.setattr(text_env, "TextEnv", short_text_env)
    for block in blocks(page):
        if block.language == "python":
            run_python(block, page)
            continue
        for line in lines(block):
            if listed(line, NOT_RUN) is None:
                run_line(line, capfd, monkeypatch)
