"""The columns of every table, with their units: schemas, data cards and docs are made from them."""

from __future__ import annotations

import dataclasses

from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.codes import Face, Nation, Side
from wotr_env.games.war_of_the_ring.components import NATION_SIDE
from wotr_env.games.war_of_the_ring.rules.victory import FREE_PEOPLES_POINTS, MAX_CORRUPTION, SHADOW_POINTS
from wotr_env.play.games import DEFAULT_GAME

TABLES = ("games", "turns", "decisions")
NAME = "name"
"""The type of words that many rows share, by which one groups; files that know no such type have text."""
SIDES = tuple(side.name.lower() for side in Side)


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    """``bool``, ``int8`` to ``int64``, ``text``, ``NAME``, or ``list<...>`` of these or of ``float32``."""
    meaning: str
    unit: str = ""
    """What a number counts; empty for ids, codes, words and truths."""
    nullable: bool = False

    @property
    def item(self) -> str:
        """The type of what a list holds; empty for what is no list."""
        return self.type[len("list<") : -1] if self.type.startswith("list<") else ""


_GAME = Column(
    "game",
    "int64",
    "number of the game in the export, from 0; the same in all tables, and not that of "
    "`wotr replay --record`, which counts the games of one file from 1",
)

_OWN = {
    "turn": Column("turn", "int32", "the last turn that was played", "turns"),
    "free_peoples_points": Column(
        "free_peoples_points",
        "int32",
        f"of the Shadow's Settlements that the Free Peoples hold at the end; {FREE_PEOPLES_POINTS} win",
        "victory points",
    ),
    "shadow_points": Column(
        "shadow_points",
        "int32",
        f"of the Free Peoples' Settlements that the Shadow holds at the end; {SHADOW_POINTS} win",
        "victory points",
    ),
    "corruption": Column(
        "corruption", "int32", f"of the Ring-bearers at the end; {MAX_CORRUPTION} win the Shadow", "points"
    ),
    "mordor_step": Column(
        "mordor_step", "int32", "of the Fellowship on the Mordor Track at the end; 0: not on it", "steps"
    ),
    "mordor_turn": Column(
        "mordor_turn", "int32", "in which the Fellowship entered Mordor; 0: it did not", "turns"
    ),
}
"""The numbers that War of the Ring keeps of each game."""


def games_columns(kind: GameKind) -> tuple[Column, ...]:
    """Of the table of games: all that a ``GameRecord`` holds, and how the game ended."""
    teams = (
        Column(f"player_{team.name}", NAME, f"who played as {team.title}: bots by their specs")
        for team in kind.teams
    )
    return (
        _GAME,
        Column("kind", NAME, "name of the game that was played"),
        Column("source", NAME, "the file or folder that it comes from, or self-play"),
        Column(
            "pairing",
            "int32",
            "in a tournament: which bots met, from 0, as `wotr replay DIR --pairing` takes it",
            nullable=True,
        ),
        Column(
            "number",
            "int32",
            "in its pairing, from 0, as `wotr replay DIR --number` takes it; or of the record in its file,"
            " from 0: one less than `wotr replay FILE --record` takes",
        ),
        Column("format", "int16", "of the record"),
        Column("rules", "int16", "version of the rules; other versions may refuse to replay the game"),
        Column("ruleset", NAME, "edition and options, as JSON"),
        Column(
            "seed", "int64", "of all chance; games of one seed share decks and dice as far as play lets them"
        ),
        Column("position", "text", "where the game began, as text; empty: as its seed says"),
        Column("tapes", "text", "outcomes of chance that were given, as JSON of the record; empty: none"),
        Column("seats", "list<text>", "the names of the seats, in the order of their numbers"),
        Column("players", "list<text>", "who played each seat, such as specs of bots; empty text if unknown"),
        Column("identities", "list<text>", "what each seat's player is beyond its name; empty if unknown"),
        *teams,
        Column("decisions", "int32", "choices that were made", "decisions"),
        Column("winner", NAME, "name of the team that won, also by forfeit, or draw", nullable=True),
        Column("winning_seats", "list<text>", "names of the seats that won, alone or together"),
        Column(
            "reason", NAME, "kind of the end, forfeit, stopped (too long), or unfinished: without a result"
        ),
        Column("forfeit", NAME, "why a bot forfeited the game; empty if none did"),
        Column("quitter", NAME, "the seat that forfeited; empty if none did"),
        Column("message", "text", "what was noted of the forfeit"),
        *(_OWN[each.name] if kind.name == DEFAULT_GAME else _own(each.name) for each in kind.columns),
        Column("actions", "list<int16>", "ids of the actions, in order"),
        Column("result", "text", "by the rules, as JSON", nullable=True),
        Column("hash", "text", "of the state after the last action, which the replay has reached again"),
    )


def _own(name: str) -> Column:
    return Column(name, "int32", "a number of the game's own, at its end")


def decisions_columns(
    kind: GameKind, observations: bool = False, masks: bool = False, values: bool = False
) -> tuple[Column, ...]:
    """Of the table of decisions: a row for each choice that somebody made."""
    turns = (Column("turn", "int16", "in which it was made, from 1", "turns"),) if has_turns(kind) else ()
    return (
        _GAME,
        Column("step", "int32", "decisions made before in the game", "decisions"),
        *turns,
        Column("seat", "int8", "number of the seat that decides"),
        Column("team", NAME, "name of its team"),
        Column("decision", "int16", "code of the kind of decision"),
        Column("decision_name", NAME, "name of the kind of decision", nullable=True),
        Column("legal_count", "int16", "legal actions", "actions"),
        Column("action", "int16", "id of the action that was chosen"),
        Column("action_name", NAME, "its name"),
        Column("winner", NAME, "how the game ended: name of the team that won, or draw", nullable=True),
        Column("outcome", "int8", "for the deciding seat's team: 1 won, 0 drawn, -1 lost", nullable=True),
        *(observation_columns(kind) if observations else ()),
        *((Column("legal", "list<int16>", "ids of the legal actions, ascending"),) if masks else ()),
        *(_VALUES if values else ()),
    )


def observation_columns(kind: GameKind) -> tuple[Column, Column]:
    """What the deciding seat sees, as what has changed."""
    size = kind.layout.size
    places = "uint16" if size <= 2**16 else "uint32"
    return (
        Column(
            "observation_places",
            f"list<{places}>",
            f"where the {size:,} numbers that the deciding seat sees are not as in the row before, ascending;"
            " before the first row of a game all are 0. The row before can be another seat's: only whole rows"
            " are what a seat may know",
        ),
        Column("observation_values", "list<int8>", "the numbers that stand there now"),
    )


_VALUES = (
    Column("bot_actions", "list<int16>", "actions that the bot asked has judged, the best first"),
    Column("bot_values", "list<float32>", "its values of these; the card says what they mean"),
)


def has_turns(kind: GameKind) -> bool:
    """Whether a game counts turns."""
    return "turn" in (kind.state.names or ())


def turns_columns() -> tuple[Column, ...]:
    """Of the table of turns of War of the Ring: a row for each turn of each game."""
    return (
        _GAME,
        Column("turn", "int16", "from 1", "turns"),
        Column("complete", "bool", "whether it was played to its end, or the game ended by the rules in it"),
        Column("decisions", "int32", "choices made in it", "decisions"),
        *(column for side in SIDES for column in _dice(side)),
        Column(
            "hunt_allocated",
            "int8",
            "dice that the Shadow put into the Hunt Box before the roll",
            "dice",
            nullable=True,
        ),
        Column("hunt_box_free_peoples", "int8", "dice in the Hunt Box at the end: Fellowship moves", "dice"),
        Column("hunt_box_shadow", "int8", "dice of the Shadow in it at the end", "dice"),
        Column("progress", "int8", "of the Fellowship at the end", "steps"),
        Column("revealed", "bool", "whether the Fellowship is Revealed at the end"),
        Column("fellowship_region", NAME, "of its figure at the end; empty in Mordor"),
        Column("mordor_step", "int8", "on the Mordor Track at the end; 0: not on it", "steps"),
        Column("corruption", "int8", f"at the end, 0 to {MAX_CORRUPTION}", "points"),
        Column("companions", "int8", "Companions in the Fellowship at the end", "characters"),
        Column("guide", NAME, "who guides the Fellowship at the end"),
        *(column for side in SIDES for column in _standing(side)),
        Column("at_war_free_peoples", "int8", _nations(Side.FREE_PEOPLES), "nations"),
        Column("at_war_shadow", "int8", _nations(Side.SHADOW), "nations"),
        Column("captured", "list<text>", "regions whose Settlement changed hands in this turn, by id"),
    )


def _dice(side: str) -> tuple[Column, ...]:
    words = side.replace("_", " ")
    faces = [Face(face) for face in faces_of(SIDES.index(side))]
    return (
        Column(f"dice_{side}", "int8", f"that the {words} rolled", "dice", nullable=True),
        *(
            Column(
                f"rolled_{side}_{face.name.lower()}",
                "int8",
                f"of these, {face.name.replace('_', '/').title()} results",
                "dice",
                nullable=True,
            )
            for face in faces
        ),
    )


def faces_of(side: int) -> tuple[int, ...]:
    """The results that a side's dice can have."""
    foreign = Face.EYE if side == Side.FREE_PEOPLES else Face.WILL
    return tuple(int(face) for face in Face if face != foreign)


def _standing(side: str) -> tuple[Column, ...]:
    words = side.replace("_", " ")
    return (
        Column(f"points_{side}", "int8", f"of enemy Settlements that the {words} hold", "victory points"),
        Column(f"rings_{side}", "int8", f"Elven Rings of the {words} at the end", "rings"),
        Column(f"units_{side}", "int16", f"Regulars and Elites of the {words} on the board", "figures"),
        Column(f"hand_{side}", "int8", f"cards in hand of the {words}", "cards"),
    )


def _nations(side: Side) -> str:
    names = [nation.name.title() for nation in Nation if NATION_SIDE[nation] == side]
    return f"of {', '.join(names)}: At War at the end"


def page() -> str:
    """The columns of War of the Ring as tables in Markdown."""
    from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND

    parts = []
    for name, columns in (
        ("games", games_columns(KIND)),
        ("turns", turns_columns()),
        ("decisions", decisions_columns(KIND, True, True, True)),
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
