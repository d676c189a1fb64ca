"""A position from the view of a viewer, as plain JSON data: for pictures, replays and tools (section 18)."""

from __future__ import annotations

from typing import Any

import numpy as np

from wotr_env.core.seats import check_viewer
from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import (
    SIDE_IDS,
    BattleKind,
    CardZone,
    Character,
    Decision,
    Face,
    Frame,
    Location,
    Nation,
    Phase,
    Reason,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    IS_COMPANION,
    NATION_SIDE,
    NUM_REGIONS,
    REGION_IDS,
    SETTLEMENT_INDEX,
    TILE_IDS,
)
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.frames import frames, top_frame
from wotr_env.games.war_of_the_ring.rules.hunt.dice import hunt_dice, hunt_rerolls, least_success
from wotr_env.games.war_of_the_ring.seating import (
    given_cards,
    is_shared,
    leader_of,
    mixed_armies,
    partner_of,
    seats_of,
    side_of,
)
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, CARDS_PER_SIDE, NUM_DECKS, NUM_LEADER_NATIONS
from wotr_env.games.war_of_the_ring.winners import places_won, winning_partners
from wotr_env.games.war_of_the_ring.words.decisions import decision_text
from wotr_env.games.war_of_the_ring.words.positions import victory_points

NATION_IDS = tuple(nation.name.lower() for nation in Nation)
FACE_IDS = tuple(face.name.lower() for face in Face)
CHARACTER_IDS = tuple(character.name.lower().replace("_", "-") for character in Character)
BACKS = ("character", "strategy")
"""The backs of the cards; deck ``d`` has the back ``d % 2``."""

PHASE_WORDS: dict[int, str] = {
    Phase.DRAW: "cards",
    Phase.FELLOWSHIP: "Fellowship",
    Phase.HUNT_ALLOCATION: "Hunt allocation",
    Phase.ACTION_ROLL: "action roll",
    Phase.ACTION: "actions",
    Phase.VICTORY: "victory check",
}

_OF_ATTACKS = (Decision.ATTACK_TARGET, Decision.ATTACK_FIGURES, Decision.ADVANCE_FIGURES)

_SIDE_OF = tuple(NATION_SIDE.tolist())
_SETTLEMENT_OF = tuple(SETTLEMENT_INDEX.tolist())


def picture(state: np.record, viewer: int | None) -> dict[str, Any]:
    """Returns the information of a position that a viewer may see, in a form for ``json.dumps``.

    Objects have their ids (``minas-tirith``, ``fp-char-01``, ``gandalf-white``), sides and nations are
    ``free_peoples``, ``shadow``, ``gondor`` and so on; seats are ``free_peoples`` and ``shadow`` in a game
    of two, ``gondor``, ``sauron``, ``isengard``, ``rohan`` of four. All keys are always there:

    ====================  ==============================================================================
    ``turn`` ``phase``    a number; words
    ``over`` ``winner``   ``winner`` (a side or ``draw``) and ``reason`` (``ring_destroyed``, ...) are None
    ``reason``            before the end
    ``deciding``          the deciding seat, None at the end; ``decision``: its decision in words, empty
    ``decision``          unless the viewer is this seat or None
    ``about``             details of the decision, None if ``decision`` is empty: ``origin`` and ``goal``
                          (regions: the origin and goal of the army, or None), ``hits`` to take,
                          ``taken``: the figures and characters chosen so far, as of a battle's ``party``
    ``seats``             by seat ``title``, ``side``, ``leads`` (its side), ``acts_next`` (takes the next
                          action of its side), ``places`` (the number by which partners are compared; None
                          if the seat has no partner), ``won`` (the game, alone or together)
    ``regions``           by id, Settlements and all that is not empty: ``control`` (None without a
                          Settlement), ``besieged``, ``armies`` (``side``, ``garrison``, ``mixed``: whether
                          partners have one army there, and ``figures``: by nation [Regulars, Elites,
                          Leaders]; Leaders of Sauron are Nazgul), ``characters``
    ``fellowship``        ``region`` (None on the Mordor Track), ``progress``, ``revealed``,
                          ``mordor_step`` (0: not there), ``corruption``, ``guide``, ``companions`` (the
                          Guide too), ``gollum`` (whether he is with it)
    ``politics``          by nation ``steps_to_war`` (0: At War) and ``active``
    ``dice``              by side ``unused`` (number by face), ``used``, ``pool``, ``hunt_box``, ``rings``
    ``hunt``              tiles: ``pool``, ``drawn``, ``waiting`` for Mordor; ``tile``: of the Hunt under way;
                          ``roll``: the Hunt roll if the Fellowship moved now, without Flocks of Crebain:
                          ``dice``, ``needed`` (the least die that succeeds), ``rerolls`` at most, and the
                          ``chance`` of a success; None on the Mordor Track, where a move draws a tile
    ``cards``             by side ``deck_size`` by back, ``table``, ``discard``, ``in_play`` (an event being
                          resolved, a Combat card revealed)
    ``hands``             by seat ``hand`` (None if hidden), ``hand_size`` by back, ``given`` (those in hand
                          that the partner has given and the viewer knows of), ``offered`` (the card that it
                          is giving, to its own eyes), ``face_down`` (None if hidden), ``face_down_size``,
                          ``committed`` (a Combat card not revealed yet)
    ``battle``            None, or ``attacker``, ``region``, ``origin``, ``round``, ``kind``, ``hits`` scored
                          by the Free Peoples and the Shadow, the revealed ``cards``, ``party``: who
                          attacks (``figures`` by nation, ``characters``)
    ``victory_points``    by side
    ====================  ==============================================================================

    Args:
        state: one record of dtype ``STATE``.
        viewer: a seat, ``PUBLIC`` for a viewer without a seat, or None for a viewer who may see all hands.
            No picture contains deck orders or the random key.

    Raises:
        ValueError: ``viewer`` is none of these.
    """
    seats = seats_of(state)
    viewer = check_viewer(viewer, seats)
    over = int(state["winner"]) != Winner.NONE
    seat = int(state["seat"])
    may_know = not over and viewer in (None, seat)
    return {
        "turn": int(state["turn"]),
        "phase": PHASE_WORDS.get(int(state["phase"]), "before the first phase"),
        "over": over,
        "winner": Winner(int(state["winner"])).name.lower() if over else None,
        "reason": Reason(int(state["reason"])).name.lower() if over else None,
        "deciding": None if over else seats[seat].name,
        "decision": decision_text(state) if may_know else "",
        "about": _about(state) if may_know else None,
        "seats": _seats(state),
        "regions": _regions(state),
        "fellowship": _fellowship(state),
        "politics": politics_of(state),
        "dice": {SIDE_IDS[side]: dice_of(state, side) for side in Side},
        "hunt": _hunt(state),
        "cards": {SIDE_IDS[side]: _cards(state, side) for side in Side},
        "hands": {each.name: _hand(state, number, viewer) for number, each in enumerate(seats)},
        "battle": _battle(state),
        "victory_points": dict(zip(SIDE_IDS, victory_points(state), strict=True)),
    }


def _about(state: np.record) -> dict[str, Any]:
    """The objects and numbers in the question for the deciding seat."""
    origin, goal, hits = -1, -1, 0
    frame = top_frame(state)
    if int(state["decision"]) in _OF_ATTACKS:
        origin, goal = int(state["battle_origin"]), int(state["battle_target"])
    elif frame.kind == Frame.MOVE_ARMIES:
        origin = frame.destination if frame.steps_left > 0 else frame.origin
        goal = frame.destination
    elif frame.kind == Frame.RETREAT:
        origin, goal = frame.origin, frame.region
    elif frame.kind == Frame.TRIM:
        origin = frame.region
    elif frame.kind == Frame.CASUALTIES:
        origin, hits = frame.region, frame.hits
    return {
        "origin": _region_or(origin),
        "goal": _region_or(goal),
        "hits": hits,
        "taken": _party(state, "chosen"),
    }


def _region_or(number: int) -> str | None:
    return REGION_IDS[number] if 0 <= number < NUM_REGIONS else None


def _party(state: np.record, name: str) -> dict[str, Any]:
    """The figures in the fields ``chosen_*`` or ``party_*``."""
    kinds = [state[f"{name}_{kind}"].tolist() for kind in ("regular", "elite", "leader")]
    kinds[2] += [0] * (len(Nation) - len(kinds[2]))
    figures = dict(zip(NATION_IDS, map(list, zip(*kinds, strict=True)), strict=True))
    members = int(state[f"{name}_characters"])
    return {
        "figures": {nation: counts for nation, counts in figures.items() if any(counts)},
        "characters": [who for number, who in enumerate(CHARACTER_IDS) if members >> number & 1],
    }


def seat_ids(shown: dict[str, Any], side: str) -> list[str]:
    """The ids of the seats of a side in a picture."""
    return [name for name, seat in shown["seats"].items() if seat["side"] == side]


def role_words(seat: dict[str, Any]) -> str:
    """Whether a seat of a picture leads its side and acts next, and its places, in words; empty if it has no
    partner."""
    if seat["places"] is None:
        return ""
    lost = seat["side"] == SIDE_IDS[0]
    places = f"{counted(-seat['places'] if lost else seat['places'], 'place')} {'lost' if lost else 'won'}"
    return ", ".join(
        filter(None, ("leads" if seat["leads"] else "", "acts next" if seat["acts_next"] else "", places))
    )


def _seats(state: np.record) -> dict[str, Any]:
    sharing = [is_shared(state, side) for side in Side]
    places, best = _partners(state) if any(sharing) else ([], [])
    shown = {}
    for seat, each in enumerate(seats_of(state)):
        shared = sharing[each.team]
        shown[each.name] = {
            "title": each.title,
            "side": SIDE_IDS[each.team],
            "leads": leader_of(state, each.team) == seat,
            "acts_next": not shared or int(state["next_seat"][each.team]) == seat,
            "places": places[seat] if shared else None,
            "won": best[seat] if shared else int(state["winner"]) == each.team,
        }
    return shown


def _partners(state: np.record) -> tuple[list[int], list[bool]]:
    """For each seat, the number by which partners are compared, and whether the seat has won by this
    number."""
    one = np.asarray(state).reshape(1)
    return places_won(one)[0].tolist(), winning_partners(one)[0].tolist()


def _regions(state: np.record) -> dict[str, Any]:
    figures = figures_of(state)
    mixed = [frozenset(mixed_armies(state, side)) for side in Side]
    units, control = state["units"].tolist(), state["control"].tolist()
    characters: dict[int, list[int]] = {}
    for who, place in enumerate(state["location"].tolist()):
        if place >= 0:
            characters.setdefault(place, []).append(who)
    regions = {}
    for region in range(NUM_REGIONS):
        settlement = _SETTLEMENT_OF[region]
        if settlement < 0 and region not in figures and region not in characters:
            continue
        controller = control[settlement] if settlement >= 0 else -1
        besieged = settlement >= 0 and min(units[region]) > 0
        armies = figures.get(region, ({}, {}))
        regions[REGION_IDS[region]] = {
            "control": SIDE_IDS[controller] if settlement >= 0 else None,
            "besieged": besieged,
            "armies": [
                {
                    "side": name,
                    "garrison": besieged and side == controller,
                    "mixed": region in mixed[side],
                    "figures": army,
                }
                for side, (name, army) in enumerate(zip(SIDE_IDS, armies, strict=True))
                if army
            ],
            "characters": [CHARACTER_IDS[who] for who in characters.get(region, ())],
        }
    return regions


def figures_of(state: np.record) -> dict[int, tuple[dict[str, list[int]], dict[str, list[int]]]]:
    """The numbers of [Regulars, Elites, Leaders] by region, side and nation, without empty entries."""
    kinds = np.zeros((NUM_REGIONS, len(Nation), 3), dtype=np.int8)
    kinds[:, :, 0] = state["regular"]
    kinds[:, :, 1] = state["elite"]
    kinds[:, :NUM_LEADER_NATIONS, 2] = state["leader"]
    figures: dict[int, tuple[dict[str, list[int]], dict[str, list[int]]]] = {}
    places = np.argwhere(kinds.any(axis=2)).T
    for region, nation, counts in zip(*places.tolist(), kinds[tuple(places)].tolist(), strict=True):
        armies = figures.setdefault(region, ({}, {}))
        armies[_SIDE_OF[nation]][NATION_IDS[nation]] = counts
    return figures


def _fellowship(state: np.record) -> dict[str, Any]:
    region = int(state["fellowship_region"])
    inside = np.flatnonzero(np.asarray(state["location"]) == Location.IN_FELLOWSHIP).tolist()
    return {
        "region": REGION_IDS[region] if region >= 0 else None,
        "progress": int(state["progress"]),
        "revealed": bool(state["revealed"]),
        "mordor_step": int(state["mordor_step"]),
        "corruption": int(state["corruption"]),
        "guide": CHARACTER_IDS[int(state["guide"])],
        "companions": [CHARACTER_IDS[who] for who in inside if IS_COMPANION[who]],
        "gollum": Character.GOLLUM in inside,
    }


def dice_of(state: np.record, side: int) -> dict[str, Any]:
    """The numbers of action dice and Elven Rings of a side."""
    unused = zip(FACE_IDS, state["dice"][side].tolist(), strict=True)
    return {
        "unused": {face: count for face, count in unused if count},
        "used": int(state["dice_used"][side]),
        "pool": int(state["pool"][side]),
        "hunt_box": int(state["hunt_box"][side]),
        "rings": int(state["rings"][side]),
    }


def politics_of(state: np.record) -> dict[str, dict[str, Any]]:
    """The place of each nation on the Political Track."""
    steps, active = state["steps_to_war"].tolist(), state["active"].tolist()
    return {
        nation: {"steps_to_war": left, "active": bool(each)}
        for nation, left, each in zip(NATION_IDS, steps, active, strict=True)
    }


def _hunt(state: np.record) -> dict[str, Any]:
    zones = state["tile_zone"].tolist()
    tile = int(state["hunt_tile"])
    return {
        "pool": _ids(TILE_IDS, zones, TileZone.POOL),
        "drawn": _ids(TILE_IDS, zones, TileZone.DRAWN),
        "waiting": _ids(TILE_IDS, zones, TileZone.WAITING),
        "tile": TILE_IDS[tile] if tile >= 0 and _under_way(state, Frame.HUNT) else None,
        "roll": None if state["mordor_step"] or state["fellowship_region"] < 0 else _hunt_roll(state),
    }


def _hunt_roll(state: np.record) -> dict[str, Any]:
    dice, needed, rerolls = int(hunt_dice(state)), int(least_success(state, 0)), int(hunt_rerolls(state))
    chance = 1 - ((needed - 1) / 6) ** (dice + min(dice, rerolls))
    return {"dice": dice, "needed": needed, "rerolls": rerolls, "chance": chance}


def _cards(state: np.record, side: int) -> dict[str, Any]:
    ids, zones = _deck(state, side)
    deck_size = state["deck_size"].tolist()[2 * side : 2 * side + NUM_DECKS // 2]
    return {
        "deck_size": dict(zip(BACKS, deck_size, strict=True)),
        "table": _ids(ids, zones, CardZone.TABLE),
        "discard": _ids(ids, zones, CardZone.DISCARD),
        "in_play": _ids(ids, zones, CardZone.IN_PLAY),
    }


def _hand(state: np.record, seat: int, viewer: int | None) -> dict[str, Any]:
    ids, zones = _deck(state, side_of(seat))
    seen = viewer in (None, seat)
    in_hand = [CardZone.HAND + seat]
    if not seen and not state["options"][Option.COMBAT_CARD_BACK_VISIBLE]:
        in_hand.append(CardZone.COMMITTED + seat)  # nobody is told of which back it is
    hand_size = [0] * len(BACKS)
    for card, zone in enumerate(zones):
        hand_size[card // CARDS_PER_DECK] += zone in in_hand
    hand = _ids(ids, zones, CardZone.HAND + seat)
    given = (
        {CARD_IDS[card] for card in given_cards(state)}
        if seen or viewer == partner_of(state, seat)
        else set()
    )
    offered = CARD_IDS[int(state["offered"]) - 1] if seen and state["offered"] else None
    return {
        "hand": hand if seen else None,
        "hand_size": dict(zip(BACKS, hand_size, strict=True)),
        "given": [card for card in hand if card in given],
        "offered": offered if offered in hand else None,
        "face_down": _ids(ids, zones, CardZone.FACE_DOWN + seat) if seen else None,
        "face_down_size": zones.count(CardZone.FACE_DOWN + seat),
        "committed": CardZone.COMMITTED + seat in zones,
    }


def _deck(state: np.record, side: int) -> tuple[tuple[str, ...], list[int]]:
    """The cards of a side and their zones."""
    first, last = side * CARDS_PER_SIDE, (side + 1) * CARDS_PER_SIDE
    return CARD_IDS[first:last], state["card_zone"][first:last].tolist()


def _battle(state: np.record) -> dict[str, Any] | None:
    if not _under_way(state, Frame.BATTLE):
        return None
    zones = state["card_zone"]
    revealed = [
        card for card in state["combat_card"].tolist() if card >= 0 and zones[card] == CardZone.IN_PLAY
    ]
    return {
        "attacker": SIDE_IDS[int(state["battle_attacker"])],
        "region": REGION_IDS[int(state["battle_target"])],
        "origin": REGION_IDS[int(state["battle_origin"])],
        "round": int(state["battle_round"]),
        "kind": BattleKind(int(state["battle_kind"])).name.lower(),
        "hits": state["hits"].tolist(),
        "cards": [CARD_IDS[card] for card in revealed],
        "party": _party(state, "party"),
    }


def _under_way(state: np.record, kind: Frame) -> bool:
    return any(frame.kind == kind for frame in frames(state))


def _ids(names: tuple[str, ...], zones: list[int], zone: int) -> list[str]:
    return [name for name, where in zip(names, zones, strict=True) if where == zone]
