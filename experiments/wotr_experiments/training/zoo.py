"""Puts a trained network into the zoo: ``python -m wotr_experiments.training.zoo NETWORK NAME [NOTE]``.

Writes ``agents/wotr_agents/zoo/NAME.safetensors``, in half precision, and its card ``NAME.md``. The card
describes the training and the strength of the network. The strength is measured with the written file, in
games that were not used in training.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import ZOO, find_network, read_network
from wotr_agents.networks.weight_files import SUFFIX
from wotr_agents.registry import bot_kinds, make_bot
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError
from wotr_experiments.arena.evaluation import LONGEST, count_results
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.training.run_folder import METRICS, seconds_until, write_durably

GAMES = 1000
"""Number of games against each opponent in each team."""
OPPONENTS = ("random", "queller", "scripted")
"""Specs of the opponents; a network plays against those that play its game."""
SEED = 20_261_121
_BATCH = 250

Results = dict[str, list[tuple[int, int, int]]]
"""Wins, draws and losses by opponent, for each team of the network."""


def strength(name: str, games: int, ruleset: str = "") -> Results:
    """Plays a network in each team against the bots of ``OPPONENTS`` that play its game.

    Args:
        name: the name of the network, as in a bot's spec.
        games: number of games against each opponent in each team, with the same seeds.
        ruleset: spec of the ruleset; by default the game's first ruleset.

    Raises:
        BotError: the network cannot be read.
    """
    kind = read_network(name).kind
    seeds = np.random.default_rng(SEED).integers(2**62, size=games).astype(np.uint64)
    rules = kind.find_ruleset(ruleset)
    found: Results = {}
    for opponent in (each for each in OPPONENTS if bot_kinds()[each].plays(kind.name)):
        rows = []
        for team in range(len(kind.teams_of(rules))):
            counts = np.zeros(3, dtype=int)
            for first in range(0, games, _BATCH):
                some = seeds[first : first + _BATCH]
                net = NetBot(NetParameters(name), first)
                other = make_bot(opponent, SEED + first, kind.name)
                counts += count_results(net, other, team, some, kind, rules)
            rows.append(tuple(counts.tolist()))
        found[opponent] = rows
    return found


def card(name: str, kind: GameKind, facts: Mapping[str, Any], results: Results, size: int) -> str:
    """The card of a network, in Markdown.

    Args:
        name: the name in the zoo.
        kind: the game of the network.
        facts: the description in its file.
        results: the results of ``strength``.
        size: the size of the file in bytes.
    """
    config = dict(facts["config"])
    network, ppo = config.pop("network"), config.pop("ppo")
    minutes = f" in {facts['seconds'] / 60:.0f} minutes" if "seconds" in facts else ""
    rules = kind.find_ruleset(config.get("ruleset", ""))
    teams = kind.teams_of(rules)
    lines = [
        f"# zoo/{name}",
        "",
        f"A network for every seat of {kind.title}, {rules.title}. Its spec is `net:zoo/{name}`.",
        "",
        "| | |",
        "|---|---|",
        f"| network | {_words(network)} |",
        f"| file | {size / 1e6:.1f} MB, half precision |",
        f"| trained | {facts['decisions']:,} decisions{minutes} |",
        f"| note | {facts['note']} |",
        f"| rules version | {kind.rules_version} |",
        f"| training | {_words(config)} |",
        f"| learning | {_words(ppo)} |",
        "",
        "## Strength",
        "",
        "The network always played its likeliest action. The seeds of these games were not used in training, "
        f"and a game was a draw after {LONGEST} turns. The table shows the percentage of games won, with 95% "
        "Wilson intervals; draws count as not won.",
        "",
        f"| against | {' | '.join(f'as {team.title}' for team in teams)} | all |",
        f"|{'---|' * (len(teams) + 2)}",
    ]
    for opponent, rows in results.items():
        total = [sum(column) for column in zip(*rows, strict=True)]
        lines.append(f"| `{opponent}` | {' | '.join(_share(row) for row in (*rows, total))} |")
    return "\n".join(lines) + "\n"


def _words(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in values.items() if value not in ("", [])
    )


def _share(row: Sequence[int]) -> str:
    games = sum(row)
    low, high = wilson(row[0], games)
    drawn = f", {row[1]} drawn" if row[1] else ""
    return f"{row[0] / games:.1%} ({low:.1%} to {high:.1%} of {games}{drawn})"


def add_to_zoo(network: str, name: str, note: str, games: int = GAMES) -> Path:
    """Writes a network's file and card into the zoo.

    Args:
        network: a file, or the folder of a run.
        name: the name in the zoo.
        note: further information about the training, such as the hardware.
        games: number of games of the measurement, see ``strength``.

    Returns:
        The path of the card.

    Raises:
        BotError: the network cannot be read.
        CommandError: the metrics of the run are damaged.
        ValueError: the game does not have the ruleset of the network.
        OSError: a file cannot be written.
    """
    file = find_network(network)
    found = load_network(file)
    facts = {**found.facts, "note": note}
    if "seconds" not in facts and (file.parent / METRICS).exists():
        facts["seconds"] = round(seconds_until(file.parent, facts["updates"]), 1)
    if facts["config"]["start"]:
        facts["config"]["start"] = Path(facts["config"]["start"]).name
    data = network_bytes(found.network.state_dict(), found.config, facts, torch.float16, found.kind)
    with tempfile.TemporaryDirectory() as folder:  # nothing is in the zoo without its card
        measured = Path(folder) / (name + SUFFIX)
        measured.write_bytes(data)
        results = strength(str(measured), games, facts["config"].get("ruleset", ""))
    text = card(name, found.kind, facts, results, len(data))
    ZOO.mkdir(exist_ok=True)
    write_durably(ZOO / (name + SUFFIX), data)
    path = ZOO / (name + ".md")
    write_text(path, text)
    return path


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    if len(arguments) not in (2, 3):
        print("usage: python -m wotr_experiments.training.zoo NETWORK NAME [NOTE]", file=sys.stderr)
        return 2
    note = arguments[2] if len(arguments) == 3 else f"{platform.machine()} CPU"
    try:
        print(add_to_zoo(arguments[0], arguments[1], note))
    except (BotError, CommandError, ValueError, OSError) as error:
        print(f"zoo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
