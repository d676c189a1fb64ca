"""The command ``wotr play``: its options, files and errors."""

from __future__ import annotations

import dataclasses
import io

import pytest
from typer.testing import CliRunner

from tests.terminals import Person, new_game, resumed_game
from wotr_env import Game, GameRecord, Result, Ruleset
from wotr_env.games.war_of_the_ring.codes import Reason, Side, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal.answers import question
from wotr_experiments.games.war_of_the_ring.terminal.story import result_lines
from wotr_experiments.terminal import command, start
from wotr_experiments.terminal.choices import find
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import play_in_terminal

ARGUMENTS = ["play", "--as", "shadow", "--against", "random", "--seed", "4", "--hint-bot", "random"]


OF_FOUR = ["--ruleset", "first:players=4"]


def test_lines_of_a_script_are_shown_without_control_characters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the game is saved
    result = CliRunner().invoke(cli.app, ARGUMENTS, input="\x1b]0;mine\x07\u202e\x9b31m\tmap\n")
    assert "]0;mine" in result.output and not any(each in result.output for each in "\x1b\x07\u202e\x9b\t")


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "--as", "nobody", "--against", "random"],
        ["play", "--as", "shadow", "--against", "mcts:sims=no"],
        ["play", "--as", "shadow", "--against", "random", "--ruleset", "third"],
        ["play", "--as", "shadow", "--against", "random", "--save", "nowhere/game.json"],
        ["play", "--as", "shadow"],
    ],
)
def test_nothing_is_compiled_behind_a_game_that_cannot_begin(arguments, monkeypatch):
    monkeypatch.setattr(start, "start_background_compiler", lambda _game: pytest.fail("it was started"))
    assert cli.main(arguments) == 2


def test_what_is_missing_is_compiled_behind_a_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(start, "start_background_compiler", lambda _game: True)
    result = CliRunner().invoke(cli.app, ARGUMENTS, input="")
    assert result.exit_code == 0 and "wotr: compiling in the background" in result.stderr


def test_any_seat_of_four_can_be_played_and_saved(tmp_path):
    path = tmp_path / "game.json"
    arguments = ["play", *OF_FOUR, "--as", "isengard", "--against", "random", "--bot", "gondor=scripted"]
    arguments += ["--seed", "4", "--hint-bot", "random", "--save", str(path)]
    result = CliRunner().invoke(cli.app, arguments, input="1\nhand\n", catch_exceptions=False)
    assert result.exit_code == 0
    who = "You play Isengard with random (Sauron) against scripted (Gondor) and random (Rohan)."
    assert who in " ".join(result.output.split())
    saved = SavedGame.read(path)
    assert (saved.seat, saved.bots) == (2, ["scripted", "random", "", "random"])
    assert saved.game.ruleset.players == 4
    for name in ("Sauron", "Gondor", "Rohan"):
        assert f"{name}: hand " in result.output
    arguments = ["play", "--load", str(path), "--bot", "sauron=scripted"]
    result = CliRunner().invoke(cli.app, arguments, input="save\n", catch_exceptions=False)
    assert "You play Isengard with scripted (Sauron)" in " ".join(result.output.split())
    assert SavedGame.read(path).bots == ["scripted", "scripted", "", "random"]


def test_the_command_reads_a_script_then_the_input(tmp_path):
    script, path = tmp_path / "lines.txt", tmp_path / "game.json"
    script.write_text("2\ndice\n")
    arguments = [*ARGUMENTS, "--save", str(path), "--script", str(script)]
    result = CliRunner().invoke(cli.app, arguments, input="politics\n", catch_exceptions=False)
    assert result.exit_code == 0
    assert "> 2\n" in result.output
    assert "Elven Rings" in result.output
    assert "Southrons and Easterlings" in result.output
    result = CliRunner().invoke(cli.app, ["play", "--load", str(path)], input="quit\nno\n")
    assert result.exit_code == 0
    assert "You play the Shadow against random" in result.output


def test_the_second_edition_can_be_played(tmp_path):
    path = tmp_path / "game.json"
    arguments = [*ARGUMENTS, "--ruleset", "second", "--save", str(path)]
    assert CliRunner().invoke(cli.app, arguments, input="").exit_code == 0
    assert SavedGame.read(path).game.ruleset == Ruleset.second_edition()


def test_the_record_is_written_and_verifies(tmp_path):
    out = tmp_path / "record.jsonl"
    saved = new_game(Side.FREE_PEOPLES, "random", seed=3, hint_bot="random")
    person = Person(None)
    saved.game = Game(3, Ruleset.first_edition(max_turns=1))

    def choose(person, prompt):
        return next(answer for answer in ("done", "no", "pass", "1") if _is_legal(saved.game, answer))

    person.choose = choose
    assert play_in_terminal(saved, out=out, reader=person, console=person.console)
    (record,) = GameRecord.load(out)
    assert record.players == ("person", "random")
    assert record.verify().over


@pytest.mark.parametrize(("players", "seat"), [(3, 2), (4, 3)])
def test_a_game_of_partners_is_played_to_its_end(players, seat, tmp_path):
    out = tmp_path / "record.jsonl"
    rules = Ruleset.first_edition(max_turns=1, players=players)
    saved = new_game(seat, "random", seed=seat + 5, ruleset=rules, hint_bot="random")
    person = Person(lambda person, _prompt: person.completions[0])
    assert play_in_terminal(saved, out=out, reader=person, console=person.console)
    (record,) = GameRecord.load(out)
    assert record.players == tuple("person" if place == seat else "random" for place in range(players))
    assert record.verify().over
    assert "A draw at the limit of turns" in person.text


def test_the_end_is_told_to_each_partner():
    seats = Ruleset(players=4).seats
    result = Result(Winner.SHADOW, Reason.SHADOW_MILITARY, 9, (0, 10), 3, 0, (2,))
    told = [result_lines(result, seats, viewer, 100)[0][1] for viewer in range(4)]
    assert told[0] == told[3] == "You lose: the Shadow conquers the Free Peoples, in turn 9."
    assert told[1].startswith("Your side wins, but Isengard has done better than you: the Shadow conquers")
    assert told[2].startswith("You win: the Shadow conquers")
    both = dataclasses.replace(result, winning_partners=(1, 2))
    assert result_lines(both, seats, 1, 100)[0][1].startswith("You and your partner win: the Shadow")


def _is_legal(game, text):
    return len(find(question(game.state, game.legal()).answers, text)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "random"], "give your seat and an opponent, such as --as free-peoples --against"),
        (["--as", "shadow"], "the seats are free-peoples, shadow; wotr bots lists the bots"),
        (["--game", "two-towers"], "such as --as player-1 --against scripted, or --load FILE; the seats are"),
        (["--as", "shadow", "--against", "nobody"], "unknown bot 'nobody'"),
        (["--as", "rohan", "--against", "random"], "there is no player 'rohan'; this game has free-peoples"),
        ([*OF_FOUR, "--as", "shadow", "--against", "random"], "there is no player 'shadow'"),
        ([*OF_FOUR, "--as", "rohan", "--against", "random", "--bot", "rohan=random"], "names your own seat"),
        (
            [*OF_FOUR, "--as", "ro", "--against", "random", "--bot", "gondor=random", "--bot", "Gondor=x"],
            "--bot names Gondor twice: random and x",
        ),
        ([*OF_FOUR, "--as", "rohan", "--against", "random", "--bot", "random"], "--bot takes SEAT=SPEC"),
        ([*OF_FOUR, "--as", "rohan", "--against", "random", "--bot", "sauron=x"], "unknown bot 'x'"),
        (["--as", "shadow", "--against", "random", "--hint-bot", "x"], "unknown bot 'x'"),
        (["--load", "missing.json"], "missing.json: No such file"),
        (["--as", "shadow", "--against", "random", "--seed", "-1"], "--seed must be at least 0, not -1"),
        (["--as", "shadow", "--against", "random", "--seed", "x"], "--seed must be a whole number, not x"),
        (
            ["--as", "shadow", "--against", "random", "--isolate", "x"],
            "--isolate is one of foreign, all, none, not x",
        ),
        (["--load", "missing.json", "--seed", "1"], "--seed, --ruleset and --position need a new game"),
        (["--as", "shadow", "--against", "random", "--out", "no/such/record"], "there is no folder no/such"),
        (["--as", "shadow", "--against", "random", "--script", "missing"], "missing: No such file"),
    ],
)
def test_the_command_refuses_in_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["play", *arguments]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("wotr: ")]
    assert len(lines) == 1
    assert message in lines[0]


class Typed(io.StringIO):
    """Lines of a person at a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("given", "lines", "expected"),
    [
        ({}, ["", ""], ("free-peoples", "scripted")),
        ({}, ["gondor", "shadow", "nobody", "net:zoo/wide"], ("shadow", "net:zoo/wide")),
        ({"against": "random"}, ["shadow"], ("shadow", "random")),
        ({"seat": "shadow"}, ["random"], ("shadow", "random")),
        ({"ruleset": "first:players=4"}, ["shadow", "rohan", "random"], ("rohan", "random")),
    ],
)
def test_a_person_is_asked_for_the_seat_and_the_opponent(given, lines, expected, monkeypatch):
    monkeypatch.setattr("sys.stdin", Typed("".join(f"{line}\n" for line in lines)))
    begin = command.NewGameOptions(**given).seated(WAR_OF_THE_RING)
    assert (begin.seat, begin.against) == expected


def test_a_save_is_loaded_as_the_same_side_only(tmp_path):
    path = tmp_path / "game.json"
    new_game(Side.SHADOW, "random", seed=1, hint_bot="random").write(path)
    with pytest.raises(CommandError, match="you play Shadow in .*; leave out --as"):
        resumed_game(path, seat=Side.FREE_PEOPLES)
