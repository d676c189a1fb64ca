"""The action space: one flat ``Discrete(NUM_ACTIONS)`` of named blocks; an action names a game object.

       0        32      56     63       168     264        277     285      309    322
       | VERB   | PLAN  | FACE | REGION | CARD  | CHARACTER | NATION | FIGURE | COUNT |

``FIGURE`` is nation * 3 + kind (Regular, Elite, Leader; the leader figure of Sauron is the Nazgul). In
casualty decisions, ``FIGURE`` removes this figure, and ``NATION`` replaces an Elite of this nation by a
Regular. Ids after the last member of ``VERB`` and ``PLAN`` are reserved (``unused:20``).
"""

from __future__ import annotations

import itertools

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.codes import Character, Face, Figure, Nation, Plan, Verb
from wotr_env.games.war_of_the_ring.components import CARD_IDS, NUM_CARDS, NUM_REGIONS, REGION_IDS


class Block(Codes):
    """The first action of each block."""

    VERB = 0
    PLAN = 32
    FACE = 56
    REGION = 63
    CARD = 168
    CHARACTER = 264
    NATION = 277
    FIGURE = 285
    COUNT = 309


NUM_ACTIONS = 322
MAX_COUNT = 12
FIGURES_PER_NATION = len(Figure)

assert Block.CARD == Block.REGION + NUM_REGIONS and Block.CHARACTER == Block.CARD + NUM_CARDS
assert NUM_ACTIONS == Block.COUNT + MAX_COUNT + 1


def code_name(member: Codes) -> str:
    """The name of a code in programs and files: ``action-die``."""
    return member.name.lower().replace("_", "-")


def _names() -> tuple[str, ...]:
    names = [f"unused:{action}" for action in range(NUM_ACTIONS)]
    for block, codes in (
        (Block.VERB, Verb),
        (Block.PLAN, Plan),
        (Block.FACE, Face),
        (Block.CHARACTER, Character),
        (Block.NATION, Nation),
    ):
        for member in codes:
            names[block + member] = f"{code_name(block)}:{code_name(member)}"
    for region, name in enumerate(REGION_IDS):
        names[Block.REGION + region] = f"region:{name}"
    for card, name in enumerate(CARD_IDS):
        names[Block.CARD + card] = f"card:{name}"
    for action, (nation, figure) in enumerate(itertools.product(Nation, Figure), Block.FIGURE):
        kind = "nazgul" if (nation, figure) == (Nation.SAURON, Figure.LEADER) else code_name(figure)
        names[action] = f"figure:{code_name(nation)}-{kind}"
    for count in range(MAX_COUNT + 1):
        names[Block.COUNT + count] = f"count:{count}"
    return tuple(names)


ACTION_NAMES: tuple[str, ...] = _names()
"""The stable name of each action, such as ``region:minas-tirith``; a reserved id has a name such as
``unused:20``."""

ACTION_IDS: dict[str, int] = {name: action for action, name in enumerate(ACTION_NAMES)}
"""The id of each action, by its name."""
