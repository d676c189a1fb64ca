"""How fast the bots think: simulations of a search, decisions of policies, on midgame positions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

from agents import BotError, bot_kinds, make_bot, parse_spec
from agents.bot import view_of
from benchmarks.harness import Benchmark
from benchmarks.throughput import SEED, midgame_batch

BOTS = "bots"

_SECONDS = 1.0
_SIMULATIONS = 64
_SEARCH_BATCH = 16
_POLICY_BATCH = 256

_SEARCH_SPEC = f"mcts:sims={_SIMULATIONS}"
_FULL_SPEC = f"mcts:sims={_SIMULATIONS},depth=0"
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
        before = getattr(bot, "simulations", 0)
        start = time.perf_counter()
        while time.perf_counter() - start < _SECONDS:
            games.step(bot.act(view_of(games.states, games.masks)))
            decisions += batch
        made = bot.simulations - before if hasattr(bot, "simulations") else decisions
        return made / (time.perf_counter() - start)

    return run


BOT_BENCHMARKS = (
    Benchmark(
        "scripted",
        "decisions/s",
        "decisions of the scripted bot in games against itself, the step in the game included",
        functools.partial(_decisions, _SCRIPTED_SPEC, _POLICY_BATCH),
        _POLICY_BATCH,
        group=BOTS,
        missing=functools.partial(_missing, _SCRIPTED_SPEC),
    ),
    Benchmark(
        "search",
        "simulations/s",
        f"bot {_SEARCH_SPEC} in games against itself, sampled worlds and all else included; rollouts of 150 "
        "decisions, then a value",
        functools.partial(_decisions, _SEARCH_SPEC, _SEARCH_BATCH),
        _SEARCH_BATCH,
        group=BOTS,
        missing=functools.partial(_missing, _SEARCH_SPEC),
    ),
    Benchmark(
        "search_full",
        "simulations/s",
        f"the same, bot {_FULL_SPEC}: rollouts to the end of the game",
        functools.partial(_decisions, _FULL_SPEC, _SEARCH_BATCH),
        _SEARCH_BATCH,
        group=BOTS,
        missing=functools.partial(_missing, _FULL_SPEC),
    ),
    Benchmark(
        "policy",
        "decisions/s",
        f"decisions of {_NET_SPEC}, observations and the step in the game included",
        functools.partial(_decisions, _NET_SPEC, _POLICY_BATCH),
        _POLICY_BATCH,
        group=BOTS,
        missing=functools.partial(_missing, _NET_SPEC),
    ),
    Benchmark(
        "guided_search",
        "simulations/s",
        f"bot {_GUIDED_SPEC} in games against itself, sampled worlds and all else included",
        functools.partial(_decisions, _GUIDED_SPEC, _SEARCH_BATCH),
        _SEARCH_BATCH,
        group=BOTS,
        missing=functools.partial(_missing, _GUIDED_SPEC),
    ),
)
