"""Luck by replaying records: its mean is 0, and with the right values nothing else is left of chance."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.luck_games import KIND, Values, chance, constant, exact, noise, played, wrong
from wotr_agents.identity import identity
from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.opening import open_network
from wotr_env import Ruleset
from wotr_env.core.luck import random_words, shuffle_among
from wotr_env.core.states import copy_states
from wotr_env.play.bots import view_of
from wotr_env.play.games import game_kind
from wotr_env.play.record import GameRecord
from wotr_experiments.arena.played_games import play
from wotr_experiments.arena.schedule import Batch, Tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.luck import measure as measuring
from wotr_experiments.luck.measure import CHOICES, LuckMethod, measure, sources_of
from wotr_experiments.luck.policies import mixed_policy
from wotr_experiments.luck.values import identity_of_value, open_value

GAMES = 400


@pytest.fixture
def by(monkeypatch):
    """Plays games of dice, and measures their luck by a function of positions."""
    monkeypatch.setattr("wotr_env.play.record.game_kind", lambda _name: KIND)
    monkeypatch.setattr(measuring, "_STARTS", 1)
    measuring._mean_start.cache_clear()

    def measured(function, games=GAMES, again=8):
        values = Values(function)
        monkeypatch.setattr(measuring, "open_value", lambda _spec, _kind: values)
        records = [played(seed) for seed in range(games)]
        luck = np.array([each.by_source[:, 0] for each in measure(records, LuckMethod("toy", again))])
        scores = np.array([(1.0, 0.0, 0.5)[record.result.winner] for record in records])
        measuring._mean_start.cache_clear()
        return scores, luck

    return measured


def test_with_the_right_values_luck_is_all_that_chance_did(by):
    scores, luck = by(exact, 120, again=64)
    left = scores - luck.sum(axis=1)
    assert left.mean() == pytest.approx(chance(0, 0, 0), abs=0.02)
    assert left.std() < 0.1 < 0.4 < scores.std()


@pytest.mark.parametrize("function", [exact, wrong, noise, constant])
def test_the_mean_of_luck_is_0_by_any_values(by, function):
    _, luck = by(function)
    total = luck.sum(axis=1)
    assert abs(total.mean()) < 4 * total.std() / np.sqrt(GAMES)
    assert total.std() > 0.05  # the last roll ends the game, whatever the values are


def random_game(kind, ruleset, seed):
    game, rng = kind.game(seed, ruleset), np.random.default_rng(seed)
    while not game.over:
        game.step(int(rng.choice(game.legal())))
    return GameRecord.from_game(game)


def test_the_luck_of_a_game_does_not_depend_on_those_beside_it():
    kind = game_kind("war-of-the-ring")
    rules = kind.limited(kind.find_ruleset(), 4)
    records = [random_game(kind, rules, seed) for seed in range(6)]
    together = measure(records, LuckMethod("zoo/laptop", 2))
    alone = [measure([record], LuckMethod("zoo/laptop", 2))[0] for record in records]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one.by_source, other.by_source, atol=1e-6)
        assert one.sources == sources_of(kind)
        np.testing.assert_allclose(one.total, one.set_up + sum(stage.luck for stage in one.stages))
        np.testing.assert_allclose(one.total.sum(), 0, atol=1e-6)  # what one side gains the other loses
    assert any(stage.luck.any() for stage in together[0].stages)
    again = measure(records[:1], LuckMethod("zoo/laptop", 2, seed=1))
    assert not np.allclose(again[0].by_source, together[0].by_source)


@pytest.mark.parametrize(
    ("game", "network"),
    [("war-of-the-ring", "zoo/laptop"), ("duel", "zoo/duel"), ("two-towers", "zoo/two-towers")],
)
def test_a_value_of_all_views_is_their_mean(game, network):
    kind = game_kind(game)
    rules = kind.find_ruleset()
    records = [random_game(kind, kind.limited(rules, 4) if game == "war-of-the-ring" else rules, 7)]
    states, masks = [], []
    begun = records[0].begun()
    for action in records[0].actions:
        states.append(begun.state.copy())
        masks.append(begun.mask().copy())
        begun.step(action)
    states, masks = np.array([*states, begun.state], dtype=kind.state), np.array([*masks, begun.mask()])
    value = open_value(network, kind)
    own, both = (value.of(states, masks, rules, views) for views in (False, True))
    playing = open_network(network)
    for row in range(0, len(states) - 1, 7):
        other = 1 - int(states["seat"][row])
        seen = playing.values(kind.kernels.observe(states[row : row + 1], np.array([other])))
        np.testing.assert_allclose(both[row], (own[row] + seen[0, :2]) / 2, atol=1e-6)
    np.testing.assert_array_equal(both[-1], own[-1])  # the result
    assert np.ptp(states["seat"][:-1]) == 1 and not np.allclose(both, own)


def test_the_mean_of_luck_is_0_by_all_views():
    kind = game_kind("duel")
    records = [random_game(kind, kind.find_ruleset(), seed) for seed in range(200)]
    total = np.array([luck.total[0] for luck in measure(records, LuckMethod("zoo/duel", 4, all_views=True))])
    assert abs(total.mean()) < 4 * total.std() / np.sqrt(len(total)) and total.std() > 0.02


def test_methods_of_before_are_written_as_they_were():
    assert LuckMethod("zoo/laptop").to_dict().keys() == {"value", "again", "seed", "identity"}
    assert LuckMethod("zoo/laptop", all_views=True).to_dict()["all_views"] is True
    assert LuckMethod("zoo/laptop", order_given=True).to_dict()["order_given"] is True


def test_records_with_given_outcomes_and_from_positions_are_measured():
    kind = game_kind("war-of-the-ring")
    game = kind.game(3, kind.find_ruleset())
    while kind.decision(game.state) != "hunt-allocation":
        game.step(game.legal()[0])
    begun = type(game).begun(kind, np.array([game.state]))
    begun.follow({0: [6, 6, 6, 6, 6, 6, 6]}).step(begun.legal()[0])
    for _ in range(20):
        begun.step(begun.legal()[0])
    (luck,) = measure([GameRecord.from_game(begun)], LuckMethod("zoo/laptop", 4))
    assert not luck.set_up.any()
    assert luck.stages[0].source == kind.luck.sources.index("action dice")


def test_values_are_of_the_game():
    with pytest.raises(CommandError, match="zoo/laptop is a network for War of the Ring, not for Duel"):
        open_value("zoo/laptop", game_kind("duel"))
    assert identity_of_value("net:zoo/laptop") == identity_of_value("zoo/laptop")
    with pytest.raises(CommandError, match="luck samples must be at least 1, not 0"):
        LuckMethod("zoo/laptop", 0)


def test_shuffles_are_fair_and_move_nothing_else():
    rows = 30_000
    values = np.tile(np.arange(5), (rows, 1))
    movable = np.tile(np.array([True, False, True, True, False]), (rows, 1))
    shuffle_among(values, movable, random_words(np.arange(rows, dtype=np.uint64), 5))
    assert (values[:, 1] == 1).all() and (values[:, 4] == 4).all()
    orders, counts = np.unique(values[:, [0, 2, 3]], axis=0, return_counts=True)
    assert len(orders) == 6
    assert ((counts - rows / 6) ** 2 / (rows / 6)).sum() < 20.5  # chi-squared, 5 degrees of freedom, 0.1%


@pytest.mark.parametrize(("game", "ruleset"), [("war-of-the-ring", ""), ("duel", ""), ("two-towers", "four")])
def test_renewed_chance_is_another_future_of_the_same_past(game, ruleset):
    """The checks of every game say that no seat sees a difference; here there must be one to come."""
    kind = game_kind(game)
    played_on, rng = kind.game(5, kind.find_ruleset(ruleset)), np.random.default_rng(5)
    for _ in range(20):
        played_on.step(int(rng.choice(played_on.legal())))
    states = copy_states(np.array([played_on.state] * 64, dtype=kind.state))
    kind.luck.renew(states, np.arange(64, dtype=np.uint64))
    changed = [name for name in states.dtype.names if (states[name] != states[name][:1]).any()]
    assert "key" in changed
    assert (
        set(changed)
        == {
            "war-of-the-ring": {"key", "card_zone"},
            "duel": {"key", "deck", "landmark_order", "pile"},
            "two-towers": {"key"},
        }[game]
    )
    states = copy_states(np.array([played_on.state] * 64, dtype=kind.state))
    kind.luck.reseed_stream(states, np.arange(64, dtype=np.uint64))
    assert [name for name in states.dtype.names if (states[name] != states[name][:1]).any()] == ["key"]


def from_one_position(kind, ruleset, games):
    """Random games from the same position, with different seeds."""
    begun = kind.game(5, ruleset)
    rng = np.random.default_rng(5)
    for _ in range(10):
        begun.step(int(rng.choice(begun.legal())))
    text, records = begun.position(), []
    for seed in range(games):
        game, rng = kind.positions.read(text, seed, ruleset), np.random.default_rng(seed)
        while not game.over:
            game.step(int(rng.choice(game.legal())))
        records.append(GameRecord.from_game(game))
    return records


@pytest.mark.parametrize(("game", "network"), [("war-of-the-ring", "zoo/laptop"), ("duel", "zoo/duel")])
def test_cards_in_an_order_that_is_given_are_no_luck(game, network):
    """All games from a position have the same deck, so what it contains is not chance."""
    kind = game_kind(game)
    rules = kind.find_ruleset() if game == "duel" else kind.limited(kind.find_ruleset(), 4)
    records = from_one_position(kind, rules, 4)
    cards = 1 + kind.luck.sources.index("cards")
    given = np.array([luck.by_source for luck in measure(records, LuckMethod(network, 4, order_given=True))])
    drawn = np.array([luck.by_source for luck in measure(records, LuckMethod(network, 4))])
    assert np.abs(drawn[:, cards]).max() > 0.01
    np.testing.assert_allclose(given[:, cards], 0, atol=1e-6)
    assert (np.abs(given).max() > 0.01) == (game == "war-of-the-ring")  # dice; the Duel has none


def drawn_records(kind, games):
    """Games of a network that draws its choices, with what it is."""
    bot, spec = NetBot(NetParameters("zoo/laptop", 1.0), 1), "net:path=zoo/laptop,temperature=1.0"
    records = []
    for seed in range(games):
        game = kind.game(seed, kind.limited(kind.find_ruleset(), 2))
        while not game.over:
            view = view_of(np.array([game.state], dtype=kind.state), game.mask()[None], kind)
            game.step(int(bot.act(view)[0]))
        record = GameRecord.from_game(game, (spec, "net:path=zoo/laptop"))
        records.append(dataclasses.replace(record, identities=(identity(spec), identity(spec))))
    return records


def test_choices_that_are_drawn_are_luck_and_others_are_not():
    kind = game_kind("war-of-the-ring")
    records = drawn_records(kind, 3)
    for luck, record in zip(measure(records, LuckMethod("zoo/laptop", 4)), records, strict=True):
        choices = [stage for stage in luck.stages if luck.sources[1 + stage.source] == CHOICES]
        assert choices and luck.by_source[-1].any()
        game, seats = record.begun(), []
        for action in record.actions:
            seats.append((game.seat, len(game.legal())))
            game.step(action)
        asked = [number for number, (seat, legal) in enumerate(seats) if seat == 0 and legal > 1]
        assert [stage.number for stage in choices] == asked
    changed = dataclasses.replace(records[0], identities=("another", "another"))
    (luck,) = measure([changed], LuckMethod("zoo/laptop", 4))
    assert not luck.by_source[-1].any()


def test_the_mean_of_choices_that_are_drawn_is_0():
    """With the probabilities of ``temperature=1`` it is 5 standard errors below 0."""
    bots = "net:zoo/laptop,temperature=4", "scripted"
    rules = Ruleset.first_edition(max_turns=2)
    tournament = Tournament(bots, 64, seed=1, ruleset=rules, batch=64, luck=LuckMethod("zoo/laptop", 2))
    games = play(tournament, Batch(0, 0, 64))
    drawn = np.array([np.array(game.luck)[-1, game.players.index(0)] for game in games])
    assert drawn.std() > 0.1 and abs(drawn.mean()) < 3.5 * drawn.std() / np.sqrt(len(drawn))


def test_other_choices_come_by_the_probabilities_of_the_bot():
    kind = game_kind("war-of-the-ring")
    spec = "net:path=zoo/laptop,temperature=2.0"
    policy = mixed_policy(spec, identity(spec), kind)
    game = kind.game(3, kind.find_ruleset())
    while len(game.legal()) < 4:
        game.step(game.legal()[0])
    states, masks = np.array([game.state], dtype=kind.state), game.mask()[None]
    drawn = policy.draw(states, masks, random_words(np.array([5], dtype=np.uint64), 20_000))[0]
    bot = NetBot(NetParameters("zoo/laptop", 2.0), 0)
    logits = bot.log_probabilities(view_of(states, masks, kind))[0] / 2
    chances = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    counts = np.bincount(drawn, minlength=chances.size)
    assert (counts[~masks[0]] == 0).all()
    expected = 20_000 * chances[masks[0]]
    assert ((counts[masks[0]] - expected) ** 2 / np.maximum(expected, 1)).sum() < 60
    for other in ("net:path=zoo/laptop", "scripted", "", "no such bot"):
        assert mixed_policy(other, identity(other) if other.startswith(("net", "scr")) else "x", kind) is None
