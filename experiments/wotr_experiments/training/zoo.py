"""Puts a trained network into the zoo: ``python -m wotr_experiments.training.zoo NETWORK NAME [NOTE]``.

Writes ``agents/wotr_agents/zoo/NAME.safetensors``, in half precision, and its card ``NAME.md``: how it was
trained, on what, and how strong the file is that was written, measured on games that training never saw.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wotr_agents.networks.bot import NetBot, NetParameters
from wotr_agents.networks.checkpoint import load_network, network_bytes
from wotr_agents.networks.files import ZOO, find_network
from wotr_agents.networks.layout import SUFFIX
from wotr_agents.registry import make_bot
from wotr_env.games.war_of_the_ring.game import RULES_VERSION, WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.arena.evaluation import LONGEST, count_results
from wotr_experiments.arena.statistics import wilson
from wotr_experiments.files import write_text
from wotr_experiments.training.run_folder import METRICS, seconds_until, write_durably

GAMES = 1000
"""Against each opponent on each side."""
OPPONENTS = ("random", "queller", "scripted")
SEED = 20_261_121
_BATCH = 250
_SIDES = ("Free Peoples", "Shadow")


def strength(
    name: str, games: int, opponents: tuple[str, ...] = OPPONENTS, ruleset: str = ""
) -> dict[str, list[list[int]]]:
    """Plays a network against bots.

    Args:
        name: of the network, as in a bot's spec.
        games: against each on each side, with the same seeds.
        opponents: specs.
        ruleset: a spec.

    Returns:
        By opponent, for each side of the network: wins, draws and losses.
    """
    seeds = np.random.default_rng(SEED).integers(2**62, size=games).astype(np.uint64)
    rules = WAR_OF_THE_RING.find_ruleset(ruleset)
    found: dict[str, list[list[int]]] = {}
    for opponent in opponents:
        rows = []
        for side in range(2):
            counts = np.zeros(3, dtype=int)
            for first in range(0, games, _BATCH):
                some = seeds[first : first + _BATCH]
                net, other = NetBot(NetParameters(name), first), make_bot(opponent, SEED + first)
                counts += count_results(net, other, side, some, ruleset=rules)
            rows.append(counts.tolist())
        found[opponent] = rows
    return found


def card(name: str, facts: Mapping[str, Any], results: Mapping[str, list[list[int]]], size: int) -> str:
    """The card of a network, in Markdown.

    Args:
        name: in the zoo.
        facts: from its file.
        results: of ``strength``.
        size: of the file, in bytes.
    """
    config = dict(facts["config"])
    network, ppo = config.pop("network"), config.pop("ppo")
    minutes = f" in {facts['seconds'] / 60:.0f} minutes" if "seconds" in facts else ""
    rules = WAR_OF_THE_RING.find_ruleset(config.get("ruleset", ""))
    lines = [
        f"# zoo/{name}",
        "",
        f"A network for both sides of the {rules.title}. Its spec is `net:zoo/{name}`.",
        "",
        "| | |",
        "|---|---|",
        f"| network | {_words(network)} |",
        f"| file | {size / 1e6:.1f} MB, half precision |",
        f"| trained | {facts['decisions']:,} decisions{minutes} |",
        f"| note | {facts['note']} |",
        f"| rules version | {RULES_VERSION} |",
        f"| training | {_words(config)} |",
        f"| learning | {_words(ppo)} |",
        "",
        "## Strength",
        "",
        "The network always played its likeliest action. The seeds of these games were not used in training, "
        f"and a game was a draw after {LONGEST} turns. The table shows the percentage of games won, with 95% "
        "Wilson intervals; draws count as not won.",
        "",
        "| against | as Free Peoples | as Shadow | both |",
        "|---|---|---|---|",
    ]
    for opponent, rows in results.items():
        both = [sum(column) for column in zip(*rows, strict=True)]
        lines.append(f"| `{opponent}` | {' | '.join(_share(row) for row in (*rows, both))} |")
    return "\n".join(lines) + "\n"


def _words(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key.replace('_', ' ')} {value}" for key, value in values.items() if value not in ("", [])
    )


def _share(row: list[int]) -> str:
    games = sum(row)
    low, high = wilson(row[0], games)
    drawn = f", {row[1]} drawn" if row[1] else ""
    return f"{row[0] / games:.1%} ({low:.1%} to {high:.1%} of {games}{drawn})"


def add_to_zoo(network: str, name: str, note: str, games: int = GAMES) -> Path:
    """Writes a network's file and card into the zoo.

    Args:
        network: a file, or the folder of a run.
        name: in the zoo.
        note: what else should be known of its training, such as the hardware.
        games: of the measurement, see ``strength``.

    Returns:
        The path of the card.

    Raises:
        BotError: the network cannot be read.
        OSError: a file cannot be written.
    """
    file = find_network(network)
    found = load_network(file)
    facts = {**found.facts, "note": note}
    if "seconds" not in facts and (file.parent / METRICS).exists():
        facts["seconds"] = round(seconds_until(file.parent, facts["updates"]), 1)
    if facts["config"]["start"]:
        facts["config"]["start"] = Path(facts["config"]["start"]).name
    data = network_bytes(found.network.state_dict(), found.config, facts, torch.float16)
    ZOO.mkdir(exist_ok=True)
    write_durably(ZOO / (name + SUFFIX), data)
    path = ZOO / (name + ".md")
    results = strength(f"zoo/{name}", games, ruleset=facts["config"].get("ruleset", ""))
    write_text(path, card(name, facts, results, len(data)))
    return path


def main(arguments: list[str]) -> int:
    """The command; returns the exit code."""
    if len(arguments) not in (2, 3):
        print("usage: python -m wotr_experiments.training.zoo NETWORK NAME [NOTE]", file=sys.stderr)
        return 2
    note = arguments[2] if len(arguments) == 3 else f"{platform.machine()} CPU"
    try:
        print(add_to_zoo(arguments[0], arguments[1], note))
    except (BotError, OSError) as error:
        print(f"zoo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
