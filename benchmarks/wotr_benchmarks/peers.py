"""Benchmarks of other environments in the same run: same machine, core, protocol and definition of a
decision.

A decision is a uniformly random legal action, applied until the legal actions of the next position are known.
Time for dice and cards is included, but they do not count as decisions. Each library is used in the fastest
documented way; ``docs/benchmarks.md`` states the differences between the games.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import random
import time
from collections.abc import Callable
from typing import Any

from wotr_benchmarks import environments
from wotr_benchmarks.harness import Benchmark
from wotr_env.play.plugins import how_to_install

PEERS = "peers"
SEED = 1

_SECONDS = 1.0
_SIMULATIONS = 100
_PGX_BATCH = 256
_PGX_DECISIONS = {"backgammon": 2**16, "chess": 2**12}


def _missing(*modules: str) -> str | None:
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    return f"{' and '.join(absent)} not installed ({how_to_install('peers')})" if absent else None


def _needs(*modules: str) -> Callable[[], str | None]:
    return functools.partial(_missing, *modules)


def _complete_games(play: Callable[[random.Random], int]) -> Callable[[], float]:
    """Plays complete games for a while, and returns decisions per second; ``play`` returns the decisions of
    one game."""
    generator = random.Random(SEED)

    def run() -> float:
        made = 0
        start = time.perf_counter()
        while time.perf_counter() - start < _SECONDS:
            made += play(generator)
        return made / (time.perf_counter() - start)

    return run


def _petting_zoo(name: str) -> Callable[[], float]:
    import pettingzoo

    env = pettingzoo.make("aec", name)
    generator = random.Random(SEED)
    return lambda: environments.measure_turns(env, _SECONDS, generator)


def _draw_chance(state: Any, generator: random.Random) -> None:
    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
    state.apply_action(generator.choices(outcomes, weights)[0])


def _open_spiel(name: str) -> Callable[[], float]:
    import pyspiel  # pyright: ignore[reportMissingImports]

    game = pyspiel.load_game(name)

    def play(generator: random.Random) -> int:
        state = game.new_initial_state()
        made = 0
        while not state.is_terminal():
            if state.is_chance_node():
                _draw_chance(state, generator)
            else:
                state.apply_action(generator.choice(state.legal_actions()))
                made += 1
        return made

    return _complete_games(play)


def _open_spiel_search(name: str) -> Callable[[], float]:
    import pyspiel  # pyright: ignore[reportMissingImports]

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, _SIMULATIONS, 1_000, False, SEED, False)
    generator = random.Random(SEED)

    def run() -> float:
        state = game.new_initial_state()
        made = 0
        start = time.perf_counter()
        while time.perf_counter() - start < _SECONDS:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                _draw_chance(state, generator)
            else:
                state.apply_action(bot.step(state))
                made += _SIMULATIONS
        return made / (time.perf_counter() - start)

    return run


def _pgx(name: str) -> Callable[[], float]:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax  # pyright: ignore[reportMissingImports]
    import pgx  # pyright: ignore[reportMissingImports]
    from jax import numpy as jnp  # pyright: ignore[reportMissingImports]
    from pgx.experimental.wrappers import auto_reset  # pyright: ignore[reportMissingImports]

    game = pgx.make(name)
    step = jax.vmap(auto_reset(game.step, game.init))
    calls = _PGX_DECISIONS[name] // _PGX_BATCH

    def decide(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], None]:
        states, key = carry
        key, choice, chance = jax.random.split(key, 3)
        logits = jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        actions = jax.random.categorical(choice, logits, axis=-1)
        return (step(states, actions, jax.random.split(chance, _PGX_BATCH)), key), None

    play = jax.jit(lambda states, key: jax.lax.scan(decide, (states, key), None, length=calls)[0])
    first = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.PRNGKey(SEED), _PGX_BATCH))
    carry = [first, jax.random.PRNGKey(SEED + 1)]

    def run() -> float:
        start = time.perf_counter()
        carry[:] = jax.block_until_ready(play(*carry))
        return _PGX_BATCH * calls / (time.perf_counter() - start)

    return run


def _catanatron() -> Callable[[], float]:
    from catanatron import Color, Game, RandomPlayer  # pyright: ignore[reportMissingImports]
    from catanatron.game import TURNS_LIMIT  # pyright: ignore[reportMissingImports]

    def play(generator: random.Random) -> int:
        game = Game([RandomPlayer(color) for color in Color], seed=generator.randrange(1, 2**31))
        made = 0
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
            made += 1
        return made

    return _complete_games(play)


_TURNS = "turns of {} through PettingZoo's env(), the loop as ours: last(), a random legal action, step()"
_SPIEL = "OpenSpiel {}: complete random games, the loop in Python, the rules in C++"
_SPIEL_SEARCH = "OpenSpiel {}: its C++ MCTS, {} simulations a move, one random game each, self-play"
_PGX_WHAT = "pgx {}: random decisions in one jitted scan on one core, observations and auto-reset included"

PEER_BENCHMARKS = (  # JAX last: it keeps its memory
    *(
        Benchmark(
            f"pettingzoo_{name}",
            "turns/s",
            _TURNS.format(title),
            functools.partial(_petting_zoo, f"classic/{title}"),
            group=PEERS,
            missing=_needs(*modules),
        )
        for name, title, modules in (
            ("chess", "chess-v6", ("chess", "pygame")),
            ("connect_four", "connect_four-v3", ("pygame",)),
        )
    ),
    *(
        Benchmark(
            f"openspiel_{name}",
            "decisions/s",
            _SPIEL.format(name),
            functools.partial(_open_spiel, name),
            group=PEERS,
            missing=_needs("pyspiel"),
        )
        for name in ("backgammon", "chess")
    ),
    *(
        Benchmark(
            f"openspiel_{name}_mcts",
            "simulations/s",
            _SPIEL_SEARCH.format(name, _SIMULATIONS),
            functools.partial(_open_spiel_search, name),
            group=PEERS,
            missing=_needs("pyspiel"),
        )
        for name in ("backgammon", "chess")
    ),
    Benchmark(
        "catanatron",
        "decisions/s",
        "Catanatron: complete games of four random players, its own loop and rules in Python",
        _catanatron,
        group=PEERS,
        missing=_needs("catanatron"),
    ),
    *(
        Benchmark(
            f"pgx_{name}",
            "decisions/s",
            _PGX_WHAT.format(name),
            functools.partial(_pgx, name),
            _PGX_BATCH,
            group=PEERS,
            missing=_needs("jax", "pgx"),
        )
        for name in _PGX_DECISIONS
    ),
)
