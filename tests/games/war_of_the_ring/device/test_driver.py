"""Calls of a driver, as they reach one that runs on this machine; and what is said where there is none."""

import copy
import subprocess
import sys

import numpy as np
import pytest

from tests.device_machines import CAPABILITY, MACHINE_CODE, behind_a_driver, emulated
from wotr_env import Ruleset, VectorGame
from wotr_env.cuda import DeviceArray
from wotr_env.cuda.arrays import device_array
from wotr_env.cuda.errors import CudaError
from wotr_env.games.war_of_the_ring.device import DeviceGame, driver, has_cuda, images
from wotr_env.games.war_of_the_ring.device.images import processor_for, read_image


def test_without_a_driver(monkeypatch):
    monkeypatch.setattr(driver, "_LIBRARIES", ("no-such-library.so",))
    driver._library.cache_clear()
    try:
        assert not has_cuda()
        for make in (DeviceGame, lambda games: VectorGame(games, device="cuda")):
            with pytest.raises(CudaError, match="no driver"):
                make(2)
    finally:
        driver._library.cache_clear()


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:-1", "cuda:1 ", "CUDA", "", None, 0])
def test_a_device_that_is_none(device):
    with pytest.raises(ValueError, match="device is cpu, cuda, or cuda:1 and so on, not") as error:
        VectorGame(2, device=device)
    assert str(error.value).endswith(repr(device))


def test_a_device_takes_no_threads():
    with pytest.raises(ValueError, match="threads applies only to games on the CPU; on cuda:1"):
        VectorGame(2, threads=2, device="cuda:1")


def test_on_the_cpu_nothing_is_different():
    games = VectorGame(2, seed=3, device="cpu")
    assert type(games) is VectorGame and games.device == VectorGame(2).device == "cpu"
    again = copy.deepcopy(games)
    assert again.random_steps(30) == games.random_steps(30)
    assert again.states.tobytes() == games.states.tobytes()
    code = "import sys, wotr_env; print('wotr_env.cuda' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_processors():
    assert processor_for((9, 0)) == processor_for((12, 0)) == "sm_90"
    assert processor_for((8, 7)) == "sm_86" and processor_for((7, 2)) == "sm_70"
    with pytest.raises(ValueError, match=r"7\.0"):
        processor_for((6, 1))


def test_images_of_other_rules_are_refused(tmp_path):
    file = tmp_path / "image"
    for data in (b"", b"{}\n", b'{"sources": "0000"}\n' + b"x", b"nothing"):
        file.write_bytes(data)
        with pytest.raises(ValueError, match="no code of the rules"):
            read_image(file)


@pytest.mark.slow
def test_games_through_a_driver(monkeypatch, tmp_path):
    DeviceGame(1, emulated())  # compiled, or read from the cache of all tests
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code, images_ptx = b".version 7.8", images.ptx
    monkeypatch.setattr(images, "ptx", lambda processor: code)
    library, machine = behind_a_driver(monkeypatch.setattr)
    assert has_cuda() and machine.capability == CAPABILITY and machine.name == "stand-in"
    assert library.linked == [code + b"\0"] and machine.code == MACHINE_CODE
    assert machine.facts("play").registers == 104
    file = tmp_path / "image"
    images.write_image(file, "sm_90")
    driver.CudaMachine(image=file)
    assert len(library.linked) == 1  # kept
    monkeypatch.setattr(images, "ptx", images_ptx)
    assert driver.CudaMachine().code == MACHINE_CODE  # by what was kept of the image
    there, here = DeviceGame(70, machine, seed=3, sort=True), VectorGame(70, seed=3)
    assert there.random_steps(100) == here.random_steps(100)
    actions = here.masks.argmax(axis=1)
    assert there.step(actions).states.numpy().tobytes() == here.step(actions).states.tobytes()
    assert ("play", 128) in library.launched and ("sort_starts", 64) in library.launched
    machine.synchronize()


@pytest.mark.slow
def test_a_vector_game_on_a_gpu(monkeypatch, tmp_path):
    DeviceGame(1, emulated())
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(images, "ptx", lambda processor: b".version 7.8")
    behind_a_driver(monkeypatch.setattr)
    driver.gpu.cache_clear()
    try:
        settings = {"seed": 3, "ruleset": Ruleset(max_turns=1), "auto_reset": False}
        there, here = VectorGame(6, device="cuda", sort=True, **settings), VectorGame(6, **settings)
        assert type(there) is DeviceGame and there.device == "cuda:0"
        assert VectorGame(2, 3, device="cuda:0").rules.machine is there.rules.machine is driver.gpu(0)
        while not here.terminated.all():
            assert there.random_steps(50) == here.random_steps(50)
            assert there.states.numpy().tobytes() == here.states.tobytes()
        with pytest.raises(CudaError, match="there is no GPU 1 here; there are 1, counted from 0"):
            VectorGame(2, device="cuda:1")
        with pytest.raises(ValueError, match="num_games"):
            VectorGame(0, device="cuda")
    finally:
        driver.gpu.cache_clear()


@pytest.mark.slow
def test_other_libraries_take_the_arrays(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(images, "ptx", lambda processor: b".version 7.8")
    _library, machine = behind_a_driver(monkeypatch.setattr)
    there = DeviceGame(3, machine)
    found = there.masks.__cuda_array_interface__
    assert found["data"] == (there.masks.address, False) and found["shape"] == there.masks.shape
    assert (found["typestr"], found["strides"], found["version"]) == ("|b1", None, 3)
    actions = DeviceArray(machine, (3,), np.int64)

    class Tensor:
        __cuda_array_interface__ = actions.__cuda_array_interface__

    taken = device_array(machine, Tensor())
    assert taken is not None and (taken.address, taken.shape) == (actions.address, (3,))
    actions.write(there.masks.numpy().argmax(axis=1))
    before = there.states.numpy().tobytes()
    assert there.step(Tensor()).states.numpy().tobytes() != before
    Tensor.__cuda_array_interface__ = {**actions.__cuda_array_interface__, "strides": (16,)}
    with pytest.raises(ValueError, match="contiguous"):
        there.step(Tensor())
