"""Writes what is generated in the documentation: ``python -m tests.tools.documentation``."""

from __future__ import annotations

import inspect
import re
import string
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.tools import architecture
from tests.tools.pictures import draw_map
from wotr_agents import BotKind
from wotr_agents.networks.files import ZOO, read_network
from wotr_agents.networks.weight_files import zoo_names
from wotr_agents.parameters import parameters_of
from wotr_agents.registry import built_in_kinds
from wotr_env.compiler.codes import Codes
from wotr_env.core.declared import StateField
from wotr_env.core.kind import GameKind
from wotr_env.envs import gymnasium_env, kind_gymnasium, kind_pettingzoo, pettingzoo_env
from wotr_env.games.duel.game import DUEL_FOR_MIDDLE_EARTH
from wotr_env.games.duel.state import FIELDS as DUEL_FIELDS
from wotr_env.games.two_towers.game import THE_TWO_TOWERS
from wotr_env.games.two_towers.state import FIELDS as TOWERS_FIELDS
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, NUM_ACTIONS, Block
from wotr_env.games.war_of_the_ring.engine.observation_layout import (
    CARD_WIDTH,
    CARDS_AT,
    GLOBALS_AT,
    OBSERVATION_SIZE,
    REGION_WIDTH,
)
from wotr_env.games.war_of_the_ring.observation import layout_table
from wotr_env.games.war_of_the_ring.rules.battle.combat_windows import EFFECTS
from wotr_env.games.war_of_the_ring.rules.choice import Choice, Kernel
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.ruleset import explained
from wotr_env.games.war_of_the_ring.state import FIELDS, STATE
from wotr_env.play.games import DEFAULT_GAME, OWN_GAMES, game_kind
from wotr_experiments.cli.bots import ZOO_HEADS, default_of, games_of, values_of, zoo_rows
from wotr_experiments.data.columns import page as data_tables

DOCS = Path(__file__).parents[2] / "docs"
ACTIONS, SEEN, OF_STATE = "## Actions", "## What a seat sees", "## State"
"""Headings of the tables of a game's page."""
_NAMED = 24
"""Names of a block that are all listed."""
_WIDTH = 110
"""Width of generated paragraphs."""

_OBSERVATION = f"""# Observations

An observation contains everything that a seat (the place of one player) may know of a position of War of
the Ring. It is one vector of {OBSERVATION_SIZE:,} int8
(`wotr_env/games/war_of_the_ring/engine/observation_layout.py`):

| indices | contents |
|---|---|
| 0 to {CARDS_AT - 1:,} | 105 regions of {REGION_WIDTH} numbers each |
| {CARDS_AT:,} to {GLOBALS_AT - 1:,} | 96 cards of {CARD_WIDTH} numbers each |
| {GLOBALS_AT:,} to {OBSERVATION_SIZE - 1:,} | all other parts, one after the other |

`wotr_env.games.war_of_the_ring.observation` can show this vector in two other forms: `as_dict` (the parts by
name) and `entities` (regions, cards, the rest).

- `name_of(index)` returns the meaning of a number, such as `phase[1]: Fellowship`.
- `place("phase", 1)` returns the index of this number. `place("regular", "edoras", "rohan")` accepts the
  names of regions, cards, nations, characters and tiles.

Order and visibility:

- The Free Peoples are always the first side, for every observing seat.
- Regions, nations, characters, cards and tiles are in the order of
  `wotr_env.games.war_of_the_ring.components`. One-hot parts are in the order of the enums of
  `wotr_env.games.war_of_the_ring.codes`.
- Parts seen by the *owner* show only the seat's own cards. Parts seen by the *decider* are zero unless the
  seat is the deciding seat.

In the table, r is the number of a region, and c is the number of a card.

{{table}}
"""

_ACTIONS = f"""# Actions

An action is the answer to one question. It names a part of the game, such as a die, a region, a figure or a
card. The action space of War of the Ring is `Discrete({NUM_ACTIONS})`. Its numbers are divided into the
blocks of the table below (`wotr_env/games/war_of_the_ring/actions.py`). The effect of an action depends on
the question ([decisions](decisions.md)).

A large choice, such as a move, is a sequence of actions: the die, then its use, then a region, then the
figures, and so on. The mask shows which actions are legal. The names of actions are stable, so programs may
store them. `game.action(name)` returns the id of a name, and `game.name_of(action)` the name of an id.

{{table}}
"""

_STATE = """# State

A state of War of the Ring (`game.state`) is a NumPy record of {size:,} bytes with the fields of this table,
in this order. `Face`, `Phase` and the other codes are in `wotr_env/games/war_of_the_ring/codes.py`. The
[rules](rules.md) and the module `wotr_env/games/war_of_the_ring/state.py` explain the terms. A field without
a range is checked together with other fields.

Arrays by nation, region, Settlement, character, card or tile are in the order of `components.py`. In an array
by side, the Free Peoples come first.

{fields}
"""

_DECISIONS = """# Decisions

A decision is a question to a player (`Decision`). The tables on this page list all decisions, with

- the decision of the [rules](rules.md) (chapter 20) or the rule that asks the question
- the player who is asked
- the question; `wotr_env.games.war_of_the_ring.words.decisions` fills in the words in braces
- two functions: the first marks the legal answers, the second carries out an answer

In messages of the [protocol](protocol.md) and the web table, the names have hyphens: `action-die`.

The compiled rules are made from the same sources: `wotr_env/games/war_of_the_ring/rules/decisions.py`,
`OPERATIONS` in `wotr_env/games/war_of_the_ring/rules/events`, and `EFFECTS` in
`wotr_env/games/war_of_the_ring/rules/battle`.

{decisions}

## Choices inside events

The operations of event cards also ask these questions.

{events}

## Choices of Combat cards

{combat}
"""


_OPTIONS = """# Options

A ruleset is an edition of War of the Ring, possibly with changed options. In Python it is
`Ruleset.first_edition()` or `Ruleset.second_edition(mordor_idle="move")`; on the command line,
`--ruleset first` or `--ruleset second:mordor_idle=move`. `wotr rules --options` prints this page's table.

For each option, the table has the question that it decides, the rule of [our rules](rules.md), the line (l.)
of the French rulebook of 2004, and the meaning of its values. (1) and (2) mark the values of the first and
the second edition. The value of the first edition is the default.

{table}

The editions differ in these options:

{differences}
"""


_ENVIRONMENTS = """# Environments

| name | library | agents | observation | actions |
|---|---|---|---|---|
| [`war_of_the_ring/wotr-v0`](#pettingzoo) | PettingZoo, agents in turn | 2, 3 or 4 | `int8` ({size},) and `action_mask` | {actions} |
| [`WarOfTheRing-v0`](#gymnasium) | Gymnasium, one seat against bots | 1 | `int8` ({size},), mask in `info` | {actions} |
| the same, `gymnasium.make_vec` | Gymnasium, many games | 1 each | `int8` (N, {size}) | {actions} |
| [`VectorGame`](api.md#the-game) | none: arrays written in place | all | `int8` (N, {size}), masks `bool` (N, {actions}) | {actions} |
| [`lotr_duel-v0`, `LotrDuel-v0`](duel.md#environments) | both, and `make_vec` | 2 | `int8` (964,) | 314 |
| [`two_towers-v0`, `TwoTowers-v0`](two-towers.md#environments) | both, and `make_vec` | 2 to 5 | `int8` (436,) | 68 |
| [`wotr_duel` and the other games](openspiel.md) | OpenSpiel | all | float32, as above | as above |

The pages [observations](observation.md), [actions](actions.md) and [decisions](decisions.md) explain the numbers.
[Benchmarks](benchmarks.md) shows the speed of each environment.

## PettingZoo

{pettingzoo}

## Gymnasium

{gymnasium}

`check_env` of `gymnasium.utils.env_checker` and of Stable-Baselines3 choose any action of the action space, legal or not. Use them with
`gymnasium.make("WarOfTheRing-v0", illegal="loss")`. With the default `illegal="error"`, an illegal action raises `wotr_env.IllegalAction` and changes nothing.

For libraries that need floats, such as the default models of RLlib, wrap the environment:

```python
import gymnasium
import numpy as np

import wotr_env

env = gymnasium.make("WarOfTheRing-v0", seat="shadow", opponent="random", illegal="loss")
env = gymnasium.wrappers.DtypeObservation(env, np.float32)
observation, info = env.reset(seed=1)
print(observation.dtype, info["action_mask"].sum())
```

The wrapper does not change `info["action_mask"]`. The numbers of an observation are between -128 and 127, so scale them, or normalise
the inputs of the first layer.

{gymnasium_class}

## Any game

{any_game}

In Python, `game` is the name of any board game, such as `duel`, or its `GameKind`.

{any_gymnasium}
"""  # noqa: E501


_BOTS = """# Bots

A *spec* names a bot: the name of the bot, then a colon and its parameters. A parameter that you leave out has
its default:

```bash
wotr play --as shadow --against scripted
wotr tournament mcts:sims=800,depth=60 net:zoo/wide,temperature=0.5 random --games 20
```

You may leave out the name of the first parameter: `net:zoo/wide` is the bot `net:path=zoo/wide`. Put a value
that contains commas in double quotes. In Python, `wotr_agents.make_bot(spec, seed=1)` makes a bot.

This page lists the bots of the package with their parameters. `wotr bots` prints the same tables, and also
shows the bots of other packages that you have installed. [Strength of the bots](strength.md) shows how often
they win. You can also [add a bot of your own](bots-and-games.md).

{overview}

The last column has the names of board games for `--game`. [Bots that come with a
game](bots-and-games.md#bots-that-come-with-a-game) says which bots play a board game of another package.

## Simple bots

These bots answer immediately.

{random}

{scripted}

{queller}

## Networks

A trained network answers immediately. It runs without torch, unless it is an [entity
network](training.md#how-a-network-learns). You can [train your own](first-training.md).

{net}

### Networks of the package

The package contains these networks. `search` and `playouts` use them, too, as in `search:zoo/wide`. The cards
in [agents/wotr_agents/zoo](../agents/wotr_agents/zoo) describe their training and their strength.
`zoo/first` always stands for the strongest network of the first edition, and `zoo/second` for that of the
second.

{networks}

## Search without a network

These bots try actions in *worlds*: states that the deciding seat cannot distinguish from the true state. They
are much slower than simple bots and networks.

`time` alone does not make a bot use this time: a search also stops after `sims` simulations, and `playouts`
after `playouts` playouts. So give both, as in `mcts:time=1,sims=1000000`.

{expectation}

{mcts}

## Search with a network

[Search by playouts](playouts.md) describes `playouts`, and [the value of looking ahead](choices.md) compares
it with `search`. [Best responses](exploit.md) describes the parameter `versus`, and [belief](belief.md) the
parameter `belief`.

{search}

{playouts}

## Programs and language models

A program in any language is a bot if it reads and writes lines of JSON ([protocol](protocol.md)). Language
models play in text tournaments ([language models](language-models.md)).

{stdio}
"""


_DATA = """# Columns of exported games

This page lists all columns that `wotr export` can write for War of the Ring ([games as data](data.md)). For
other board games, the table of games has other statistics, and there is no table of turns. The type `name` is
a text that many rows share (a dictionary in Parquet, a category in pandas).

{tables}
"""


def observation_page() -> str:
    """The page about observations, with the layout's table."""
    return _OBSERVATION.format(table=layout_table())


def actions_page() -> str:
    """The page about actions: every id with its name."""
    lines = ["| block | ids | names |", "|---|---|---|"]
    firsts = [*(int(block) for block in Block), NUM_ACTIONS]
    for block, last in zip(Block, firsts[1:], strict=True):
        names = [name for name in ACTION_NAMES[block:last] if not name.startswith("unused:")]
        words = ", ".join(f"`{name}`" for name in names)
        lines.append(f"| {block.name} | {int(block)} to {last - 1} | {words} |")
    return _ACTIONS.format(table="\n".join(lines))


def decisions_page() -> str:
    """The page about decisions: every row of their tables."""
    return _DECISIONS.format(
        decisions=_choices([(_word(decision), choice) for decision, choice in DECISIONS.items()]),
        events=_choices(
            [
                (" ".join(map(_word, (op, decision, *step))), choice)
                for op, operation in OPERATIONS.items()
                for decision, step, choice in operation.questions()
            ]
        ),
        combat=_choices([(_word(op), effect.choice) for op, effect in EFFECTS.items() if effect.choice]),
    )


def state_page() -> str:
    """The page about the state of War of the Ring: every field."""
    return _STATE.format(size=STATE.itemsize, fields=state_table(FIELDS))


def options_page() -> str:
    """The page about the options of a ruleset, and the table of the editions' differences."""
    table = ["| option | decides | values |", "|---|---|---|"]
    differences = ["| option | first edition | second edition |", "|---|---|---|"]
    for option in explained():
        values = "<br>".join(
            f"`{value}`{_editions(option.editions(value))}: {meaning}"
            for value, meaning in option.meanings.items()
        )
        table.append(f"| `{option.name}` | {option.about} | {values} |")
        if option.first != option.second:
            first, second = option.meanings[option.first], option.meanings[option.second]
            differences.append(f"| `{option.name}` | {first} | {second} |")
    return _OPTIONS.format(table="\n".join(table), differences="\n".join(differences))


def bots_page() -> str:
    """The page about the bots of the package: what each does, and its parameters."""
    kinds = built_in_kinds()
    overview = ["| spec | what the bot does | board games |", "|---|---|---|"]
    for kind in kinds.values():
        games = games_of(kind).removeprefix("plays ") or DEFAULT_GAME
        overview.append(f"| [`{_short_spec(kind)}`](#{kind.name}) | {kind.summary} | {games} |")
    networks = [f"| {' | '.join(ZOO_HEADS)} |", "|---|---|---|---|"]
    for name, *cells in zoo_rows([read_network(path) for path in zoo_names(ZOO)]):
        networks.append(f"| `{name}` | {' | '.join(cells)} |")
    sections = {name: _bot_section(kind) for name, kind in kinds.items()}
    places = {place for _, place, _, _ in string.Formatter().parse(_BOTS) if place}
    assert sections.keys() == places - {"overview", "networks"}, "each bot needs a place on the page"
    return _BOTS.format(overview="\n".join(overview), networks="\n".join(networks), **sections)


def _short_spec(kind: BotKind) -> str:
    """The shortest spec of a bot, such as ``net:PATH``."""
    required = [each.name.upper() for each in parameters_of(kind.parameters) if each.required]
    return ":".join([kind.name, *required])


def _bot_section(kind: BotKind) -> str:
    """What a bot does, and the table of its parameters."""
    about = f"{kind.summary[0].upper()}{kind.summary[1:]}."
    if not kind.starts_program:
        about += f" In hints, the value of a choice is the {kind.values}."
    lines = [f"### {kind.name}", "", textwrap.fill(about, _WIDTH, break_on_hyphens=False), ""]
    parameters = parameters_of(kind.parameters)
    if not parameters:
        return "\n".join([*lines, "The bot has no parameters."])
    lines += ["| parameter | value | default | meaning |", "|---|---|---|---|"]
    for each in parameters:
        default = default_of(each) if each.required else f"`{default_of(each)}`"
        lines.append(f"| `{each.name}` | {values_of(each)} | {default} | {each.help} |")
    everywhere = set.intersection(
        *(
            {each.name for each in parameters_of(kind.in_game(game).parameters)}
            for game in OWN_GAMES
            if kind.plays(game)
        )
    )
    if only := [f"`{each.name}`" for each in parameters if each.name not in everywhere]:
        lines += ["", f"Only in {game_kind(DEFAULT_GAME).title}: {', '.join(only)}."]
    return "\n".join(lines)


def data_page() -> str:
    """The page about the columns of exported games."""
    return _DATA.format(tables=data_tables())


def observation_table(kind: GameKind) -> str:
    """The parts of a game's observation, as a table."""
    lines = ["| part of the observation | numbers | meaning |", "|---|---|---|"]
    for field in kind.layout.fields:
        lines.append(f"| `{field.name}` | {' x '.join(map(str, field.shape))} | {field.meaning} |")
    return "\n".join(lines)


def actions_table(kind: GameKind) -> str:
    """The actions of a game by blocks, as a table; of long blocks the first and the last name."""
    lines = ["| block | ids | names |", "|---|---|---|"]
    for block, ids in kind.actions.blocks.items():
        names = [f"`{kind.actions.names[action]}`" for action in ids]
        words = ", ".join(names) if len(names) <= _NAMED else f"{names[0]} to {names[-1]}"
        places = f"{ids[0]}" if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"
        lines.append(f"| {block} | {places} | {words} |")
    return "\n".join(lines)


def state_table(fields: Sequence[StateField]) -> str:
    """The fields of a game's state, as a table."""
    lines = ["| field of the state | numbers | type | range | meaning |", "|---|---|---|---|---|"]
    for name, least, most, meaning, shape, dtype in fields:
        numbers = " x ".join(map(str, shape or (1,)))
        values = "" if least is None else f"{np.min(least)} to {np.max(most)}"
        lines.append(f"| `{name}` | {numbers} | `{np.dtype(dtype)}` | {values} | {meaning} |")
    return "\n".join(lines)


def with_tables(page: str, kind: GameKind, fields: Sequence[StateField]) -> str:
    """The page of a game, whose state has these fields, with the tables of today below their headings."""
    tables = {ACTIONS: actions_table(kind), SEEN: observation_table(kind), OF_STATE: state_table(fields)}
    for heading, table in tables.items():
        pattern = rf"({re.escape(heading)}\n\n(?:(?!\||#).*\n)*)(?:\|.*(?:\n|$))*"
        page, found = re.subn(pattern, lambda match, table=table: f"{match[1]}{table}\n", page)
        assert found == 1, f"the page of {kind.title} has no {heading}"
    return page


def environments_page() -> str:
    """The page about environments: what their modules and classes say of themselves."""
    return _ENVIRONMENTS.format(
        size=OBSERVATION_SIZE,
        actions=NUM_ACTIONS,
        pettingzoo=_said(pettingzoo_env).partition("\n")[2].strip(),
        gymnasium=_said(gymnasium_env),
        gymnasium_class=_with_lists(_said(gymnasium_env.WarOfTheRingEnv).partition("\n")[2].strip()),
        any_game=_said(kind_pettingzoo),
        any_gymnasium=_said(kind_gymnasium),
    )


def _said(what: object) -> str:
    return re.sub(r"(?<!`)``(?!`)", "`", inspect.getdoc(what) or "")


def _with_lists(said: str) -> str:
    """A docstring whose ``Args`` and ``Raises`` are lists."""
    parts = re.split(r"^(Args|Raises):\n", said, flags=re.MULTILINE)
    lines = [parts[0].strip()]
    for head, block in zip(parts[1::2], parts[2::2], strict=True):
        entries = re.split(r"^    (?=\w+: )", block, flags=re.MULTILINE)[1:]
        pairs = [" ".join(entry.split()).split(": ", 1) for entry in entries]
        lines += ["", "Arguments:" if head == "Args" else f"{head}:", ""]
        lines += [f"- `{name}`: {words}" for name, words in pairs]
    return "\n".join(lines)


def _editions(editions: list[str]) -> str:
    """Such as ``(1, 2)`` for both."""
    numbers = [edition.replace("first", "1").replace("second", "2") for edition in editions]
    return f" ({', '.join(numbers)})" if numbers else ""


def _word(code: Codes) -> str:
    return f"`{code.name.lower()}`"


def _choices(rows: list[tuple[str, Choice]]) -> str:
    lines = ["| what | rules | who | question | functions |", "|---|---|---|---|---|"]
    for what, choice in rows:
        functions = ", ".join(map(_place, (choice.legal, choice.apply)))
        who, question = choice.asked.value, choice.question
        lines.append(f"| {what} | {choice.sources} | {who} | {question} | {functions} |")
    return "\n".join(lines)


def _place(kernel: Kernel) -> str:
    """Such as ``cards.legal_draw_deck``, within ``wotr_env.games.war_of_the_ring.rules``."""
    return f"`{kernel.__module__.removeprefix('wotr_env.games.war_of_the_ring.rules.')}.{kernel.__name__}`"


PAGES = {
    "environments.md": environments_page,
    "observation.md": observation_page,
    "actions.md": actions_page,
    "decisions.md": decisions_page,
    "state.md": state_page,
    "options.md": options_page,
    "bots.md": bots_page,
    "data-columns.md": data_page,
    "architecture.svg": architecture.svg,
}
"""The generated pages, and the picture that is text, by file name."""
PAGES_OF_GAMES = {
    "duel.md": (DUEL_FOR_MIDDLE_EARTH, DUEL_FIELDS),
    "two-towers.md": (THE_TWO_TOWERS, TOWERS_FIELDS),
}
"""Pages with generated tables, each with its game and the fields of a state."""
MAP = "map.png"


def write_pages(folder: Path = DOCS) -> list[Path]:
    """Writes the pages and the drawn picture into a folder; returns their paths."""
    folder.mkdir(exist_ok=True)
    paths = []
    for name, write in PAGES.items():
        paths.append(folder / name)
        paths[-1].write_text(write(), encoding="utf-8")
    for name, game in PAGES_OF_GAMES.items():
        page = with_tables((DOCS / name).read_text(encoding="utf-8"), *game)
        paths.append(folder / name)
        paths[-1].write_text(page, encoding="utf-8")
    draw_map().save(folder / MAP, optimize=True)
    return [*paths, folder / MAP]


if __name__ == "__main__":
    for path in write_pages():
        print(path)
