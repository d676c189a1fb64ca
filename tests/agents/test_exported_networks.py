"""Networks that PyTorch exports or compiles compute what they compute themselves, on positions of games."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from tests.networks import decisions_of, inputs_for, network_of, torch_threads
from wotr_agents.networks.checkpoint import LoadedNetwork, load_network, network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.exported import DESCRIPTION, FORMATS, INPUT, OUTPUTS, input_size
from wotr_agents.networks.files import find_network
from wotr_agents.networks.playing_network import PlayingNetwork
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.games import game_kind
from wotr_experiments.cli import main as cli

CONFIGS = (
    NetworkConfig(width=32, hidden=16),
    NetworkConfig(width=7, hidden=5, layers=3, advice=True),
    NetworkConfig("entity", width=16, hidden=8),
    NetworkConfig("entity", width=16, hidden=8, layers=2, advice=True),
)
TWO = (CONFIGS[0], CONFIGS[3])
"""One of each kind, without advice and with it."""
NEAR = {"atol": 1e-4, "rtol": 1e-4}


def loaded_of(config, kind=WAR_OF_THE_RING):
    return LoadedNetwork(network_of(config, 1, kind).eval().requires_grad_(False), kind, config, {})


@pytest.fixture(scope="module")
def decisions():
    return decisions_of(40, "cards_second")


def check_same(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(torch.as_tensor(one), other, **NEAR)


def runs_onnx(data):
    """What computes the outputs of an ONNX file by onnxruntime, and its description."""
    session = pytest.importorskip("onnxruntime").InferenceSession(data)
    assert [each.name for each in session.get_inputs()] == [INPUT]
    assert [each.name for each in session.get_outputs()] == list(OUTPUTS)
    described = session.get_modelmeta().custom_metadata_map
    return lambda inputs: session.run(None, {INPUT: inputs.numpy()}), described


def runs_pt2(data):
    """What computes the outputs of a file of ``torch.export``, and its description."""
    extra = {DESCRIPTION: ""}
    program = torch.export.load(io.BytesIO(data), extra_files=extra)
    return program.module(), json.loads(extra[DESCRIPTION])


RUNS = {".onnx": runs_onnx, ".pt2": runs_pt2}


@pytest.mark.parametrize("suffix", RUNS)
@pytest.mark.parametrize("config", CONFIGS[1::2], ids=str)
def test_an_exported_network_agrees_for_batches_of_any_size(decisions, config, suffix):
    if suffix == ".onnx":
        pytest.importorskip("onnxscript")
    loaded = loaded_of(config)
    inputs = inputs_for(loaded.config, decisions)
    run, described = RUNS[suffix](FORMATS[suffix](loaded))
    for some in (inputs, inputs[:1], inputs[1:3]):
        check_same(run(some), loaded.network(some))
    assert described["game"] == WAR_OF_THE_RING.name
    assert json.loads(described["actions"]) == list(WAR_OF_THE_RING.actions.names)
    assert len(json.loads(described["ends"])) == len(json.loads(described["end_values"]))


def test_a_network_of_another_game_is_exported():
    """Without advice, which only War of the Ring has."""
    kind = game_kind("duel")
    kind.kernels.prepare()
    loaded = loaded_of(NetworkConfig(width=16, hidden=8), kind)
    games, generator, seen = kind.games(8, 1, kind.find_ruleset()), np.random.default_rng(1), []
    for _ in range(10):
        games.step((generator.random(games.masks.shape) * games.masks).argmax(axis=1))
        seen.append(games.observations.copy())
    inputs = torch.from_numpy(np.concatenate(seen))
    assert input_size(loaded) == inputs.shape[1]
    run, described = runs_pt2(FORMATS[".pt2"](loaded))
    check_same(run(inputs), loaded.network(inputs))
    assert described["game"] == "duel"


RECORDED = {
    "trace": lambda network, inputs: torch.jit.trace(network, inputs),
    "make_fx": lambda network, inputs: make_fx(network)(inputs),
    "compile": lambda network, _: torch.compile(network, backend="eager", fullgraph=True),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("record", RECORDED)
@pytest.mark.parametrize("config", TWO, ids=str)
def test_what_torch_records_of_a_network_depends_on_its_inputs(decisions, config, record):
    loaded = loaded_of(config)
    inputs = inputs_for(loaded.config, decisions)
    run = RECORDED[record](loaded.network, inputs[:20])
    check_same(run(inputs[20:]), loaded.network(inputs[20:]))


@pytest.mark.parametrize("config", TWO, ids=str)
def test_what_torch_records_of_samples_and_evaluations_depends_on_their_inputs(decisions, config):
    loaded = loaded_of(config)
    inputs, masks = inputs_for(loaded.config, decisions), decisions[1]
    uniforms = torch.rand(len(masks), generator=torch.Generator().manual_seed(1))
    actions = masks.int().argmax(dim=1)
    for method, last in ((loaded.network.sample, uniforms), (loaded.network.evaluate_actions, actions)):
        recorded = make_fx(lambda *given, method=method: method(*given)[:3])
        run = recorded(inputs[:20], masks[:20], last[:20])
        check_same(run(inputs[20:], masks[20:], last[20:]), method(inputs[20:], masks[20:], last[20:])[:3])


def test_while_nothing_is_recorded_the_layer_is_sparse(decisions, monkeypatch):
    loaded = loaded_of(CONFIGS[0])
    monkeypatch.setattr(type(loaded.network.first), "dense", None)
    with torch_threads(1):
        loaded.network(decisions[0])


# --- The command. ---


def test_the_command_writes_what_the_network_computes(decisions, tmp_path, capsys):
    out = tmp_path / "laptop.pt2"
    assert cli.main(["export-network", "zoo/laptop", str(out)]) == 0
    assert "takes observations int8[batch, 5467], of which the last 322 are advice" in capsys.readouterr().err
    loaded = load_network(find_network("zoo/laptop"))
    inputs = inputs_for(loaded.config, decisions)
    run, described = runs_pt2(out.read_bytes())
    check_same(run(inputs), loaded.network(inputs))
    assert json.loads(described["network"])["width"] == loaded.config.width


def fail(capsys, *arguments):
    assert cli.main(["export-network", *map(str, arguments)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("wotr: ") and error.count("\n") == 1
    return error


def test_what_cannot_be_written_is_said_in_a_line(tmp_path, capsys, monkeypatch):
    assert ".onnx or .pt2" in fail(capsys, "zoo/laptop", tmp_path / "laptop.txt")
    assert "known: zoo/duel, zoo/laptop" in fail(capsys, "zoo/none", tmp_path / "none.pt2")
    assert "No such file" in fail(capsys, "zoo/laptop", tmp_path / "none" / "laptop.pt2")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install '.[onnx]'" in fail(capsys, "zoo/laptop", tmp_path / "laptop.onnx")
    assert not list(tmp_path.iterdir())


def test_a_network_of_a_run_is_found_by_its_folder(tmp_path):
    loaded = loaded_of(CONFIGS[0])
    assert isinstance(loaded.network, PlayingNetwork)
    (tmp_path / "best.safetensors").write_bytes(network_bytes(loaded.network.state_dict(), loaded.config, {}))
    assert cli.main(["export-network", f"net:{tmp_path}", str(tmp_path / "out.pt2")]) == 0
    assert (tmp_path / "out.pt2").stat().st_size > 0
