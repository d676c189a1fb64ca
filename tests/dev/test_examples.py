"""The programs of docs/examples run, and do what their first lines say."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.dev.test_guide_bots_and_games import END, FILES, WOTR
from wotr_env.play.games import game_kind
from wotr_experiments.cli.config_options import field_words

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"


def example(name):
    """The module of an example, loaded as any other."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_tells_of_every_example_once():
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(examples/([^)]+)\)", page)
    there = {path.name for path in EXAMPLES.iterdir() if path.name != "__pycache__"}
    assert sorted(each.partition("/")[0] for each in linked) == sorted(there)


def test_a_custom_ruleset():
    module = example("custom_ruleset")
    statistics = module.main(["--games", "6"])
    assert statistics.games == 6 and statistics.turns <= 3
    spec = module.spec(module.SHORT_SECOND, module.SECOND, "second")
    assert game_kind("war-of-the-ring").find_ruleset(spec) == module.SHORT_SECOND


def test_a_shaped_reward_moves_returns_by_a_constant():
    for moved, foretold, rewarded in example("shaped_reward").main(["--games", "2", "--max-turns", "2"]):
        assert moved == pytest.approx(foretold) and foretold < 0 and rewarded > 5


def test_a_tournament(tmp_path):
    given = ["random", "scripted", "--games", "2", "--max-turns", "1", "--workers", "1"]
    given += ["--out", str(tmp_path / "games")]
    command = [sys.executable, EXAMPLES / "tournament.py", *given]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^random: won \d of 2 games$", done.stdout, re.MULTILINE)
    summary = example("tournament").main(given)  # now all games are there
    assert summary == json.loads((tmp_path / "games" / "summary.json").read_text())


@pytest.mark.skipif(importlib.util.find_spec("sb3_contrib") is None, reason="needs sb3-contrib")
def test_maskable_ppo(tmp_path, capsys):
    given = ["--decisions", "128", "--steps", "64", "--games", "3", "--max-turns", "1"]
    decisions, results = example("maskable_ppo").main([*given, "--save", str(tmp_path / "network.zip")])
    assert decisions == 128 and sum(results) == 3
    assert (tmp_path / "network.zip").exists()
    given += ["--environment", "WarOfTheRing-v0", "--seat", "shadow"]
    assert example("maskable_ppo").main(given)[1] == (0, 3, 0)  # a turn decides nothing
    assert "3 games against random: 0 won, 3 drawn, 0 lost" in capsys.readouterr().out


@pytest.mark.skipif(importlib.util.find_spec("pyspiel") is None, reason="needs open-spiel")
def test_a_search_of_openspiel(capsys):
    results = example("openspiel_search").main(["--games", "2", "--simulations", "2"])
    assert len(results) == 2 and set(results) <= {-1.0, 0.0, 1.0}
    assert "game 2: the search has seat 1" in capsys.readouterr().out


def test_a_package_with_a_bot(tmp_path):
    package = EXAMPLES / "bot_package"
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == [importlib.metadata.metadata("wotr-env")["Name"]]
    written = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    written.mkdir()
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (written / "METADATA").write_text(about)
    (group, entries) = next(iter(project["entry-points"].items()))
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (written / "entry_points.txt").write_text("\n".join(lines) + "\n")
    paths = os.pathsep.join([str(tmp_path), str(package), os.environ["PYTHONPATH"]])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}

    commands = [
        ["check-bot", "eager:shy=0.1", "--games", "1", "--decisions", "40"],
        ["bots"],
        ["check-bot", "eager:shy=2"],
    ]
    done = subprocess.run(
        [sys.executable, "-c", WOTR, json.dumps(commands)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2 and "shy must be from 0 to 1" in done.stderr
    checked, listed, _ = done.stdout.split(END)
    assert "all 40 actions were legal" in checked
    assert "passes only when it must" in re.sub(r"\s+", " ", listed)


def test_the_bot_refuses_nothing_that_it_may_do(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES / "bot_package"))
    module = importlib.import_module("eager_bot")
    from wotr_env import VectorGame
    from wotr_env.play.bots import view_of

    games = VectorGame(64, seed=1)
    bot = module.EagerBot(module.EagerParameters(), 1)
    chances = 0
    for _ in range(200):
        actions = bot.act(view_of(games.states, games.masks))
        could = (games.masks & ~bot.refusal).any(axis=1)
        chances += (could & (games.masks & bot.refusal).any(axis=1)).sum()
        assert not bot.refusal[actions[could]].any()
        games.step(actions)
    assert chances > 20


def test_advantages_in_self_play_change_their_sign_with_the_team():
    ppo = example("ppo")
    teams = np.array([[0, 0], [0, 1], [1, 0], [1, 0]])
    ended = np.array([[False, False], [False, True], [True, False], [False, False]])
    rewards = np.array([[0, 0], [0, -1], [1, 0], [0, 0]], dtype=np.float32)
    values = np.array([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6], [-0.7, 0.8]], dtype=np.float32)
    nothing = np.zeros((4, 2))
    rollout = ppo.Rollout(nothing, nothing, nothing, nothing, values, teams, rewards, ended)
    last_values, last_teams = np.array([0.25, -0.5], dtype=np.float32), np.array([0, 0])

    whole = ppo.advantages_of(rollout, last_values, last_teams, 1.0, 1.0) + values
    # Game 0: team 1 wins in the third step; then team 1 hands over to team 0 where that sees 0.25.
    np.testing.assert_allclose(whole[:, 0], [-1, -1, 1, -0.25], rtol=1e-6)
    # Game 1: team 1 loses in the second step; then team 0 decides to the end of the rollout.
    np.testing.assert_allclose(whole[:, 1], [1, -1, -0.5, -0.5], rtol=1e-6)
    short = ppo.advantages_of(rollout, last_values, last_teams, 0.9, 0.0) + values
    np.testing.assert_allclose(short[:, 0], [0.9 * 0.3, -0.9 * 0.5, 1, -0.9 * 0.25], rtol=1e-6)
    np.testing.assert_allclose(short[:, 1], [0.9 * 0.4, -1, 0.9 * 0.8, -0.9 * 0.5], rtol=1e-6)


def test_ppo_learns(capsys):
    ppo = example("ppo")
    given = ["--game", "duel", "--games", "32", "--steps", "64", "--decisions", "16000"]
    ppo.main([*given, "--learning-rate", "2e-3", "--minibatch", "256", "--test-games", "200"])
    (won,) = re.findall(r"200 games against random play: (\d+) won", capsys.readouterr().out)
    assert int(won) > 140  # 167 when this was written; random play wins 100, with a deviation of 7


def test_ppo_plays_war_of_the_ring(tmp_path, capsys):
    network = tmp_path / "network.pt"
    given = ["--decisions", "64", "--games", "8", "--steps", "4", "--max-turns", "1", "--test-games", "2"]
    given += ["--game", "war-of-the-ring", "--save", str(network)]
    watched = example("ppo").main(given)
    told = capsys.readouterr().out
    assert told.count("no game ended in this update") == sum(not each["games_ended"] for each in watched) > 0
    assert told.endswith("2 games against random play: 0 won, 2 drawn, 0 lost\n")
    assert len(watched) == 2 and all(np.isfinite(list(told.values())).all() for told in watched)
    assert network.exists()


class Unknowing:
    """In place of a network: all legal actions are as good, and so are all positions."""

    def judge(self, observations, masks):
        return masks / np.maximum(masks.sum(axis=1, keepdims=True), 1), np.zeros(len(masks))


def searching(kind, **settings):
    """The search of the example and its settings."""
    alphazero = example("alphazero")
    chosen = alphazero.Settings(**settings)
    search = alphazero.Search(kind, kind.find_ruleset(), Unknowing(), chosen, np.random.default_rng(1))
    return alphazero, search, chosen


@pytest.mark.parametrize("piles", [(3, 1, 0), (1, 2, 2), (2, 0, 0), (3, 1, 1), (0, 1, 3)])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_search_finds_the_winning_moves_of_nim(piles, seat):
    module: dict[str, Any] = {"__name__": "nim_of_the_guide"}
    exec(compile(FILES["nim.py"], "nim.py", "exec", dont_inherit=True), module)
    kind = module["NIM"]
    _, search, _ = searching(kind, worlds=2, simulations=400)
    states, masks = np.zeros(1, dtype=kind.state), np.zeros((1, kind.actions.size), dtype=bool)
    states["winner"], states["seat"], states["piles"] = -1, seat, piles
    visits = search.visits(states)
    assert visits.sum() == pytest.approx(1)
    kind.kernels.step(states, masks, np.array([visits.argmax()]))
    assert (
        np.bitwise_xor.reduce(states["piles"][0]) == 0
    )  # C. Bouton, "Nim, a game with a complete theory", 1901


def test_the_search_knows_what_its_seat_knows():
    kind = game_kind("duel")
    kind.kernels.prepare()
    _, search, _ = searching(kind, worlds=8)
    rng = np.random.default_rng(3)
    states, masks = kind.new_states([5], kind.find_ruleset())
    hidden = 0
    for _ in range(40):
        seat = states["seat"].astype(np.int64)
        seen = kind.kernels.observe(states, seat)
        for root in search.roots(states, 0.25):
            assert (kind.kernels.observe(root.state, seat) == seen).all() and (root.mask == masks).all()
            assert root.priors.sum() == pytest.approx(1)
            hidden += (root.state["key"] != states["key"]).any()
        kind.kernels.step(states, masks, rng.choice(np.flatnonzero(masks[0]), 1))
    assert hidden == 40 * 8  # the dice to come are drawn anew, too


def test_alphazero_learns_what_it_played(capsys):
    given = ["--iterations", "2", "--games", "1", "--worlds", "2", "--simulations", "3"]
    losses = example("alphazero").main([*given, "--test-games", "2"])
    assert len(losses) == 2 and np.isfinite(losses).all()
    assert re.search(r"2 games against random play: \d won, 0 drawn, \d lost", capsys.readouterr().out)
    alphazero, search, settings = searching(game_kind("duel"), worlds=2, simulations=4, epochs=40)
    rows = alphazero.self_play(search, game_kind("duel").find_ruleset(), 1, settings)
    assert {worth for *_, worth in rows} <= {-1.0, 0.0, 1.0}
    assert all(visits[~mask].sum() == 0 for _, mask, visits, _ in rows)
    kind = game_kind("duel")
    network = alphazero.Network(kind.layout.size, kind.actions.size, 32)
    optimizer = alphazero.torch.optim.Adam(network.parameters(), lr=3e-3)
    first = alphazero.learn(network, optimizer, rows, dataclasses.replace(settings, epochs=1))
    alphazero.learn(network, optimizer, rows, settings)
    last = alphazero.learn(network, optimizer, rows, dataclasses.replace(settings, epochs=1))
    assert last[0] < first[0] and last[1] < 0.5 * first[1]


def test_games_of_many_teams_are_refused(toys):
    for name in ("ppo", "alphazero"):
        with pytest.raises(SystemExit, match="teams"):
            example(name).main(["--game", "race"])


@pytest.mark.parametrize("name", ["ppo", "alphazero"])
def test_help_tells_of_every_setting_and_one_thread_computes(name, capsys, monkeypatch):
    module = example(name)
    with pytest.raises(SystemExit):
        module.main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    for field, words in field_words(module.Settings).items():
        assert f"--{field.replace('_', '-')}" in told and words in told
    assert len(field_words(module.Settings)) == len(dataclasses.fields(module.Settings))
    threads = []
    monkeypatch.setattr("torch.set_num_threads", threads.append)
    with pytest.raises(SystemExit, match="teams"):
        module.main(["--game", "two-towers"])
    assert threads == [1]
