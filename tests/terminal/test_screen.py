"""``wotr play --game``: any game that has words, at the terminal."""

from __future__ import annotations

import dataclasses

import pytest
from typer.testing import CliRunner

from tests.partners import GONDOR, ISENGARD, ROHAN
from tests.partners import SAURON as SAURON_OF_FOUR
from tests.terminals import Person, typing
from wotr_env import GameRecord
from wotr_env.core.game import Game
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import Isolation, ask
from wotr_experiments.terminal import match as match_module
from wotr_experiments.terminal.choices import Answer, find
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.presenter import Presenter
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import new_game, play_in_terminal, resume

DUEL = game_kind("duel")
ARGUMENTS = ["play", "--game", "duel", "--as", "sauron", "--against", "random", "--seed", "4"]
SAURON = 1


def play(lines, kind=DUEL, seed=4, **options):
    person = Person(typing(lines) if isinstance(lines, list) else lines)
    saved = new_game(kind, SAURON, "random", seed=seed, game=Game(kind, seed))
    return person, saved, go_on(person, saved, **options)


def go_on(person, saved, **options):
    alone = Isolation("none")
    return play_in_terminal(saved, reader=person, console=person.console, isolation=alone, **options)


def a_record(path, players):
    """A saved game as older versions wrote it."""
    game = DUEL.game(4, DUEL.find_ruleset())
    while len(game.actions) < 3 or game.seat != SAURON:
        game.step(game.legal()[0])
    GameRecord.from_game(game, players).save(path)
    return game


def test_a_line_means_what_fits_best():
    choices = [
        Answer(5, "1", "play grey c1-01 (ruse)", ("play:c1-01",)),
        Answer(6, "2", "play grey c1-02 (ruse) for 1 coin", ("play:c1-02",)),
        Answer(9, "3", "decline", ("pass",)),
    ]
    for line, wanted in (
        ("2", [6]),
        (" 3 ", [9]),
        ("4", []),
        ("12", []),
        ("play:c1-01", [5]),
        ("pl c1 02", [6]),
        ("DEC", [9]),
        ("pass", [9]),
        ("play grey", [5, 6]),
        ("elephant", []),
        ("", []),
        ("?", []),
    ):
        assert [choice.action for choice in find(choices, line)] == wanted, line


def test_choices_are_the_legal_actions_in_words():
    saved = new_game(DUEL, SAURON, "random", seed=4)
    game, choices = saved.game, Presenter(Match(saved, Isolation("none"))).question().answers
    assert [choice.action for choice in choices] == game.legal()
    assert [choice.label for choice in choices] == [str(n + 1) for n in range(len(choices))]
    assert len({choice.words for choice in choices}) == len(choices)


def test_a_bot_plays_for_partners_and_not_for_both_teams(monkeypatch):
    def noted(bot, view, spec):
        bots[match.game.seat] = bot
        return ask(bot, view, spec)

    monkeypatch.setattr(match_module, "ask", noted)
    kind, bots = game_kind("war-of-the-ring"), {}
    saved = new_game(kind, GONDOR, "random", seed=4, ruleset=kind.find_ruleset("first:players=4"))
    match = Match(saved, Isolation("none"))
    while len(bots) < 3:
        if match.persons_turn:
            match.play(match.game.legal()[0])
        else:
            match.answer()
    assert bots[SAURON_OF_FOUR] is bots[ISENGARD] is not bots[ROHAN]


def test_a_game_is_played_to_its_end_and_its_record_verifies(tmp_path):
    out = tmp_path / "record.jsonl"
    person, saved, over = play(lambda _person, _prompt: "1", out=out)
    assert over and saved.game.over
    (record,) = GameRecord.load(out)
    assert record.players == ("random", "person") and record.game == "duel" and record.result is not None
    assert record.verify().hash() == saved.game.hash()
    assert person.text.count(DUEL.words.decision(saved.game.state)) == 1  # the end is told once
    assert "Fellowship: " in person.text and "Chapter 3" in person.text


def test_the_end_is_told_even_where_no_step_tells_it():
    kind = dataclasses.replace(DUEL, events=None)
    person, saved, over = play(lambda _person, _prompt: "1", kind=kind)
    assert over and person.text.count(DUEL.words.decision(saved.game.state)) == 1


def test_the_layout_of_the_duel_is_shown():
    person, saved, _ = play(["quit", "no"])
    drawn = DUEL.words.layout(saved.game.state)
    assert drawn in person.text and "[c1-" in drawn and "(c1-" in drawn and " ? " in drawn


def test_parts_of_a_game_are_looked_up():
    person, saved, _ = play(
        ["about c3-20", "about Bree", "about again-yellow", "about", "about elephant", "help", "quit", "no"]
    )
    assert (
        saved.game.actions == () and "what a card or another part of the game costs and does" in person.text
    )
    assert (
        "Purple card c3-20: 1 removal, 2 coins lost\nCost: courage, courage, courage, leadership."
        in person.text
    )
    assert "Bree\nA fortress in Arnor, 2 units there, 2 moves. Cost: strength" in person.text
    assert "Each time you play a yellow card: another turn." in person.text
    assert "about what? For example: c1-01" in person.text and "there is no part 'elephant'" in person.text
    person, _, _ = play(["about moves", "/about c1", "quit", "no"])
    assert "Token: moves for green" in person.text and "'c1' can mean: c1-01, c1-02" in person.text


def test_parts_of_the_two_towers_are_looked_up():
    towers = game_kind("two-towers")
    person, _, _ = play(["about minas", "about red wis", "about gandalf", "quit", "no"], kind=towers)
    assert "Minas Tirith\n" in person.text and "Counts where wisdom is asked for" in person.text
    assert "Gandalf\nA card without a colour" in person.text


def test_a_game_without_parts_has_no_command_for_them():
    kind = dataclasses.replace(DUEL, words=DUEL.words._replace(parts=None, layout=None))
    person, saved, _ = play(["help", "about c1-09", "quit", "no"], kind=kind)
    assert "about NAME" not in person.text and "neither an answer" in person.text and saved.game.actions == ()


def test_wrong_lines_play_nothing():
    person, saved, over = play(
        ["", "99", "elephant", "c1", "help", "answers", "undo", "quit", "back", "quit", "no"]
    )
    assert not over and saved.game.actions == ()
    text = " ".join(person.text.split())
    assert "'99' is neither an answer nor a command" in text and "nothing can be taken back" in text
    assert "'c1' can mean: play" in text and "8 more" in text


def test_symbols_are_no_answer():
    person, saved, _ = play(["play☃", "c1☃", "quit", "no"])
    assert saved.game.actions == () and person.text.count("neither an answer nor a command") == 2


def test_quit_after_a_save_asks_for_nothing_until_something_was_played(tmp_path):
    path = tmp_path / "game.jsonl"
    person, saved, over = play(["1", "save", "quit"], save=path)
    assert not over and f"Save to {path}?" not in person.text
    assert SavedGame.read(path).game.hash() == saved.game.hash()
    for line in ("1", "undo"):
        person, _, _ = play(["1", f"save {tmp_path / line}", line, "quit", "no"], save=tmp_path / "other")
        assert f"Save to {tmp_path / line}?" in person.text


def test_a_choice_from_which_nobody_learns_is_taken_back():
    kind = dataclasses.replace(DUEL, learners=lambda _state, _action: frozenset())
    person = Person(typing(["7", "undo", "8", "quit", "no"]))
    saved = new_game(kind, SAURON, "random", seed=4, game=Game(kind, 4), takeback=False)
    match = Match(saved, Isolation("none"))
    before, action = saved.game.hash(), saved.game.legal()[6]
    match.play(action)
    assert match.undo() and saved.game.hash() == before and not match.undo()
    match.play(action)
    match.answer()  # another seat has followed
    assert not match.undo()
    assert not go_on(person, saved)


def test_in_a_casual_game_the_answers_of_bots_are_taken_back_and_the_record_says_so(tmp_path):
    path = tmp_path / "game.jsonl"
    person, saved, _ = play(["1", "undo", "1", "1", "undo", "undo", "undo", "quit", "yes"], save=path)
    assert saved.game.actions == () and saved.taken_back == 3
    assert "the record notes this (3)" in person.text and "have not chosen yet" in person.text
    again = SavedGame.read(path)
    assert again.names == ("random", "person (study, 3 taken back)") and again.taken_back == 3


def test_a_saved_game_goes_on_as_it_was(tmp_path):
    path = tmp_path / "game.jsonl"
    _, saved, over = play(["1", "2", "save", "quit", "yes"], save=path)
    assert not over
    again = SavedGame.read(path)
    assert again.names == ("random", "person") and again.game.hash() == saved.game.hash()
    assert again.log == saved.log and again.identities == saved.identities != ["", ""]
    with pytest.raises(CommandError, match="you play Sauron in .*; leave out --as"):
        resume(SavedGame.read(path), seat=0)
    resume(again, seat=SAURON, bots={0: "scripted"})
    assert again.bots == ["scripted", ""] and again.game.actions == saved.game.actions
    person = Person(typing(["hint random", "log", "1"]))
    assert not go_on(person, again)  # the input ends
    assert "random would: " in person.text and "Sauron: play" in person.text
    assert len(SavedGame.read(path).game.actions) > len(saved.game.actions)


def test_a_game_that_an_older_version_saved_as_a_record_goes_on(tmp_path):
    path = tmp_path / "game.jsonl"
    game = a_record(path, ("random", "person (study, 2 taken back)"))
    saved = resume(SavedGame.read(path))
    assert (saved.seat, saved.bots, saved.taken_back) == (SAURON, ["random", ""], 2)
    assert saved.game.hash() == game.hash() and saved.hint_bot == "scripted"
    person = Person(typing(["1", "save"]))
    assert not go_on(person, saved)
    actions = SavedGame.read(path).game.actions
    assert actions[: len(game.actions)] == game.actions and len(actions) > len(game.actions)


@pytest.mark.parametrize(
    ("players", "words"),
    [(("random", "random"), "it has 0 human players"), (("person", "person"), "it has 2 human players")],
)
def test_a_record_of_other_players_is_no_saved_game(players, words, tmp_path):
    path = tmp_path / "game.jsonl"
    a_record(path, players)
    with pytest.raises(CommandError, match=f"is not a game saved by wotr play: {words}"):
        SavedGame.read(path)
    path.write_text(path.read_text() * 2)
    with pytest.raises(CommandError, match="it contains 2 games"):
        SavedGame.read(path)


def test_no_file_of_something_else_is_replaced(tmp_path):
    there = tmp_path / "games.jsonl"
    there.write_text("mine\n")
    for options in ({"save": there}, {"out": there}):
        with pytest.raises(CommandError, match="exists"):
            play(["quit", "no"], **options)
    path = tmp_path / "new.jsonl"
    person, _, _ = play([f"save {there}", "quit", "yes"], save=path)
    assert there.read_text() == "mine\n" and path.exists() and "name a new one" in person.text


def test_a_file_may_not_name_a_program(tmp_path):
    path = tmp_path / "game.jsonl"
    a_record(path, ("stdio:touch me", "person"))
    with pytest.raises(CommandError, match="names a program, stdio:touch me; .* with --against$"):
        resume(SavedGame.read(path))
    a_record(path, ("random", "person"))
    saved = SavedGame.read(path)
    saved.hint_bot = "stdio:touch me"
    with pytest.raises(CommandError, match="names a program, stdio:touch me; .* with --hint-bot$"):
        resume(saved)
    a_record(path, ("", "person"))
    with pytest.raises(CommandError, match="who plays Fellowship"):
        resume(SavedGame.read(path))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "--game", "duel"], "--as fellowship --against scripted"),
        (["play", "--game", "chess"], "chess"),
        ([*ARGUMENTS, "--own-dice"], "--own-dice"),
        (["play", "--game", "duel", "--as", "gandalf", "--against", "random"], "fellowship, sauron"),
        ([*ARGUMENTS, "--bot", "sauron=random"], "names your own seat"),
        (["play", "--game", "duel", "--as", "sauron", "--against", "queller"], "queller"),
        (["play", "--game", "duel", "--load", "nowhere.json"], "nowhere.json"),
        ([*ARGUMENTS, "--save", "nowhere/game.jsonl"], "no folder"),
    ],
)
def test_wrong_options_are_told_in_one_line(arguments, words, capsys):
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_the_command_plays_saves_and_goes_on(tmp_path):
    path = tmp_path / "game.jsonl"
    script = tmp_path / "lines.txt"
    script.write_text("1\n")
    arguments = [*ARGUMENTS, "--save", str(path), "--script", str(script), "--ruleset", "open"]
    result = CliRunner().invoke(cli.app, arguments, input="1\n", catch_exceptions=False)
    assert result.exit_code == 0 and "You play Sauron" in " ".join(result.output.split())
    actions = SavedGame.read(path).game.actions
    arguments = ["play", "--game", "duel", "--load", str(path)]
    result = CliRunner().invoke(cli.app, arguments, input="1\nquit\nyes\n", catch_exceptions=False)
    assert result.exit_code == 0
    after = SavedGame.read(path).game
    assert after.actions[: len(actions)] == actions and len(after.actions) > len(actions)
    assert after.ruleset == DUEL.find_ruleset("open")


def test_a_saved_game_is_loaded_as_the_game_that_it_is(tmp_path, capsys):
    path = tmp_path / "game.json"
    play(["save", "quit"], save=path)
    assert cli.main(["play", "--load", str(path)]) == 2
    assert "is a game of Duel for Middle-earth; give --game duel" in capsys.readouterr().err


def test_a_game_begins_from_a_position(tmp_path):
    game = DUEL.game(4, DUEL.find_ruleset("open"))
    for _ in range(12):
        game.step(game.legal()[0])
    text = DUEL.positions.write(game.state, None)
    out, script = tmp_path / "record.jsonl", tmp_path / "lines"
    script.write_text("1\n" * 200)
    arguments = ["play", "--game", "duel", "--as", "sauron", "--against", "random", "--position", text]
    options = ["--script", str(script), "--out", str(out), "--isolate", "none"]
    assert cli.main([*arguments, *options]) == 0
    (record,) = GameRecord.load(out)
    assert record.position == text and record.ruleset == game.ruleset and record.verify().result is not None


def test_a_position_of_another_game_is_refused(capsys):
    text = DUEL.positions.write(DUEL.game(1, DUEL.find_ruleset()).state, None)
    assert cli.main(["play", "--as", "shadow", "--against", "random", "--position", text]) == 2
    assert "a position of Duel for Middle-earth; give --game duel" in capsys.readouterr().err
