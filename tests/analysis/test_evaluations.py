"""What bots think of positions and games, on one scale."""

from __future__ import annotations

import json
import re
import statistics

import numpy as np
import pytest

from tests.replays import game_json, games_of, secretive_record
from wotr_agents import make_bot
from wotr_env import Game, GameRecord
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import view_of
from wotr_env.play.games import game_kind
from wotr_experiments.analysis.costly import CostlyChoice, costly_sentence
from wotr_experiments.analysis.evaluations import Choice, Evaluation, Evaluator
from wotr_experiments.analysis.games import (
    CONFIRMATIONS,
    EvaluatedDecision,
    candidates,
    confirm_costly_choices,
    decision_positions,
    evaluate_game,
    played_line,
)
from wotr_experiments.arena.playouts import sampled_worlds
from wotr_experiments.cli.analyse import curve, plan
from wotr_experiments.cli.main import main

KIND = WAR_OF_THE_RING
MCTS = "mcts:sims=24,worlds=2"


def evaluator(spec, record, **options):
    return Evaluator(
        spec, make_bot(spec, 3), KIND, record.ruleset, **{"playouts": 6, "choices": 3, **options}
    )


@pytest.fixture(scope="module")
def record():
    """The first two turns of a game of eight."""
    whole = secretive_record()
    return GameRecord.from_game(next(game for game in games_of(whole) if game.state["turn"] == 3))


@pytest.fixture(scope="module")
def dice(record):
    return [state for _, state, _ in decision_positions(record, every=False)][:6]


def stacked(states):
    return np.array([np.asarray(state) for state in states], dtype=KIND.state)


def test_a_bot_with_chances_says_them_itself(record, dice):
    states = stacked(dice)
    masks = KIND.masks(states.copy())
    told = make_bot(MCTS, 3).explain(view_of(states, masks))
    mcts = evaluator(MCTS, record)
    assert mcts.own and mcts.scale == "the bot's own estimate"
    for row, evaluation in zip(told, mcts.think(states, [None] * len(dice)), strict=True):
        assert [(each.action, each.chance) for each in evaluation.best] == [
            (a, min(1, max(0, c))) for a, c in row[:3]
        ]
        assert evaluation.played is None and evaluation.lost == 0


def test_another_bot_is_played_out_and_what_was_played_too(record, dice):
    """Chances are shares of playouts, best first; the same seed says the same."""
    played = [int(np.flatnonzero(legal_of(state))[-1]) for state in dice]
    scripted = evaluator("scripted", record)
    assert not scripted.own and "6 playouts" in scripted.scale
    first, again = (evaluator("scripted", record).think(stacked(dice), played) for _ in range(2))
    assert first == again
    for state, action, evaluation in zip(dice, played, first, strict=True):
        chances = [choice.chance for choice in evaluation.best]
        assert chances == sorted(chances, reverse=True) and len(chances) <= 3
        assert all(legal_of(state)[choice.action] for choice in evaluation.best)
        assert all(round(chance * 12) == pytest.approx(chance * 12) for chance in chances)
        assert evaluation.played is not None and evaluation.played.action == action
        assert evaluation.lost == pytest.approx(chances[0] - evaluation.played.chance)


def legal_of(state):
    masks = KIND.masks(stacked([state]))
    return masks[0]


@pytest.mark.parametrize("spec", ["scripted", "expectation"])
def test_what_is_thought_does_not_depend_on_what_the_seat_cannot_know(record, dice, spec):
    """The same chances and words in every world that it holds possible."""
    for state in dice[:3]:
        worlds = sampled_worlds(KIND, stacked([state]), 2, 5)[0]
        found = [
            (each.think(stacked([world]), [None]), each.line(world, int(np.flatnonzero(legal_of(world))[0])))
            for world in (state, *worlds)
            for each in [evaluator(spec, record)]
        ]
        assert found[0] == found[1] == found[2]


def test_a_line_is_a_whole_die_and_ends_before_another(record, dice):
    scripted = evaluator("scripted", record)
    for state in dice:
        best = scripted.think(stacked([state]), [None])[0].best[0].action
        line, words = scripted.line(state, best)
        assert line[0] == best and words
        faces = [action for action in line if KIND.actions.names[action].startswith("face:")]
        assert len(faces) <= 1


def test_a_game_is_thought_of_at_every_die(record):
    decisions = evaluate_game(
        record, decision_positions(record, every=False), [evaluator("expectation", record)]
    )
    game = Game(record.seed, record.ruleset)
    numbers = []
    for number, action in enumerate(record.actions):
        if game.decision == Decision.ACTION_DIE and len(game.legal()) > 1:
            numbers.append(number)
        game.step(action)
    assert [decision.number for decision in decisions] == numbers
    for decision in decisions:
        assert decision.played == record.actions[decision.number]
        assert decision.chance_of(0, 0) + decision.chance_of(0, 1) == pytest.approx(1)
        words = [action for _, action in played_line(record, decision.number)]
        assert tuple(words) == record.actions[decision.number : decision.number + len(words)]
    bad = candidates(decisions, 0, 2, 0.0)
    assert [each.evaluations[0].lost for each in bad] == sorted(
        (m.evaluations[0].lost for m in decisions), reverse=True
    )[:4]
    assert candidates(decisions, 0, 2, 1.1) == []


def test_what_a_choice_lost_is_never_negative():
    assert Evaluation((Choice(1, 0.4),), Choice(2, 0.6)).lost == 0
    assert Evaluation((Choice(1, 0.4),), Choice(2, 0.1)).lost == pytest.approx(0.3)


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
    assert f"{MCTS}: chance to win as Free Peoples (the bot's own estimate)" in text
    assert "expectation: chance" in text
    page = (tmp_path / "page.html").read_text()
    assert '"curves": [{"bot": "mcts' in page or '"curves":[{"bot":"mcts' in page
    found = json.loads(wotr("analyse", file, "--bot", MCTS, "--json"))
    again = json.loads(wotr("analyse", file, "--bot", MCTS, "--json"))
    assert found == again
    assert [each["number"] for each in found["positions"]] == [
        n for n, _, _ in decision_positions(record, False)
    ]
    every = json.loads(wotr("analyse", file, "--bot", "expectation", "--every", "--json"))
    assert len(every["positions"]) > len(found["positions"])


def test_costly_choices_are_listed_by_side_below_the_sentence_of_their_sums(wotr, tmp_path):
    """The same in the text and in JSON."""
    secretive_record().save(tmp_path / "games.jsonl")
    asked = "analyse", str(tmp_path / "games.jsonl"), "--bot", MCTS
    text, found = wotr(*asked), json.loads(wotr(*asked, "--json"))
    (bot,), teams = found["bots"], KIND.teams[:2]
    team_of = {each["number"]: each["team"] for each in found["positions"]}
    lost = {
        team.name: [each for each in bot["slips"] if team_of[each["number"]] == team.name] for team in teams
    }
    choices = [
        CostlyChoice(each["number"], number, "", each["lost"])
        for number, team in enumerate(teams)
        for each in lost[team.name]
    ]
    assert choices and bot["sentence"] == costly_sentence(MCTS, choices, teams)
    head, *parts = text.split("\nCostly choices by ")
    assert bot["sentence"] in head.splitlines() and len(parts) == 1
    first, second = parts[0].split(f"\n{teams[1].title}:")
    for part, team in zip((first, second), teams, strict=True):
        rows = re.findall(r"^ +(\d+) +\d+ +(\d+)% \(", part, re.MULTILINE)
        expected = [(str(each["number"]), f"{100 * each['lost']:.0f}") for each in lost[team.name]]
        assert rows == expected and ("none found" in part) == (not expected)


def test_without_luck_and_costly_choices_the_text_begins_with_the_curve(wotr, file):
    text = wotr("analyse", file, "--bot", "expectation", "--slips", "0", "--luck", "none")
    assert text.startswith("expectation: chance to win as ")


def test_it_says_first_what_it_will_do_and_ticks_at_each_position(record, file, capsys):
    positions = decision_positions(record, every=False)
    assert main(["analyse", file, "--bot", "expectation", "--json"]) == 0
    more = "and the most costly choices 5 more times"
    said = f"wotr: expectation evaluates {len(positions)} positions, {more}"
    assert said in capsys.readouterr().err.splitlines()
    games = "64 games after each of up to 5 choices in 100 positions: 32,000 games, and 5 more times after"
    assert plan(evaluator("random", record), 100, 64, 5) == f"random plays {games} the most costly choices"
    ticks = []
    evaluate_game(record, positions[:3], [evaluator("expectation", record)], ticks.append)
    assert ticks == [1, 1, 1]


def test_a_position_of_a_game_or_as_text(wotr, file, record):
    number = decision_positions(record, False)[2][0]
    text = wotr("analyse", file, "--at", str(number), "--bot", MCTS, "--bot", "scripted", "--playouts", "4")
    assert "(played)" in text and "own estimate" in text and "4 playouts" in text
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
        (["FILE", "--record", "2"], "there is no game 2"),
        (["FILE", "--at", "99999"], "there is no position 99999"),
        (["FILE", "--bot", "nobody"], "nobody"),
        (["FILE", "--at", "3", "--html", "x.html"], "--html needs a whole game"),
        (["FILE", "--html", "FILE"], "exists and is not a page"),
        (["FILE", "--html", "nowhere/x.html"], "there is no folder nowhere"),
        (["FILE", "--at", "3", "--every"], "--every needs a whole game"),
        (["FILE", "--at", "3", "--slips", "8"], "--slips needs a whole game"),
        (["POSITION", "--luck", "zoo/laptop"], "--luck needs a whole game"),
        (["POSITION", "--at", "3"], "need a file of records"),
        (["OVER"], "the game is over"),
    ],
)
def test_what_cannot_be_analysed_is_refused_in_a_line(wotr, file, record, arguments, message):
    texts = {"FILE": file, "POSITION": Game(1).position(), "OVER": secretive_record().replay().position()}
    error = wotr("analyse", *(texts.get(each, each) for each in arguments), code=2)
    assert message in error and error.count("\n") == 1


def test_a_seat_s_page_has_no_curves(record):
    from wotr_experiments.reports.replay_page import Curve, replay_page

    with pytest.raises(ValueError, match="reveal hidden information"):
        replay_page(record, 0, curves=[Curve("mcts", [(0, 0.5)], [])])


def test_a_record_without_a_choice(wotr, tmp_path):
    GameRecord.from_game(Game(1)).save(tmp_path / "new")
    assert "own estimate" in wotr("analyse", str(tmp_path / "new"), "--bot", "expectation")


@pytest.mark.parametrize("name, openings", [("duel", {"turn"}), ("two-towers", {"draw", "lay"})])
def test_lines_of_other_games_begin_with_their_own_decisions(tmp_path, capsys, name, openings):
    kind = game_kind(name)
    game = kind.game(5, kind.find_ruleset())
    generator = np.random.default_rng(1)
    while game.result is None:
        game.step(int(generator.choice(game.legal())))
    record = GameRecord.from_game(game)
    every, some = (decision_positions(record, every) for every in (True, False))
    assert {kind.decision(state) for _, state, _ in some} == openings and 10 < len(some) < len(every)
    for number, _, _ in some:
        follow = [kind.decision(state) for state, _ in played_line(record, number)][1:]
        assert not openings.intersection(follow)
    record.save(tmp_path / "games.jsonl")
    options = ["--bot", "random", "--playouts", "1", "--choices", "1"]
    options += ["--luck", "none", "--html", str(tmp_path / "page.html")]
    assert main(["analyse", str(tmp_path / "games.jsonl"), *options]) == 0
    assert f"chance to win as {kind.teams[0].title}" in capsys.readouterr().out
    found = json.loads(game_json((tmp_path / "page.html").read_text(encoding="utf-8")))
    assert [number for number, _ in found["curves"][0]["points"]] == [number for number, _, _ in some]
    assert found["teams"] == [team.title for team in kind.teams_of(record.ruleset)]


# --- Slips. ---


class Says:
    """A evaluator whose answers about what a choice lost are given, by the number of actions before it."""

    def __init__(self, answers):
        self.answers = answers

    def measure_loss(self, number, played, best):
        assert (played, best) == (2, 1)
        return self.answers[number]


def moments_that_lost(*losses):
    evaluations = [Evaluation((Choice(1, 0.9), Choice(3, 0.1)), Choice(2, 0.9 - lost)) for lost in losses]
    return [EvaluatedDecision(n, 1, 0, 0, n, 2, (evaluation,)) for n, evaluation in enumerate(evaluations)]


def asked_again(decisions, answers, most=8):
    """Slips by their numbers, if the bot says so of each decision in turn."""
    again = [Says(list(row)) for row in zip(*answers, strict=True)]
    assert len(again) == CONFIRMATIONS
    return {slip.decision.number: slip for slip in confirm_costly_choices(decisions, 0, again, most, 0.03)}


def test_only_what_exceeds_the_noise_is_a_slip():
    decisions = moments_that_lost(0.16, 0.16, 0.16, 0.02)
    surely, mostly_noise, too_little = [0.1, 0.12, 0.09, 0.11, 0.1], [0.3, -0.2, 0.1, -0.1, 0.2], [0.01] * 5
    found = asked_again(decisions, [surely, mostly_noise, too_little, surely])
    assert set(found) == {0}  # of the last nobody asked again
    assert found[0].lost == pytest.approx(0.104)
    half = stats_half(surely)
    assert found[0].interval == pytest.approx((0.104 - half, 0.104 + half))
    assert 0.01 < half < 0.02


def stats_half(values):
    """Of a 95% interval by Student's t with 4 degrees of freedom."""
    return 2.776 * statistics.stdev(values) / 5**0.5


def test_slips_are_the_largest_by_the_later_answers():
    decisions = moments_that_lost(0.5, 0.4, 0.3, 0.2)
    found = asked_again(decisions, [[0.1] * 5, [0.2] * 5, [0.15] * 5, [0.9] * 5], most=1)
    assert list(found) == [1]  # twice as many as are told are asked about
    assert found[1].interval == pytest.approx((0.2, 0.2))
    assert asked_again(decisions, [[0.1] * 5] * 4, most=0) == {}


def test_a_bot_that_does_not_tell_of_a_choice_makes_no_slip_of_it():
    assert asked_again(moments_that_lost(0.5), [[0.5, None, None, None, 0.5]]) == {}
    found = asked_again(moments_that_lost(0.5), [[0.5, None, 0.4, None, 0.6]])
    assert found[0].interval == pytest.approx((0.5 - 4.303 * 0.1 / 3**0.5, 0.5 + 4.303 * 0.1 / 3**0.5))


def test_what_a_choice_lost_is_asked_of_either_kind_of_bot(record, dice):
    for spec in ("expectation", "scripted"):
        each = evaluator(spec, record)
        evaluations = evaluator(spec, record).think(stacked(dice), [None] * len(dice))
        state, evaluation = next(
            pair for pair in zip(dice, evaluations, strict=True) if len(pair[1].best) > 1
        )
        best, other = (choice.action for choice in evaluation.best[:2])
        lost = each.measure_loss(state, other, best)
        assert lost is not None and -1 <= lost <= 1
        assert each.measure_loss(state, best, best) == 0
    untold = np.flatnonzero(~legal_of(dice[0]))[0]
    assert evaluator(MCTS, record).measure_loss(dice[0], untold, best) is None


def test_a_game_of_a_bot_that_sees_no_difference_has_no_slips(wotr, file):
    """By 2 playouts each, nearly every die of a game seems to lose much."""
    arguments = ("analyse", file, "--bot", "scripted", "--playouts", "2", "--choices", "3", "--json")
    found = json.loads(wotr(*arguments))
    seeming = sum(each["thoughts"][0]["lost"] >= 0.03 for each in found["positions"])
    slips = found["bots"][0]["slips"]
    assert seeming >= 5 and len(slips) <= 1
    assert all(slip["interval_95"][0] > 0 and slip["lost"] >= 0.03 for slip in slips)
