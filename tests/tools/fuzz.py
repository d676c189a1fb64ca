"""Fuzzing: complete games under uniform and biased random policies, checked after every decision.

``python -m tests.tools.fuzz`` is the full run: by each ruleset of ``RULESETS`` 10,000 uniform games
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
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import tqdm

from tests.tools.policies import LONG_GAME, POLICIES, Policy
from wotr_env import STATE, Ruleset
from wotr_env.core.states import bytes_of, copy_states
from wotr_env.games.war_of_the_ring.actions import NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Winner
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_NAMES, COMBAT_NAMES, NUM_CARDS
from wotr_env.games.war_of_the_ring.engine import kernel
from wotr_env.games.war_of_the_ring.engine.invariants import check_batch
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.rules.seats import SEAT_SIDE

COMMAND = "python -m tests.tools.fuzz"
ALL = "all"
UNIFORM_GAMES = 10_000
BIASED_GAMES = 2_000
QUICK_GAMES = 40
RULESETS = (*WAR_OF_THE_RING.rulesets, "first:players=3", "first:players=4")
"""Both editions for two players, the first for more."""
HALVES = (Decision.EVENT_CARD, Decision.COMBAT_CARD)
"""In which a card is played as an event, and in a battle."""
BATCH = 2_000
CHECKED_AT_ONCE = 400
"""Positions: fewer wait for those of the next steps, because many take hardly longer than few."""
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
    plays: np.ndarray = dataclasses.field(
        default_factory=lambda: np.zeros((len(HALVES), NUM_CARDS), np.int64)
    )
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
    report = Report(policy, ruleset)
    games = list(games)
    with tqdm.tqdm(
        total=len(games), desc=f"{ruleset}, {policy.name}", unit="game", disable=None if progress else True
    ) as bar:
        for first in range(0, len(games), BATCH):
            fuzz_together([report], games[first : first + BATCH], seed, bar.update)
    return report


def fuzz_together(
    reports: Sequence[Report],
    games: Sequence[int],
    seed: int,
    on_end: Callable[[int], object] = lambda _games: None,
) -> None:
    """The same games by several policies and rulesets in one batch, for which a few take hardly longer.

    Args:
        reports: of the policies and rulesets; written on.
        games: numbers of the games of each.
        seed: as in ``fuzz``.
        on_end: called with the number of games that ended in a step.

    Raises:
        FuzzError, ValueError: as ``fuzz``.
    """
    kernel.ensure_compiled()
    size = len(games)
    numbers = np.tile(np.array(games), len(reports))
    owners = np.repeat(np.arange(len(reports)), size)
    streams = _scramble(np.uint64(seed) + _scramble(numbers.astype(np.uint64)))
    states = np.zeros(len(numbers), dtype=STATE)
    masks = np.zeros((len(numbers), NUM_ACTIONS), dtype=np.bool_)
    for place, report in enumerate(reports):
        own, rules = slice(place * size, (place + 1) * size), _rules_of(report)
        kernel.new_games(
            states[own], masks[own], streams[own] >> np.uint64(1), rules.encode(), rules.max_turns
        )
    preferences = np.array([report.policy.preferences() for report in reports])
    seen = _Seen(reports, seed)

    def failure(place: int, step: int, problem: str) -> FuzzError:
        seen.check()
        return _failure(reports[owners[place]], seed, int(numbers[place]), step, problem)

    for step in range(STUCK):
        over = states["winner"] != Winner.NONE
        if (odd := masks.any(axis=1) == over).any():
            place = int(odd.argmax())
            problem = "the game is over but has legal actions" if over[place] else "no legal action"
            raise failure(place, step, problem)
        seen.add(states, masks, owners, numbers, step)
        for place in np.flatnonzero(over).tolist():
            report = reports[owners[place]]
            report.turns.append(int(states["turn"][place]))
            report.decisions.append(step)
            report.kinds[Reason(int(states["reason"][place]))] += 1
        if over.any():
            on_end(int(over.sum()))
            numbers, owners, streams = numbers[~over], owners[~over], streams[~over]
            states, masks = states[~over], masks[~over]
        if not len(numbers):
            seen.check()
            return
        actions = _choose(preferences[owners, SEAT_SIDE[states["seat"]]], masks, streams, step)
        playing = np.isin(states["decision"], HALVES)
        for owner in np.unique(owners[playing]):
            own = playing & (owners == owner)
            _count_plays(states["decision"][own], actions[own], reports[owner].plays)
        before = copy_states(states)
        try:
            kernel.step(states, masks, actions)
        except Exception as error:
            place = _raising(before, masks, actions)
            raise failure(place, step + 1, f"{type(error).__name__}: {error}") from error
    raise failure(0, STUCK, f"the game does not end; turn {states['turn'][0]}")


def _rules_of(report: Report) -> Ruleset:
    policy, rules = report.policy, WAR_OF_THE_RING.find_ruleset(report.ruleset)
    return dataclasses.replace(rules, max_turns=policy.max_turns, ask_single=policy.ask_single)


def _count_plays(decisions: np.ndarray, actions: np.ndarray, plays: np.ndarray) -> None:
    """Adds the cards that the actions of N games play; a committed Combat card is always revealed."""
    cards = actions - Block.CARD
    are_cards = (cards >= 0) & (cards < NUM_CARDS)
    for half, decision in enumerate(HALVES):
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


class _Seen:
    """Positions that are still to be checked."""

    def __init__(self, reports: Sequence[Report], seed: int) -> None:
        self._reports, self._seed = reports, seed
        self._steps: list[tuple[np.ndarray, ...]] = []
        self._number = 0

    def add(
        self, states: np.ndarray, masks: np.ndarray, owners: np.ndarray, numbers: np.ndarray, step: int
    ) -> None:
        """Copies the positions after a step; checks all if there are enough."""
        rows = copy_states(states), masks.copy(), owners, numbers, np.full(len(numbers), step)
        self._steps.append(rows)
        self._number += len(numbers)
        if self._number >= CHECKED_AT_ONCE:
            self.check()

    def check(self) -> None:
        """Raises FuzzError at the first position that breaks an invariant."""
        if not self._steps:
            return
        states, *others = zip(*self._steps, strict=True)
        states = np.concatenate([bytes_of(each) for each in states]).reshape(-1).view(STATE)
        masks, owners, numbers, steps = map(np.concatenate, others)
        self._steps, self._number = [], 0
        try:
            check_batch(states, masks)
        except ValueError:
            for place in range(len(states)):
                try:
                    check_batch(states[place : place + 1], masks[place : place + 1])
                except ValueError as alone:
                    report, game = self._reports[owners[place]], int(numbers[place])
                    raise _failure(report, self._seed, game, int(steps[place]), str(alone)) from None
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
    plays = np.zeros((len(HALVES), NUM_CARDS), dtype=np.int64)
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
