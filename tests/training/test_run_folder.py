"""The folder of a training run: checkpoints that are whole or not there, and networks that are refused."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.torch
import torch

from wotr_agents.networks import checkpoint
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.config import NetworkConfig
from wotr_agents.networks.files import find_network
from wotr_agents.networks.models import make_network
from wotr_env.core.observation_layout import Layout
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.errors import CommandError
from wotr_experiments.training import run_folder
from wotr_experiments.training.run_folder import METRICS, RunFolder, digest_of, read_config, read_metrics

SMALL = NetworkConfig(width=4, hidden=4)


def tensors(value):
    return {"network.weight": torch.full((3, 2), float(value)), "player": torch.arange(8, dtype=torch.uint8)}


@pytest.fixture
def folder(tmp_path):
    """With the checkpoints of the updates 2 and 4, and metrics up to 5."""
    with RunFolder(tmp_path / "run") as opened:
        opened.write_config({"seed": 1})
        for update in range(1, 6):
            opened.log({"kind": "update", "update": update, "decisions": 10 * update})
            if update in (2, 4):
                opened.save(update, tensors(update), {"updates": update, "best": 0.5, "elo": None})
        yield opened


def value_of(loaded):
    return float(loaded[0]["network.weight"][0, 0])


def updates_in(folder):
    return [line["update"] for line in read_metrics(folder.path)]


def state_of(folder, update):
    return folder.path / "checkpoints" / str(update) / "state.safetensors"


def names_in(folder):
    return sorted(path.name for path in (folder.path / "checkpoints").iterdir())


def test_a_checkpoint_comes_back_as_it_was_saved(folder):
    found, facts = folder.load()
    assert found.keys() == tensors(4).keys()
    assert all(torch.equal(found[name], value) for name, value in tensors(4).items())
    assert (facts["updates"], facts["best"], facts["elo"], facts["problems"]) == (4, 0.5, None, [])


def test_metrics_behind_the_checkpoint_are_cut(folder):
    folder.log({"kind": "evaluation", "update": 5, "decisions": 50})
    folder.load()
    assert updates_in(folder) == [1, 2, 3, 4]
    folder.log({"kind": "update", "update": 5, "decisions": 50})
    assert updates_in(folder) == [1, 2, 3, 4, 5]


DAMAGE = ['{"kind": "upd', "\0\0\0\n", "[]\n", '{"kind": "update"}\n', "\udcff\n", "\n"]


@pytest.mark.parametrize("rest", DAMAGE)
def test_damaged_metrics_are_dropped(folder, rest):
    with (folder.path / METRICS).open("a", errors="surrogateescape") as file:
        file.write(rest)
    folder.load()
    assert updates_in(folder) == [1, 2, 3, 4]


def test_a_new_folder_has_nothing(tmp_path):
    with RunFolder(tmp_path / "new") as opened:
        assert opened.load() is None
        assert opened.past(1000) == []
        assert read_config(opened.path) is None


def test_metrics_without_a_checkpoint_are_of_updates_that_are_made_again(tmp_path):
    with RunFolder(tmp_path / "new") as opened:
        opened.log({"kind": "update", "update": 1, "decisions": 10})
        assert opened.load() is None
        assert updates_in(opened) == []


def test_two_checkpoints_are_kept(folder):
    folder.save(6, tensors(6), {})
    assert names_in(folder) == ["4", "6"]


@pytest.mark.parametrize("kept", [0, 1, 100, -1])
def test_a_broken_checkpoint_falls_back_to_the_one_before(folder, kept):
    state = state_of(folder, 4)
    state.write_bytes(state.read_bytes()[:kept])
    loaded = folder.load()
    assert value_of(loaded) == 2.0
    (problem,) = loaded[1]["problems"]
    assert problem.startswith(str(state.parent))
    assert updates_in(folder) == [1, 2]


@pytest.mark.parametrize("text", ["", "{", "null", "[1]", "7"])
def test_broken_facts_fall_back_too(folder, text):
    (state_of(folder, 4).parent / "state.json").write_text(text)
    assert value_of(folder.load()) == 2.0


@pytest.mark.parametrize("name", ["state.safetensors", "state.json"])
def test_a_checkpoint_with_one_other_bit_falls_back(folder, name):
    path = state_of(folder, 4).with_name(name)
    data = bytearray(path.read_bytes())
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert value_of(folder.load()) == 2.0, place


def test_a_network_of_the_past_that_was_changed_is_refused(folder):
    folder.add_past(3, b"network")
    folder.save(4, tensors(4), {})
    path = folder.path / "past" / "00000003.safetensors"
    assert value_of(folder.load()) == 4.0
    path.write_bytes(b"Network")
    with pytest.raises(
        CommandError, match="00000003.*, which the run plays against, has changed since it was"
    ):
        folder.load()
    path.unlink()
    with pytest.raises(CommandError, match="has changed since it was"):
        folder.load()
    path.write_bytes(b"network")
    assert value_of(folder.load()) == 4.0


def test_a_missing_part_falls_back_too(folder):
    state_of(folder, 4).unlink()
    assert value_of(folder.load()) == 2.0


def test_a_broken_checkpoint_is_replaced_when_its_update_is_made_again(folder):
    state_of(folder, 4).write_bytes(b"")
    folder.load()
    folder.save(4, tensors(40), {})
    assert value_of(folder.load()) == 40.0


@pytest.mark.parametrize("changes", [{"past": 3.5}, {"past": None}])
def test_a_checkpoint_that_does_not_tell_of_the_past_is_an_error(folder, changes):
    path = folder.path / "checkpoints" / "4" / "state.json"
    facts = json.dumps(json.loads(path.read_text().splitlines()[0]) | changes)
    path.write_text(f"{facts}\n{digest_of(facts.encode())}\n")
    with pytest.raises(CommandError, match="does not list the past networks"):
        folder.load()


def test_no_readable_checkpoint_is_an_error(folder):
    for update in (2, 4):
        state_of(folder, update).write_bytes(b"no tensors")
    with pytest.raises(CommandError, match="no checkpoint can be read: .*4: .*2: "):
        folder.load()
    assert updates_in(folder) == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("key", "words"), [("rules_version", "rules version"), ("layout", "layout")])
def test_a_checkpoint_of_other_rules_is_refused(folder, key, words):
    folder.save(4, tensors(4), {key: "other"})
    with pytest.raises(
        CommandError, match=f"trained with {words} other; this package uses .*; start a new run"
    ):
        folder.load()


class FullDisk:
    """Lets so many calls through, then fails as a full disk does."""

    def __init__(self, monkeypatch, owner, name, calls):
        self.real, self.left, self.failed = getattr(owner, name), calls, False
        monkeypatch.setattr(owner, name, self)

    def __call__(self, *arguments, **named):
        self.left -= 1
        if self.left < 0:
            self.failed = True
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.real(*arguments, **named)


WRITES = [
    *[(os, "fsync", calls) for calls in range(3)],
    *[(run_folder, "write_durably", calls) for calls in range(2)],
    (run_folder.Path, "rename", 0),
    (run_folder.Path, "mkdir", 0),
    (safetensors.torch, "save", 0),
]


@pytest.mark.parametrize(("owner", "name", "calls"), WRITES)
def test_a_full_disk_leaves_the_checkpoint_before(folder, monkeypatch, owner, name, calls):
    with monkeypatch.context() as patch:
        disk = FullDisk(patch, owner, name, calls)
        with pytest.raises(OSError, match="No space left") as error:
            folder.save(6, tensors(6), {})
    assert disk.failed
    assert str(error.value.filename).startswith(str(folder.path))
    assert names_in(folder) == ["2", "4"]
    assert value_of(folder.load()) == 4.0
    folder.save(6, tensors(6), {})
    assert value_of(folder.load()) == 6.0


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (os, "replace"), (run_folder, "write_durably")])
def test_a_full_disk_leaves_the_network_before(folder, monkeypatch, owner, name):
    folder.write_network("last.safetensors", b"before")
    with monkeypatch.context() as patch:
        FullDisk(patch, owner, name, 0)
        with pytest.raises(OSError, match="No space left"):
            folder.write_network("last.safetensors", b"after")
    assert (folder.path / "last.safetensors").read_bytes() == b"before"
    assert not list(folder.path.glob("*.new"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_metrics_on_a_full_disk(folder):
    (folder.path / METRICS).unlink()
    (folder.path / METRICS).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as error:
        folder.log({"kind": "update", "update": 6, "decisions": 60})
    assert str(error.value.filename) == str(folder.path / METRICS)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(20))
def test_killed_at_any_moment_a_checkpoint_is_whole(folder, monkeypatch, moment):
    """The process ends before the n-th thing that ``save`` does to the disk, or after the last one."""
    done = 0

    def counted(real):
        def call(*arguments, **named):
            nonlocal done
            if done == moment:
                raise Killed
            done += 1
            return real(*arguments, **named)

        return call

    with monkeypatch.context() as patch:
        for owner, names in (
            (os, ("fsync", "replace")),
            (run_folder.shutil, ("rmtree",)),
            (run_folder.Path, ("mkdir", "rename")),
        ):
            for name in names:
                patch.setattr(owner, name, counted(getattr(owner, name)))
        try:
            folder.save(6, tensors(6), {})
            ended = True
        except Killed:
            ended = False
    loaded = folder.load()
    assert value_of(loaded) in ((6.0,) if ended else (4.0, 6.0))
    assert loaded[1]["problems"] == []
    assert not [name for name in names_in(folder) if name.endswith(".new")]


def test_networks_of_the_past_are_those_until_an_update(folder):
    for update in (3, 6, 12):
        folder.add_past(update, b"network")
    (folder.path / "past" / "mine.safetensors").write_bytes(b"")
    assert [int(path.stem) for path in folder.past(11)] == [3, 6]


def test_a_run_of_another_version_is_refused(folder):
    assert read_config(folder.path) == {"seed": 1}
    (folder.path / "config.json").write_text('{"seed": 1, "ppo": {"trace": 0.95}}')
    with pytest.raises(
        CommandError, match="was not written by this version .format None, not 'wotr-run-3'.; start"
    ):
        read_config(folder.path)


def test_one_process_at_a_time(tmp_path):
    code = (
        "import filelock, sys; lock = filelock.FileLock(sys.argv[1]); lock.acquire(timeout=0); "
        "print('held', flush=True); sys.stdin.read()"
    )
    (tmp_path / "run").mkdir()
    command = [sys.executable, "-c", code, str(tmp_path / "run" / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(CommandError, match=f"another process trains in {tmp_path / 'run'}"):
            RunFolder(tmp_path / "run")
        other.kill()
        other.wait()
        RunFolder(tmp_path / "run").close()


def test_configurations_and_metrics_that_are_none(tmp_path):
    for name, read in (("config.json", read_config), (METRICS, read_metrics)):
        for text in ("{\n", "\udcff\n", "[1]\n"):
            (tmp_path / name).write_bytes(text.encode(errors="surrogateescape"))
            with pytest.raises(CommandError, match=name):
                read(tmp_path)
    (tmp_path / METRICS).unlink()
    with pytest.raises(CommandError, match="is it the folder of a training run"):
        read_metrics(tmp_path)


# --- files of networks ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(3)
    return make_network(SMALL)


@pytest.fixture
def file(network, tmp_path):
    path = tmp_path / "small.safetensors"
    path.write_bytes(network_bytes(network.state_dict(), SMALL, {"decisions": 7}))
    return path


def test_a_network_comes_back_as_it_was_written(network, file):
    found = load_network(file)
    assert (found.config, found.facts) == (SMALL, {"decisions": 7})
    assert not found.network.training
    for name, value in network.state_dict().items():
        assert torch.equal(found.network.state_dict()[name], value)


def test_half_precision_halves_the_file(network, file, tmp_path):
    half = tmp_path / "half.safetensors"
    half.write_bytes(network_bytes(network.state_dict(), SMALL, {}, torch.float16))
    assert half.stat().st_size < 0.6 * file.stat().st_size
    weight = load_network(half).network.state_dict()["policy_head.weight"]
    assert weight.dtype == torch.float32
    np.testing.assert_allclose(weight, network.state_dict()["policy_head.weight"], atol=1e-4)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules_version": 999}, "rules version 999; this package uses"),
        ({"layout": Layout((), range(0))}, "layout [0-9a-f]{16}; this package uses"),
    ],
)
def test_a_network_of_other_rules_is_refused(network, tmp_path, changes, words):
    path = tmp_path / "other.safetensors"
    other = dataclasses.replace(WAR_OF_THE_RING, **changes)
    path.write_bytes(network_bytes(network.state_dict(), SMALL, {}, kind=other))
    with pytest.raises(BotError, match=f"other.safetensors was trained with {words}"):
        load_network(path)


def test_files_that_are_no_networks(network, file, tmp_path):
    whole = file.read_bytes()
    path = tmp_path / "broken.safetensors"
    weights = {name: value.contiguous() for name, value in network.state_dict().items()}
    header = checkpoint.network_header(SMALL, {}, WAR_OF_THE_RING)
    wider = checkpoint.network_header(NetworkConfig(width=5, hidden=4), {}, WAR_OF_THE_RING)
    for data in (
        b"",
        b"no tensors at all",
        whole[:100],
        whole[:-1],
        safetensors.torch.save(weights),
        safetensors.torch.save(weights, header | {"format": "other"}),
        safetensors.torch.save(weights, header | {"network": "{}}"}),
        safetensors.torch.save(weights, header | {"network": '{"kind": "cnn"}'}),
        safetensors.torch.save(weights, header | {"network": '{"size": 3}'}),
        safetensors.torch.save(weights, wider),
        safetensors.torch.save({"weight": torch.zeros(2)}, header),
    ):
        path.write_bytes(data)
        with pytest.raises(BotError, match="broken.safetensors (is not|cannot be read as) a network"):
            load_network(path)


def test_names_of_networks(file, tmp_path):
    assert find_network(str(file)) == find_network(str(file.with_suffix(""))) == file
    with pytest.raises(BotError, match="there is no network .*nowhere"):
        find_network(str(tmp_path / "nowhere"))
    with pytest.raises(BotError, match="the zoo has no network 'zoo/nobody'; known: "):
        find_network("zoo/nobody")
