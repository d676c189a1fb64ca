"""Fuzzing: complete games under uniform and biased random policies, checked after every decision.

``python -m wotr_experiments.dev.fuzz`` is the full run: by each ruleset of ``RULESETS`` 10,000 uniform games
and 2,000 under each biased policy (``policies``), which together must play each of the 96 events and each of
the 96 Combat halves at least 50 times. A failure is reported with what is needed to see it again, and ends
the run with exit code 2.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import itertools
import sys
from collections.abc import Iterable

import numpy as np
import tqdm

from wotr_env import STATE
from wotr_env.actions import NUM_ACTIONS, Block
from wotr_env.codes import Decision, Reason, Winner
from wotr_env.components import CARD_IDS, CARD_NAMES, COMBAT_NAMES, NUM_CARDS
from wotr_env.engine import kernel
from wotr_env.engine.invariants import check_batch
from wotr_env.rules.seats import SEAT_SIDE
from wotr_env.war_of_the_ring import WAR_OF_THE_RING
from wotr_experiments.dev.policies import LONG_GAME, POLICIES, Policy

COMMAND = "python -m wotr_experiments.dev.fuzz"
ALL = "all"
UNIFORM_GAMES = 10_000
BIASED_GAMES = 2_000
QUICK_GAMES = 40
RULESETS = (*WAR_OF_THE_RING.rulesets, "first:players=3", "first:players=4")
"""Both editions for two players, the first for more."""
NUM_HALVES = 2
BATCH = 2_000
LEAST_PLAYS = 50
"""Of each event and each Combat half in the full run."""
STUCK = 200_000
"""Decisions after which a game counts as one that never ends; the longest real ones have far fewer."""


class FuzzError(AssertionError):
    """A game that broke an invariant, got stuck or did not end; the message says how to see it again."""


@dataclasses.dataclass
class Report:
    """What happened in the games of one policy."""

    policy: Policy
    ruleset: str
    turns: list[int] = dataclasses.field(default_factory=list)
    decisions: list[int] = dataclasses.field(default_factory=list)
    kinds: collections.Counter[Reason] = dataclasses.field(default_factory=collections.Counter)
    plays: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros((NUM_HALVES, NUM_CARDS), np.int64))
    """``int64[2, 96]``: how often each card was played as an event and revealed in a battle.

    An event that was the only choice is counted only where the policy has ``ask_single``.
    """

    @property
    def games(self) -> int:
        """Games played to their end."""
        return len(self.turns)

    @property
    def share_in_time(self) -> float:
        """Of the games, those that ended by a victory within ``LONG_GAME`` turns."""
        late = sum(turns > LONG_GAME for turns in self.turns)
        return 1 - max(late, self.kinds[Reason.TURN_LIMIT]) / self.games

    def __str__(self) -> str:
        low, middle, high, most = np.percentile(self.turns, (5, 50, 95, 100))
        kinds = ", ".join(f"{reason.name.lower()} {self.kinds[reason]:,}" for reason in Reason if reason)
        return (
            f"{self.ruleset}, {self.policy.name}: {self.games:,} games,"
            f" {np.mean(self.decisions):,.0f} decisions each; turns 5% {low:.0f}, median {middle:.0f},"
            f" 95% {high:.0f}, most {most:.0f};"
            f" won within {LONG_GAME} turns {self.share_in_time:.2%}; {kinds}"
        )


def fuzz(
    policy: Policy, games: Iterable[int], seed: int, ruleset: str = "first", progress: bool = False
) -> Report:
    """Plays games to their ends and checks all states and masks after every decision.

    Args:
        policy: plays both sides.
        games: numbers of the games; a game depends on its number, the policy and the seed only.
        seed: 0 <= seed < 2**63.
        ruleset: as ``GameKind.find_ruleset`` reads it.
        progress: show a progress bar on stderr.

    Raises:
        FuzzError: a game failed.
        ValueError: there is no such ruleset.
    """
    kernel.ensure_compiled()
    games = list(games)
    report = Report(policy, ruleset)
    name = f"{ruleset}, {policy.name}"
    with tqdm.tqdm(total=len(games), desc=name, unit="game", disable=None if progress else True) as bar:
        for first in range(0, len(games), BATCH):
            _fuzz_batch(np.array(games[first : first + BATCH]), seed, report, bar)
    return report


def _fuzz_batch(games: np.ndarray, seed: int, report: Report, bar: tqdm.tqdm) -> None:
    policy = report.policy
    ruleset = dataclasses.replace(
        WAR_OF_THE_RING.find_ruleset(report.ruleset),
        max_turns=policy.max_turns,
        ask_single=policy.ask_single,
    )
    preferences = policy.preferences()
    states = np.zeros(len(games), dtype=STATE)
    masks = np.zeros((len(games), NUM_ACTIONS), dtype=np.bool_)
    streams = _scramble(np.uint64(seed) + _scramble(games.astype(np.uint64)))
    kernel.new_games(states, masks, streams >> np.uint64(1), ruleset.encode(), ruleset.max_turns)
    for step in range(STUCK):
        _check(report, games, states, masks, seed, step)
        over = states["winner"] != Winner.NONE
        if over.any():
            report.turns += states["turn"][over].tolist()
            report.decisions += [step] * int(over.sum())
            report.kinds.update(Reason(reason) for reason in states["reason"][over].tolist())
            bar.update(int(over.sum()))
            games, states, masks, streams = games[~over], states[~over], masks[~over], streams[~over]
        if not len(games):
            return
        actions = _choose(preferences[SEAT_SIDE[states["seat"]]], masks, streams, step)
        _count_plays(states["decision"], actions, report.plays)
        before = states.copy()
        try:
            kernel.step(states, masks, actions)
        except Exception as error:
            number = _raising(before, masks, actions)
            raise _failure(
                report, seed, int(games[number]), step + 1, f"{type(error).__name__}: {error}"
            ) from error
    raise _failure(report, seed, int(games[0]), STUCK, f"the game does not end; turn {states['turn'][0]}")


def _count_plays(decisions: np.ndarray, actions: np.ndarray, plays: np.ndarray) -> None:
    """Adds the cards that the actions of N games play; a committed Combat card is always revealed."""
    cards = actions - Block.CARD
    are_cards = (cards >= 0) & (cards < NUM_CARDS)
    for half, decision in enumerate((Decision.EVENT_CARD, Decision.COMBAT_CARD)):
        plays[half] += np.bincount(cards[are_cards & (decisions == decision)], minlength=NUM_CARDS)


def plays_table(plays: np.ndarray) -> str:
    """The cards and how often each half was played, ``int64[2, 96]``, with the least of both."""
    least = " and ".join(
        f"{half} {CARD_IDS[counts.argmin()]} {counts.min():,}"
        for half, counts in zip(("event", "combat half"), plays, strict=True)
    )
    rows = [
        f"{CARD_IDS[card]:12} {events:>9,}  {battles:>9,}  {CARD_NAMES[card]} / {COMBAT_NAMES[card]}"
        for card, (events, battles) in enumerate(plays.T)
    ]
    return "\n".join([f"{'card':12} {'event':>9}  {'combat':>9}", *rows, f"least played: {least}"])


def _scramble(words: np.ndarray) -> np.ndarray:
    """A bijection of ``uint64`` words that scatters close ones: the output function of SplitMix64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _choose(preferences: np.ndarray, masks: np.ndarray, streams: np.ndarray, step: int) -> np.ndarray:
    """For each of N games a uniform choice among the legal actions of highest preference.

    Args:
        preferences: ``int8[N, NUM_ACTIONS]``.
        masks: ``bool[N, NUM_ACTIONS]``.
        streams: ``uint64[N]``, the random stream of each game.
        step: the place in the streams.

    Returns:
        ``int64[N]``.
    """
    wishes = np.where(masks, preferences, np.int8(-128))
    best = wishes == wishes.max(axis=1, keepdims=True)
    counts = np.count_nonzero(best, axis=1)
    words = _scramble(streams + np.uint64(step)) >> np.uint64(32)
    chosen = (words.astype(np.int64) * counts) >> 32
    return np.flatnonzero(best)[np.cumsum(counts) - counts + chosen] % masks.shape[1]


def _check(
    report: Report, games: np.ndarray, states: np.ndarray, masks: np.ndarray, seed: int, step: int
) -> None:
    over = states["winner"] != Winner.NONE
    odd = np.flatnonzero(masks.any(axis=1) == over)
    if len(odd):
        problem = "the game is over but has legal actions" if over[odd[0]] else "no legal action"
        raise _failure(report, seed, int(games[odd[0]]), step, problem)
    try:
        check_batch(states, masks)
    except ValueError as error:
        for number, game in enumerate(games.tolist()):
            try:
                check_batch(states[number : number + 1], masks[number : number + 1])
            except ValueError as alone:
                raise _failure(report, seed, game, step, str(alone)) from error
        raise


def _raising(states: np.ndarray, masks: np.ndarray, actions: np.ndarray) -> int:
    """The first game of a batch whose step raises."""
    for number in range(len(states)):
        one = slice(number, number + 1)
        try:
            kernel.step(states[one].copy(), masks[one].copy(), actions[one])
        except Exception:
            return number
    return 0


def _failure(report: Report, seed: int, game: int, step: int, problem: str) -> FuzzError:
    name, ruleset = report.policy.name, report.ruleset
    again = f"{COMMAND} --ruleset {ruleset} --policy {name} --seed {seed} --first {game} --games 1"
    return FuzzError(
        f"{ruleset}, policy {name}, seed {seed}, game {game}, step {step}: {problem}; again: {again}"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--ruleset", default=ALL, help="such as second or first:players=4; by default all")
    parser.add_argument("--policy", choices=[ALL, *POLICIES], default=ALL)
    parser.add_argument(
        "--games", type=int, help=f"per policy; by default {UNIFORM_GAMES} uniform, {BIASED_GAMES} biased"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_GAMES} games per policy")
    options = parser.parse_args(arguments)
    if (options.games is not None and options.games < 1) or options.first < 0 or options.seed < 0:
        parser.error("--games must be at least 1, --first and --seed at least 0")
    try:
        if options.ruleset != ALL:
            WAR_OF_THE_RING.find_ruleset(options.ruleset)
    except ValueError as error:
        parser.error(str(error))
    full = options.policy == options.ruleset == ALL and options.games is None and not options.quick
    plays = np.zeros((NUM_HALVES, NUM_CARDS), dtype=np.int64)
    rulesets = RULESETS if options.ruleset == ALL else [options.ruleset]
    policies = POLICIES if options.policy == ALL else [options.policy]
    for ruleset, name in itertools.product(rulesets, policies):
        usual = UNIFORM_GAMES if name == "uniform" else BIASED_GAMES
        number = options.games or (QUICK_GAMES if options.quick else usual)
        try:
            games = range(options.first, options.first + number)
            report = fuzz(POLICIES[name], games, options.seed, ruleset, progress=True)
        except FuzzError as error:
            print(f"fuzz: {error}", file=sys.stderr)
            return 2
        print(report, flush=True)
        plays += report.plays
    print(plays_table(plays))
    if full and plays.min() < LEAST_PLAYS:
        print(
            f"fuzz: {int((plays < LEAST_PLAYS).sum())} of the events and Combat halves were played fewer than"
            f" {LEAST_PLAYS} times",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
