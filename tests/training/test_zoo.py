"""Networks that are put into the zoo, for every game."""

from __future__ import annotations

import dataclasses

import pytest

from tests import networks
from tests.tiny_training import TINY
from wotr_agents.identity import identity
from wotr_agents.networks import files
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import read_network
from wotr_env.play.games import OWN_GAMES, game_kind
from wotr_experiments.arena import evaluation
from wotr_experiments.training import zoo


@pytest.mark.parametrize(
    ("game", "ruleset", "opponents"),
    [
        ("war-of-the-ring", "second", ["random", "queller", "scripted"]),
        ("duel", "", ["random", "scripted"]),
        ("two-towers", "three", ["random", "scripted"]),
    ],
)
def test_a_network_gets_a_file_and_a_card(game, ruleset, opponents, tmp_path, monkeypatch):
    kind = game_kind(game)
    monkeypatch.setattr(files, "ZOO", tmp_path / "zoo")
    monkeypatch.setattr(zoo, "ZOO", tmp_path / "zoo")
    monkeypatch.setattr(evaluation, "LONGEST", 2)
    made = load_network(networks.write_network(tmp_path, kind=kind))
    config = dataclasses.replace(TINY, network=made.config, game=game, ruleset=ruleset).to_dict()
    facts = {"config": config, "decisions": 1_000, "updates": 5}
    source = tmp_path / "source.safetensors"
    source.write_bytes(network_bytes(made.network.state_dict(), made.config, facts, kind=kind))

    written = zoo.add_to_zoo(str(source), "tiny", "made by a test", games=4)

    read = read_network("zoo/tiny")
    assert read.kind is kind and read.facts["note"] == "made by a test"
    lines = written.read_text(encoding="utf-8").splitlines()
    rules = kind.find_ruleset(ruleset)
    assert lines[2] == f"A network for every seat of {kind.title}, {rules.title}. Its spec is `net:zoo/tiny`."
    assert f"| rules version | {kind.rules_version} |" in lines
    teams = [team.title for team in kind.teams_of(rules)]
    assert f"| against | {' | '.join(f'as {team}' for team in teams)} | all |" in lines
    rows = [line.split(" | ") for line in lines if line.startswith("| `")]
    assert [row[0] for row in rows] == [f"| `{name}`" for name in opponents]
    for row in rows:
        assert len(row) == len(teams) + 2
        assert all(" of 4" in cell for cell in row[1:-1]) and f" of {4 * len(teams)}" in row[-1]


def test_every_game_has_a_network_of_its_name_or_edition():
    for game in OWN_GAMES:
        assert files.zoo_of(game)


def test_a_fixed_name_is_the_name_of_a_network():
    for name, now in files.FIXED_NAMES.items():
        assert now in files.zoo_of("war-of-the-ring")
        assert identity(f"net:{name}") == identity(f"net:{now}")
        assert read_network(name) is read_network(now)


def test_a_missing_network_is_one_line(tmp_path, capsys):
    assert zoo.main([str(tmp_path / "none"), "name"]) == 2
    assert capsys.readouterr().err == f"zoo: there is no network {tmp_path / 'none'}\n"


@pytest.mark.parametrize(
    ("ruleset", "metrics", "message"),
    [("third", "", "no ruleset 'third'"), ("", "[]\n{}\n", "metrics.jsonl")],
)
def test_a_failure_is_one_line_and_leaves_nothing(ruleset, metrics, message, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(zoo, "ZOO", tmp_path / "zoo")
    made = load_network(networks.write_network(tmp_path))
    facts = {"config": {"start": "", "ruleset": ruleset}, "updates": 5}
    source = tmp_path / "source.safetensors"
    source.write_bytes(network_bytes(made.network.state_dict(), made.config, facts, kind=made.kind))
    if metrics:
        (tmp_path / "metrics.jsonl").write_text(metrics)
    assert zoo.main([str(source), "tiny"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("zoo: ") and message in line
    assert not (tmp_path / "zoo").exists()
