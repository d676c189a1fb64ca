"""Results of a network against itself when one side is pushed towards a plan.

``python -m wotr_experiments.games.war_of_the_ring.reports.pushes [NET] [PUSH...] [--games N] [--seed S]
[--ruleset R] [--out FILE]`` writes a table in Markdown. A push is ``SIDE/ACTION=LOGITS[@DECISION]``, such as
``free-peoples/plan:move-fellowship=2`` or ``shadow/count:1=2@hunt-allocation``: the number is added to the
network's logit of this action wherever it is legal (or only in this kind of decision), and then the most
likely action is played. Several pushes can be joined by ``+``. Pushing shows whether another plan is as good
as the network's own plan; this holds only for this network on both sides.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_env.core.spelling import known_names, match_name
from wotr_env.games.war_of_the_ring.actions import code_name
from wotr_env.games.war_of_the_ring.codes import Decision, Reason, Winner
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotView
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.play import by_team, play_batch
from wotr_experiments.arena.schedule import find_ruleset
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.pages import command_text, report_parser, write_page
from wotr_experiments.training.strength import percent

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.pushes"
NET = "zoo/wide"
GAMES = 1000
SEED = 20_261_125
PUSHES = (
    "free-peoples/plan:move-fellowship=1",
    "free-peoples/plan:move-fellowship=4",
    "free-peoples/plan:move-fellowship=2+free-peoples/plan:hide-fellowship=2",
    "free-peoples/plan:recruit=1",
    "free-peoples/plan:recruit=4",
    "free-peoples/plan:play-card=2",
    "free-peoples/plan:separate-companions=4",
    "shadow/count:1=2@hunt-allocation",
    "shadow/count:1=8@hunt-allocation",
    "shadow/plan:attack=-2",
    "shadow/plan:recruit=2",
)
_BATCH = 250
_ENDS = (Reason.RING_DESTROYED, Reason.FREE_PEOPLES_MILITARY, Reason.SHADOW_MILITARY, Reason.CORRUPTION)

_PAGE = """# Pushing a side towards other plans

`net:{net}` plays against itself. Each row has {games:,} games with the same seeds (seed {seed}),
{ruleset}, at most {longest} turns. The command is `{command}`. In each row, a number is added to the
logits of some actions of one side: wherever the action is legal, or only in the decision named after
`@`. Then the most likely action is played. Brackets contain 95% Wilson intervals.

{table}
"""


@dataclasses.dataclass(frozen=True)
class Push:
    """A number that is added to a logit of one team."""

    team: int
    action: int
    logits: float
    decision: Decision | None
    """The decision in which the number is added; None: all decisions in which the action is legal."""


def read_pushes(written: str) -> tuple[Push, ...]:
    """Parses pushes (numbers that are added to logits of a side), joined by ``+``.

    An example is ``shadow/plan:attack=-2+shadow/plan:recruit=2``. An empty text gives an empty tuple.

    Raises:
        CommandError: the text names an unknown side, action or decision, or is malformed.
    """
    return tuple(_read_push(part) for part in written.split("+") if part)


def _read_push(written: str) -> Push:
    side, slash, rest = written.partition("/")
    rest, _, decision = rest.partition("@")
    action, equals, logits = rest.rpartition("=")
    kind = WAR_OF_THE_RING
    if not slash or not equals:
        raise CommandError(f"a push has the form SIDE/ACTION=LOGITS[@DECISION], not {written!r}")
    names = [(team.name, team.title) for team in kind.teams]
    team = match_name(side, names)
    if team is None:
        raise CommandError(f"there is no side {side!r}; known: {known_names(name for name, _ in names)}")
    if action not in kind.actions.names:
        raise CommandError(f"there is no action {action!r} (see docs/actions.md)")
    decisions = [code_name(decision) for decision in Decision]
    if decision and decision not in decisions:
        raise CommandError(f"there is no decision {decision!r}; known: {', '.join(decisions)}")
    try:
        number = float(logits)
    except ValueError:
        number = float("nan")
    if not np.isfinite(number):
        raise CommandError(f"LOGITS must be a number, not {logits!r}")
    asked = Decision(decisions.index(decision)) if decision else None
    return Push(team, kind.actions.names.index(action), number, asked)


class PushedNet:
    """Plays a network's most likely action after pushes.

    Args:
        net: the network, as in ``NetParameters.path``.
        pushes: pushes of any team; the bot uses only the pushes of ``team``.
        team: the team of the bot.
    """

    def __init__(self, net: str, pushes: Sequence[Push], team: int) -> None:
        self._net = NetBot(NetParameters(net), 0)
        self._pushes = [push for push in pushes if push.team == team]

    def act(self, view: BotView) -> np.ndarray:
        """An action for each game: ``int64[B]``."""
        logits = self._net.log_probabilities(view)
        for push in self._pushes:
            rows: slice | np.ndarray = slice(None)
            if push.decision is not None:
                rows = view.observations[:, WAR_OF_THE_RING.layout.decision[push.decision]] > 0
            logits[rows, push.action] += push.logits
        return logits.argmax(axis=1).astype(np.int64)


def play(net: str, pushes: Sequence[Push], games: int, seed: int, ruleset: str) -> np.ndarray:
    """Plays a network against itself; returns the ends of the games: ``kind.end_record[games]``.

    Args:
        net: the file of the network, or ``zoo/NAME``.
        pushes: the pushes.
        games: number of games.
        seed: seed of all randomness.
        ruleset: the spec of the ruleset.

    Raises:
        BotError: the network cannot be read.
        CommandError: there is no such ruleset.
    """
    kind = WAR_OF_THE_RING
    limited = kind.limited(find_ruleset(kind, ruleset), LONGEST)
    seeds = np.random.default_rng(seed).integers(2**62, size=games).astype(np.uint64)
    bots = [PushedNet(net, pushes, team) for team in range(len(kind.teams))]
    ends = []
    for first in range(0, games, _BATCH):
        some = seeds[first : first + _BATCH]
        seated = by_team(limited, np.zeros(len(some), dtype=np.bool_))
        ends.append(play_batch(kind, bots, seated, some, limited).end_records)
    return np.concatenate(ends)


def row(name: str, ends: np.ndarray) -> str:
    """A row of the table."""
    shares = [percent((ends["winner"] == Winner.FREE_PEOPLES).mean(), len(ends))]
    shares += [f"{(ends['reason'] == reason).mean():.1%}" for reason in _ENDS]
    return f"| {name} | {' | '.join(shares)} | {ends['turn'].mean():.1f} |"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, Path("pushes.md"), games=GAMES, seed=SEED)
    parser.add_argument("net", nargs="?", default=NET, metavar="NET")
    parser.add_argument("pushes", nargs="*", metavar="PUSH")
    parser.add_argument("--ruleset", default="first")
    options = parser.parse_args(arguments)
    if options.games < 1 or options.seed < 0:
        parser.error("--games must be at least 1, --seed at least 0")

    def make() -> str:
        written = ["", *(options.pushes or PUSHES)]
        read = [read_pushes(each) for each in written]
        rules = find_ruleset(WAR_OF_THE_RING, options.ruleset)
        titles = (reason.name.lower().replace("_", " ") for reason in _ENDS)
        rows = [
            f"| pushed | Free Peoples win | {' | '.join(titles)} | turns |",
            "|---|---|---|---|---|---|---|",
        ]
        for name, pushes in zip(written, read, strict=True):
            ends = play(options.net, pushes, options.games, options.seed, options.ruleset)
            rows.append(row(f"`{name}`" if name else "nothing", ends))
            print(rows[-1], file=sys.stderr, flush=True)
        return _PAGE.format(
            net=options.net,
            games=options.games,
            seed=options.seed,
            ruleset=rules.title,
            longest=LONGEST,
            command=command_text(COMMAND, arguments),
            table="\n".join(rows),
        )

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
