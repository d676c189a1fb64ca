"""Compares single choices of bots with those of a network, by playouts.

``python -m wotr_experiments.games.war_of_the_ring.reports.choices [--net NET] [--positions N] [--playouts N]
[BOT...]`` writes ``docs/choices.md``.

Positions are taken from games of the network against itself, one per game: some with the choice of an action
die, some with other choices. The network plays many playouts after its most likely actions and after the
choices of bots; the value of an action is the share of playouts won. A bot's gain is the value of its choices
minus that of the network's choices. It shows which kind of search would make the network stronger, with much
less play than whole games need.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import tqdm

from wotr_agents import make_bot
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.playouts import Positions, after, sample_positions, sampled_worlds
from wotr_experiments.arena.statistics import Z_95
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.reports.studied import NET, Network
from wotr_experiments.reports.pages import command_text, markdown_table, report_parser, write_page

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.choices"
PAGE = Path(__file__).parents[5] / "docs" / "choices.md"
BOTS = (
    "scripted",
    "mcts:sims=400",
    "search:{net},sims=256",
    "search:{net},sims=256,worlds=256",
    "search:{net},sims=256,batch=1",
    "search:{net},sims=2000",
)
"""Specs of the bots, with ``{net}`` in place of the network's name."""
POSITIONS = 200
PLAYOUTS = 128
SEED = 20_261_123
_LIKELIEST = 4
"""Number of the network's most likely actions that are always tried in each position."""
_VALUED = 16
"""Number of the network's most likely actions that are compared by values."""
_WORLDS = 64
"""Number of worlds over which values are averaged."""
_VALUE_SEEDS = 2**41
"""Added to the seeds of these worlds: other worlds than those of the playouts, which measure the choices."""
_NETWORK, _VALUE, _VALUE_LATER, _PLAYOUTS = "the network", "value", "value after the die", "playouts"
_KINDS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "an action die": lambda states: states["decision"] == Decision.ACTION_DIE,
    "anything else": lambda states: states["decision"] != Decision.ACTION_DIE,
}

_PAGE = """# The value of looking ahead

This page compares bots in single positions. It is written by `{command}`. The positions come from games of
`net:{net}` against itself (seed {seed}), one position per game. There are two kinds
of positions: {counts}.

The winning chance after an action is measured with playouts: after the action, the network plays
{playouts} games to the end. This is done only for the {likeliest} actions that the network finds most
likely, and for the actions that a row of the table chose. Intervals are 95% intervals.

- *Gain* is the winning chance after the row's choice minus the winning chance after the network's choice,
  in percentage points.
- *Same* is the share of positions in which the row chooses the same action as the network.
- *{playouts_name}* chooses the action with the best results in one half of the playouts ({half} for each
  action). The other half measures the gain. So this row shows what a search with playouts can gain.
- *{value}* chooses the action after which the network's value is highest, among the {valued} most
  likely actions. The value is a mean over {worlds} sampled worlds (states that the seat considers
  possible).
- *{later}* does the same, but takes the network's value later: when an action die is chosen again.

{table}

For comparison: chance changes the network's value, too. This table shows standard deviations of the value
at the next choice of an action die, in percentage points:

{spread}
"""


@dataclasses.dataclass(frozen=True)
class Judged:
    """The values of choices in P positions."""

    gains: dict[str, np.ndarray]
    """``float64[P]`` by the method of choice: the gain in winning chance over the network's choice."""
    same: dict[str, float]
    """By the method of choice, the share of positions in which it makes the network's choice."""
    noise: float
    """Standard deviation of the network's value after an action that is caused by chance, in winning
    chance."""
    signal: float
    """Standard deviation of the network's value between the actions of a position, in winning chance."""


def judge(
    network: Network,
    positions: Positions,
    bots: Sequence[str],
    playouts: int,
    seed: int,
    on_done: Callable[[int], object],
) -> Judged:
    """Measures the values of the choices of bots in some positions.

    Raises:
        BotError: there is no such bot, or a bot does not answer with a legal action.
    """
    likeliest = network.likeliest(positions)
    values = [_values(network, positions, likeliest, place, seed) for place in range(len(positions))]
    soon, later = zip(*values, strict=True)
    chosen = {_NETWORK: [each[0] for each in likeliest]}
    for name, found in ((_VALUE, soon), (_VALUE_LATER, later)):
        best = [int(values.mean(axis=1).argmax()) for values in found]
        chosen[name] = [of[place] for of, place in zip(likeliest, best, strict=True)]
    for spec in bots:
        view = view_of(positions.states, positions.masks)
        chosen[spec] = choose(make_bot(spec, seed), view, spec).tolist()
    tried = [
        list(dict.fromkeys([*each[:_LIKELIEST], *(choices[place] for choices in chosen.values())]))
        for place, each in enumerate(likeliest)
    ]
    outcomes = network.outcomes(positions, tried, playouts, seed, on_done)
    won = [ends.mean(axis=1) for ends in outcomes]
    gains, same = {}, {}
    for name, choices in chosen.items():
        places = [of.index(choice) for of, choice in zip(tried, choices, strict=True)]
        gains[name] = np.array([of[place] - of[0] for of, place in zip(won, places, strict=True)])
        same[name] = float(np.mean(np.array(places) == 0))
    gains[_PLAYOUTS], same[_PLAYOUTS] = _by_halves(outcomes)
    return Judged(gains, same, *_spread(later))


def _values(
    network: Network, positions: Positions, likeliest: Sequence[Sequence[int]], place: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The network's values of its most likely actions in a position, for the deciding side.

    Returns:
        ``float64[C, _WORLDS]`` each: directly after the action, and at the next choice of an action die.
    """
    kind, actions = WAR_OF_THE_RING, likeliest[place][:_VALUED]
    state = positions.states[place : place + 1]
    (worlds,) = sampled_worlds(kind, state, _WORLDS, _VALUE_SEEDS + seed + int(positions.games[place]))
    ends = [after(kind, worlds, action) for action in actions]
    states, masks = (np.concatenate(each) for each in zip(*ends, strict=True))
    soon = network.values(states, masks)
    network.play_to_next_die(states, masks)
    team = kind.ruleset().seats[int(state["seat"][0])].team
    for_it = [each if team == 0 else 1.0 - each for each in (soon, network.values(states, masks))]
    soon, later = (each.reshape(len(actions), _WORLDS) for each in for_it)
    return soon, later


def _by_halves(outcomes: Sequence[np.ndarray]) -> tuple[np.ndarray, float]:
    """The gain of the action that is best in one half of the playouts, measured in the other half; and the
    share in which this is the network's choice."""
    gains, same = [], []
    for ends in outcomes:
        halves = ends[:, ::2].mean(axis=1), ends[:, 1::2].mean(axis=1)
        best = [int(half.argmax()) for half in halves]
        gains.append(np.mean([halves[1][best[0]] - halves[1][0], halves[0][best[1]] - halves[0][0]]))
        same += [each == 0 for each in best]
    return np.array(gains), float(np.mean(same))


def _spread(values: Sequence[np.ndarray]) -> tuple[float, float]:
    """The standard deviations caused by chance and between actions; the part of the latter that chance causes
    is subtracted."""
    several = [each for each in values if len(each) > 1]
    chance = [each.var(axis=1, ddof=1).mean() for each in several]
    means = [each.mean(axis=1).var(ddof=1) for each in several]
    return math.sqrt(np.mean(chance)), math.sqrt(max(0.0, np.mean(means) - np.mean(chance) / _WORLDS))


def report(
    net: str, bots: Sequence[str], positions: int, playouts: int, seed: int, command: str = COMMAND
) -> str:
    """The page in Markdown; see ``main``.

    Raises:
        BotError: the network cannot be read, or there is no such bot.
    """
    network, kind = Network(net), WAR_OF_THE_RING
    rules = kind.limited(kind.ruleset(), LONGEST)
    found: dict[str, Judged] = {}
    counts = {}
    for number, (name, wanted) in enumerate(_KINDS.items()):
        some = sample_positions(kind, network.bot, positions, rules, seed + number, wanted)
        counts[name] = len(some)
        with tqdm.tqdm(total=len(some), desc=name, unit="position", leave=False) as bar:
            found[name] = judge(network, some, bots, playouts, seed, bar.update)
    names = list(next(iter(found.values())).gains)
    rows = [
        [f"`{name}`" if name in bots else name]
        + [cell for each in found.values() for cell in (_points(each.gains[name]), f"{each.same[name]:.0%}")]
        for name in names[1:]
    ]
    return _PAGE.format(
        command=command,
        net=net,
        seed=seed,
        counts=" and ".join(f"{count} where {name} is chosen" for name, count in counts.items()),
        playouts=playouts,
        half=playouts // 2,
        likeliest=_LIKELIEST,
        valued=_VALUED,
        worlds=_WORLDS,
        playouts_name=_PLAYOUTS,
        value=_VALUE,
        later=_VALUE_LATER,
        table=markdown_table(
            ["who chooses", *(cell for name in found for cell in (f"gain, {name}", "same"))], rows
        ),
        spread=markdown_table(
            ["standard deviation", *found],
            [
                [
                    "after one action, over worlds and dice",
                    *(f"{100 * each.noise:.1f}" for each in found.values()),
                ],
                [
                    "over the actions of one position, of mean values",
                    *(f"{100 * each.signal:.1f}" for each in found.values()),
                ],
            ],
        ),
    )


def _points(gains: np.ndarray) -> str:
    """The mean in percentage points, with its 95% interval."""
    error = Z_95 * gains.std(ddof=1) / math.sqrt(len(gains))
    return f"{100 * gains.mean():+.2f} ± {100 * error:.2f}"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, seed=SEED)
    parser.add_argument("bots", nargs="*", metavar="BOT")
    parser.add_argument("--net", default=NET, help="network: a file, a folder of wotr train, or zoo/NAME")
    parser.add_argument(
        "--positions", type=int, default=POSITIONS, help="positions of each kind, one per game"
    )
    parser.add_argument("--playouts", type=int, default=PLAYOUTS, help="playouts of each action")
    options = parser.parse_args(arguments)
    bots = options.bots or [each.format(net=options.net) for each in BOTS]

    def make() -> str:
        if options.positions < 2 or options.playouts < 2:
            raise CommandError("--positions and --playouts must be at least 2")
        if not 0 <= options.seed < 2**40:
            raise CommandError("--seed must be from 0 to 2**40 - 1")
        command = command_text(COMMAND, arguments)
        return report(options.net, bots, options.positions, options.playouts, options.seed, command)

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
