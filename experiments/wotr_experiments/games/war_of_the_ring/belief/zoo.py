"""Puts a belief into the zoo: ``python -m wotr_experiments.games.war_of_the_ring.belief.zoo BELIEF NAME``.

BELIEF is a file or the folder of a run. Writes ``agents/wotr_agents/zoo/beliefs/NAME.safetensors`` and its
card ``NAME.md``, from the description in the file. ``python -m
wotr_experiments.games.war_of_the_ring.reports.belief`` measures beliefs again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from wotr_agents.belief.model import ZOO, belief_bytes, find_belief, load_belief
from wotr_agents.networks.weight_files import SUFFIX
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.play.bots import BotError
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text
from wotr_experiments.training.run_folder import write_durably

_CARD = """# zoo/{name}

A belief predicts the cards that the other side holds. The bots `mcts`, `search` and `playouts` can use
it, as in `mcts:sims=400,belief=zoo/{name}`.

| | |
|---|---|
| learned from | {games:,} games each of {bots} against itself, {rules} |
| positions | one of {every} decisions of each game, {positions:,} in all |
| made by | `python -m wotr_experiments.games.war_of_the_ring.belief OUT {options}` |
| network | layers of {width} and {hidden} units; {epochs} passes of training with dropout {dropout} |
| file | {size:.1f} MB, half precision |
| rules version | {version} |

A tenth of the games was not used for training, but to choose the best pass. In these games, the log-loss
of a position (both decks together, in nats) is:

| model | log-loss |
|---|---|
| all possible hands equally likely | {even:.3f} |
| fixed odds for each card | {by_card:.3f} |
| this belief | {nats:.3f} |

docs/belief.md has figures of new games, with intervals.
"""


def card(name: str, facts: Mapping[str, Any], size: int) -> str:
    """The card of a belief, in Markdown.

    Args:
        name: the name in the zoo.
        facts: the description in its file.
        size: the size of the file in bytes.
    """
    bots, ruleset, fit = facts["bots"], facts["ruleset"], facts["fit"]
    options = [f"--bot {bot}" for bot in bots]
    options += [f"--games {facts['games']}", f"--every {facts['every']}", f"--seed {facts['seed']}"]
    options += [f"--ruleset {ruleset}"] if ruleset else []
    return _CARD.format(
        name=name,
        games=facts["games"],
        bots=" and ".join(f"`{bot}`" for bot in bots),
        rules=WAR_OF_THE_RING.find_ruleset(ruleset).title,
        every=facts["every"],
        positions=facts["positions"],
        options=" ".join(options),
        width=fit["width"],
        hidden=fit["hidden"],
        epochs=fit["epochs"],
        dropout=fit["dropout"],
        size=size / 1e6,
        version=WAR_OF_THE_RING.rules_version,
        nats=facts["nats"],
        even=facts["nats_even"],
        by_card=facts["nats_by_card"],
    )


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    if len(arguments) != 2:
        print(
            "usage: python -m wotr_experiments.games.war_of_the_ring.belief.zoo BELIEF NAME", file=sys.stderr
        )
        return 2
    given, name = arguments
    try:
        if not name.isidentifier():
            raise CommandError(f"a name in the zoo is made of letters, digits and _, not {name!r}")
        belief = load_belief(find_belief(given))
        data = belief_bytes(belief)
        try:
            text = card(name, belief.facts, len(data))
        except (KeyError, TypeError, ValueError):
            raise CommandError(f"{given} does not say how it was learned") from None
        ZOO.mkdir(exist_ok=True)
        write_durably(ZOO / (name + SUFFIX), data)
        write_text(ZOO / f"{name}.md", text)
    except (BotError, CommandError, OSError) as error:
        print(f"wotr: {error}", file=sys.stderr)
        return 2
    print(ZOO / (name + SUFFIX))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
