"""The command ``wotr play``: its options, files and errors."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.terminals import Person
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.codes import Side
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal.answers import find, question
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import new_game, play_in_terminal, resumed_game

ARGUMENTS = ["play", "--as", "shadow", "--against", "random", "--seed", "4", "--hint-bot", "random"]


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


def _is_legal(game, text):
    return len(find(question(game.state, game.legal()).answers, text)) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "random"], "give your side and an opponent"),
        (["--as", "shadow"], "give your side and an opponent"),
        (["--as", "shadow", "--against", "nobody"], "unknown bot 'nobody'"),
        (["--as", "shadow", "--against", "random", "--hint-bot", "x"], "unknown bot 'x'"),
        (["--load", "missing.json"], "missing.json: No such file"),
        (["--load", "missing.json", "--seed", "1"], "--seed and --ruleset are for a new game"),
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


def test_a_save_is_loaded_as_the_same_side_only(tmp_path):
    path = tmp_path / "game.json"
    new_game(Side.SHADOW, "random", seed=1, hint_bot="random").write(path)
    with pytest.raises(CommandError, match="you play the Shadow; leave out --as"):
        resumed_game(path, seat=Side.FREE_PEOPLES)
