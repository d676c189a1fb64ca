"""Dice and tiles in ``wotr play``: which outcomes a step has, and dice of one's own."""

from __future__ import annotations

import random

import pytest

from tests.positions import Position, character, play, tile
from tests.terminals import DICE_PROMPT, Person, answering, typing
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.codes import Face, Side
from wotr_env.errors import RecordError
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal import start
from wotr_experiments.terminal.chance_trace import ChanceTracer, Roll, Wanted
from wotr_experiments.terminal.own_dice import ask_outcomes, prompt_of, read_outcomes
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.start import new_game, play_in_terminal
from wotr_experiments.terminal.story import happened
from wotr_experiments.terminal.table import Quit

SHORT = Ruleset.first_edition(max_turns=3)


@pytest.fixture(scope="module")
def tracer():
    tracer = ChanceTracer()
    yield tracer
    tracer.close()


def random_steps(ruleset, seed, decisions):
    """Positions and actions in which chance was needed, with the number of outcomes."""
    game, generator = Game(seed, ruleset), random.Random(seed)
    for _ in range(decisions):
        if game.over:
            return
        before, action = game.state, generator.choice(game.legal())
        after = game.step(action).state
        if outcomes := int(after["counter"]) - int(before["counter"]):
            yield before, action, outcomes, game


@pytest.mark.parametrize("ruleset", [Ruleset.first_edition(), Ruleset.second_edition()])
def test_every_outcome_of_random_games_is_known_and_can_be_given(tracer, ruleset):
    """The outcomes that the child process names lead, on a tape, to the same position."""
    kinds = set()
    for before, action, outcomes, game in random_steps(ruleset, 3, 2500):
        rolls = tracer.rolls(before, action)
        values = [value for roll in rolls for value in roll.values]
        assert len(values) == outcomes
        kinds |= {roll.kind for roll in rolls}
        tape = []
        for roll in rolls:
            wanted = tracer.wanted(before, action, tape)
            assert (wanted.kind, wanted.number, wanted.side) == (roll.kind, len(roll.values), roll.side)
            assert set(roll.values) <= set(wanted.possible)
            tape += roll.values
        assert tracer.wanted(before, action, tape) is None
        again = Game.from_state(before).with_tape(tape).step(action).state
        again["counter"] = game.state["counter"]
        assert again.tobytes() == game.state.tobytes()
    assert kinds >= {"action", "combat", "reroll", "hunt", "tile"}


def test_a_step_without_chance_wants_nothing(tracer):
    game = Game(1)
    assert tracer.wanted(game.state, game.legal()[0]) is None
    assert tracer.rolls(game.state, game.legal()[0]) == []


def test_a_companion_drawn_is_known(tracer):
    game = Position().fellowship("rivendell").dice("character").hunt_box(0, 1).game(6, tile("tile-3-1"))
    play(game, "face:character", "plan:move-fellowship")
    state, action = game.state, game.action("verb:sacrifice-random")
    wanted = tracer.wanted(state, action)
    assert (wanted.kind, wanted.number) == ("companion", 1)
    assert read_outcomes(wanted, "bor") == (character("boromir"),)
    again = game.clone().with_tape([character("boromir")]).step(action)
    told = happened(state, again.state, 1, tracer.rolls(state, action, [character("boromir")]), action)
    assert "Drawn at random: Boromir" in [text for _, text in told]
    assert "Boromir is lost" in [text for _, text in told]


def test_a_card_lost_at_random_stays_with_the_computer():
    """To name it would show the hand."""
    wanted = Wanted("card", 1, 0, 24, (3, 8))

    class OneCard:
        def wanted(self, state, action, tape):
            return None if tape else wanted

    def nobody(*_):
        raise AssertionError("nobody is asked")

    tape = ask_outcomes(OneCard(), None, 0, nobody, nobody, random.Random(0))
    assert tape in ([3], [8])


def test_successes_are_counted_as_the_rules_do():
    assert Roll("combat", (1, 4, 5, 6), 0, needed=5).successes == 2
    assert Roll("combat", (1, 4, 5, 6), 0, needed=5, modifier=1).successes == 3
    assert Roll("reroll", (6, 5), 1, needed=6, modifier=-1).successes == 1
    assert Roll("hunt", (1, 5, 6), needed=6, modifier=5).successes == 2


@pytest.mark.parametrize(
    ("wanted", "text", "values"),
    [
        (Wanted("combat", 3, 1, 6, None, 1, 5), "6 1, 4", (6, 1, 4)),
        (Wanted("combat", 3, 1, 6, None, 1, 5), "614", (6, 1, 4)),
        (Wanted("tile-value", 1, 1, 6, None), "3", (3,)),
        (Wanted("action", 4, 1, 6, None, 0), "c am w e", (1, 4, 6, 5)),
        (Wanted("action", 4, 1, 6, None, 1), "eye army mus Event", (6, 2, 3, 5)),
        (Wanted("action", 2, 1, 6, None, 1), "12", (1, 2)),
        (Wanted("tile", 1, 0, 24, (1, 2, 5)), "eye", (1,)),
        (Wanted("tile", 1, 0, 24, (1, 9, 5, 7)), "2", (7,)),
        (Wanted("companion", 1, 0, 9, (1, 2)), "bor", (2,)),
    ],
)
def test_outcomes_are_read(wanted, text, values):
    assert read_outcomes(wanted, text) == values
    assert prompt_of(wanted)


@pytest.mark.parametrize(
    ("wanted", "text", "message"),
    [
        (Wanted("combat", 3, 1, 6, None, 1, 5), "6 1", "that is 2 results, not 3"),
        (Wanted("combat", 1, 1, 6, None, 1, 5), "7", "'7' is no die"),
        (Wanted("combat", 1, 1, 6, None, 1, 5), "army", "'army' is no die"),
        (Wanted("action", 1, 1, 6, None, 0), "eye", "is no result of the Free Peoples die: c Character"),
        (Wanted("action", 1, 1, 6, None, 1), "w", "is no result of the Shadow die"),
        (Wanted("tile", 1, 0, 24, (1, 5)), "Shelob", "'Shelob' is none of: Eye, Reveal, 3"),
        (Wanted("companion", 1, 0, 9, (5, 6)), "e", "is none of"),
    ],
)
def test_impossible_outcomes_are_refused(wanted, text, message):
    with pytest.raises(ValueError, match=message):
        read_outcomes(wanted, text)


def test_the_dice_typed_are_those_of_the_game(tmp_path, tracer):
    lines = ["2", "dice", "w w", "undo", "c c e c", "eye eye a a 1"]
    person = Person(typing(lines))
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    table = person.sit_down(saved, tmp_path / "game.json", tracer)
    dice = []
    tell = table._tell

    def watch(told):
        tell(told)
        if any("Action dice" in text for _, text in told):
            dice.append(saved.game.state["dice"].copy())
            assert saved.game.state["hunt_box"].tolist() == [0, 4]

    table._tell = watch
    with pytest.raises(EOFError):
        table.run()
    assert "Elven Rings" in person.text
    assert "that is 2 results, not 4" in person.text
    assert "'undo' is no result" in person.text
    assert "you are asked for all dice of both sides" in person.text
    assert dice[0][Side.FREE_PEOPLES, [Face.CHARACTER, Face.EVENT]].tolist() == [3, 1]
    assert dice[0][Side.SHADOW, [Face.ARMY, Face.CHARACTER]].tolist() == [2, 1]
    with pytest.raises(RecordError):
        GameRecord.from_game(saved.game)


def test_the_game_can_be_left_at_the_dice(tmp_path, tracer):
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    with pytest.raises(Quit):
        Person(typing(["2", "quit", "back", "quit", "yes"])).sit_down(
            saved, tmp_path / "game.json", tracer
        ).run()
    assert SavedGame.read(tmp_path / "game.json").game.hash() == saved.game.hash()


def test_leaving_at_the_dice_keeps_the_position_before_them(tmp_path, tracer):
    person = Person(typing(["2"]))
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    with pytest.raises(EOFError):
        person.sit_down(saved, tmp_path / "game.json", tracer).run()
    assert DICE_PROMPT in person.prompts[-1]
    resumed = SavedGame.read(tmp_path / "game.json")
    assert resumed.own_dice
    assert resumed.game.state["hunt_box"].tolist() == [0, 0]


@pytest.mark.parametrize("seat", [Side.FREE_PEOPLES, Side.SHADOW])
def test_a_game_with_own_dice(seat, tmp_path):
    """Typed outcomes, at random, through three turns; the bot's deed is told before its dice are asked."""
    generator = random.Random(seat)
    person = Person(None)
    answers = answering(seat)

    def choose(person, prompt):
        if DICE_PROMPT not in prompt:
            return answers(person, prompt)
        number = int(prompt.split()[0]) if prompt[0].isdigit() else None
        if "combat roll" in prompt or "re-roll" in prompt or "Hunt roll" in prompt:
            number = int(prompt.split(", ")[1].split()[0])
        if number is None:
            return generator.choice(person.completions or [""])
        return " ".join(str(generator.randint(1, 6)) for _ in range(number))

    person.choose = choose
    saved = new_game(seat, "random", seed=7, ruleset=SHORT, hint_bot="random", own_dice=True)
    out = tmp_path / "record"
    assert _play(saved, person, out)
    assert not out.exists()
    assert "No record is written" in person.text
    assert "is no die" not in person.text
    assert "results, not" not in person.text


def _play(saved, person, out):
    """As ``play_in_terminal``, with the table known to the person."""

    class Table(start.PlayTable):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            person.table = self

    original = start.PlayTable
    start.PlayTable = Table
    try:
        return play_in_terminal(saved, out=out, reader=person, console=person.console)
    finally:
        start.PlayTable = original


@pytest.mark.slow
def test_a_whole_game_with_dice_left_to_the_computer(tmp_path, tracer):
    person = Person(answering(5))
    saved = new_game(Side.FREE_PEOPLES, "random", seed=5, hint_bot="random", own_dice=True)
    person.sit_down(saved, tmp_path / "game.json", tracer).run()
    assert saved.game.over
    prompts = " ".join(person.prompts)
    for words in ("for the actions", "combat roll", "re-roll by Leadership", "Hunt roll", "Hunt tile"):
        assert words in prompts


def test_an_ended_child_process_is_one_line():
    tracer = ChanceTracer()
    tracer.close()
    game = Game(1)
    with pytest.raises(CommandError, match="helper process"):
        tracer.rolls(game.state, game.legal()[0])


def test_a_game_goes_on_without_the_child_process(tmp_path):
    """Only the rolls are not told then; dice of one's own need it, and the game is saved."""
    tracer = ChanceTracer()
    tracer.close()
    person = Person(answering(1))
    saved = new_game(Side.SHADOW, "random", seed=1, ruleset=SHORT, hint_bot="random")
    person.sit_down(saved, tmp_path / "game.json", tracer).run()
    assert saved.game.over
    own = new_game(Side.SHADOW, "random", seed=1, ruleset=SHORT, hint_bot="random", own_dice=True)
    with pytest.raises(CommandError, match="helper process"):
        Person(answering(1)).sit_down(own, tmp_path / "game.json", tracer).run()
    assert SavedGame.read(tmp_path / "game.json").own_dice
