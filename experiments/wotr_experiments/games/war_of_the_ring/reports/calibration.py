"""The calibration of a network: its values compared with the results of games.

``python -m wotr_experiments.games.war_of_the_ring.reports.calibration [--net NET] [--games N] [--seed S]
[--out FILE]`` writes ``docs/calibration.md`` and a picture next to it.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from pathlib import Path

import numpy as np

from wotr_env.core.states import copy_states
from wotr_env.games.war_of_the_ring.codes import Decision, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.playouts import new_games, play_to_end, sampled_worlds, score_of_team
from wotr_experiments.arena.statistics import Z_95, wilson
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.reports.studied import NET, Network
from wotr_experiments.reports.benchmark import check_can_plot
from wotr_experiments.reports.pages import command_text, markdown_table, report_parser, write_page

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.calibration"
PAGE = Path(__file__).parents[5] / "docs" / "calibration.md"
GAMES = 4000
JUDGED = 200
PLAYOUTS = 64
SEED = 20_261_124
PHASES = ((1, 2), (3, 4), (5, 6), (7, 8), (9, LONGEST))
"""First and last turns of the phases."""
_BINS = 10
_FEW = 20
"""Bins with fewer games than this are not drawn."""

_PAGE = """# Calibration of a network

Does a network win as often as it predicts? This page is written by `{command}`. `net:{net}` played
{games:,} games against itself with seed {seed}, and the Free Peoples won {won:.1%}. In every turn, the
network's value was stored at the first choice of an action die. This value is the network's prediction
of the chance that the Free Peoples win. Its input is the observation of the deciding seat. The table
groups the turns into phases. In each phase, every game counts once, with one of its turns.

{table}

| column | meaning |
|---|---|
| predicted | mean winning chance that the network predicts for the Free Peoples |
| won | share of the games that the Free Peoples won |
| Brier | Brier score: mean squared difference between the prediction and the result |
| base rate | Brier score of the base rate: every prediction is the share of games won in this phase |
| explained | part of *base rate* that the network removes: 1 - Brier / base rate |
| possible | part of *base rate* that perfect predictions would remove (see below) |
| calibration error | mean distance between predicted and observed shares, over ten bins of games |
| by chance | mean *calibration error* of perfect predictions, because results of games are random |

*Possible* is estimated from {judged} positions with {playouts} playouts each (simulated games to the
end). It has 95% intervals.

![Predicted and observed shares of games won]({picture})
"""


@dataclasses.dataclass(frozen=True)
class Phase:
    """A network's winning chances in N games at some turns, and the results of these games."""

    turns: tuple[int, int]
    said: np.ndarray
    """``float64[N]``: the network's winning chance of the Free Peoples."""
    won: np.ndarray
    """``float64[N]``: 1 if the Free Peoples won, 0.5 for a draw, otherwise 0."""
    played_out: np.ndarray
    """``float64[J, P]``: results, as in ``won``, of P playouts of J of the positions."""

    @property
    def title(self) -> str:
        """The turns in words."""
        first, last = self.turns
        return f"{first} and on" if last == LONGEST else f"{first} to {last}"

    @property
    def brier(self) -> float:
        """The Brier score: the mean squared difference between prediction and result."""
        return float(np.mean((self.said - self.won) ** 2))

    @property
    def without(self) -> float:
        """The Brier score of always predicting the share of games won."""
        return float(self.won.var())

    @property
    def possible(self) -> tuple[float, float]:
        """The share of ``without`` that the true winning chances of the positions explain, and its 95%
        error."""
        means, playouts = self.played_out.mean(axis=1), self.played_out.shape[1]
        by_chance = self.played_out.var(axis=1, ddof=1) / playouts
        squares = (means - means.mean()) ** 2 - by_chance
        shares = squares / (means.mean() * (1 - means.mean()))
        return float(shares.mean()), float(Z_95 * shares.std(ddof=1) / math.sqrt(shares.size))

    def bins(self) -> list[tuple[float, float, int]]:
        """The mean predicted and observed winning chance, and the number of games, in bins of about equal
        size."""
        return [
            (float(self.said[part].mean()), float(self.won[part].mean()), part.size) for part in self._parts()
        ]

    @property
    def calibration_error(self) -> float:
        """The mean distance between predictions and results of the bins (expected calibration error)."""
        return sum(count * abs(said - won) for said, won, count in self.bins()) / self.said.size

    @property
    def by_chance(self) -> float:
        """The expected ``calibration_error`` of perfect predictions, from the normal distribution: the
        results of the games in a bin are random."""
        variances = self.said * (1 - self.said)
        errors = sum(math.sqrt(variances[part].sum()) for part in self._parts())
        return errors / self.said.size * math.sqrt(2 / math.pi)

    def _parts(self) -> list[np.ndarray]:
        """The games of each bin."""
        order = np.argsort(self.said, kind="stable")
        return [part for part in np.array_split(order, _BINS) if part.size]


def play(network: Network, games: int, judged: int, playouts: int, seed: int) -> list[Phase]:
    """Plays a network against itself; returns its predictions and the results, by phase.

    Args:
        network: the network.
        games: number of games.
        judged: number of these games whose positions are played out.
        playouts: number of playouts of each of these positions.
        seed: seed of all randomness.
    """
    kind = WAR_OF_THE_RING
    generator = np.random.default_rng(seed)
    states = new_games(kind, games, kind.limited(kind.ruleset(), LONGEST), generator)
    said = np.full((games, LONGEST + 1), np.nan)
    kept = np.zeros((judged, LONGEST + 1), dtype=kind.state)

    def listen(numbers: np.ndarray, now: np.ndarray, legal: np.ndarray) -> None:
        turns = np.minimum(now["turn"], LONGEST)
        first = np.isnan(said[numbers, turns]) & (now["decision"] == Decision.ACTION_DIE)
        rows = np.flatnonzero(first)
        if rows.size:
            said[numbers[rows], turns[rows]] = network.values(copy_states(now, rows), legal[rows])
            rows = rows[numbers[rows] < judged]
            kept[numbers[rows], turns[rows]] = copy_states(now, rows)

    won = score_of_team(kind, Winner.FREE_PEOPLES, play_to_end(kind, network.bot, states, listen))
    phases = []
    for first, last in PHASES:
        turns = generator.permuted(np.tile(np.arange(first, last + 1), (games, 1)), axis=1)
        heard = np.take_along_axis(said, turns, axis=1)
        lasted = np.flatnonzero(~np.isnan(heard).all(axis=1))
        place = np.argmax(~np.isnan(heard[lasted]), axis=1)
        some = lasted < judged
        if np.count_nonzero(some) < 2:
            continue
        begun = kept[lasted[some], turns[lasted[some], place[some]]]
        worlds = sampled_worlds(kind, begun, playouts, seed).reshape(-1)
        winners = play_to_end(kind, network.bot, worlds)
        played_out = score_of_team(kind, Winner.FREE_PEOPLES, winners).reshape(-1, playouts)
        phases.append(Phase((first, last), heard[lasted, place], won[lasted], played_out))
    return phases


def draw(phases: list[Phase], path: Path) -> None:
    """Plots observed against predicted winning chances, with one curve for each phase."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # pyright: ignore[reportMissingImports]
    from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]

    page = Figure(figsize=(6, 5.6), layout="constrained")
    FigureCanvasAgg(page)
    axes = page.subplots()
    axes.plot((0, 1), (0, 1), color="grey", linewidth=1)
    for phase in phases:
        points = [each for each in phase.bins() if each[2] >= _FEW]
        if not points:
            continue
        ends = [wilson(round(won * count), count) for _, won, count in points]
        heights = [won for _, won, _ in points]
        low = [max(0.0, won - end[0]) for won, end in zip(heights, ends, strict=True)]
        high = [max(0.0, end[1] - won) for won, end in zip(heights, ends, strict=True)]
        where = [said for said, _, _ in points]
        axes.errorbar(where, heights, (low, high), marker="o", capsize=2, label=f"turn {phase.title}")
    axes.set_xlabel("predicted winning chance of the Free Peoples")
    axes.set_ylabel("observed share of wins, 95% intervals")
    axes.grid(alpha=0.3)
    if axes.containers:
        axes.legend()
    page.savefig(path, dpi=110)


def page(net: str, phases: list[Phase], games: int, seed: int, picture: str, command: str = COMMAND) -> str:
    """The page in Markdown, for at least one phase."""
    rows = [
        [
            phase.title,
            f"{phase.said.size:,}",
            f"{phase.said.mean():.1%}",
            f"{phase.won.mean():.1%}",
            f"{phase.brier:.3f}",
            f"{phase.without:.3f}",
            f"{1 - phase.brier / phase.without:.0%}" if phase.without else "",
            "{:.0%} ± {:.0%}".format(*phase.possible),
            f"{phase.calibration_error:.1%}",
            f"{phase.by_chance:.1%}",
        ]
        for phase in phases
    ]
    head = [
        "turns",
        "games",
        "predicted",
        "won",
        "Brier",
        "base rate",
        "explained",
        "possible",
        "calibration error",
        "by chance",
    ]
    return _PAGE.format(
        command=command,
        games=games,
        net=net,
        seed=seed,
        won=phases[0].won.mean(),
        table=markdown_table(head, rows),
        picture=picture,
        judged=len(phases[0].played_out),
        playouts=phases[0].played_out.shape[1],
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, games=GAMES, seed=SEED)
    parser.add_argument("--net", default=NET, help="network: a file, a folder of wotr train, or zoo/NAME")
    parser.add_argument(
        "--judged", type=int, default=JUDGED, help="number of games whose positions are played out"
    )
    parser.add_argument("--playouts", type=int, default=PLAYOUTS, help="playouts of each position")
    options = parser.parse_args(arguments)
    picture = options.out.with_suffix(".png")

    def make() -> str:
        if not 2 <= options.judged <= options.games or options.playouts < 2 or options.seed < 0:
            raise CommandError("--judged is from 2 to --games, --playouts at least 2, --seed at least 0")
        check_can_plot(picture)
        network = Network(options.net)
        phases = play(network, options.games, options.judged, options.playouts, options.seed)
        draw(phases, picture)
        command = command_text(COMMAND, arguments)
        return page(options.net, phases, options.games, options.seed, picture.name, command)

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
