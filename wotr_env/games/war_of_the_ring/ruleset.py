"""Rulesets: the editions and their options as data (section 16 of the rules), carried inside every state.

The value of an option is a number, or a member of an enum of ``options``. A ``Ruleset`` contains the name of
the member in lower case; for a ``Switch``, it contains True or False.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from wotr_env.core.rulesets import Options, read_ruleset
from wotr_env.core.seats import Seat
from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import Side
from wotr_env.games.war_of_the_ring.option_fields import checked, choice, code_of, number, switch, written
from wotr_env.games.war_of_the_ring.options import (
    NUM_OPTIONS,
    BalrogShelter,
    CharacterDieLeader,
    CombatCardOrder,
    CompanionActivation,
    DieBonusTiming,
    DieSkip,
    DwarfSetup,
    FpMilitary,
    GandalfGreyGuide,
    GollumTiles,
    HuntAllocMin,
    HuntDiceCount,
    HuntTableCards,
    MordorEntry,
    MordorIdle,
    MordorMandatoryDeclare,
    MordorPoolReset,
    MouthStrongholds,
    Option,
    OverstackVoluntary,
    RetreatInto,
    RevealForbidden,
    RevealMoves,
    SorcererDeck,
    StackingCheck,
    StrongholdStay,
    StrongholdTileOn,
    Switch,
    TakeThemAlive,
    WitchKingEntry,
)

MOST_TURNS = 10_000
"""Largest turn limit."""


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The explanation of an option."""

    name: str
    about: str
    """The purpose of the option, with the rule and the line of the French rulebook."""
    meanings: dict[str, str]
    """The meaning of each value, by the value in its text form."""
    first: str
    """The first edition's value."""
    second: str
    """The second edition's value."""

    def editions(self, value: str) -> list[str]:
        """The titles of the editions that have a value."""
        both = (("first", self.first), ("second", self.second))
        return [edition for edition, its in both if its == value]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ruleset(Options):
    """The rules of a game; ``Ruleset()`` is the first edition for two players.

    Each field is an option of section 16 of the rules: a word, a truth value or a number. The metadata of a
    field has the purpose of the option, the rule, the line of the French rulebook (l.), and the meaning of
    each value; ``wotr rules --options`` and ``docs/options.md`` show it. Different wordings of the editions
    without a difference in play are not options, nor are rules with only one value: ``mordor_eye_counts``,
    ``extra_attack_casualties``, ``ring_on_eye_die``, ``last_battle_condition``, ``woses_condition``.

    Raises:
        ValueError: the value of an option is not allowed.
        TypeError: an option is unknown.
    """

    game = "War of the Ring"

    players: int = number(
        2,
        2,
        4,
        "How many people play (R13)",
        {
            "2": "one on each side",
            "3": "one for the Free Peoples, two for the Shadow",
            "4": "two on each side",
        },
    )
    hand_limit: int = number(
        6, 1, 12, "Cards that a hand may hold (R6.2.2, l.713)", {"6": "six", "1 to 12": "this number"}
    )
    max_turns: int = number(
        0,
        0,
        MOST_TURNS,
        "Turns after which the game is a draw (R12.7); a house rule",
        {"0": "no limit", "1 to 10000": "this number"},
    )
    ask_single: bool = switch(
        False,
        "Decisions with one legal action; of the program, not of the rules",
        off="are taken without asking",
        on="are also asked",
    )
    dwarf_setup: Literal["first", "second"] = choice(
        DwarfSetup,
        "The Dwarves in Erebor at the start (R3.8, l.469)",
        {"first": "1 Regular, 1 Elite, 1 Leader", "second": "1 Regular, 2 Elites, 1 Leader"},
        DwarfSetup.SECOND,
    )
    hunt_alloc_min: Literal["zero", "one_after_move"] = choice(
        HuntAllocMin,
        "Dice that the Shadow must put into the Hunt Box (R5.2.3, l.616)",
        {"zero": "none", "one_after_move": "one if a Free Peoples die was there at the end of the last turn"},
        HuntAllocMin.ONE_AFTER_MOVE,
    )
    hunt_dice_count: Literal["all_dice", "shadow_dice"] = choice(
        HuntDiceCount,
        "Dice of a Hunt roll, at most five (R10.3.1, RU1, l.1370)",
        {"all_dice": "as many as are in the Hunt Box", "shadow_dice": "as many as Shadow dice are there"},
        HuntDiceCount.SHADOW_DICE,
    )
    hunt_one_fails: bool = switch(
        True,
        "A natural 1 of a Hunt roll (R10.3.2, RG1; the rulebook is silent)",
        off="may succeed by a bonus",
        on="always fails",
    )
    hunt_table_cards: Literal["unlimited", "one_per_tile"] = choice(
        HuntTableCards,
        "Table cards that the Free Peoples may use against a Hunt tile (R10.5.3)",
        {"unlimited": "any number", "one_per_tile": "one"},
        HuntTableCards.ONE_PER_TILE,
    )
    guide_ability_after_casualty: bool = switch(
        False,
        "The ability of a new Guide against damage that a casualty left over (R10.5.5)",
        off="comes too late",
        on="may be used",
        second=True,
    )
    reveal_forbidden: Literal["fp_settlement", "fp_city_or_stronghold"] = choice(
        RevealForbidden,
        "Where a revealed Fellowship may not be, while the Free Peoples control it (R9.6.3, RU10, l.1287)",
        {
            "fp_settlement": "in a Town, City or Stronghold of theirs",
            "fp_city_or_stronghold": "in a City or Stronghold of theirs (also the erratum of 2006)",
        },
        RevealForbidden.FP_CITY_OR_STRONGHOLD,
    )
    stronghold_tile_on: Literal["reveal", "declare_or_reveal"] = choice(
        StrongholdTileOn,
        "When a way through a Shadow Stronghold draws a Hunt tile (R9.6.4, RU12, l.1308)",
        {
            "reveal": "when the Fellowship is revealed",
            "declare_or_reveal": "when it is declared, too: a reading of the second edition",
        },
    )
    stronghold_stay: Literal["free", "tile"] = choice(
        StrongholdStay,
        "A Fellowship that is revealed and stays in the region of a Shadow Stronghold (R9.6.4, RG62, l.1308)",
        {"free": "draws no Hunt tile", "tile": "draws a Hunt tile, as if it moved through the region"},
        StrongholdStay.TILE,
    )
    mordor_entry: Literal["declare", "figure_present"] = choice(
        MordorEntry,
        "How the Fellowship enters Mordor (R11.1.1, l.1471)",
        {
            "declare": "by being declared at Morannon or Minas Morgul",
            "figure_present": "if it wants to, when its figure stands there in the Fellowship phase",
        },
        MordorEntry.FIGURE_PRESENT,
    )
    mordor_mandatory_declare: Literal["figure_there", "reachable", "never"] = choice(
        MordorMandatoryDeclare,
        "When a Hidden Fellowship must be declared (R9.5.7, RU6, l.1320)",
        {
            "figure_there": "when its figure stands at Morannon or Minas Morgul",
            "reachable": "when its progress reaches one of them",
            "never": "never",
        },
        MordorMandatoryDeclare.NEVER,
    )
    mordor_pool_reset: Literal["all_standard", "eye_only"] = choice(
        MordorPoolReset,
        "Drawn standard tiles that return to the Hunt Pool when Mordor is entered (R11.1.3, RU4, l.1474)",
        {"all_standard": "all", "eye_only": "the Eyes"},
        MordorPoolReset.EYE_ONLY,
    )
    mordor_idle: Literal["move", "move_or_hide"] = choice(
        MordorIdle,
        "What saves a Fellowship in Mordor from 1 Corruption at the end of the turn (R11.3.7, RU5, l.1487)",
        {"move": "an attempt to move", "move_or_hide": "an attempt to move, or hiding"},
        MordorIdle.MOVE_OR_HIDE,
    )
    blue_tiles_stop: bool = switch(
        False,
        "The special tiles of the Free Peoples on the Mordor Track (R10.1.3, RU7, l.1364)",
        off="do not stop the Fellowship",
        on="stop it like the red tiles, as in the French text",
    )
    combat_card_order: Literal["defender_first", "initiative"] = choice(
        CombatCardOrder,
        "Whose Combat card acts first (R7.9.4, RU8, l.924)",
        {"defender_first": "the defender's", "initiative": "the one with the lower number"},
        CombatCardOrder.INITIATIVE,
    )
    combat_card_back_visible: bool = switch(
        False,
        "The back of a committed Combat card (R7.9.2, l.922)",
        off="is not shown",
        on="shows the opponent the deck of the card",
        second=True,
    )
    die_bonus_timing: Literal["next_turn", "at_once"] = choice(
        DieBonusTiming,
        "When an action die gained by a character is rolled (R5.1.4, RG9, l.612)",
        {"next_turn": "from the next turn on", "at_once": "at once"},
    )
    die_skip: Literal["always", "forced_only"] = choice(
        DieSkip,
        "When a die may be laid aside unused (R4.6.4, RG2; the rulebook is silent)",
        {"always": "at any time", "forced_only": "if nothing else can be done"},
    )
    null_events: bool = switch(
        True,
        "A card of which nothing can be carried out (R6.4.4, l.732)",
        off="may not be played",
        on="may be played without effect, if its printed condition holds",
    )
    table_cards_need_condition: bool = switch(
        False,
        "A card on the table whose condition no longer holds (RG19, l.728)",
        off="stays",
        on="is discarded",
        second=True,
    )
    overstack_voluntary: Literal["illegal", "disband"] = choice(
        OverstackVoluntary,
        "A chosen move, recruitment or advance above the stacking limit (R7.2.2, RU14, l.758, l.845)",
        {"illegal": "may not be made", "disband": "sends units of the owner's choice to the reinforcements"},
        OverstackVoluntary.DISBAND,
    )
    stacking_check: Literal["each_move", "end_of_action"] = choice(
        StackingCheck,
        "When units above the limit leave under overstack_voluntary=disband (R7.2.4, l.758)",
        {"each_move": "after each move of an army", "end_of_action": "after the whole action"},
        StackingCheck.END_OF_ACTION,
    )
    leaders_bound: bool = switch(
        True,
        "Free Peoples Leaders of a nation at peace (R7.5.9, RU17, l.1136)",
        off="go where they like",
        on="keep to its borders like its units",
    )
    companion_activation: Literal["end_of_move", "any_region_entered"] = choice(
        CompanionActivation,
        "Where a Companion who moves activates a nation (R8.2 d, RU19, l.1123)",
        {"end_of_move": "where he ends his move", "any_region_entered": "in every region on his way"},
    )
    fp_military: Literal["strongholds_and_cities", "strongholds_only"] = choice(
        FpMilitary,
        "Settlements that count for the military victory of the Free Peoples (R12.4, RU3, l.1507, l.1511)",
        {
            "strongholds_and_cities": "Strongholds and Cities",
            "strongholds_only": "Strongholds, as the French text has it",
        },
    )
    gandalf_grey_guide: Literal["character_card", "same_deck"] = choice(
        GandalfGreyGuide,
        "What Gandalf the Grey draws as Guide after an Event card (R14.1, his card)",
        {
            "character_card": "a Character card, after one by an Event or Will of the West die",
            "same_deck": "a card of the same deck, after any card by an Event or Will of the West die",
        },
        GandalfGreyGuide.SAME_DECK,
    )
    witch_king_entry: Literal["sauron", "sauron_and_free_peoples"] = choice(
        WitchKingEntry,
        "Who must be At War for the Witch-king to enter (R14.11, his card)",
        {"sauron": "Sauron", "sauron_and_free_peoples": "Sauron and a nation of the Free Peoples"},
        WitchKingEntry.SAURON_AND_FREE_PEOPLES,
    )
    sorcerer_deck: Literal["either", "same"] = choice(
        SorcererDeck,
        "The deck that the Witch-king draws from after a Combat card (R14.11, his card)",
        {"either": "either deck", "same": "the deck of that card"},
        SorcererDeck.SAME,
    )
    gollum_tiles: Literal["all_numbered", "standard_numbered"] = choice(
        GollumTiles,
        "Tiles whose Reveal icon Gollum as Guide ignores (R14.10, his card)",
        {"all_numbered": "all with a number", "standard_numbered": "standard ones with a number"},
        GollumTiles.STANDARD_NUMBERED,
    )
    ents_extra_card: bool = switch(
        False,
        "The Ents Awake with Gandalf the White in Fangorn or Rohan (22.4, the cards)",
        off="has its effect",
        on="also lets a further Character card be played",
        second=True,
    )
    balrog_table_combat: bool = switch(
        True,
        "Balrog of Moria on the table (R6.5.5, RG25, the card)",
        off="waits for the Fellowship",
        on="may be used as a Combat card, too",
    )
    balrog_shelter: Literal["free_peoples", "controlled"] = choice(
        BalrogShelter,
        "Where a declaration hides the Fellowship from the Balrog's Reveal icon (R9.5.5, RG63, the card)",
        {
            "free_peoples": "in a City or Stronghold of a Free Peoples nation, whoever controls it",
            "controlled": "in one that the Free Peoples control",
        },
        BalrogShelter.CONTROLLED,
    )
    capture_needs_survivor: bool = switch(
        False,
        "A Stronghold under siege whose defenders are all eliminated (R7.14.5, RG6, l.1027)",
        off="is captured",
        on="is captured if a unit of the besieger is left",
        second=True,
    )
    card_hits_spare_characters: bool = switch(
        False,
        "Nazgul and characters of an army that a card destroys (R6.4.10, RG10, l.966)",
        off="die with it as in a battle",
        on="survive, unless the card says otherwise",
    )
    character_die_leader: Literal["goes_along", "in_army"] = choice(
        CharacterDieLeader,
        "The Leader, Nazgul or character whom a Character die moves or attacks with (R7.5.5, RU51, l.833)",
        {
            "goes_along": "is among those who move or attack",
            "in_army": "is in their army, and among those who move only if units stay behind",
        },
    )
    reveal_moves: Literal["may_stay", "must_leave"] = choice(
        RevealMoves,
        "A Fellowship revealed with progress (R9.6.2, RG41)",
        {"may_stay": "may stay where its figure is", "must_leave": "must leave that region"},
        RevealMoves.MUST_LEAVE,
    )
    retreat_into: Literal["free", "free_for_movement"] = choice(
        RetreatInto,
        "Where an army may retreat (R7.18.3, RG42, l.972)",
        {
            "free": "into a free region",
            "free_for_movement": "into one that is free for movement, and captures its Settlement",
        },
    )
    mouth_strongholds: Literal["stop", "besieged_only"] = choice(
        MouthStrongholds,
        "The Mouth of Sauron, without an army, and Strongholds that the Free Peoples control (R7.7.3, l.882)",
        {
            "stop": "stops on entering their regions",
            "besieged_only": "enters one only if the Shadow besieges it",
        },
        MouthStrongholds.BESIEGED_ONLY,
    )
    take_them_alive: Literal["optional", "forced"] = choice(
        TakeThemAlive,
        "A Hobbit eliminated in the Fellowship (R14.6, RG43, his card)",
        {"optional": "may be taken alive", "forced": "is taken alive"},
        TakeThemAlive.FORCED,
    )

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, checked(field, getattr(self, field.name)))

    @classmethod
    def first_edition(cls, **options: Any) -> Ruleset:
        """The first edition (2004), with changes of single options."""
        return cls(**options)

    @classmethod
    def second_edition(cls, **options: Any) -> Ruleset:
        """The second edition (2011), with the differences that section 16 of the rules lists."""
        second = {
            field.name: field.metadata["second"]
            for field in dataclasses.fields(cls)
            if field.metadata["second"] is not None
        }
        return cls(**{**second, **options})

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, in order (R13.1.0, R13.1.1)."""
        return SEATS[self.players]

    @property
    def title(self) -> str:
        """A short title: the edition, or the options that differ from the first edition."""
        limit = f", at most {counted(self.max_turns, 'turn')}" if self.max_turns else ""
        for name, make in EDITIONS.items():
            if self == make(max_turns=self.max_turns):
                return f"{name} edition{limit}"
        return "first edition with " + ", ".join(f"{name}={value}" for name, value in self.to_dict().items())

    def to_dict(self) -> dict[str, Any]:
        """The options that differ from the first edition, for records."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    def encode(self) -> np.ndarray:
        """The options as ``int8[NUM_OPTIONS]``, indexed by ``Option`` (``max_turns`` has its own field)."""
        encoded = np.zeros(NUM_OPTIONS, dtype=np.int8)
        for field in dataclasses.fields(self):
            if field.name == "max_turns":
                continue
            encoded[Option[field.name.upper()]] = code_of(field, getattr(self, field.name))
        return encoded

    @classmethod
    def of(cls, state: np.record) -> Ruleset:
        """The ruleset inside a state.

        Raises:
            ValueError: an option has an unknown code.
        """
        return _decoded(state["options"].tobytes(), int(state["max_turns"]))

    def write(self, states: np.ndarray) -> None:
        """Writes this ruleset into states (``STATE[N]``)."""
        super().write(states)
        states["max_turns"] = self.max_turns


EDITIONS: dict[str, Callable[..., Ruleset]] = {
    "first": Ruleset.first_edition,
    "second": Ruleset.second_edition,
}
"""The named rulesets; each accepts changes of single options."""


@functools.lru_cache(maxsize=1024)
def _decoded(codes_of_options: bytes, max_turns: int) -> Ruleset:
    """The ruleset of option codes, ``int8[NUM_OPTIONS]``; raises ValueError if a code is unknown."""
    found = np.frombuffer(codes_of_options, dtype=np.int8)
    options: dict[str, Any] = {"max_turns": max_turns}
    for field in dataclasses.fields(Ruleset):
        if field.name == "max_turns":
            continue
        code = int(found[Option[field.name.upper()]])
        codes = field.metadata.get("values")
        if codes is None:
            options[field.name] = code
        elif code not in iter(codes):
            raise ValueError(f"ruleset option {field.name} has the unknown code {code}")
        else:
            options[field.name] = bool(code) if codes is Switch else codes(code).name.lower()
    return Ruleset(**options)


def code_ranges() -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest code of each option in a state, ``int64[NUM_OPTIONS]`` each; 0 for unused
    indices."""
    least, most = np.zeros((2, NUM_OPTIONS), dtype=np.int64)
    for field in dataclasses.fields(Ruleset):
        if field.name == "max_turns":
            continue
        place = Option[field.name.upper()]
        codes = field.metadata.get("values")
        low, high = field.metadata["range"] if codes is None else (min(codes), max(codes))
        least[place], most[place] = low, high
    return least, most


def explained() -> list[Explanation]:
    """The explanations of all options, in order."""
    first, second = Ruleset.first_edition(), Ruleset.second_edition()
    return [
        Explanation(
            field.name,
            field.metadata["about"],
            {written(value): meaning for value, meaning in field.metadata["meanings"].items()},
            written(getattr(first, field.name)),
            written(getattr(second, field.name)),
        )
        for field in dataclasses.fields(Ruleset)
    ]


def option_code(option: str, value: str) -> tuple[Option, int]:
    """An option and one of its values, given as text, in the form in which states store them.

    Raises:
        ValueError: there is no such option or value.
    """
    fields = {field.name: field for field in dataclasses.fields(Ruleset)}
    if option not in fields:
        raise ValueError(f"there is no ruleset option {option}")
    codes = fields[option].metadata["values"]
    found = {"true": True, "false": False}.get(value, value) if codes is Switch else value
    checked(fields[option], found)
    return Option[option.upper()], code_of(fields[option], found)


_FREE_PEOPLES = Seat("free_peoples", "Free Peoples", Side.FREE_PEOPLES)
_SAURON = Seat("sauron", "Sauron", Side.SHADOW)
_ISENGARD = Seat("isengard", "Isengard", Side.SHADOW)
SEATS: dict[int, tuple[Seat, ...]] = {
    2: (_FREE_PEOPLES, Seat("shadow", "Shadow", Side.SHADOW)),
    3: (_FREE_PEOPLES, _SAURON, _ISENGARD),
    4: (
        Seat("gondor", "Gondor", Side.FREE_PEOPLES),
        _SAURON,
        _ISENGARD,
        Seat("rohan", "Rohan", Side.FREE_PEOPLES),
    ),
}
"""The seats, by the number of players."""


RulesetLike = Ruleset | str | Mapping[str, Any]
"""A ruleset, its ``to_dict``, or a spec (``second:null_events=false``): the forms that games and environments
accept (``read_ruleset``)."""
_NAMED = {name: make() for name, make in EDITIONS.items()}
FIRST_EDITION = _NAMED["first"]


def ruleset_of(given: RulesetLike | None) -> Ruleset:
    """Returns a ruleset from any accepted form; None means the first edition.

    Raises:
        ValueError: the argument is not a ruleset of War of the Ring.
    """
    return read_ruleset(given, "War of the Ring", _NAMED)
