"""Dice and tiles in ``wotr play``: which outcomes a step has, and dice of one's own."""

from __future__ import annotations

import random

import pytest

from tests.positions import Position, card, character, play, tile
from tests.terminals import DICE_PROMPT, Person, answering, new_game, resumed_game, typing
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.games.war_of_the_ring.codes import Face, Roll, Side
from wotr_env.games.war_of_the_ring.given_chance import Wanted, next_outcomes, prompt_of
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_experiments.games.war_of_the_ring.terminal.own_dice import ask_outcomes, read_outcomes
from wotr_experiments.terminal import start
from wotr_experiments.terminal.saves import SavedGame
from wotr_experiments.terminal.screen import Leave
from wotr_experiments.terminal.start import play_in_terminal

SHORT = Ruleset.first_edition(max_turns=3)


PIPS = (1, 2, 3, 4, 5, 6)


def random_steps(ruleset, seed, decisions):
    """Games before an action, the action, and the trace of it, where chance was needed."""
    game, generator = Game(seed, ruleset), random.Random(seed)
    for _ in range(decisions):
        if game.over:
            return
        before, action = game.clone(), generator.choice(game.legal())
        trace = game.trace(action)
        game.step(action)
        if game.state["counter"] != before.state["counter"]:
            yield before, action, trace, game.state


@pytest.mark.parametrize("ruleset", [Ruleset.first_edition(), Ruleset.second_edition()])
def test_every_outcome_of_random_games_is_asked_for_and_can_be_given(ruleset):
    """The outcomes that a step had lead, on a tape made of what was asked, to the same position."""
    kinds = set()
    for before, action, trace, after in random_steps(ruleset, 3, 2500):
        outcomes = [row[2] for _, row in trace.draws()]
        assert len(outcomes) == after["counter"] - before.state["counter"]
        tape = []
        while (wanted := next_outcomes(before.state, action, tape)) is not None:
            given = outcomes[len(tape) : len(tape) + wanted.number]
            assert len(given) == wanted.number
            assert set(given) <= set(wanted.possible)
            kinds.add(wanted.roll)
            tape += given
        assert tape == outcomes
        again = before.clone().with_tape(tape).step(action).state
        again["counter"] = after["counter"]
        assert again.tobytes() == after.tobytes()
    assert kinds >= {Roll.ACTION_DIE, Roll.COMBAT, Roll.COMBAT_REROLL, Roll.HUNT, Roll.TILE}


def test_a_step_without_chance_wants_nothing():
    game = Game(1)
    assert next_outcomes(game.state, game.legal()[0], []) is None


def test_the_dice_of_two_sides_are_asked_one_after_the_other():
    game = Game(1)
    while game.decision.name != "HUNT_ALLOCATION":
        game.step(game.legal()[0])
    asked = []

    def ask(prompt, _completions):
        asked.append(prompt)
        return ""

    tape = ask_outcomes(game, game.action("count:0"), ask, print, random.Random(1))
    assert len(tape) == 11
    assert [prompt.split(" (")[0] for prompt in asked] == [
        "4 dice for the actions of the Free Peoples",
        "7 dice for the actions of the Shadow",
    ]


def test_a_companion_drawn_is_known():
    game = Position().fellowship("rivendell").dice("character").hunt_box(0, 1).game(6, tile("tile-3-1"))
    play(game, "face:character", "plan:move-fellowship")
    action = game.action("verb:sacrifice-random")
    wanted = next_outcomes(game.state, action, [])
    assert (wanted.roll, wanted.number) == (Roll.COMPANION, 1)
    assert read_outcomes(wanted, "bor") == (character("boromir"),)
    told = tell(game.with_tape([character("boromir")]).trace(action), 1)
    texts = [sentence.text for sentence in told]
    assert "Drawn at random: Boromir" in texts
    assert "Boromir is lost" in texts


def test_every_tile_that_can_be_said_is_one_that_can_be_drawn():
    """Not the one that Mithril Coat replaces, nor one of Challenge of the King that is in hand."""
    position = Position().fellowship("hollin").table("fp-char-05").dice("character").hunt_box(0, 1)
    coat = play(position.game(6, tile("tile-3-1")), "face:character", "plan:move-fellowship")
    king = Position().hand(Side.FREE_PEOPLES, "fp-char-14").place("strider", "pelargir")
    king = king.army("pelargir", gondor=2).dice("character").game()
    king = play(king, "face:character", "plan:play-card")
    for game, action, drawn in ((coat, "verb:accept", 1), (king, "card:fp-char-14", 3)):
        action, tape = game.action(action), []
        while (wanted := next_outcomes(game.state, action, tape)) is not None and wanted.roll == Roll.TILE:
            for each in wanted.possible:
                game.clone().with_tape([*tape, each]).step(action)
            tape.append(wanted.possible[0])
        assert len(tape) == drawn


def test_a_card_lost_at_random_stays_with_the_computer():
    """To name it would show the hand."""
    position = Position().dice("character character", "army").hunt_box(0, 1).table("sh-char-15")
    position.fellowship("hollin", companions=["strider", "boromir"])
    position.hand(Side.FREE_PEOPLES, "fp-char-09", "fp-char-10", "fp-strat-01")
    game = play(position.game(6, tile("tile-3-1")), "face:character", "plan:move-fellowship")
    play(game, "verb:sacrifice-guide")

    def nobody(*_):
        raise AssertionError("nobody is asked")

    tapes = {
        tuple(ask_outcomes(game, game.action("verb:random-card"), nobody, nobody, random.Random(seed)))
        for seed in range(20)
    }
    assert tapes == {(card("fp-char-09"),), (card("fp-char-10"),)}


@pytest.mark.parametrize(
    ("wanted", "text", "values"),
    [
        (Wanted(Roll.COMBAT, 3, PIPS, 1, 5), "6 1, 4", (6, 1, 4)),
        (Wanted(Roll.COMBAT, 3, PIPS, 1, 5), "614", (6, 1, 4)),
        (Wanted(Roll.HUNT_DAMAGE, 1, PIPS, 1, 0), "3", (3,)),
        (Wanted(Roll.ACTION_DIE, 4, PIPS, 0, 0), "c am w e", (1, 4, 6, 5)),
        (Wanted(Roll.ACTION_DIE, 4, PIPS, 1, 0), "eye army mus Event", (6, 2, 3, 5)),
        (Wanted(Roll.ACTION_DIE, 2, PIPS, 1, 0), "12", (1, 2)),
        (Wanted(Roll.TILE, 1, (1, 2, 5), 0, 0), "eye", (1,)),
        (Wanted(Roll.TILE, 1, (1, 9, 5, 7), 0, 0), "2", (7,)),
        (Wanted(Roll.COMPANION, 1, (1, 2), 0, 0), "bor", (2,)),
    ],
)
def test_outcomes_are_read(wanted, text, values):
    assert read_outcomes(wanted, text) == values
    assert prompt_of(wanted)


@pytest.mark.parametrize(
    ("wanted", "text", "message"),
    [
        (Wanted(Roll.COMBAT, 3, PIPS, 1, 5), "6 1", "that is 2 results, not 3"),
        (Wanted(Roll.COMBAT, 1, PIPS, 1, 5), "7", "'7' is not a die roll"),
        (Wanted(Roll.COMBAT, 1, PIPS, 1, 5), "army", "'army' is not a die roll"),
        (
            Wanted(Roll.ACTION_DIE, 1, PIPS, 0, 0),
            "eye",
            "is not a face of the Free Peoples die: type c Character",
        ),
        (Wanted(Roll.ACTION_DIE, 1, PIPS, 1, 0), "w", "is not a face of the Shadow die"),
        (Wanted(Roll.TILE, 1, (1, 5), 0, 0), "Shelob", "'Shelob' is none of: Eye, Reveal, 3"),
        (Wanted(Roll.COMPANION, 1, (5, 6), 0, 0), "e", "is none of"),
    ],
)
def test_impossible_outcomes_are_refused(wanted, text, message):
    with pytest.raises(ValueError, match=message):
        read_outcomes(wanted, text)


def test_the_dice_typed_are_those_of_the_game(tmp_path):
    lines = ["2", "dice", "w w", "undo", "c c e c", "eye eye a a 1"]
    person = Person(typing(lines))
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    screen = person.sit_down(saved, tmp_path / "game.json")
    dice = []
    tell = screen._tell

    def watch(told):
        tell(told)
        if any("Action dice" in text for _, text in told):
            dice.append(saved.game.state["dice"].copy())
            assert saved.game.state["hunt_box"].tolist() == [0, 4]

    screen._tell = watch
    with pytest.raises(EOFError):
        screen.run()
    assert "Elven Rings" in person.text
    assert "that is 2 results, not 4" in person.text
    assert "'undo' is not a face" in person.text
    assert "you are asked for all dice of both sides" in person.text
    assert dice[0][Side.FREE_PEOPLES, [Face.CHARACTER, Face.EVENT]].tolist() == [3, 1]
    assert dice[0][Side.SHADOW, [Face.ARMY, Face.CHARACTER]].tolist() == [2, 1]
    (_, typed), *_ = GameRecord.from_game(saved.game).tapes
    assert len(typed) == 9, "four dice of the Free Peoples, five of the Shadow"


def test_the_game_can_be_left_at_the_dice(tmp_path):
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    with pytest.raises(Leave):
        Person(typing(["2", "quit", "back", "quit", "yes"])).sit_down(saved, tmp_path / "game.json").run()
    assert SavedGame.read(tmp_path / "game.json").game.hash() == saved.game.hash()


def test_a_choice_of_a_bot_is_in_the_story_once_it_is_played(tmp_path):
    def choose(person, prompt):
        if DICE_PROMPT in prompt:
            return "quit"
        return "yes" if "Save to" in prompt else person.screen.question.answers[0].words

    def dice_of_the_shadow(saved):
        return sum("into the Hunt Box" in text for _, text in saved.log)

    path, person = tmp_path / "game.json", Person(choose)
    saved = new_game(Side.FREE_PEOPLES, "random", seed=4, hint_bot="random", own_dice=True)
    with pytest.raises(Leave):
        person.sit_down(saved, path).run()
    assert "into the Hunt Box" in person.text
    resumed = resumed_game(path)
    assert dice_of_the_shadow(resumed) == 0 and resumed.log == saved.log != []
    with pytest.raises(EOFError):
        Person(typing(["", ""])).sit_down(resumed, path).run()
    assert dice_of_the_shadow(SavedGame.read(path)) == 1


def test_leaving_at_the_dice_keeps_the_position_before_them(tmp_path):
    person = Person(typing(["2"]))
    saved = new_game(Side.SHADOW, "random", seed=4, hint_bot="random", own_dice=True)
    with pytest.raises(EOFError):
        person.sit_down(saved, tmp_path / "game.json").run()
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
    (record,) = GameRecord.load(out)
    assert len(record.tapes) > 2 and record.verify().over
    assert "is not a die roll" not in person.text
    assert "results, not" not in person.text


def _play(saved, person, out):
    """As ``play_in_terminal``, with the screen known to the person."""

    class Watched(start.Screen):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            person.screen = self

    original = start.Screen
    start.Screen = Watched
    try:
        return play_in_terminal(saved, out=out, reader=person, console=person.console)
    finally:
        start.Screen = original


def test_a_game_with_dice_left_to_the_computer(tmp_path):
    person, rules = Person(answering(3)), Ruleset.first_edition(max_turns=5)
    saved = new_game(Side.FREE_PEOPLES, "random", seed=3, ruleset=rules, hint_bot="random", own_dice=True)
    screen = person.sit_down(saved, tmp_path / "game.json")
    screen._generator.seed(3)  # the dice of the computer
    screen.run()
    assert saved.game.over
    shown = [line for line in person.text.splitlines() if line.startswith("Shadow: ")]
    assert [text for _, text in saved.log if text.startswith("Shadow: ")] == shown
    prompts = " ".join(person.prompts)
    for words in ("for the actions", "combat roll", "re-roll by Leadership", "Hunt roll", "Hunt tile"):
        assert words in prompts
