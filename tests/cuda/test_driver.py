"""Calls of a driver, as they reach one that runs on this machine; and what is said where there is none."""

import numpy as np
import pytest

from tests.device_machines import CAPABILITY, MACHINE_CODE, behind_a_driver
from wotr_env import VectorGame
from wotr_env.cuda import DeviceArray, DeviceGame, driver, has_cuda, images
from wotr_env.cuda.arrays import device_array
from wotr_env.cuda.errors import CudaError
from wotr_env.cuda.images import processor_for, read_image


def test_without_a_driver(monkeypatch):
    monkeypatch.setattr(driver, "_LIBRARIES", ("no-such-library.so",))
    driver._library.cache_clear()
    try:
        assert not has_cuda()
        with pytest.raises(CudaError, match="no driver"):
            DeviceGame(2)
    finally:
        driver._library.cache_clear()


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
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = b".version 7.8"
    monkeypatch.setattr(images, "ptx", lambda processor: code)
    library, machine = behind_a_driver(monkeypatch.setattr)
    assert has_cuda() and machine.capability == CAPABILITY and machine.name == "stand-in"
    assert library.linked == [code + b"\0"] and machine.code == MACHINE_CODE
    assert machine.facts("play").registers == 104
    file = tmp_path / "image"
    images.write_image(file, "sm_90")
    driver.CudaMachine(image=file)
    assert len(library.linked) == 1  # kept
    there, here = DeviceGame(70, machine, seed=3, sort=True), VectorGame(70, seed=3)
    assert there.random_steps(100) == here.random_steps(100)
    actions = here.masks.argmax(axis=1)
    assert there.step(actions).states.numpy().tobytes() == here.step(actions).states.tobytes()
    assert ("play", 128) in library.launched and ("sort_starts", 64) in library.launched
    machine.synchronize()


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
