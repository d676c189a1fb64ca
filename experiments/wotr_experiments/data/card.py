"""The card of a data set: contents, origin, and the meanings of its columns."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from typing import Any

from wotr_env import GameRecord
from wotr_env.core.kind import GameKind
from wotr_experiments.data.columns import Column, markdown
from wotr_experiments.data.write import LEVEL, Format
from wotr_experiments.provenance import provenance

CARD = "card.json"
PAGE = "README.md"
FORMAT = 1
"""The format of the files of an export."""

_PAGE = """# Games of {title}

{games:,} games with {decisions:,} decisions, exported by

    {command}

| part | games | decisions | seeds |
|---|---|---|---|
{parts}

Played by: {rulesets}.

Games are split by a hash of the seed (or of the start position), so games with the same seed are in the same
part. The exporter chose the licence of the data: {licence}.

## Provenance

{origins}

## Versions

{versions}

## Columns

Each part has one file per table. The column `game` is the number of the game, the same in all tables.{notes}

{columns}
"""
_OBSERVATIONS = """

Observations are stored as differences between consecutive rows: `observation_values` at the indices
`observation_places`. `wotr_experiments.data.read.observations(FOLDER)` restores complete observations. An
observation has {size:,} int8 numbers and contains only information of the deciding seat;
docs/observation.md of the package describes its parts."""
_MINARI = """

The folder `minari` has the games from the view of {seat}, as episodes of `{environment}` with
`info["action_mask"]`. Set the environment variable MINARI_DATASETS_PATH to this folder; then
`minari.load_dataset` loads {datasets}."""
_VALUES = """

`bot_values` are the values of {bot}: {meaning}."""

_LUCK = """

`luck` and the columns whose names start with `luck_` are the luck of a team, from -1 to 1, measured with the
values of {value} ({identity}): the value after a random outcome minus the mean value of {again} other
outcomes (seed {seed}). docs/luck.md of the package explains the method."""


class Counts:
    """Counts of written rows, by part."""

    def __init__(self, parts: Sequence[str]) -> None:
        self._rows: dict[str, dict[str, int]] = {part: {} for part in parts}
        self._decisions = dict.fromkeys(parts, 0)
        self._seeds: dict[str, set[int]] = {part: set() for part in parts}
        self._players: set[str] = set()
        self._rulesets: set[str] = set()

    def add(self, part: str, table: str, rows: int) -> None:
        """Adds rows of a table."""
        self._rows[part][table] = self._rows[part].get(table, 0) + rows

    def add_games(self, part: str, records: Sequence[GameRecord]) -> None:
        """Adds games."""
        self._decisions[part] += sum(len(record.actions) for record in records)
        self._seeds[part].update(record.seed for record in records if not record.position)
        self._rulesets.update(record.ruleset.title for record in records)
        self._players.update(player for record in records for player in record.players if player)

    def to_dict(self) -> dict[str, Any]:
        """The counts in the form for the card."""
        return {
            "games": sum(rows.get("games", 0) for rows in self._rows.values()),
            "decisions": sum(self._decisions.values()),
            "players": sorted(self._players),
            "rulesets": sorted(self._rulesets),
            "parts": {
                part: {
                    "rows": rows,
                    "decisions": self._decisions[part],
                    "seeds": len(self._seeds[part]),
                    **_range(self._seeds[part]),
                }
                for part, rows in self._rows.items()
            },
        }


def _range(seeds: set[int]) -> dict[str, int]:
    return {"lowest_seed": min(seeds), "highest_seed": max(seeds)} if seeds else {}


def card_of(
    kind: GameKind,
    form: Format,
    licence: str,
    tables: Mapping[str, tuple[Column, ...]],
    counts: Counts,
    origins: Sequence[dict[str, Any]],
    values: dict[str, str] | None,
) -> dict[str, Any]:
    """The card, for JSON.

    Args:
        kind: the game.
        form: the format of the files.
        licence: the licence of the data.
        tables: the columns of each table.
        counts: the counts of written rows.
        origins: descriptions of the sources of the games.
        values: the bot whose values are exported, and their meaning.
    """
    versions = provenance()
    if form == Format.PARQUET:
        versions["pyarrow"] = importlib.metadata.version("pyarrow")
    return {
        "kind": kind.name,
        "title": kind.title,
        "rules": kind.rules_version,
        "files": form.value,
        **({"compression": f"zstd {LEVEL}"} if form == Format.PARQUET else {}),
        "licence": licence,
        **counts.to_dict(),
        "observation_size": kind.layout.size,
        "actions": kind.actions.size,
        "values": values,
        "origins": list(origins),
        "exported": versions,
        "columns": {
            name: [
                {"name": each.name, "type": each.type, "unit": each.unit, "meaning": each.meaning}
                for each in columns
            ]
            for name, columns in tables.items()
        },
    }


def card_page(card: Mapping[str, Any]) -> str:
    """The card in Markdown."""
    versions = {**card["exported"], "version of the rules": card["rules"]}
    command = versions.pop("command")
    columns = {
        name: tuple(Column(each["name"], each["type"], each["meaning"], each["unit"]) for each in rows)
        for name, rows in card["columns"].items()
    }
    notes = ""
    if any(each["name"] == "observation_places" for each in card["columns"].get("decisions", ())):
        notes += _OBSERVATIONS.format(size=card["observation_size"])
    if card["values"]:
        notes += _VALUES.format(**card["values"])
    if card["luck"]:
        notes += _LUCK.format(**card["luck"])
    if "minari" in card:
        loaded = [
            f"`{each['id']}` ({each['episodes']:,} episodes)" for each in card["minari"]["datasets"].values()
        ]
        notes += _MINARI.format(**{**card["minari"], "datasets": ", ".join(loaded) or "nothing"})
    return _PAGE.format(
        title=card["title"],
        games=card["games"],
        decisions=card["decisions"],
        command=command,
        licence=card["licence"],
        rulesets="; ".join(card["rulesets"]),
        parts="\n".join(
            f"| {name} | {part['rows'].get('games', 0):,} | {part['decisions']:,} | {_seeds(part)} |"
            for name, part in card["parts"].items()
        ),
        origins="\n".join(f"- {_origin(each)}" for each in card["origins"]) or "- unknown",
        versions="\n".join(f"- {name}: {value}" for name, value in versions.items() if value is not None),
        notes=notes,
        columns="\n\n".join(f"### {name}\n\n{markdown(each)}" for name, each in columns.items()),
    )


def _seeds(part: Mapping[str, Any]) -> str:
    if "lowest_seed" not in part:
        return "0"
    return f"{part['seeds']:,} from {part['lowest_seed']} to {part['highest_seed']}"


def _origin(origin: Mapping[str, Any]) -> str:
    if "self_play" in origin:
        return f"self-play: `{json.dumps(origin['self_play'])}`"
    if "exported" in origin:
        before = "; ".join(map(_origin, origin["origins"])) or "unknown"
        return f"the export {origin['name']}, by `{origin['exported'].get('command')}`, of {before}"
    sessions = [
        f"`{each.get('command')}` with "
        + ", ".join(str(each[name]) for name in ("package", "commit") if each.get(name))
        for each in origin["played"]
    ]
    return f"{origin['name']}" + (f", played by {'; '.join(sessions)}" if sessions else "")
