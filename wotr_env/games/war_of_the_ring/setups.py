"""Positions set up by hand, as plain JSON data. The pending decision is the choice of an action die.

``setup_of`` describes such a position of two players completely, except for the order of the decks and future
dice. ``position_from`` creates a position from data that a person may have changed. If the data are
impossible, it raises an error of one line.

====================  ================================================================================
``turn`` ``acting``   a number; the side whose action is next
``regions``           by id, where figures are: by nation [Regulars, Elites, Leaders] (Sauron's: Nazgul)
``casualties``        figures of the Free Peoples that are out of the game, by nation alike
``control``           by id of each Settlement the side that controls it
``politics``          by nation ``steps_to_war`` (0: At War) and ``active``
``characters``        by id a region's, or ``fellowship``, ``aside``, ``eliminated``, ``replaced``
``fellowship``        ``region`` (None on the Mordor Track), ``progress``, ``revealed``, ``mordor_step``,
                      ``corruption``, ``guide``, and ``moved`` and ``hidden``: whether either was tried in
                      this turn
``dice``              by side ``unused`` (number by face), ``used``, ``hunt_box``, ``rings``, ``ring_used``
``tiles``             by id ``pool``, ``drawn``, ``removed``, ``aside`` or ``waiting`` (for Mordor)
``cards``             by side lists ``hand``, ``table``, ``discard``, ``face_down``; others are in decks
``messenger_used``    whether the Messenger of the Dark Tower has been used in this turn
====================  ================================================================================

All other figures are in the reinforcements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from wotr_env.core.values import check_fields, check_integer
from wotr_env.games.war_of_the_ring.codes import (
    SIDE_IDS,
    CardZone,
    Character,
    Decision,
    Face,
    Frame,
    Location,
    Nation,
    Phase,
    Region,
    Side,
    TileKind,
    TileZone,
    TurnStage,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    CARD_NAMES,
    CHARACTER_NAMES,
    DIE_FACES,
    ELVEN_RINGS,
    IS_COMPANION,
    LAST_STEP,
    MAX_CORRUPTION,
    MAX_PROGRESS,
    NATION_NAMES,
    NATION_SIDE,
    ON_THE_TRACK,
    REGION_IDS,
    REGION_NAMES,
    SETTLEMENT_REGIONS,
    TILE_IDS,
    TILE_KIND,
    TILE_NAMES,
    TOTAL_ELITE,
    TOTAL_LEADER,
    TOTAL_REGULAR,
)
from wotr_env.games.war_of_the_ring.game import Game
from wotr_env.games.war_of_the_ring.picture import (
    CHARACTER_IDS,
    FACE_IDS,
    NATION_IDS,
    dice_of,
    figures_of,
    politics_of,
)
from wotr_env.games.war_of_the_ring.rules.characters import BASE_POOL
from wotr_env.games.war_of_the_ring.rules.frames import frames
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.table.modifiers import Modifier
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.seating import TEAMS
from wotr_env.games.war_of_the_ring.state import (
    CARDS_PER_DECK,
    CARDS_PER_SIDE,
    NUM_FREE_PEOPLES,
    NUM_LEADER_NATIONS,
)

_FIELDS = (
    "turn",
    "acting",
    "regions",
    "casualties",
    "control",
    "politics",
    "characters",
    "fellowship",
    "dice",
    "tiles",
    "cards",
    "messenger_used",
)
_FELLOWSHIP = ("region", "progress", "revealed", "mordor_step", "corruption", "guide", "moved", "hidden")
_DICE = ("unused", "used", "hunt_box", "rings", "ring_used")
_PILES = {"hand": CardZone.HAND, "table": CardZone.TABLE, "discard": CardZone.DISCARD}
_FIGURES = ("regular", "elite", "leader")
_WORDS = ("Regulars", "Elites", "Leaders")
_TOTALS = (TOTAL_REGULAR, TOTAL_ELITE, TOTAL_LEADER)
_PLACES = {
    "fellowship": Location.IN_FELLOWSHIP,
    "aside": Location.ASIDE,
    "eliminated": Location.ELIMINATED,
    "replaced": Location.REPLACED,
}
_ZONES = {zone.name.lower(): zone for zone in TileZone}
_UPGRADES = {
    Character.GANDALF_WHITE: Character.GANDALF_GREY,
    Character.ARAGORN: Character.STRIDER,
}
_BONUS_DICE = (2, 3)
"""The number of characters of each side that add an action die."""
_BEHIND_THE_GATES = (Region.GORGOROTH, Region.BARAD_DUR, Region.NURN)
_MOST_TURNS = 999
_MOST_FIGURES = 60


def setup_of(state: np.record) -> dict[str, Any]:
    """A position as data.

    Raises:
        ValueError: the position is for more than two players, or the pending decision is not the choice of an
            action die.
    """
    _check_players(Ruleset.of(state))
    if int(state["winner"]) != Winner.NONE or int(state["decision"]) != Decision.ACTION_DIE:
        raise ValueError("a position can be changed only where a player chooses an action die")
    kinds = [frame.kind for frame in frames(state)]
    if kinds != [Frame.TURN, Frame.ACTION]:
        raise ValueError("a position can be changed only between actions, not during an action")
    return {
        "turn": int(state["turn"]),
        "acting": SIDE_IDS[int(state["acting"])],
        "regions": {
            REGION_IDS[region]: {**free_peoples, **shadow}
            for region, (free_peoples, shadow) in figures_of(state).items()
        },
        "casualties": {
            NATION_IDS[nation]: [int(state[f"casualty_{kind}"][nation]) for kind in _FIGURES]
            for nation in range(NUM_FREE_PEOPLES)
        },
        "control": {
            REGION_IDS[region]: SIDE_IDS[int(side)]
            for region, side in zip(SETTLEMENT_REGIONS, state["control"], strict=True)
        },
        "politics": politics_of(state),
        "characters": {
            name: REGION_IDS[place] if place >= 0 else _name_of(_PLACES, place)
            for name, place in zip(CHARACTER_IDS, state["location"].tolist(), strict=True)
        },
        "fellowship": {
            "region": REGION_IDS[place] if (place := int(state["fellowship_region"])) >= 0 else None,
            "progress": int(state["progress"]),
            "revealed": bool(state["revealed"]),
            "mordor_step": int(state["mordor_step"]),
            "corruption": int(state["corruption"]),
            "guide": CHARACTER_IDS[int(state["guide"])],
            "moved": bool(state["move_attempted"]),
            "hidden": bool(state["hide_attempted"]),
        },
        "dice": {SIDE_IDS[side]: _dice_of(state, side) for side in Side},
        "tiles": {
            tile: _name_of(_ZONES, zone)
            for tile, zone in zip(TILE_IDS, state["tile_zone"].tolist(), strict=True)
        },
        "cards": {SIDE_IDS[side]: _cards_of(state, side) for side in Side},
        "messenger_used": bool(state["messenger_used"]),
    }


def position_from(setup: Any, ruleset: Ruleset, seed: int) -> np.record:
    """The position that data describe, with the choice of an action die as the pending decision.

    Args:
        setup: data in the form of ``setup_of``.
        ruleset: a ruleset for two players.
        seed: the seed of the order of the decks and of all future chance.

    Raises:
        ValueError: the position is impossible; one line gives the reason.
    """
    _check_players(ruleset)
    check_fields(setup, _FIELDS, "position")
    state = _emptied(seed, ruleset)
    _set_turn(state, setup["turn"], setup["acting"])
    _set_figures(state, setup["regions"], setup["casualties"])
    _set_control(state, setup["control"])
    _set_politics(state, setup["politics"])
    _set_characters(state, setup["characters"])
    _set_fellowship(state, setup["fellowship"])
    _set_dice(state, setup["dice"])
    _set_tiles(state, setup["tiles"])
    _set_cards(state, setup["cards"])
    state["messenger_used"] = _flag("messenger_used", setup["messenger_used"])
    try:
        game = Game.from_state(state)
    except ValueError as error:
        raise ValueError(str(error).removeprefix("game 0 of the batch: ")) from None
    if game.over or game.decision != Decision.ACTION_DIE:
        raise ValueError("no player can choose an action die in this position, so it cannot be set up")
    return game.state


# --- Reading a position. ---


def _dice_of(state: np.record, side: int) -> dict[str, Any]:
    dice = dice_of(state, side)
    del dice["pool"]
    return {**dice, "ring_used": bool(state["ring_used"][side])}


def _cards_of(state: np.record, side: int) -> dict[str, list[str]]:
    cards = _cards_of_side(side)
    zones = _piles_of(side)
    return {
        pile: [CARD_IDS[card] for card in cards if state["card_zone"][card] == zone]
        for pile, zone in zones.items()
    }


def _cards_of_side(side: int) -> range:
    return range(side * CARDS_PER_SIDE, (side + 1) * CARDS_PER_SIDE)


def _piles_of(side: int) -> dict[str, int]:
    return {**_PILES, "hand": CardZone.HAND + side, "face_down": CardZone.FACE_DOWN + side}


def _name_of(names: Mapping[str, int], code: int) -> str:
    return next(name for name, value in names.items() if value == code)


# --- Making one. ---


def _check_players(ruleset: Ruleset) -> None:
    if len(ruleset.seats) != len(Side):
        raise ValueError("only positions of two-player games can be set up")


def _emptied(seed: int, ruleset: Ruleset) -> np.record:
    """A game from a seed before the first action of its turn, without figures on the board and without cards
    in play."""
    state = Game(seed=seed, ruleset=ruleset).state
    for card in np.flatnonzero(state["card_zone"] >= CARDS_PER_DECK):
        deck = card // CARDS_PER_DECK
        state["card_zone"][card] = state["deck_size"][deck]
        state["deck_size"][deck] += 1
    for kind in (*_FIGURES, "units", "stack", "draws"):
        state[kind][:] = 0
    state["num_draws"] = state["decision"] = 0
    state["fellowship_moved_last_turn"] = 0
    state["stack"][0, KIND], state["stack"][0, STAGE] = Frame.TURN, TurnStage.ACTIONS
    state["depth"] = 1
    state["phase"] = Phase.ACTION
    return state


def _set_turn(state: np.record, turn: Any, acting: Any) -> None:
    last = int(state["max_turns"]) or _MOST_TURNS
    state["turn"] = check_integer("the turn", turn, 1, last)
    state["acting"] = _one_of("the side that acts", acting, SIDE_IDS)


def _set_figures(state: np.record, regions: Any, casualties: Any) -> None:
    used = np.zeros((len(_FIGURES), len(Nation)), dtype=np.int64)
    for place, nations in _items("regions", regions):
        region = _one_of("a region", place, REGION_IDS)
        for name, counts in _items(REGION_NAMES[region], nations):
            nation = _one_of("a nation", name, NATION_IDS)
            for kind, count in enumerate(
                _counts(f"{NATION_NAMES[nation]} in {REGION_NAMES[region]}", counts)
            ):
                used[kind, nation] += count
                if count:
                    _check_leaders(kind, nation)
                    state[_FIGURES[kind]][region, nation] = count
                    if _FIGURES[kind] != "leader":
                        state["units"][region, NATION_SIDE[nation]] += count
    for name, counts in _items("casualties", casualties):
        nation = _one_of("a nation of the Free Peoples", name, NATION_IDS[:NUM_FREE_PEOPLES])
        for kind, count in enumerate(_counts(f"the casualties of {NATION_NAMES[nation]}", counts)):
            used[kind, nation] += count
            state[f"casualty_{_FIGURES[kind]}"][nation] = count
    for kind, totals in enumerate(_TOTALS):
        for nation, total in enumerate(totals.tolist()):
            if used[kind, nation] > total:
                words = f"{total} {_figure_words(kind, nation)}"
                raise ValueError(f"{NATION_NAMES[nation]} has {words}, not {used[kind, nation]}")
            if kind < 2 or nation < NUM_LEADER_NATIONS:
                state[f"reinforcement_{_FIGURES[kind]}"][nation] = total - used[kind, nation]


def _check_leaders(kind: int, nation: int) -> None:
    if _FIGURES[kind] == "leader" and nation >= NUM_LEADER_NATIONS:
        raise ValueError(f"{NATION_NAMES[nation]} has no Leaders")


def _figure_words(kind: int, nation: int) -> str:
    return "Nazgul" if kind == _FIGURES.index("leader") and nation == Nation.SAURON else _WORDS[kind]


def _counts(what: str, counts: Any) -> list[int]:
    if not isinstance(counts, list) or len(counts) != len(_FIGURES):
        raise ValueError(f"{what} must be three numbers: Regulars, Elites, Leaders")
    return [check_integer(f"a number of {what}", count, 0, _MOST_FIGURES) for count in counts]


def _set_control(state: np.record, control: Any) -> None:
    names = [REGION_IDS[region] for region in SETTLEMENT_REGIONS]
    check_fields(control, names, "control of Settlements")
    for place, name in enumerate(names):
        state["control"][place] = _one_of("who controls a Settlement", control[name], SIDE_IDS)


def _set_politics(state: np.record, politics: Any) -> None:
    check_fields(politics, NATION_IDS, "politics")
    for nation, name in enumerate(NATION_IDS):
        check_fields(politics[name], ("steps_to_war", "active"), "nation's politics")
        steps = check_integer("steps to war", politics[name]["steps_to_war"], 0, 3)
        active = _flag("active", politics[name]["active"])
        if steps == 0 and not active:
            raise ValueError(f"{NATION_NAMES[nation]} is At War and so cannot be passive")
        state["steps_to_war"][nation], state["active"][nation] = steps, active


def _set_characters(state: np.record, characters: Any) -> None:
    check_fields(characters, CHARACTER_IDS, "places of the characters")
    places = {
        who: _place_of(CHARACTER_NAMES[who], characters[name]) for who, name in enumerate(CHARACTER_IDS)
    }
    inside = [who for who, place in places.items() if place == Location.IN_FELLOWSHIP]
    companions = [who for who in inside if IS_COMPANION[who]]
    for who, place in places.items():
        if (wrong := _misplaced(who, place, places, bool(companions))) is not None:
            raise ValueError(f"{CHARACTER_NAMES[who]} {wrong}")
        state["location"][who] = place
    minions = (who for who in places if who >= Character.WITCH_KING)
    state["minions_seen"] = any(places[who] != Location.ASIDE for who in minions)


def _place_of(name: str, place: Any) -> int:
    if isinstance(place, str) and place in _PLACES:
        return int(_PLACES[place])
    if not isinstance(place, str) or place not in REGION_IDS:
        raise ValueError(f"{name} must be in a region or one of {', '.join(_PLACES)}, not {place!r}")
    return REGION_IDS.index(place)


def _misplaced(who: int, place: int, places: Mapping[int, int], company: bool) -> str | None:
    """The fault in the place of a character; None if there is none (R9.3, R14)."""
    if who == Character.GOLLUM:
        follows = place == Location.IN_FELLOWSHIP
        if follows == company or (not follows and place != Location.ASIDE):
            return "must be in the Fellowship if it has no Companion, and aside otherwise"
        return None
    if who <= Character.PEREGRIN:
        upgrade = next((new for new, old in _UPGRADES.items() if old == who), None)
        came = upgrade is not None and places[upgrade] != Location.ASIDE
        if place == Location.ASIDE:
            return "must be in the Fellowship, in a region, eliminated or replaced, not aside"
        if came and place not in (Location.REPLACED, Location.ELIMINATED):
            return f"must be replaced or eliminated, because {CHARACTER_NAMES[upgrade or 0]} has entered play"
        if who == Character.STRIDER and came and place == Location.ELIMINATED:
            return "must be replaced, not eliminated, because Aragorn has entered play"
        if place == Location.REPLACED and not came:
            return "cannot be replaced: no character has taken its place"
        return None
    if place in (Location.IN_FELLOWSHIP, Location.REPLACED):
        return "must be in a region, aside or eliminated"
    if who == Character.SARUMAN and place >= 0 and place != Region.ORTHANC:
        return "cannot leave Orthanc"
    return None


def _set_fellowship(state: np.record, fellowship: Any) -> None:
    check_fields(fellowship, _FELLOWSHIP, "Fellowship")
    step = check_integer("the step on the Mordor Track", fellowship["mordor_step"], 0, LAST_STEP - 1)
    place = fellowship["region"]
    if (place is None) != (step > 0):
        raise ValueError("the Fellowship must be either in a region or on a step of the Mordor Track")
    region = ON_THE_TRACK if place is None else _one_of("the Fellowship's region", place, REGION_IDS)
    if region in _BEHIND_THE_GATES:
        raise ValueError(f"the Fellowship can enter {REGION_NAMES[region]} only on the Mordor Track")
    revealed = _flag("revealed", fellowship["revealed"])
    progress = check_integer("progress", fellowship["progress"], 0, MAX_PROGRESS)
    if progress and (revealed or step):
        raise ValueError("progress must be 0 while the Fellowship is revealed or on the Mordor Track")
    corruption = check_integer("corruption", fellowship["corruption"], 0, MAX_CORRUPTION - 1)
    guide = _one_of("the Guide", fellowship["guide"], CHARACTER_IDS)
    if state["location"][guide] != Location.IN_FELLOWSHIP:
        raise ValueError(f"{CHARACTER_NAMES[guide]} is not in the Fellowship and cannot guide it")
    state["fellowship_region"], state["mordor_step"] = region, step
    state["progress"], state["revealed"] = progress, revealed
    state["corruption"], state["guide"] = corruption, guide
    state["move_attempted"] = _flag("moved", fellowship["moved"])
    state["hide_attempted"] = _flag("hidden", fellowship["hidden"])


def _set_dice(state: np.record, dice: Any) -> None:
    check_fields(dice, SIDE_IDS, "dice")
    for side, name in enumerate(SIDE_IDS):
        own = dice[name]
        check_fields(own, _DICE, "dice of a side")
        most = BASE_POOL[side] + _BONUS_DICE[side]
        faces = [FACE_IDS[face] for face in sorted(set(DIE_FACES[side].tolist())) if face != Face.EYE]
        state["dice"][side] = 0
        for face, count in _items("unused dice", own["unused"]):
            _one_of(f"a die of {TEAMS[side].with_article}", face, faces)
            state["dice"][side, FACE_IDS.index(face)] = check_integer("a number of dice", count, 0, most)
        for field in ("used", "hunt_box"):
            count = check_integer(field.replace("_", " "), own[field], 0, most)
            state["dice_used" if field == "used" else field][side] = count
        pool = int(state["dice"][side].sum()) + int(state["dice_used"][side]) + int(state["hunt_box"][side])
        if pool > most:
            raise ValueError(f"{TEAMS[side].with_article} have at most {most} dice in all, not {pool}")
        state["pool"][side] = pool
        state["rings"][side] = check_integer("Elven Rings", own["rings"], 0, ELVEN_RINGS)
        state["ring_used"][side] = _flag("ring_used", own["ring_used"])
    if not state["dice"].any():
        raise ValueError("at least one side must have an unused action die")


def _set_tiles(state: np.record, tiles: Any) -> None:
    check_fields(tiles, TILE_IDS, "Hunt tiles")
    for tile, name in enumerate(TILE_IDS):
        _one_of("the place of a tile", tiles[name], tuple(_ZONES))
        zone = _ZONES[tiles[name]]
        if zone == TileZone.ASIDE and TILE_KIND[tile] == TileKind.STANDARD:
            raise ValueError(f"the tile {TILE_NAMES[tile]} is a standard tile and cannot be set aside")
        if zone == TileZone.WAITING and (TILE_KIND[tile] == TileKind.STANDARD or state["mordor_step"] > 0):
            raise ValueError(f"the tile {TILE_NAMES[tile]} cannot wait: only special tiles do, until Mordor")
        state["tile_zone"][tile] = zone
    if not (state["tile_zone"] == TileZone.POOL).any():
        raise ValueError("the Hunt Pool is empty")


def _set_cards(state: np.record, cards: Any) -> None:
    check_fields(cards, SIDE_IDS, "cards")
    seen: set[int] = set()
    for side, name in enumerate(SIDE_IDS):
        zones = _piles_of(side)
        check_fields(cards[name], tuple(zones), "cards of a side")
        for pile, zone in zones.items():
            ids = cards[name][pile]
            if not isinstance(ids, list):
                raise ValueError(f"{pile} must be a list of cards")
            for id in ids:
                card = _one_of("a card", id, CARD_IDS)
                if card not in _cards_of_side(side):
                    raise ValueError(f"{CARD_NAMES[card]} is not a card of {TEAMS[side].with_article}")
                if card in seen:
                    raise ValueError(f"{CARD_NAMES[card]} is in two places")
                if pile == "table" and card not in list(Modifier):
                    raise ValueError(f"{CARD_NAMES[card]} does not stay on the table")
                seen.add(card)
                _take(state, card, zone)


def _take(state: np.record, card: int, zone: int) -> None:
    """Takes a card out of its deck and closes the gap."""
    deck = card // CARDS_PER_DECK
    zones = state["card_zone"][deck * CARDS_PER_DECK : (deck + 1) * CARDS_PER_DECK]
    zones[(zones < CARDS_PER_DECK) & (zones > state["card_zone"][card])] -= 1
    state["card_zone"][card] = zone
    state["deck_size"][deck] -= 1


def _items(what: str, values: Any) -> list[tuple[Any, Any]]:
    if not isinstance(values, dict):
        raise ValueError(f"{what} must be an object, not {values!r}")
    return list(values.items())


def _flag(what: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{what} must be true or false, not {value!r}")
    return value


def _one_of(what: str, value: Any, names: Any) -> int:
    """The index of a name in a list of allowed names; raises an error for other names."""
    if not isinstance(value, str) or value not in names:
        known = ", ".join(names) if len(names) <= 10 else "an id such as " + names[0]
        raise ValueError(f"{what} must be {known}, not {value!r}")
    return list(names).index(value)
