"""Taking back at the terminal: casual games go back past chance and bots, and the record says so."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tests.terminals import Person, answering, new_game, resumed_game, typing
from wotr_env import GameRecord, Ruleset
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.persons import taken_back_by
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import play_in_terminal
from wotr_experiments.terminal.takeback import Takeback

SHADOW = 1
SHORT = Ruleset.first_edition(max_turns=2)


def game_of(**options):
    return new_game(SHADOW, "random", seed=1, ruleset=SHORT, hint_bot="random", **options)


def sit(lines, tmp_path, saved):
    person = Person(typing(lines))
    with pytest.raises(EOFError):
        person.sit_down(saved, tmp_path / "game.json").run()
    return person


def test_the_same_dice_come_again_after_a_takeback(tmp_path):
    saved = game_of()
    person = sit(["3", "undo", "3"], tmp_path, saved)
    rolls = [line for line in person.text.splitlines() if line.startswith("Action dice")]
    assert len(rolls) == 4 and rolls[:2] == rolls[2:]
    assert "Taken back, including what you have seen since; the record notes this (1)." in person.text
    assert saved.taken_back == 1 and saved.names == ("random", "person (study, 1 taken back)")


def test_all_choices_are_taken_back_to_the_first(tmp_path):
    saved = game_of()
    match = Match(saved)
    while not match.persons_turn:
        match.answer()
    start, choices = match.game.hash(), 0
    while choices < 20 and not match.game.over:
        if match.persons_turn:
            match.play(match.game.legal()[-1])
            choices += 1
        else:
            match.answer()
    while match.undo():
        choices -= 1
    assert choices == 0 and match.game.hash() == start
    assert 0 < saved.taken_back <= 20


def test_what_was_told_goes_with_it(tmp_path):
    person = sit(["3", "undo"], tmp_path, game_of())
    assert not any("Action dice" in text for _, text in person.screen.match.saved.log)


@pytest.mark.parametrize("options", [{"takeback": False}, {"own_dice": True}])
def test_serious_games_and_own_dice_are_not_taken_back(options, tmp_path):
    saved = game_of(**options)
    lines = ["3", *[""] * 2, "undo"] if saved.own_dice else ["3", "undo"]
    person = sit(lines, tmp_path, saved)
    assert "nothing can be taken back: chance, a card or another seat came after your choice" in person.text
    assert saved.taken_back == 0


def test_the_record_says_how_often(tmp_path):
    out = tmp_path / "record.jsonl"

    def extra(person, generator):
        count = person.screen.match.saved.taken_back
        return "undo" if count < 3 and generator.random() < 0.5 else None

    person = Person(answering(3, extra))
    saved = game_of()
    person.sit_down(saved, tmp_path / "game.json").run()
    count = saved.taken_back
    assert count
    record = GameRecord.from_game(saved.game, saved.names)
    record.save(out)
    assert record.verify().over
    said = CliRunner().invoke(cli.app, ["replay", str(out)]).output
    assert f"person (study, {count} taken back) (Shadow)" in " ".join(said.split())
    assert [taken_back_by(player) for player in record.players] == [None, count]


def test_a_saved_game_keeps_its_rule(tmp_path):
    path = tmp_path / "game.json"
    game_of(takeback=False).write(path)
    assert not resumed_game(path).takeback
    with pytest.raises(CommandError, match="was started with --no-takeback; leave out --takeback"):
        resumed_game(path, takeback=True)
    casual = game_of()
    casual.taken_back = 2
    casual.write(path)
    assert SavedGame.read(path).taken_back == 2 and resumed_game(path).takeback
    assert not resumed_game(path, takeback=False).takeback
    data = json.loads(path.read_text())
    del data["takeback"], data["taken_back"], data["kind"]
    path.write_text(json.dumps(data))
    assert SavedGame.read(path).takeback  # of before
    path.write_text(json.dumps(data | {"taken_back": -1}))
    with pytest.raises(CommandError, match="taken_back is out of range"):
        SavedGame.read(path)


def test_the_command_takes_the_rule(tmp_path):
    path = tmp_path / "game.json"
    arguments = ["play", "--as", "shadow", "--against", "random", "--seed", "4", "--save", str(path)]
    result = CliRunner().invoke(cli.app, [*arguments, "--no-takeback"], input="3\nundo\n")
    assert result.exit_code == 0 and "nothing can be taken back" in " ".join(result.output.split())
    assert not SavedGame.read(path).takeback


def test_a_finished_game_is_written_with_the_mark(tmp_path):
    out = tmp_path / "record.jsonl"
    saved = new_game(SHADOW, "random", seed=3, ruleset=Ruleset.first_edition(max_turns=1))
    lines = iter(["1", "undo"])
    person = Person(lambda person, _prompt: next(lines, person.completions[0]))
    assert play_in_terminal(saved, out=out, reader=person, console=person.console)
    (record,) = GameRecord.load(out)
    assert record.players == ("random", "person (study, 1 taken back)")


def test_what_is_joined_goes_together():
    takeback: Takeback[str] = Takeback(full=True)
    takeback.chosen("a")
    takeback.seen()
    takeback.chosen("b", joined=True)
    takeback.chosen("c")
    assert takeback.take() == ("c", False)
    assert takeback.take() == ("a", True)
    assert takeback.take() is None
    takeback.chosen("e")
    takeback.chosen("f")
    takeback.seen()
    assert [takeback.take(), takeback.take()] == [("f", True), ("e", False)]
    takeback.chosen("d", joined=True)  # nothing to be joined to
    assert len(takeback) == 0
