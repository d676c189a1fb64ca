"""Games as text that people read and that parses back to the same record."""

import json
import random
import re

import pytest

from tests.hidden_cards import middle_of_a_game
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.core.errors import RecordError


def played(seed, steps, ruleset=Ruleset(), start=None):  # noqa: B008
    game = start or Game(seed, ruleset)
    choices = random.Random(seed)
    while not game.over and len(game.actions) < steps:
        game.step(choices.choice(game.legal()))
    return game


@pytest.fixture(scope="module")
def record():
    return GameRecord.from_game(played(5, 10_000, Ruleset(max_turns=1)), ("random", "mcts:sims=4"))


@pytest.fixture(scope="module")
def text(record):
    return record.to_text()


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(
    "ruleset",
    [
        Ruleset(max_turns=2),
        Ruleset.second_edition(max_turns=2, mordor_idle="move"),
        Ruleset.first_edition(players=4, max_turns=2),
    ],
)
def test_a_text_is_read_as_the_record_that_it_was_written_from(ruleset, told):
    players = tuple(f"a;b [text 1]\n{seat.name}" for seat in ruleset.seats)
    for seed in (1, 2):
        record = GameRecord.from_game(played(seed, 400, ruleset), players)
        text = record.to_text(told)
        (again,) = GameRecord.from_text(text)
        assert again == record and again.to_json() == record.to_json()
        assert again.to_text(told) == text
        again.verify()


def test_files_of_texts_hold_several_games(tmp_path, record, text):
    short = GameRecord.from_game(Game(seed=3))
    file = tmp_path / "games.txt"
    file.write_text(f"\n{text}\n{short.to_text()}\n{text}", encoding="utf-8")
    found = GameRecord.load(file)
    assert found == [record, short, record]
    assert found[1].source == f"{file}, line {text.count(chr(10)) + 3}"


def test_a_line_is_a_die_with_what_came_of_it(text):
    """Tags, then what people need to follow the game: turns, players, dice, rolls and tiles."""
    lines = text.splitlines()
    assert lines[:2] == ["[text 1]", "[format 2]"]
    assert "; Turn 1" in lines and any(line.startswith("; Turn 2") for line in lines) is False
    dice = [line for line in lines if re.match(r" *\d+  (free-peoples|shadow): face:", line)]
    assert len(dice) > 8
    assert any("; Action dice of the Shadow" in line for line in lines)
    assert all(
        line.startswith(("[", "; ", "          ; ")) or re.match(r" *\d+  ", line) for line in lines if line
    )


def test_the_names_are_the_moves(record, text):
    names = [name for line in text.splitlines() if re.match(r" *\d", line) for name in line.split()[2:]]
    assert names == record.replay().moves()


def test_what_is_for_people_is_not_read(record, text):
    lines = [line for line in text.splitlines() if not line.lstrip().startswith(";")]
    assert GameRecord.from_text("; mine\n\n" + "  ; said\n".join(line + "\n" for line in lines)) == [record]


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[text 1]", "[text 2]", "line 1: this package reads game texts of format 1, not 2"),
        ("[text 1]\n", "", "line 1: a game must begin with \\[text 1\\]"),
        ("[seed 5]", "[seed 5", "line 6: not a tag"),
        ("[seed 5]", "[seed five]", "line 6: the value of the tag 'seed' is not JSON"),
        ("[seed 5]", "[seed -1]", "line 1: a seed is an integer"),
        ("[seed 5]", "[seed 5]\n[seed 5]", "line 7: the tag .seed. is repeated"),
        ("[seed 5]", "[sad 5]", "line 1: unknown field 'sad'"),
        ('[game "war-of-the-ring"]', '[game "chess"]', "line 1: unknown game 'chess'"),
        ('[game "war-of-the-ring"]', "[game 5]", "line 1: the game is a name, not 5"),
        ("     1  ", "     2  ", "begins with action number 2, but the next number is 1"),
        ("     1  ", "     1  ?", "not a line of moves"),
        (" verb:done", " verb:shrug", "line 1: War of the Ring has no action 'verb:shrug'"),
    ],
)
def test_what_is_damaged_is_refused_in_a_line(text, old, new, message):
    with pytest.raises(RecordError, match=message) as refused:
        GameRecord.from_text(changed(text, old, new))
    assert "\n" not in str(refused.value)


def test_an_action_that_does_not_fit_is_found_by_the_replay(text):
    (record,) = GameRecord.from_text(changed(text, " verb:done", " verb:fight"))
    with pytest.raises(RecordError, match=r"action number \d+ cannot be played"):
        record.verify()


def test_a_game_that_begins_with_a_position_has_a_record():
    """As JSON and as text; the position is all of it, whoever's eyes it was read from."""
    middle = middle_of_a_game()
    for start in (Game.from_position(middle.position()), Game.from_position(middle.position(1), seed=4)):
        begun = start.position()
        game = played(2, 60, start=start)
        assert game.seed is None and game.start == begun and game.clone().start == begun
        assert Game.from_bytes(game.to_bytes()).start == begun
        record = GameRecord.from_game(game)
        assert record.position == begun and json.loads(record.to_json())["position"] == begun
        assert GameRecord.from_json(record.to_json()) == record
        assert GameRecord.from_text(record.to_text()) == [record]
        assert record.verify().hash() == game.hash()
    with pytest.raises(RecordError, match="tape"):
        GameRecord.from_game(game.with_tape([1]))


def test_a_record_with_a_position_that_cannot_be_is_refused():
    record = GameRecord.from_game(Game.from_position(middle_of_a_game().position()))
    fields = record.fields()
    for change, message in (
        ({"seed": 3}, "a position as text and seed 0"),
        ({"position": 3}, "position as text"),
        ({"position": "war"}, "not a position"),
        ({"ruleset": Ruleset.second_edition().to_dict()}, "different rulesets"),
    ):
        with pytest.raises(RecordError, match=message):
            GameRecord.from_json(json.dumps({**fields, **change})).verify()


def test_mutated_texts_are_a_clean_error_or_games(text):
    dice = random.Random(3)
    letters = '[]{}":;,\n 019abz-'
    outcomes = set()
    for _ in range(1_500):
        cells = list(text)
        for _ in range(dice.randint(1, 3)):
            cells[dice.randrange(len(cells))] = dice.choice(letters)
        try:
            outcomes.add(len(GameRecord.from_text("".join(cells))))
        except RecordError as error:
            assert "\n" not in str(error)
            outcomes.add("refused")
    assert outcomes == {"refused", 1}
