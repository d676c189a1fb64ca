"""The columns of all tables with their units, the source of schemas, data cards and docs."""

from __future__ import annotations

import dataclasses

from wotr_env.core.kind import GameKind
from wotr_env.core.spelling import canonical_name
from wotr_env.games.war_of_the_ring.codes import Face, Nation, Side
from wotr_env.games.war_of_the_ring.components import MAX_CORRUPTION, NATION_SIDE
from wotr_env.games.war_of_the_ring.rules.victory import FREE_PEOPLES_POINTS, SHADOW_POINTS
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments.luck.measure import sources_of

TABLES = ("games", "turns", "decisions")
NAME = "name"
"""The type of repeated words (a dictionary type), useful for grouping; formats without it use text."""
SIDES = tuple(side.name.lower() for side in Side)


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    """``bool``, ``int8`` to ``int64``, ``float64``, ``text``, ``NAME``, or ``list<...>`` of these or of
    ``float32``."""
    meaning: str
    unit: str = ""
    """The unit of a number; empty for ids, codes, words and booleans."""
    nullable: bool = False

    @property
    def item(self) -> str:
        """The type of a list's items; empty if the column is not a list."""
        return self.type[len("list<") : -1] if self.type.startswith("list<") else ""


_GAME = Column(
    "game",
    "int64",
    "number of the game in the export, from 0, the same in all tables; `wotr replay --record` instead "
    "counts the games of one file from 1",
)

_OWN = {
    "turn": Column("turn", "int32", "last turn of the game", "turns"),
    "free_peoples_points": Column(
        "free_peoples_points",
        "int32",
        f"points for Shadow Settlements held by the Free Peoples at the end; {FREE_PEOPLES_POINTS} win",
        "victory points",
    ),
    "shadow_points": Column(
        "shadow_points",
        "int32",
        f"points for Free Peoples Settlements held by the Shadow at the end; {SHADOW_POINTS} win",
        "victory points",
    ),
    "corruption": Column(
        "corruption",
        "int32",
        f"Corruption of the Ring-bearers at the end; with {MAX_CORRUPTION} the Shadow wins",
        "points",
    ),
    "mordor_step": Column(
        "mordor_step", "int32", "step of the Fellowship on the Mordor Track at the end; 0: not on it", "steps"
    ),
    "mordor_turn": Column(
        "mordor_turn", "int32", "turn in which the Fellowship entered Mordor; 0: it did not", "turns"
    ),
}
"""The columns of the table of games with numbers that are specific to War of the Ring."""


def games_columns(kind: GameKind, luck: bool = False) -> tuple[Column, ...]:
    """The columns of the table of games: everything in a ``GameRecord``, and how the game ended."""
    teams = (
        Column(f"player_{team.name}", NAME, f"players of the team {team.title}: bots by their specs")
        for team in kind.teams
    )
    return (
        _GAME,
        Column("kind", NAME, "name of the game"),
        Column("source", NAME, "file or folder of the game, or self-play"),
        Column(
            "pairing",
            "int32",
            "in a tournament: number of the pairing, from 0, for `wotr replay DIR --pairing`",
            nullable=True,
        ),
        Column(
            "number",
            "int32",
            "number of the game in its pairing, from 0, for `wotr replay DIR --number`; or number of the "
            "record in its file, from 0 (`wotr replay FILE --record` counts from 1)",
        ),
        Column("format", "int16", "format of the record"),
        Column("rules", "int16", "version of the rules; other versions may refuse to replay the game"),
        Column("ruleset", NAME, "edition and options, as JSON"),
        Column(
            "seed",
            "int64",
            "seed; games with the same seed have the same decks and dice until their actions differ",
        ),
        Column(
            "position", "text", "position from which the game started, as text; empty: a new game of its seed"
        ),
        Column("tapes", "text", "given random outcomes, as JSON of the record; empty: none"),
        Column(
            "ended", "text", "how players ended the game early, as JSON of the record; empty: they did not"
        ),
        Column("seats", "list<text>", "names of the seats, in order of their numbers"),
        Column(
            "players", "list<text>", "player of each seat, such as the spec of a bot; empty text if unknown"
        ),
        Column(
            "identities",
            "list<text>",
            "identity of each seat's player, such as package and files; empty if unknown",
        ),
        *teams,
        Column("decisions", "int32", "number of decisions", "decisions"),
        Column(
            "winner",
            NAME,
            "name of the winning team (also by forfeit or resignation), or draw",
            nullable=True,
        ),
        Column("winning_seats", "list<text>", "names of the winning seats"),
        Column(
            "reason",
            NAME,
            "kind of end, forfeit, stopped (too long), resigned, agreed (a draw), out_of_time, or unfinished "
            "(without a result)",
        ),
        Column("forfeit", NAME, "kind of forfeit; empty if there was none"),
        Column("quitter", NAME, "seat that forfeited; empty if none did"),
        Column("message", "text", "message of the forfeit"),
        *(_OWN[each.name] if kind.name == DEFAULT_GAME else _own(each.name) for each in kind.columns),
        Column("actions", "list<int16>", "ids of the actions, in order"),
        Column("result", "text", "result by the rules, as JSON", nullable=True),
        Column("hash", "text", "hash of the state after the last action, verified by a replay"),
        *(luck_columns(kind) if luck else ()),
    )


def luck_columns(kind: GameKind) -> tuple[Column, ...]:
    """The columns of luck in the table of games, for a game of two teams."""
    return tuple(
        column
        for team in kind.teams[:2]
        for column in (
            Column(
                f"luck_{team.name}",
                "float64",
                f"luck of the team {team.title} in the whole game, the sum of the next columns; the data "
                "card describes the method",
                _CHANCE,
            ),
            *(
                Column(
                    f"luck_{team.name}_{canonical_name(source).replace('-', '_')}",
                    "float64",
                    f"luck of the team {team.title} by this source: {source}",
                    _CHANCE,
                )
                for source in sources_of(kind)
            ),
        )
    )


def _own(name: str) -> Column:
    return Column(name, "int32", "value of this game's own column at the end")


def decisions_columns(
    kind: GameKind, observations: bool = False, masks: bool = False, values: bool = False, luck: bool = False
) -> tuple[Column, ...]:
    """The columns of the table of decisions: a row for each decision."""
    turns = (Column("turn", "int16", "turn of the decision, from 1", "turns"),) if kind.counts_turns else ()
    return (
        _GAME,
        Column("step", "int32", "number of earlier decisions in the game", "decisions"),
        *turns,
        Column("seat", "int8", "number of the deciding seat"),
        Column("team", NAME, "name of the deciding team"),
        Column("decision", "int16", "code of the kind of decision"),
        Column("decision_name", NAME, "name of the kind of decision", nullable=True),
        Column("legal_count", "int16", "number of legal actions", "actions"),
        Column("action", "int16", "id of the chosen action"),
        Column("action_name", NAME, "name of the chosen action"),
        Column("winner", NAME, "name of the team that won the game, or draw", nullable=True),
        Column(
            "outcome",
            "int8",
            "result of the game for the deciding team: 1 won, 0 drawn, -1 lost",
            nullable=True,
        ),
        *(observation_columns(kind) if observations else ()),
        *((Column("legal", "list<int16>", "ids of the legal actions, ascending"),) if masks else ()),
        *(_VALUES if values else ()),
        *((_LUCK,) if luck else ()),
    )


def observation_columns(kind: GameKind) -> tuple[Column, Column]:
    """The columns of observations, stored as changes."""
    size = kind.layout.size
    places = "uint16" if size <= 2**16 else "uint32"
    return (
        Column(
            "observation_places",
            f"list<{places}>",
            f"indices of the {size:,} numbers of the deciding seat's observation that differ from the "
            "previous row, ascending; before the first row of a game all numbers are 0. The previous row "
            "may belong to another seat, so only complete observations show what a seat may know",
        ),
        Column("observation_values", "list<int8>", "new numbers at these indices"),
    )


_CHANCE = "winning chance, -1 to 1"
_LUCK = Column(
    "luck",
    "float64",
    "luck of the deciding team in this decision, by all sources; 0 if nothing was random",
    _CHANCE,
)
_VALUES = (
    Column("bot_actions", "list<int16>", "actions that the bot of `--values` has valued, best first"),
    Column("bot_values", "list<float32>", "the bot's values of these actions; the data card explains them"),
)


def turns_columns() -> tuple[Column, ...]:
    """The columns of the table of turns of War of the Ring: a row for each turn of each game."""
    return (
        _GAME,
        Column("turn", "int16", "number of the turn, from 1", "turns"),
        Column(
            "complete", "bool", "whether the turn was played to its end, or the game ended in it by the rules"
        ),
        Column("decisions", "int32", "number of decisions in the turn", "decisions"),
        *(column for side in SIDES for column in _dice(side)),
        Column(
            "hunt_allocated",
            "int8",
            "dice that the Shadow put into the Hunt Box before the roll",
            "dice",
            nullable=True,
        ),
        Column(
            "hunt_box_free_peoples",
            "int8",
            "dice of the Free Peoples in the Hunt Box at the end of the turn: moves of the Fellowship",
            "dice",
        ),
        Column(
            "hunt_box_shadow", "int8", "dice of the Shadow in the Hunt Box at the end of the turn", "dice"
        ),
        Column("progress", "int8", "progress of the Fellowship at the end of the turn", "steps"),
        Column("revealed", "bool", "whether the Fellowship is Revealed at the end of the turn"),
        Column(
            "fellowship_region",
            NAME,
            "region of the Fellowship's figure at the end of the turn; empty in Mordor",
        ),
        Column(
            "mordor_step",
            "int8",
            "step of the Fellowship on the Mordor Track at the end of the turn; 0: not on it",
            "steps",
        ),
        Column("corruption", "int8", f"Corruption at the end of the turn, 0 to {MAX_CORRUPTION}", "points"),
        Column("companions", "int8", "Companions in the Fellowship at the end of the turn", "characters"),
        Column("guide", NAME, "Guide of the Fellowship at the end of the turn"),
        *(column for side in SIDES for column in _standing(side)),
        Column("at_war_free_peoples", "int8", _nations(Side.FREE_PEOPLES), "nations"),
        Column("at_war_shadow", "int8", _nations(Side.SHADOW), "nations"),
        Column(
            "captured",
            "list<text>",
            "regions whose Settlement changed hands since the end of the previous turn, by id",
        ),
    )


def _dice(side: str) -> tuple[Column, ...]:
    words = side.replace("_", " ").title()
    faces = [Face(face) for face in faces_of(SIDES.index(side))]
    return (
        Column(f"dice_{side}", "int8", f"dice rolled by the {words}", "dice", nullable=True),
        *(
            Column(
                f"rolled_{side}_{face.name.lower()}",
                "int8",
                f"dice of the {words} that rolled {face.name.replace('_', '/').title()}",
                "dice",
                nullable=True,
            )
            for face in faces
        ),
    )


def faces_of(side: int) -> tuple[int, ...]:
    """The possible faces of a side's dice."""
    foreign = Face.EYE if side == Side.FREE_PEOPLES else Face.WILL
    return tuple(int(face) for face in Face if face != foreign)


def _standing(side: str) -> tuple[Column, ...]:
    words = side.replace("_", " ").title()
    return (
        Column(
            f"points_{side}",
            "int8",
            f"points for enemy Settlements held by the {words} at the end of the turn",
            "victory points",
        ),
        Column(f"rings_{side}", "int8", f"Elven Rings of the {words} at the end of the turn", "rings"),
        Column(
            f"units_{side}",
            "int16",
            f"Regulars and Elites of the {words} on the board at the end of the turn",
            "figures",
        ),
        Column(f"hand_{side}", "int8", f"cards in the hand of the {words} at the end of the turn", "cards"),
    )


def _nations(side: Side) -> str:
    names = [nation.name.title() for nation in Nation if NATION_SIDE[nation] == side]
    return f"how many of {', '.join(names)} are At War at the end of the turn"


def page() -> str:
    """The columns of War of the Ring as tables in Markdown."""
    from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND

    parts = []
    for name, columns in (
        ("games", games_columns(KIND, luck=True)),
        ("turns", turns_columns()),
        ("decisions", decisions_columns(KIND, True, True, True, True)),
    ):
        parts += [f"### {name}", "", markdown(columns), ""]
    return "\n".join(parts).rstrip()


def markdown(columns: tuple[Column, ...]) -> str:
    """Columns as a table."""
    rows = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for each in columns:
        meaning = each.meaning + ("; null if unknown" if each.nullable else "")
        rows.append(f"| `{each.name}` | {each.type} | {each.unit} | {meaning} |")
    return "\n".join(rows)
