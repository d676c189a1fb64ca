"""Games whose kernels are compiled one after the other in one process."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from tests.compiled_games import ROLL, STEP, walk
from wotr_agents.search.games import can_search, search_game
from wotr_env.compiler.entry_points import types_of_arguments
from wotr_env.compiler.kernels import INTERPRETED, KernelSet
from wotr_env.compiler.types import Number
from wotr_env.play.games import game_kinds


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_one_process_compiles_two_games(monkeypatch, tmp_path):
    """Their kernels have the same names; each game rolls its own die."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for die in (1, 100):
        kind = walk.__wrapped__(die)
        assert kind.compiled is not None and kind.compiled.kernels.ensure_compiled(lambda *_: None) > 0
        states, masks = kind.new_states(np.arange(20), kind.find_ruleset())
        assert masks.all()
        interpreted = states.copy()
        for action in (STEP, ROLL):
            kind.kernels.step(states, masks, np.full(20, action))
            for state, mask in zip(interpreted, masks.copy(), strict=True):
                kind.compiled.apply(state, action)
                kind.compiled.run(state, mask)
        assert states.tobytes() == interpreted.tobytes()
        rolled = states["steps"][:, 1]
        assert (rolled == 0).all() if die == 1 else len(set(rolled.tolist())) > 10


def test_kernels_of_several_games_have_the_same_types_in_all():
    """So each process can compile any of them after any others."""
    known = {}
    for name in game_kinds():
        if can_search(name):
            for kernels in search_game(name).kernels.with_needed():
                for module in kernels.modules:
                    importlib.import_module(module)
                for kernel in kernels.kernels:
                    types = types_of_arguments(kernel, kernels.argument_types)
                    known.setdefault(kernel, {})[kernels.name] = types
    shared = {kernel: types for kernel, types in known.items() if len(types) > 1}
    assert {kernel.__name__ for kernel in shared} >= {"mix", "stream_word"}
    for kernel, types in shared.items():
        assert len(set(types.values())) == 1, (kernel.__qualname__, types)


def doubled(number):
    return number * 2


@pytest.mark.skipif(INTERPRETED, reason="compiled kernels only")
def test_a_kernel_of_two_sets_has_one_type(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    sets = [
        KernelSet(Path(__file__).parent, (f"{name}.py",), name=name) for name in ("whole", "same", "part")
    ]
    sets[2].argument_types["number"] = Number.FLOAT64
    for each in sets:
        each.kernel(doubled)
        each.entry_point()(doubled_twice)
    for each in sets[:2]:
        each.ensure_compiled(lambda *_: None)
        assert next(iter(each.entry_points.values()))(3) == 12
    with pytest.raises(TypeError, match="doubled is compiled for other arguments; part needs a copy"):
        sets[2].ensure_compiled(lambda *_: None)


def doubled_twice(number):
    return doubled(doubled(number))


@pytest.mark.skipif(INTERPRETED, reason="nothing is kept")
def test_sets_of_equal_sources_keep_code_of_their_own():
    first, second = (KernelSet(Path(__file__).parent, ("*.py",), name=name) for name in ("first", "second"))
    assert first.build_id != second.build_id and first.sources_id == second.sources_id
