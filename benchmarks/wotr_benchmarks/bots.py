"""Benchmarks of bots: simulations of searches and decisions of policies, in midgame positions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from wotr_agents import BotError, bot_kinds, make_bot, parse_spec
from wotr_agents.search.mcts import MctsParameters
from wotr_benchmarks.harness import Benchmark
from wotr_benchmarks.throughput import SEED, midgame_batch
from wotr_env.play.bots import Bot, view_of

BOTS = "bots"

_SECONDS = 1.0
_SIMULATIONS = 64
_SEARCH_BATCH = 16
_POLICY_BATCH = 256

_SEARCH_SPEC = f"mcts:sims={_SIMULATIONS}"
_FULL_SPEC = "mcts:sims=8,depth=0"
_ONE_GAME_SPEC = "mcts:sims=512,threads={threads}"
_SCRIPTED_SPEC = "scripted"
_NET_SPEC = "net:zoo/laptop"
_GUIDED_SPEC = f"search:zoo/laptop,sims={_SIMULATIONS}"


def _missing(spec: str) -> str | None:
    name = spec.partition(":")[0]
    if name not in bot_kinds():
        return f"there is no bot {name} yet"
    try:
        parse_spec(spec)
    except BotError as error:
        return str(error)
    return None


def _decisions(spec: str, batch: int) -> Callable[[], float]:
    """Decisions per second of a bot, or simulations of one that searches."""
    bot = make_bot(spec, SEED)
    games = midgame_batch(batch, observations=False)

    def run() -> float:
        decisions = 0
        before = _simulations(bot)
        start = time.perf_counter()
        while time.perf_counter() - start < _SECONDS:
            games.step(bot.act(view_of(games.states, games.masks)))
            decisions += batch
        made = (_simulations(bot) - before) or decisions
        return made / (time.perf_counter() - start)

    return run


def _simulations(bot: Bot) -> int:
    """The number of simulations so far; 0 for bots without simulations."""
    return getattr(bot, "simulations", 0)


def _of_bot(
    name: str, what: str, spec: str, batch: int, unit: str = "simulations/s", threads: int = 1
) -> Benchmark:
    return Benchmark(
        name,
        unit,
        what,
        functools.partial(_decisions, spec, batch),
        batch,
        threads,
        group=BOTS,
        missing=functools.partial(_missing, spec),
    )


BOT_BENCHMARKS = (
    _of_bot(
        "scripted",
        "decisions of the scripted bot in games against itself, the step in the game included",
        _SCRIPTED_SPEC,
        _POLICY_BATCH,
        "decisions/s",
    ),
    _of_bot(
        "search",
        f"bot {_SEARCH_SPEC} in games against itself, sampled worlds and all else included; rollouts of "
        f"{MctsParameters.depth} decisions, then a value",
        _SEARCH_SPEC,
        _SEARCH_BATCH,
    ),
    _of_bot(
        "search_full",
        f"the same, bot {_FULL_SPEC}: rollouts to the end of the game",
        _FULL_SPEC,
        _SEARCH_BATCH,
    ),
    *(
        _of_bot(
            f"search_one_x{threads}",
            f"bot {_ONE_GAME_SPEC.format(threads=threads)} in one game against itself",
            _ONE_GAME_SPEC.format(threads=threads),
            1,
            threads=threads,
        )
        for threads in (1, 2)
    ),
    _of_bot(
        "policy",
        f"decisions of {_NET_SPEC}, observations and the step in the game included",
        _NET_SPEC,
        _POLICY_BATCH,
        "decisions/s",
    ),
    _of_bot(
        "guided_search",
        f"bot {_GUIDED_SPEC} in games against itself, sampled worlds and all else included",
        _GUIDED_SPEC,
        _SEARCH_BATCH,
    ),
)
