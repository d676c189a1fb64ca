"""The command ``wotr export``: games as tables for analysis."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import tqdm
import typer

from wotr_experiments.arena.schedule import canonical_bot_spec
from wotr_experiments.cli import completion
from wotr_experiments.cli.arena import LuckOptions, SeededGameOptions
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses, Json, print_json
from wotr_experiments.cli.sources import file_named
from wotr_experiments.data.columns import TABLES
from wotr_experiments.data.export import LICENCE, Export, export
from wotr_experiments.data.sources import SelfPlay, Split, games_of, origin_of
from wotr_experiments.data.tables import ValueBot
from wotr_experiments.data.write import Format
from wotr_experiments.errors import CommandError
from wotr_experiments.isolation.bots import (
    Bots,
    Isolation,
    check_made,
    meaning_of_values,
)
from wotr_experiments.luck.measure import LuckMethod


@dataclasses.dataclass(frozen=True)
class Contents:
    """Options for the exported data."""

    form: Annotated[Format, typer.Option("--format", help="Format of the tables.")] = Format.PARQUET
    tables: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"Tables to write, separated by commas: some of {','.join(TABLES)}. By default all.",
        ),
    ] = ""
    observations: Annotated[
        bool,
        typer.Option("--observations", help="Add the observation of the deciding seat to each decision."),
    ] = False
    masks: Annotated[
        bool, typer.Option("--masks", help="Add the ids of the legal actions to each decision.")
    ] = False
    values: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            autocompletion=completion.bots,
            help="Add this bot's values of the legal actions to each decision.",
        ),
    ] = None
    split: Annotated[
        str,
        typer.Option(
            metavar="SHARES",
            help="Shares of the parts: 0.8,0.1,0.1 for train, validation and test, or 0.9,0.1 for train "
            "and test. Games with the same seed stay in the same part.",
        ),
    ] = "1"
    minari: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT",
            autocompletion=completion.seats,
            help="Also write a Minari data set from the view of this seat, such as shadow.",
        ),
    ] = None
    licence: Annotated[str, typer.Option(help="Licence of the data, for the data card.")] = LICENCE

    def export(self, luck: LuckMethod | None) -> Export:
        """The checked settings.

        Raises:
            CommandError: ``--values`` is given without the table of decisions.
        """
        names = tuple(filter(None, (name.strip() for name in self.tables.split(","))))
        if self.values is not None and names and "decisions" not in names:
            raise CommandError("--values adds a column to the table decisions; add decisions to --tables")
        split = Split.read(self.split)
        return Export(names, self.form, self.observations, self.masks, split, self.licence, self.minari, luck)


@dataclasses.dataclass(frozen=True)
class LuckColumns(LuckOptions):
    """Options for the luck of exported games."""

    luck: Annotated[
        str | None,
        typer.Option(
            metavar="NETWORK",
            help="Add the luck of each game by side and source, and the luck of each decision, measured "
            "with the values of this network (such as zoo/wide).",
        ),
    ] = None


@dataclasses.dataclass(frozen=True)
class SelfPlayOptions(SeededGameOptions):
    """Options for new games to export."""

    self_play: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            autocompletion=completion.bots,
            help="Play new games with this bot and export them.",
        ),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            autocompletion=completion.bots,
            help=(
                "Opponent in the new games. Both bots play each side of each seed. By default the bot "
                "plays itself."
            ),
        ),
    ] = None
    games: Annotated[int, typer.Option(help="Number of new games.")] = 100

    def play(self, isolation: Isolation, judged: bool) -> SelfPlay | None:
        """The settings of new games; None if none are requested.

        Args:
            isolation: the settings for bots in separate processes.
            judged: whether ``game`` and ``seed`` are also those of the bot of ``--values``.

        Raises:
            CommandError: options of new games are given without ``--self-play``.
        """
        if self.self_play is not None:
            return SelfPlay(
                self.self_play, self.against, self.games, self.seed, self.rules(), self.game, isolation
            )
        judge = {"game": self.game, "seed": self.seed} if judged else {}
        if self != SelfPlayOptions(**judge):
            raise CommandError(
                "--against, --games, --game, --ruleset, --max-turns and --seed need --self-play; records "
                "have their own rules, and all their games are exported"
            )
        return None


@grouped
def export_command(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SOURCE...]",
            help="Folders of tournaments or exports, or files of records (JSON Lines, text, or "
            "games.sqlite).",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder to create. Required.")] = None,
    *,
    contents: Contents,
    measured: LuckColumns,
    here: SelfPlayOptions,
    as_json: Json = False,
    processes: BotProcesses,
) -> None:
    """Write games as tables of games, turns and decisions, with a data card."""
    if out is None:
        raise CommandError("give the folder to create: --out FOLDER")
    asked, isolation = contents.export(measured.method()), processes.isolation()
    paths = [file_named(path) for path in sources or ()]
    found = [games_of(path) for path in paths]
    origins = [origin_of(path) for path in paths]
    played = here.play(isolation, contents.values is not None)
    if played is not None:
        found.append(played.play())
        origins.append({"name": "self-play", "self_play": played.to_dict(), "played": []})
    if not found:
        raise CommandError("give the folder of a tournament, a file of records, or --self-play BOT")
    total = here.games if not sources else None
    with (
        _judge(contents.values, here.seed, here.game, isolation) as judge,
        tqdm.tqdm(total=total, unit="game", disable=not sys.stderr.isatty()) as bar,
    ):
        card = export(found, out, asked, origins, judge, lambda games, _decisions: bar.update(games))
    if off := _off_their_shares(asked.split, {name: part["rows"] for name, part in card["parts"].items()}):
        print(
            f"wotr: {off}: --split assigns games by a hash of their seeds, so the shares hold only for many "
            "seeds",
            file=sys.stderr,
        )
    if as_json:
        print_json(card)
        return
    parts = ", ".join(f"{name} {part['rows'].get('games', 0):,}" for name, part in card["parts"].items())
    print(
        f"{out}: {card['games']:,} games ({parts}) with {card['decisions']:,} decisions; see README.md there"
    )


@contextlib.contextmanager
def _judge(spec: str | None, seed: int, game: str, isolation: Isolation) -> Iterator[ValueBot | None]:
    """The bot of ``--values``."""
    if spec is None:
        yield None
        return
    with Bots(isolation) as bots:
        spec = canonical_bot_spec(spec, game)
        (bot,) = bots.seat([spec], [seed], game)
        check_made(spec, bot)
        meaning = meaning_of_values(bot, spec) or "scores that rank the actions, on an unknown scale"
        yield ValueBot(spec, bot, game, meaning)


_TOLERANCE = 0.1
"""Difference between the requested and the real share of a part above which it is reported."""


def _off_their_shares(split: Split, rows: Mapping[str, Mapping[str, int]]) -> str:
    """The parts of a split that have no game, or whose share differs from the requested one, in words; empty
    if there are none."""
    games = {name: part.get("games", max(part.values(), default=0)) for name, part in rows.items()}
    found = []
    for name, share in zip(split.names, split.shares, strict=True):
        part = games[name] / max(1, sum(games.values()))
        if not games[name]:
            found.append(f"{name} got no game")
        elif abs(part - share) > _TOLERANCE:
            found.append(f"{name} got {part:.0%}, not {share:.0%}")
    return ", ".join(found)
