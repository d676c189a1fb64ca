"""Statistics of games: each bot against itself, for each edition of the rules.

``python -m wotr_experiments.games.war_of_the_ring.reports.outcomes [--games N] [--seed S] [--out FILE]
[BOT[@RULESET]...]`` writes ``docs/outcomes.md``. A bot without ``@RULESET`` plays every edition.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import tqdm

from wotr_agents import canonical_spec, make_bot
from wotr_env.games.war_of_the_ring.codes import Phase, Reason, Side, Winner
from wotr_env.games.war_of_the_ring.components import (
    REGION_NAMES,
    REGION_SIDE,
    SETTLEMENT_REGIONS,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.arena.play import PlayedBatch, by_team, play_batch
from wotr_experiments.arena.schedule import find_ruleset
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.pages import command_text, report_parser, write_page
from wotr_experiments.training.strength import percent

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.reports.outcomes"
PAGE = Path(__file__).parents[5] / "docs" / "outcomes.md"
BOTS = ("scripted", "queller", "net:zoo/laptop@first", "net:zoo/second@second")
GAMES = 1000
SEED = 20_261_122
EARLY_TURNS = 5
"""Number of first turns for which the Hunt Box is shown."""
FALLS = 8
"""Number of listed Cities and Strongholds: those that fall most often."""
WORTHY = np.flatnonzero(VICTORY_POINTS[SETTLEMENT_REGIONS])
"""The Settlements with victory points, as indices in ``control``."""
_BATCH = 250

_PAGE = """# Statistics of games

Each bot played {games:,} games against itself with seed {seed}. After {longest} turns, a game was a draw.
This page is written by `{command}`. The shares of wins have 95% Wilson intervals in brackets.

{table}

- *Hunt Box*: the mean number of Shadow dice in the Hunt Box, counted after the dice of a turn are rolled,
  in turns 1 to {early}.
- *no die in any of them*: the share of games in which the Hunt Box had no Shadow die in all of these turns.
- *Corruption there*: the mean Corruption of the Fellowship when it enters Mordor.

The next table shows the Cities and Strongholds that fall most often. Each cell shows the share of games
in which the place falls, and the mean turn in which it falls:

{falls}
"""


@dataclasses.dataclass(frozen=True)
class Games:
    """Statistics of N games."""

    bot: str
    ruleset: str
    """The ruleset in words."""
    ends: np.ndarray
    """``kind.end_record[N]``"""
    hunt: np.ndarray
    """``float64[N, EARLY_TURNS]``: Shadow dice in the Hunt Box after each roll; NaN if the game was over."""
    corruption_at_gate: np.ndarray
    """``float64[N]``: Corruption when the Fellowship enters Mordor; NaN if it never does."""
    falls: np.ndarray
    """``float64[N, WORTHY.size]``: the turn in which a Settlement first falls to its enemy; NaN if never."""


def play(bot: str, ruleset: str, games: int, seed: int) -> Games:
    """Plays a bot against itself.

    Args:
        bot: the spec of the bot.
        ruleset: the spec of the ruleset.
        games: number of games.
        seed: seed of all randomness.

    Raises:
        BotError: there is no such bot.
        CommandError: there is no such ruleset, or a bot forfeits a game.
    """
    rules = find_ruleset(WAR_OF_THE_RING, ruleset)
    limited = WAR_OF_THE_RING.limited(rules, LONGEST)
    seeds = np.random.default_rng(seed).integers(2**62, size=games).astype(np.uint64)
    told = []
    bar = tqdm.tqdm(total=games, desc=f"{bot}, {rules.title}", unit="game", disable=None)
    with bar:
        for first in range(0, games, _BATCH):
            some = seeds[first : first + _BATCH]
            bots = make_bot(bot, 2 * first), make_bot(bot, 2 * first + 1)
            seated = by_team(limited, np.zeros(len(some), dtype=np.bool_))
            batch = play_batch(WAR_OF_THE_RING, bots, seated, some, limited, on_end=bar.update)
            if batch.forfeits:
                raise CommandError(f"bot {bot} forfeits: {next(iter(batch.forfeits.values())).message}")
            told.append((batch.end_records, *_watch(batch)))
    ends, hunt, corruption, falls = (np.concatenate(parts) for parts in zip(*told, strict=True))
    return Games(canonical_spec(bot), rules.title, ends, hunt, corruption, falls)


def _watch(batch: PlayedBatch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Replays the games of a batch, for the last three fields of ``Games``."""
    kind, number = batch.kind, len(batch.seeds)
    states, masks = kind.new_states(batch.seeds, batch.ruleset)
    owners = REGION_SIDE[SETTLEMENT_REGIONS[WORTHY]]
    hunt = np.full((number, EARLY_TURNS), np.nan)
    corruption = np.full(number, np.nan)
    falls = np.full((number, len(owners)), np.nan)
    for actions in batch.history:
        kind.kernels.step(states, masks, actions.astype(np.int64))
        turn = states["turn"]
        rolled = np.flatnonzero((states["phase"] == Phase.ACTION) & (turn <= EARLY_TURNS))
        unseen = rolled[np.isnan(hunt[rolled, turn[rolled] - 1])]
        hunt[unseen, turn[unseen] - 1] = states["hunt_box"][unseen, Side.SHADOW]
        entering = (states["mordor_step"] > 0) & np.isnan(corruption)
        corruption[entering] = states["corruption"][entering]
        fallen = (states["control"][:, WORTHY] != owners) & np.isnan(falls)
        falls[fallen] = np.broadcast_to(turn[:, None], falls.shape)[fallen]
    return hunt, corruption, falls


def page(played: list[Games], games: int, seed: int, command: str = COMMAND) -> str:
    """The page, in Markdown."""
    table = {"": [f"`{each.bot}`<br>{each.ruleset}" for each in played]}
    for team in (Winner.FREE_PEOPLES, Winner.SHADOW):
        title = WAR_OF_THE_RING.teams[team].title
        table[f"{title} win"] = [_share(each.ends["winner"] == team) for each in played]
    for reason in Reason:
        if reason != Reason.NONE:
            words = reason.name.lower().replace("_", " ")
            table[words] = [f"{(each.ends['reason'] == reason).mean():.1%}" for each in played]
    table["turns: median (mean)"] = [
        f"{np.median(each.ends['turn']):.0f} ({each.ends['turn'].mean():.1f})" for each in played
    ]
    table["Corruption at the end"] = [f"{each.ends['corruption'].mean():.1f}" for each in played]
    table["enter Mordor: games, mean turn"] = [_entered(each) for each in played]
    table["Corruption there"] = [_mean(each.corruption_at_gate) for each in played]
    table["Hunt Box, turns 1 to 5"] = [", ".join(_mean(column) for column in each.hunt.T) for each in played]
    table["no die in any of them"] = [f"{(np.nansum(each.hunt, axis=1) == 0).mean():.1%}" for each in played]
    for side in Side:
        table[f"points of the {WAR_OF_THE_RING.teams[side].title}"] = [
            f"{each.ends[f'{WAR_OF_THE_RING.teams[side].name}_points'].mean():.1f}" for each in played
        ]
    falls = {
        "": table[""],
        **{str(place + 1): [_fall(each, place) for each in played] for place in range(FALLS)},
    }
    return _PAGE.format(
        games=games,
        seed=seed,
        longest=LONGEST,
        command=command,
        early=EARLY_TURNS,
        table=_markdown(table),
        falls=_markdown(falls),
    )


def _markdown(table: dict[str, list[str]]) -> str:
    rows = [f"| {' | '.join((title, *cells))} |" for title, cells in table.items()]
    return "\n".join([rows[0], "|---" * len(rows[0].split(" | ")) + "|", *rows[1:]])


def _share(flags: np.ndarray) -> str:
    return percent(flags.mean(), len(flags))


def _mean(numbers: np.ndarray) -> str:
    return "-" if np.isnan(numbers).all() else f"{np.nanmean(numbers):.1f}"


def _entered(games: Games) -> str:
    turns = games.ends["mordor_turn"]
    return f"{(turns > 0).mean():.0%}, {turns[turns > 0].mean():.1f}" if turns.any() else "0%"


def _fall(games: Games, place: int) -> str:
    """The Settlement that falls most often, after the first ``place`` ones."""
    shares = (~np.isnan(games.falls)).mean(axis=0)
    settlement = int(np.argsort(-shares, kind="stable")[place])
    name = REGION_NAMES[SETTLEMENT_REGIONS[WORTHY[settlement]]]
    return f"{name} {shares[settlement]:.0%}, {_mean(games.falls[:, settlement])}"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = report_parser(COMMAND, __doc__, PAGE, games=GAMES, seed=SEED)
    parser.add_argument("bots", nargs="*", default=BOTS, metavar="BOT[@RULESET]")
    options = parser.parse_args(arguments)
    if options.games < 1 or options.seed < 0:
        parser.error("--games must be at least 1, --seed at least 0")

    def make() -> str:
        played = []
        for spec in options.bots:
            bot, _, ruleset = spec.partition("@")
            for name in [ruleset] if ruleset else WAR_OF_THE_RING.rulesets:
                played.append(play(bot, name, options.games, options.seed))
        return page(played, options.games, options.seed, command_text(COMMAND, arguments))

    return write_page(options.out, make)


if __name__ == "__main__":
    sys.exit(main())
