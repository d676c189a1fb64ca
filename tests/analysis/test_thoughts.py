"""What bots think of positions and games, on one scale."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.replays import secretive_record
from wotr_agents import make_bot
from wotr_env import Game, GameRecord
from wotr_env.bots import view_of
from wotr_env.codes import Decision
from wotr_env.games import game_kind
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.analysis.games import played_line, positions_of, think_of_game, worst
from wotr_experiments.analysis.thoughts import Choice, Thinker, Thought
from wotr_experiments.arena.playouts import worlds_of
from wotr_experiments.cli.analyse import curve, plan
from wotr_experiments.cli.main import main

KIND = WAR_OF_THE_RING
MCTS = "mcts:sims=24,worlds=2"


def thinker(spec, record, **options):
    return Thinker(spec, make_bot(spec, 3), KIND, record.ruleset, **{"playouts": 6, "choices": 3, **options})


@pytest.fixture(scope="module")
def record():
    return secretive_record()


@pytest.fixture(scope="module")
def dice(record):
    return [state for _, state, _ in positions_of(record, every=False)][:6]


def stacked(states):
    return np.array([np.asarray(state) for state in states], dtype=KIND.state)


def test_a_bot_with_chances_says_them_itself(record, dice):
    states = stacked(dice)
    masks = np.zeros((states.size, KIND.actions.size), dtype=np.bool_)
    KIND.kernels.refresh(states.copy(), masks)
    told = make_bot(MCTS, 3).explain(view_of(states, masks))
    mcts = thinker(MCTS, record)
    assert mcts.own and mcts.scale == "as it says"
    for row, thought in zip(told, mcts.think(states, [None] * len(dice)), strict=True):
        assert [(each.action, each.chance) for each in thought.best] == [
            (a, min(1, max(0, c))) for a, c in row[:3]
        ]
        assert thought.played is None and thought.lost == 0


def test_another_bot_is_played_out_and_what_was_played_too(record, dice):
    """Chances are shares of playouts, best first; the same seed says the same."""
    played = [int(np.flatnonzero(legal_of(state))[-1]) for state in dice]
    scripted = thinker("scripted", record)
    assert not scripted.own and "6 playouts" in scripted.scale
    first, again = (thinker("scripted", record).think(stacked(dice), played) for _ in range(2))
    assert first == again
    for state, action, thought in zip(dice, played, first, strict=True):
        chances = [choice.chance for choice in thought.best]
        assert chances == sorted(chances, reverse=True) and len(chances) <= 3
        assert all(legal_of(state)[choice.action] for choice in thought.best)
        assert all(round(chance * 12) == pytest.approx(chance * 12) for chance in chances)
        assert thought.played is not None and thought.played.action == action
        assert thought.lost == pytest.approx(chances[0] - thought.played.chance)


def legal_of(state):
    masks = np.zeros((1, KIND.actions.size), dtype=np.bool_)
    KIND.kernels.refresh(stacked([state]), masks)
    return masks[0]


@pytest.mark.parametrize("spec", ["scripted", "expectation"])
def test_what_is_thought_does_not_depend_on_what_the_seat_cannot_know(record, dice, spec):
    """The same chances and words in every world that it holds possible."""
    for state in dice[:3]:
        worlds = worlds_of(KIND, stacked([state]), 2, 5)[0]
        found = [
            (each.think(stacked([world]), [None]), each.line(world, int(np.flatnonzero(legal_of(world))[0])))
            for world in (state, *worlds)
            for each in [thinker(spec, record)]
        ]
        assert found[0] == found[1] == found[2]


def test_a_line_is_a_whole_die_and_ends_before_another(record, dice):
    scripted = thinker("scripted", record)
    for state in dice:
        best = scripted.think(stacked([state]), [None])[0].best[0].action
        line, words = scripted.line(state, best)
        assert line[0] == best and words
        faces = [action for action in line if KIND.actions.names[action].startswith("face:")]
        assert len(faces) <= 1


def test_a_game_is_thought_of_at_every_die(record):
    moments = think_of_game(record, positions_of(record, every=False), [thinker("expectation", record)])
    game = Game(record.seed, record.ruleset)
    numbers = []
    for number, action in enumerate(record.actions):
        if game.decision == Decision.ACTION_DIE and len(game.legal()) > 1:
            numbers.append(number)
        game.step(action)
    assert [moment.number for moment in moments] == numbers
    for moment in moments:
        assert moment.played == record.actions[moment.number]
        assert moment.chance_of(0, 0) + moment.chance_of(0, 1) == pytest.approx(1)
        words = [action for _, action in played_line(record, moment.number)]
        assert tuple(words) == record.actions[moment.number : moment.number + len(words)]
    bad = worst(moments, 0, 3, 0.0)
    assert [each.thoughts[0].lost for each in bad] == sorted(
        (m.thoughts[0].lost for m in moments), reverse=True
    )[:3]
    assert worst(moments, 0, 3, 1.1) == []


def test_what_a_choice_lost_is_never_negative():
    assert Thought((Choice(1, 0.4),), Choice(2, 0.6)).lost == 0
    assert Thought((Choice(1, 0.4),), Choice(2, 0.1)).lost == pytest.approx(0.3)


def test_curves_are_bars_from_0_to_1():
    assert curve([0, 0.5, 1]) == "▁▅█"
    assert len(curve(np.linspace(0, 1, 500).tolist())) == 72


# --- The command. ---


@pytest.fixture
def wotr(capsys):
    def run(*arguments, code=0):
        assert main(list(arguments)) == code
        out, err = capsys.readouterr()
        return err if code else out

    return run


@pytest.fixture
def file(record, tmp_path):
    record.save(tmp_path / "games.jsonl")
    return str(tmp_path / "games.jsonl")


def test_a_game_in_the_terminal_as_json_and_as_a_page(wotr, file, record, tmp_path):
    text = wotr("analyse", file, "--bot", MCTS, "--bot", "expectation", "--html", str(tmp_path / "page.html"))
    assert f"{MCTS}: chance to win as Free Peoples (as it says)" in text and "expectation: chance" in text
    page = (tmp_path / "page.html").read_text()
    assert '"curves": [{"bot": "mcts' in page or '"curves":[{"bot":"mcts' in page
    found = json.loads(wotr("analyse", file, "--bot", MCTS, "--json"))
    again = json.loads(wotr("analyse", file, "--bot", MCTS, "--json"))
    assert found == again
    assert [each["number"] for each in found["positions"]] == [n for n, _, _ in positions_of(record, False)]
    every = json.loads(wotr("analyse", file, "--bot", "expectation", "--every", "--json"))
    assert len(every["positions"]) > len(found["positions"])


def test_it_says_first_what_it_will_do_and_ticks_at_each_position(record, file, capsys):
    positions = positions_of(record, every=False)
    assert main(["analyse", file, "--bot", "expectation", "--json"]) == 0
    said = f"wotr: expectation is asked for its chances in {len(positions)} positions"
    assert said in capsys.readouterr().err.splitlines()
    games = "100 positions out, 64 times after up to 5 choices: 32,000 games"
    assert plan(thinker("random", record), 100, 64, 5) == f"random plays {games}"
    ticks = []
    think_of_game(record, positions[:3], [thinker("expectation", record)], ticks.append)
    assert ticks == [1, 1, 1]


def test_a_position_of_a_game_or_as_text(wotr, file, record):
    number = positions_of(record, False)[2][0]
    text = wotr("analyse", file, "--at", str(number), "--bot", MCTS, "--bot", "scripted", "--playouts", "4")
    assert "(played)" in text and "as it says" in text and "4 playouts" in text
    position = record.replay(number).position()
    found = json.loads(wotr("analyse", position, "--bot", "expectation", "--json"))
    of_game = json.loads(wotr("analyse", file, "--at", str(number), "--bot", "expectation", "--json"))
    assert found["bots"][0]["best"] == of_game["bots"][0]["best"]
    assert found["bots"][0]["played"] is None and of_game["bots"][0]["played"] is not None
    assert all(choice["line"][0] == choice["action"] for choice in found["bots"][0]["best"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "No such file"),
        (["FILE", "--game", "2"], "there is no game 2"),
        (["FILE", "--at", "99999"], "there is no position 99999"),
        (["FILE", "--bot", "nobody"], "nobody"),
        (["FILE", "--at", "3", "--html", "x.html"], "--html is for a whole game"),
        (["POSITION", "--at", "3"], "for a file of records"),
        (["OVER"], "the game is over"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_a_line(wotr, file, record, arguments, message):
    texts = {"FILE": file, "POSITION": Game(1).position(), "OVER": record.replay().position()}
    error = wotr("analyse", *(texts.get(each, each) for each in arguments), code=2)
    assert message in error and error.count("\n") == 1


def test_a_seat_s_page_has_no_curves(record):
    from wotr_experiments.reports.replay_page import Curve, replay_page

    with pytest.raises(ValueError, match="all seats know"):
        replay_page(record, 0, curves=[Curve("mcts", [(0, 0.5)], [])])


def test_a_record_without_a_choice(wotr, tmp_path):
    GameRecord.from_game(Game(1)).save(tmp_path / "new")
    assert "as it says" in wotr("analyse", str(tmp_path / "new"), "--bot", "expectation")


@pytest.mark.parametrize("name, openings", [("duel", {"turn"}), ("two-towers", {"draw", "lay"})])
def test_lines_of_other_games_begin_with_their_own_decisions(tmp_path, capsys, name, openings):
    kind = game_kind(name)
    game = kind.game(5, kind.find_ruleset())
    generator = np.random.default_rng(1)
    while game.result is None:
        game.step(int(generator.choice(game.legal())))
    record = GameRecord.from_game(game, kind=name)
    every, some = (positions_of(record, every) for every in (True, False))
    assert {kind.decision(state) for _, state, _ in some} == openings and 10 < len(some) < len(every)
    for number, _, _ in some:
        follow = [kind.decision(state) for state, _ in played_line(record, number)][1:]
        assert not openings.intersection(follow)
    record.save(tmp_path / "games.jsonl")
    options = ["--bot", "random", "--playouts", "1", "--choices", "1"]
    assert main(["analyse", str(tmp_path / "games.jsonl"), *options]) == 0
    assert f"chance to win as {kind.teams[0].title}" in capsys.readouterr().out
