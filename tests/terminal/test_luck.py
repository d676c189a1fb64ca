"""The luck of a game that ``wotr play`` tells after its end: the figures of its record, or one line."""

from __future__ import annotations

import random
import re
import shlex
from types import SimpleNamespace
from typing import Any

import pytest

from tests.terminals import DICE_PROMPT, Person, new_game
from wotr_env import GameRecord, Ruleset
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.luck.measure import LuckMethod
from wotr_experiments.luck.report import SAMPLES, luck_of, method_of, points
from wotr_experiments.terminal import command, screen, start
from wotr_experiments.terminal import luck as telling
from wotr_experiments.terminal.start import play_in_terminal

ONE_TURN = Ruleset.first_edition(max_turns=1)
NOT_MEASURED = "Luck was not measured"


def played(out, luck=None, **options):
    """What a person sees who plays a turn with first answers, and the record."""
    saved = new_game(Side.FREE_PEOPLES, "random", seed=3, hint_bot="random", ruleset=ONE_TURN, **options)
    person = Person(lambda person, prompt: "" if DICE_PROMPT in prompt else person.completions[0])
    assert play_in_terminal(saved, out=out, reader=person, console=person.console, luck=luck)
    (record,) = GameRecord.load(out)
    return person.text, record


def lines(text):
    """Its lines after the end, as one text: the console wraps them."""
    return " ".join(text[text.index("at the limit of turns") :].split())


@pytest.mark.parametrize("options", [{}, {"own_dice": True}])
def test_what_is_told_is_the_luck_of_the_record(tmp_path, monkeypatch, options):
    monkeypatch.setattr(screen, "random", SimpleNamespace(Random=lambda: random.Random(5)))
    text, record = played(tmp_path / "record.jsonl", **options)
    story = luck_of(record, LuckMethod("zoo/wide", SAMPLES, all_views=True))
    told = lines(text)
    assert told.index("The record is in") < told.index(story.sentence())
    parts = [f"{source} {points(gained)}" for source, gained in by_source(story) if abs(gained) >= 0.005]
    assert parts and all(part in told for part in parts)
    heads, *rows = text.partition(f"\n{story.table_words()}\n")[2].partition("\n\n")[0].splitlines()
    assert re.split(" {2,}", heads.strip()) == ["turn", *story.table().heads]
    shown = [[turn, *filter(None, row)] for turn, row in story.table().in_points().items()]
    assert [row.split() for row in rows] == shown and "by zoo/wide:" in story.table_words()
    assert told.endswith("A point is one percentage point of winning chance, and all numbers are rounded.")


@pytest.mark.parametrize(("name", "options"), [("record.jsonl", {}), ("my record", {"own_dice": True})])
def test_the_command_for_costly_choices_works(tmp_path, monkeypatch, name, options):
    monkeypatch.setattr(screen, "random", SimpleNamespace(Random=lambda: random.Random(5)))
    text, _ = played(tmp_path / name, "none", **options)
    (line,) = re.findall("wotr (analyse .*) lists costly choices", text)
    source, *bot = shlex.split(line)[1:]
    assert source == str(tmp_path / name) and bot == ["--bot", "mcts"]
    assert (
        cli.main(["analyse", source, "--bot", "mcts:sims=2,worlds=1", "--choices", "1", "--slips", "0"]) == 0
    )


def by_source(story):
    return zip(story.luck.sources, story.luck.by_source[:, story.favoured].tolist(), strict=True)


def test_another_network_or_none_can_be_chosen(tmp_path):
    text, record = played(tmp_path / "first.jsonl", "zoo/laptop")
    assert luck_of(record, LuckMethod("zoo/laptop", SAMPLES, all_views=True)).sentence() in lines(text)
    assert "in points of winning chance, by zoo/laptop:" in text
    assert "Luck" not in played(tmp_path / "second.jsonl", "none")[0]


def test_without_a_network_for_its_players_a_game_says_nothing_of_luck(tmp_path):
    towers = game_kind("two-towers")
    person = Person(lambda person, _prompt: "1")
    three = towers.find_ruleset("three")
    saved = start.new_game(towers, 2, "random", ruleset=three, seed=4)
    out, alone = tmp_path / "record.jsonl", Isolation("none")
    assert play_in_terminal(saved, reader=person, console=person.console, out=out, isolation=alone, luck=None)
    assert "uck" not in person.text and "The record is in" in person.text
    assert "wotr analyse" not in person.text
    four = Ruleset.first_edition(players=4)
    kind = game_kind("war-of-the-ring")
    assert method_of(None, kind, four) is None
    assert method_of("zoo/wide", kind, four) == LuckMethod("zoo/wide", SAMPLES, all_views=True)
    assert method_of("none", kind, ONE_TURN) is None


@pytest.mark.parametrize("fault", [ValueError("bad\nnews"), MemoryError(), KeyboardInterrupt()])
def test_a_fault_costs_neither_the_game_nor_its_record(tmp_path, monkeypatch, fault):
    def fails(*_arguments, **_options):
        raise fault

    monkeypatch.setattr(telling, "luck_of", fails)
    text, record = played(tmp_path / "record.jsonl")
    assert record.verify().over
    why = {ValueError: ": bad news", MemoryError: ": MemoryError", KeyboardInterrupt: "."}[type(fault)]
    assert lines(text).endswith(NOT_MEASURED + why)


def test_nobody_waits_for_the_compiler(tmp_path, monkeypatch):
    text, _ = played(tmp_path / "record.jsonl", "none")

    def interpreted(*_arguments, **_options):
        pytest.fail("luck was measured without compiled rules")

    monkeypatch.setattr(telling, "everything_is_compiled", lambda: False)
    monkeypatch.setattr(telling.KernelSet, "background_compiler", object())
    monkeypatch.setattr(telling, "luck_of", interpreted)
    person = Person(None)
    game = GameRecord.load(tmp_path / "record.jsonl")[0].verify()
    over: Any = SimpleNamespace(kind=game.kind, game=game)
    telling.tell_luck(over, None, person.console)
    assert NOT_MEASURED not in text and f"{NOT_MEASURED}: the rules are still being compiled" in person.text


def test_choices_taken_back_are_mentioned(tmp_path):
    _, record = played(tmp_path / "record.jsonl", "none")
    story = luck_of(record, LuckMethod("zoo/laptop", 2))
    for times, words in ((1, "A choice was"), (3, "3 choices were")):
        sentence, note, *_ = telling.luck_parts(story, times)
        assert sentence == story.sentence() and str(note).startswith(f"{words} taken back after new")
    assert len(telling.luck_parts(story, 0)) == len(telling.luck_parts(story, 1)) - 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--as", "shadow", "--luck", "zoo/nothing"], "zoo/nothing"),
        (["--game", "duel", "--as", "sauron", "--luck", "zoo/wide"], "War of the Ring, not for Duel"),
        (
            ["--game", "two-towers", "--ruleset", "four", "--as", "player-1", "--luck", "zoo/wide"],
            "two teams",
        ),
    ],
)
def test_a_network_that_cannot_measure_is_refused_before_the_game(arguments, words, capsys, monkeypatch):
    monkeypatch.setattr(command, "new_game", lambda *_a, **_o: pytest.fail("its rules may be compiled here"))
    assert cli.main(["play", *arguments, "--against", "random"]) == 2
    said = capsys.readouterr()
    assert words in said.err and said.err.count("\n") == 1 and not said.out
