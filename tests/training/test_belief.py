"""Learning what the other side holds: labels, losses, a run that may be stopped anywhere."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
import torch

from tests.beliefs import write_belief
from wotr_agents import make_bot
from wotr_agents.belief.hands import draw_hands, log_likelihoods
from wotr_agents.belief.model import FILE, ZOO, Belief, find_belief, load_belief, open_belief
from wotr_env.games.war_of_the_ring.components import NUM_CARDS
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.observation import as_dict
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.belief import __main__ as command
from wotr_experiments.games.war_of_the_ring.belief import shards, zoo
from wotr_experiments.games.war_of_the_ring.belief.fit import (
    CARDS_ALONE,
    BeliefNetwork,
    CardOdds,
    FitConfig,
    fit_belief,
    fit_network,
    losses,
    mean_loss,
)
from wotr_experiments.games.war_of_the_ring.belief.positions import Seen, watch
from wotr_experiments.games.war_of_the_ring.belief.shards import Watched, batch_of, open_folder

SHORT = "first:max_turns=2"
QUICK = FitConfig(width=8, hidden=8, epochs=2, batch=64, dropout=0.1)


def short_games(games=12, every=5, seed=3):
    return watch(make_bot("scripted", 0), games, every, Watched(("scripted",), 1, 1, 1, SHORT).rules, seed)


def made_up(positions, log_odds, rng, size=OBSERVATION_SIZE):
    """Positions whose hands are drawn by ``float64[positions, 48]``; the seat looks from either side."""
    hidden = rng.random((2 * positions, CARDS_PER_DECK)) < 0.8
    sizes = np.minimum(rng.integers(5, size=2 * positions), hidden.sum(axis=1))
    odds = np.where(hidden, np.exp(log_odds.reshape(-1, CARDS_PER_DECK)), 0.0)
    held = draw_hands(odds, sizes, rng.random(hidden.shape))
    observations = (rng.random((positions, size)) < 0.01).astype(np.int8)
    numbers = np.arange(positions)
    return Seen(observations, hidden, held, numbers, numbers % 9, numbers % 2)


def test_what_is_noted_of_games_is_what_their_seats_see():
    seen = short_games()
    assert len(seen) > 50 and set(seen.games) == set(range(12)) and set(seen.seats) == {0, 1}
    shown = as_dict(seen.observations)
    np.testing.assert_array_equal(shown["side"][:, 0], seen.seats)
    np.testing.assert_array_equal(shown["turn"][:, 0], seen.turns)
    rows, others = np.arange(len(seen)), 1 - seen.seats
    held = seen.held.reshape(-1, 2, CARDS_PER_DECK)
    np.testing.assert_array_equal(held.sum(axis=2), shown["hand_size"][rows, others])
    assert not shown["committed"][rows, others].any()
    known = sum(shown[name][..., 0] != 0 for name in ("hand", "table", "in_play", "gone")).astype(bool)
    theirs = np.where((others == 0)[:, None], known[:, : NUM_CARDS // 2], known[:, NUM_CARDS // 2 :])
    np.testing.assert_array_equal(seen.hidden.reshape(len(seen), -1), ~theirs)
    assert (held & ~seen.hidden.reshape(held.shape)).sum() == 0 and held.any()


def test_every_game_is_noted_as_often_and_by_its_seed():
    seen, same, other = short_games(), short_games(), short_games(seed=4)
    for one, again in zip(vars(seen).values(), vars(same).values(), strict=True):
        np.testing.assert_array_equal(one, again)
    assert seen.observations.tobytes() != other.observations.tobytes()
    assert 1.5 < len(short_games(every=2)) / len(short_games(every=4)) < 2.5
    some = seen[np.array([4, 1])]
    np.testing.assert_array_equal(some.games, seen.games[[4, 1]])
    np.testing.assert_array_equal(some.held, seen.held[[8, 9, 2, 3]])


def test_the_loss_is_the_exact_likelihood_and_has_its_gradient():
    rng = np.random.default_rng(2)
    seen = made_up(40, np.zeros((40, 48)), rng)
    log_odds = torch.tensor(rng.normal(size=(40, NUM_CARDS)), requires_grad=True)
    theirs = log_odds.detach().numpy().reshape(40, 2, 48)[np.arange(40), 1 - seen.seats]
    odds = np.where(seen.hidden, np.exp(theirs.reshape(-1, CARDS_PER_DECK)), 0.0)
    exact = -log_likelihoods(odds, seen.held).reshape(-1, 2).sum(axis=1)
    found = losses(log_odds, seen)
    np.testing.assert_allclose(found.detach().numpy(), exact, rtol=1e-10)
    few, of_few = seen[np.arange(3)], log_odds[:3].detach().requires_grad_()
    assert torch.autograd.gradcheck(lambda given: losses(given, few).sum(), of_few, atol=1e-5)
    even = [
        math.log(math.comb(int(one.sum()), int(other.sum())))
        for one, other in zip(seen.hidden, seen.held, strict=True)
    ]
    assert mean_loss(CardOdds(), seen) == pytest.approx(sum(even) / 40)


def test_odds_of_cards_are_found_again():
    """Up to a factor for each deck, which means nothing."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(2, 2, CARDS_PER_DECK))
    positions = 6_000
    log_odds = true[1 - np.arange(positions) % 2].reshape(positions, 48)
    seen = made_up(positions, log_odds, rng, size=1)  # nothing is read from the observations
    network = CardOdds()
    fit_network(network, seen, FitConfig(epochs=8, batch=256, learning_rate=0.05, weight_decay=0.0), 1)
    found = network.log_odds.detach().numpy().reshape(2, 2, CARDS_PER_DECK)
    wrong = (found - found.mean(axis=2, keepdims=True)) - (true - true.mean(axis=2, keepdims=True))
    assert np.abs(wrong).mean() < 0.1


def test_a_belief_learns_what_an_observation_tells_and_says_the_same_in_numpy():
    rng = np.random.default_rng(4)
    positions = 2000
    tells = rng.random(positions) < 0.5
    log_odds = np.zeros((positions, 48))
    log_odds[tells, :24:2] = 3.0
    seen = made_up(positions, log_odds, rng)
    seen.observations[:, 3990:4010] = tells[:, None]
    config = FitConfig(width=16, hidden=16, epochs=4, batch=64)
    belief = fit_belief(seen, config, 1, {"seed": 1})
    apart = seen[np.flatnonzero(seen.games % 10 == 0)]
    even = mean_loss(CardOdds(), apart)
    assert belief.facts["nats"] < even - 0.3 and belief.facts["nats_even"] == pytest.approx(even, abs=1e-5)
    assert belief.facts["nats"] < belief.facts["nats_by_card"] <= belief.facts["nats_even"] + 0.05
    assert belief.facts["positions"] == positions and len(belief.facts[CARDS_ALONE]) == NUM_CARDS
    said = torch.from_numpy(belief.log_odds(apart.observations))
    assert losses(said, apart).mean().item() == pytest.approx(belief.facts["nats"], abs=0.01)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        network = BeliefNetwork(config).eval()
    with torch.inference_mode():
        expected = network(torch.from_numpy(apart.observations)).numpy()
    np.testing.assert_allclose(
        Belief(network.weights(), {}).log_odds(apart.observations), expected, atol=0.01
    )


@pytest.fixture
def quick(monkeypatch):
    """Games of a run come in batches of six."""
    monkeypatch.setattr(shards, "BATCH", 6)
    return Watched(("scripted", "random"), 15, 8, 5, SHORT)


def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path, quick, monkeypatch):
    nats = command.learn(tmp_path / "whole", quick, QUICK)
    played = []

    def interrupted(self, bot, first, count):
        played.append((bot, first, count))
        if len(played) == 4:
            raise KeyboardInterrupt
        return play(self, bot, first, count)

    play = Watched.play
    monkeypatch.setattr(Watched, "play", interrupted)
    with pytest.raises(KeyboardInterrupt):
        command.learn(tmp_path / "stopped", quick, QUICK)
    assert not (tmp_path / "stopped" / FILE).exists()
    (tmp_path / "stopped" / "games" / "0-00002.npz.new").write_bytes(b"half")
    assert command.learn(tmp_path / "stopped", quick, QUICK) == nats
    assert played == [(0, 0, 6), (0, 6, 6), (0, 12, 3), (1, 0, 6), (1, 0, 6), (1, 6, 6), (1, 12, 3)]
    whole, stopped = (find_belief(str(tmp_path / name)) for name in ("whole", "stopped"))
    assert whole.read_bytes() == stopped.read_bytes()
    facts = load_belief(whole).facts
    assert facts["bots"] == ["scripted", "random"] and facts["nats"] == nats and facts["games"] == 15


def test_a_folder_is_of_one_run(tmp_path, quick):
    out = tmp_path / "run"
    open_folder(out, quick, dataclasses.asdict(QUICK))
    open_folder(out, quick, dataclasses.asdict(QUICK))
    with pytest.raises(CommandError, match="was started with every 8, not 9"):
        open_folder(out, dataclasses.replace(quick, every=9), dataclasses.asdict(QUICK))
    config = json.loads((out / "config.json").read_text())
    config["identities"]["scripted"] = "another"
    (out / "config.json").write_text(json.dumps(config))
    with pytest.raises(CommandError, match="was started with identities"):
        open_folder(out, quick, dataclasses.asdict(QUICK))
    (out / "config.json").write_text("{")
    with pytest.raises(CommandError, match="is damaged"):
        open_folder(out, quick, dataclasses.asdict(QUICK))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    with pytest.raises(CommandError, match="contains other files"):
        open_folder(tmp_path / "other", quick, {})
    assert (tmp_path / "other" / "letter.txt").read_text() == "mine"


def test_a_damaged_batch_is_told(tmp_path, quick):
    out = tmp_path / "run"
    open_folder(out, quick, {})
    seen = batch_of(out, quick, 0, 0, 6)
    (path,) = (out / "games").iterdir()
    again = batch_of(out, quick, 0, 0, 6)
    for one, other in zip(vars(seen).values(), vars(again).values(), strict=True):
        np.testing.assert_array_equal(one, other)
    whole = path.read_bytes()
    arrays = dict(vars(seen))
    for changes in ({"held": ~seen.hidden}, {"seats": seen.seats + 1}, {"turns": seen.turns[1:]}):
        np.savez_compressed(path, **(arrays | changes))
        with pytest.raises(CommandError, match="delete it"):
            batch_of(out, quick, 0, 0, 6)
    for data in (b"", whole[:1000], b"PK" + whole[5:]):
        path.write_bytes(data)
        with pytest.raises(CommandError, match="damaged"):
            batch_of(out, quick, 0, 0, 6)


@pytest.mark.parametrize(
    ("options", "words"),
    (
        (["--games", "3"], "at least 20 games"),
        (["--games", "0"], "at least 1"),
        (["--seed", "-1"], "--seed must be from 0"),
        (["--bot", "nobody"], "unknown bot"),
        (["--bot", "scripted", "--bot", "scripted"], "names a bot twice"),
        (["--bot", "scripted", "--ruleset", "first:players=4"], "two players"),
        (["--bot", "scripted", "--ruleset", "third"], "third"),
        (["--bot", "scripted", "--dropout", "1"], "dropout must be from 0 to 0.9"),
    ),
)
def test_bad_options_are_told_in_one_line(options, words, tmp_path, capsys):
    assert command.main([str(tmp_path / "run"), *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wotr: ") and words in line
    assert not (tmp_path / "run" / "games").exists()


def test_the_command(tmp_path, capsys):
    options = ["--bot", "scripted", "--games", "24", "--every", "12", "--seed", "8", "--ruleset", SHORT]
    options += ["--width", "8", "--hidden", "8", "--epochs", "1"]
    assert command.main([str(tmp_path / "run"), *options]) == 0
    assert "nats a position in the games kept apart" in capsys.readouterr().out
    assert load_belief(tmp_path / "run" / FILE).facts["seed"] == 8


def test_a_belief_comes_into_the_zoo_with_its_card(tmp_path, quick, monkeypatch, capsys):
    command.learn(tmp_path / "run", quick, QUICK)
    monkeypatch.setattr(zoo, "ZOO", tmp_path / "beliefs")
    assert zoo.main([str(tmp_path / "run"), "mine"]) == 0
    placed = tmp_path / "beliefs" / "mine.safetensors"
    assert placed.read_bytes() == (tmp_path / "run" / FILE).read_bytes()
    text, facts = (tmp_path / "beliefs" / "mine.md").read_text(), load_belief(placed).facts
    assert "belief=zoo/mine" in text and "15 games each of `scripted` and `random`" in text
    assert f"OUT --bot scripted --bot random --games 15 --every 8 --seed 5 --ruleset {SHORT}`" in text
    assert f"| this belief | {facts['nats']:.3f} |" in text and f"{facts['nats_even']:.3f}" in text
    capsys.readouterr()
    for arguments, words in (
        ([str(tmp_path / "run"), "../mine"], "a name in the zoo"),
        ([str(tmp_path / "none"), "mine"], "there is no belief"),
        ([str(write_belief(tmp_path)), "mine"], "does not say how it was learned"),
        (["mine"], "usage"),
    ):
        assert zoo.main(arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
    assert placed.read_bytes() == (tmp_path / "run" / FILE).read_bytes()


def test_those_of_the_zoo_can_be_played_by_and_have_cards():
    found = sorted(ZOO.glob("*.safetensors"))
    assert found and len(list(ZOO.iterdir())) == 2 * len(found)
    for path in found:
        belief = open_belief(f"zoo/{path.stem}")
        assert belief is not None and path.stat().st_size < 4_000_000
        assert path.with_suffix(".md").read_text() == zoo.card(path.stem, belief.facts, path.stat().st_size)
