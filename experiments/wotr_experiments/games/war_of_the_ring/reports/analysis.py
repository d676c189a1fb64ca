"""Compares a bot's winning chances in ``wotr analyse`` with the results of playouts.

``python -m wotr_experiments.games.war_of_the_ring.reports.analysis [--bot SPEC] [--positions N] [--seed S]
[--out FILE]`` writes ``docs/analysis.md``.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from pathlib import Path

import numpy as np

from wotr_agents import make_bot
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.analysis.evaluations import Evaluator
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.playouts import play_to_end, sample_positions, sampled_worlds, score_of_team
from wotr_experiments.arena.statistics import Z_95
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.pages import command_text, markdown_table, report_parser, write_page

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.analysis"
PAGE = Path(__file__).parents[5] / "docs" / "analysis.md"
BOT = "mcts:sims=400"
PLAYER = "scripted"
POSITIONS = 500
PLAYOUTS = 50
SEED = 20_261_123
_BINS = 10
_BAR = 40
"""Length of a bar that shows a chance of 1, in characters."""

_PAGE = """# Analysis

This page shows how to let bots evaluate a position or a game. They report winning chances, best lines
and costly choices.

```bash
wotr analyse games.jsonl --record 3 --bot expectation     # a few seconds: all action dice of a game
wotr analyse games.jsonl --record 3                       # with mcts (minutes): the curve, the worst choices
wotr analyse games.jsonl --record 3 --html page.html      # the replay with the curve under its slider
wotr analyse games.jsonl --at 120 --bot mcts --bot scripted    # a position: chances and best lines
wotr analyse "$TEXT" --bot search:zoo/longer --json     # a position as text (wotr position)
```

All bots use the same scale: the chance that the deciding side wins. The values of `mcts`, `search`,
`playouts` and `expectation` are already chances. For any other bot, the command uses playouts, for each
of the bot's five best choices (`--choices`). A *playout* starts from a *world*, a state that the
deciding seat considers possible, and the bot plays all seats to the end of the game. There are 64
playouts for each choice (`--playouts`). The output names the method that was used.

A *best line* is the sequence of actions that the bot would play with one action die, in a world that
the deciding seat considers possible. So chances and lines reveal no information hidden from that seat.

## Costly choices

The *loss* of a choice is the chance of the best choice minus the chance of the choice that was played.
The same bot evaluates both choices in the same position, so later luck has no influence. The chances of
a bot that samples worlds have an error of several percentage points, so the largest of many losses is
mostly noise. Therefore the command checks the largest losses again:

1. The command takes the choices with the largest losses of at least 3% (at most twice as many as
   `--slips`) and asks the bot about them 5 more times, with other seeds.
2. The best choice is still the best choice of the first answer. The loss is computed from the 5 new
   answers. The command reports a *slip* (a costly choice) if the mean loss is at least 3% and its 95%
   interval (Student's t) is above 0.

The output lists at most `--slips` costly choices, by side. The sentence above the list adds up the losses
of these choices, for example: *By mcts, two choices of the Free Peoples cost 14 points of winning chance,
and one of the Shadow 5.* In JSON, it is the field `sentence` of the bot.

In the output of `--json`, `lost` in `thoughts` is the loss in the first answer. `lost` and `interval_95`
of `slips` come from the later answers. `--seed` makes the result repeatable. With `--every`, the
command examines all choices, not only choices of action dice.

## Time

The command first prints the number of positions and playouts. A progress bar moves at each position.
`expectation` takes seconds for a game. A network needs playouts, which take much longer.
`--playouts 8 --choices 2` takes a twentieth of the default time.

Changes of a chance reveal hidden cards. So show a page with the curve only to readers who may see both hands.

## Do the chances agree with play?

This section is written by `{command}`. Its positions come from
{positions} games of `{player}` against itself (seed {seed}): one position from each game, in which an action
die is chosen.

- *Predicted* is the winning chance of the deciding side, as `{bot}` estimates it for its best choice.
- *Won* is the share of {playouts} playouts that this side wins. In the playouts, `{player}` plays all
  seats from worlds that the deciding seat considers possible.

The positions are sorted by *predicted* and divided into bins of equal size:

{table}

```
{curve}
```

The mean distance between *predicted* and *won* is {calibration_error:.1%} for the bins and {apart:.1%} for
single positions. Even a bot that knows the true chances would have {by_chance:.1%} for single positions,
because {playouts} playouts have a random error. The correlation is {correlation:.2f}.
"""


@dataclasses.dataclass(frozen=True)
class Judged:
    """A bot's values of P positions, and the results of playouts from these positions."""

    said: np.ndarray
    """``float64[P]``: the bot's winning chances for the deciding side."""
    won: np.ndarray
    """``float64[P]``: the share of the playouts that the deciding side won."""
    playouts: int

    def bins(self) -> list[tuple[float, float, float, int]]:
        """Bins with equal numbers of positions: mean predicted and mean observed winning chance, the 95%
        error of the latter, and the number of positions."""
        parts = [part for part in np.array_split(np.argsort(self.said, kind="stable"), _BINS) if part.size]
        return [
            (float(self.said[part].mean()), float(self.won[part].mean()), self._error(part), part.size)
            for part in parts
        ]

    def _error(self, part: np.ndarray) -> float:
        return float(Z_95 * self.won[part].std(ddof=1) / math.sqrt(part.size)) if part.size > 1 else 1.0

    @property
    def calibration_error(self) -> float:
        """The mean distance between predicted and observed winning chances of the bins."""
        return sum(count * abs(said - won) for said, won, _, count in self.bins()) / self.said.size

    @property
    def by_chance(self) -> float:
        """The mean distance that random errors of the playouts alone would cause, from the normal
        distribution."""
        spread = np.sqrt(self.won * (1 - self.won) / self.playouts)
        return float(spread.mean() * math.sqrt(2 / math.pi))


def judge(spec: str, positions: int, playouts: int, seed: int) -> Judged:
    """Evaluates positions with a bot, and by playouts.

    Args:
        spec: the spec of the bot.
        positions: number of positions, one from each game of ``PLAYER`` against itself.
        playouts: number of playouts of each position.
        seed: seed of all randomness.

    Raises:
        BotError: there is no such bot, or the bot failed.
    """
    kind = WAR_OF_THE_RING
    rules = kind.limited(kind.ruleset(), LONGEST)
    player = make_bot(PLAYER, seed)
    found = sample_positions(
        kind, player, positions, rules, seed, lambda states: states["decision"] == Decision.ACTION_DIE
    )
    evaluator = Evaluator(spec, make_bot(spec, seed), kind, rules, playouts, seed=seed)
    said = np.array([evaluation.chance for evaluation in evaluator.think(found.states, [None] * len(found))])
    worlds = sampled_worlds(kind, found.states, playouts, seed).reshape(-1)
    winners = play_to_end(kind, player, worlds).reshape(-1, playouts)
    teams = np.array([seat.team for seat in rules.seats])[found.states["seat"]]
    won = score_of_team(kind, teams[:, None], winners).mean(axis=1)
    return Judged(said, won, playouts)


def page(spec: str, judged: Judged, seed: int, command: str = COMMAND) -> str:
    """The page in Markdown."""
    bins = judged.bins()
    rows = [[f"{count}", f"{said:.1%}", f"{won:.1%} ± {error:.1%}"] for said, won, error, count in bins]
    curve = []
    for said, won, _, _ in bins:
        line = [" "] * (_BAR + 1)
        line[round(said * _BAR)] = "o"
        line[round(won * _BAR)] = "x" if line[round(won * _BAR)] == " " else "*"
        curve.append(f"{said:4.0%} |{''.join(line)}|")
    curve.append("      0%" + "50%".center(_BAR - 4) + "100%   o predicted, x won, * both")
    apart = float(np.abs(judged.said - judged.won).mean())
    return _PAGE.format(
        command=command,
        positions=judged.said.size,
        player=PLAYER,
        seed=seed,
        bot=spec,
        playouts=judged.playouts,
        table=markdown_table(["positions", "predicted", "won"], rows),
        curve="\n".join(curve),
        calibration_error=judged.calibration_error,
        apart=apart,
        by_chance=judged.by_chance,
        correlation=float(np.corrcoef(judged.said, judged.won)[0, 1]),
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, positions=POSITIONS, seed=SEED)
    parser.add_argument("--bot", default=BOT)
    parser.add_argument("--playouts", type=int, default=PLAYOUTS, help="playouts of each position")
    options = parser.parse_args(arguments)

    def make() -> str:
        if options.positions < _BINS or options.playouts < 1 or options.seed < 0:
            raise CommandError(f"--positions is at least {_BINS}, --playouts at least 1, --seed at least 0")
        judged = judge(options.bot, options.positions, options.playouts, options.seed)
        return page(options.bot, judged, options.seed, command_text(COMMAND, arguments))

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
