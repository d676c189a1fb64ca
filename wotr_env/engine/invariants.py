"""What is true of every position: conservation of all components and the basic order of the board.

Section 17.4 of the rules. Vectorised over a batch, so that random play can be checked after every decision.
"""

from __future__ import annotations

import numpy as np

from wotr_env.cards.events import EVENT_OPS
from wotr_env.codes import (
    CardZone,
    Character,
    Decision,
    Frame,
    Location,
    Phase,
    Settlement,
    Side,
    TileKind,
    TileZone,
)
from wotr_env.components import (
    CHARACTER_LEVEL,
    IS_COMPANION,
    NUM_REGIONS,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    TILE_KIND,
    TOTAL_ELITE,
    TOTAL_LEADER,
    TOTAL_REGULAR,
)
from wotr_env.data.event_programs import MAX_OPS, Op
from wotr_env.rules.armies import FIELD_LIMIT, GARRISON_LIMIT, CasualtyFrame, TrimFrame
from wotr_env.rules.cards import HandFrame
from wotr_env.rules.choice import Asked
from wotr_env.rules.decisions import DECISIONS
from wotr_env.rules.events.frame import EventFrame
from wotr_env.rules.events.program import OPERATIONS
from wotr_env.rules.stack import KIND, STAGE
from wotr_env.ruleset import Option, OverstackVoluntary, StackingCheck
from wotr_env.state import CARDS_PER_DECK, MAX_DEPTH, NUM_DECKS, NUM_FREE_PEOPLES, STATE

_FP = slice(0, NUM_FREE_PEOPLES)
_SH = slice(NUM_FREE_PEOPLES, None)
_COUNTS = (
    "regular",
    "elite",
    "leader",
    "units",
    "reinforcement_regular",
    "reinforcement_elite",
    "reinforcement_leader",
    "casualty_regular",
    "casualty_elite",
    "casualty_leader",
    "steps_to_war",
    "deck_size",
    "dice",
    "dice_used",
    "pool",
    "hunt_box",
    "rings",
    "chosen_regular",
    "chosen_elite",
    "chosen_leader",
    "party_regular",
    "party_elite",
    "party_leader",
    "hunt_damage",
)
_RANGES = (
    ("corruption", 0, 12),
    ("progress", 0, 12),
    ("mordor_step", 0, 6),
    ("fellowship_region", -1, NUM_REGIONS - 1),
    ("revealed", 0, 1),
    ("guide", 0, int(Character.GOLLUM)),
    ("seat", 0, 1),
    ("acting", 0, 1),
    ("active", 0, 1),
    ("control", 0, 1),
    ("steps_to_war", 0, 3),
    ("location", int(Location.REPLACED), NUM_REGIONS - 1),
    ("tile_zone", 0, int(TileZone.REMOVED)),
    ("winner", -1, 2),
    ("depth", 1, MAX_DEPTH),
    ("phase", 0, int(Phase.VICTORY)),
)
_MOST_STEPS = 8
"""Steps of an event's operation that are told apart."""

assert CasualtyFrame.SIDE == TrimFrame.SIDE == HandFrame.SEAT, "the slot of Asked.OWNER"


def check_invariants(state: np.ndarray) -> None:
    """Checks one position.

    Raises:
        ValueError: names the broken invariant.
    """
    states = np.empty(1, dtype=STATE)
    states[0] = state
    check_batch(states)


def check_batch(states: np.ndarray, masks: np.ndarray | None = None) -> None:
    """Checks a batch ``STATE[N]``, and its masks ``bool[N, NUM_ACTIONS]`` if given.

    Raises:
        ValueError: names the broken invariant and the first game of the batch that breaks it.
    """
    _require(states, "a count is negative", *(_flat(states[name] >= 0) for name in _COUNTS))
    for name, low, high in _RANGES:
        _require(
            states,
            f"{name} is not from {low} to {high}",
            _flat((states[name] >= low) & (states[name] <= high)),
        )
    _check_figures(states)
    _check_board(states)
    _check_cards_and_tiles(states)
    _check_dice(states)
    _check_fellowship(states)
    _check_tidy(states)
    _check_seat(states)
    passive_at_war = (states["active"] == 0) & (states["steps_to_war"] == 0)
    _require(states, "a passive nation is At War (R8.4)", ~passive_at_war.any(axis=1))
    if masks is not None:
        over = states["winner"] != -1
        choices = masks.sum(axis=1)
        least = np.where(states["options"][:, Option.ASK_SINGLE] == 1, 1, 2)
        _require(states, "a finished game has legal actions", ~over | (choices == 0))
        _require(states, "a decision has too few legal actions", over | (choices >= least))


def _check_tidy(states: np.ndarray) -> None:
    """What belongs to an action, a battle or a Hunt is neutral without one, so equal positions are equal."""
    acting, fighting, hunting = (_pending(states, kind) for kind in (Frame.ACTION, Frame.BATTLE, Frame.HUNT))
    for name in states.dtype.names or ():
        if name.startswith(("moved_", "chosen_", "action_")):
            needed = acting | hunting  # a Hunt lets groups leave the Fellowship outside an action
        elif name.startswith(("party_", "battle_")):
            needed = acting | fighting
        elif (name.startswith("hunt_") and name != "hunt_box") or name == "tile_number":
            needed = hunting
        else:
            continue
        neutral = -1 if name == "hunt_tile" else 0
        _require(states, f"{name} is left over", needed | _flat(states[name] == neutral))


def _asked_table() -> np.ndarray:
    """Who is asked: ``int64[decision, operation, step]``, a place in ``Asked``; operation 0: by no event."""
    kinds = list(Asked)
    table = np.full((len(Decision), len(Op), _MOST_STEPS), kinds.index(Asked.EVENT))
    for decision, choice in DECISIONS.items():
        table[decision] = kinds.index(choice.asked)
    for op, operation in OPERATIONS.items():
        for decision, step, choice in operation.questions():
            table[decision, op, *step] = kinds.index(choice.asked)
    return table


_ASKED = _asked_table()


def _check_seat(states: np.ndarray) -> None:
    """Each decision is asked of the player whom its row in the tables names."""
    rows = np.arange(states.size)
    top = states["stack"][rows, states["depth"] - 1].astype(np.int64)
    by_event = top[:, KIND] == Frame.EVENT
    card, place = np.where(by_event, [top[:, EventFrame.CARD], top[:, STAGE]], 0)
    op = np.where(by_event, EVENT_OPS[card, np.minimum(place, MAX_OPS - 1), 0], Op.END)
    step = np.where(by_event, np.minimum(top[:, EventFrame.STEP], _MOST_STEPS - 1), 0)
    asked = _ASKED[states["decision"], op, step]
    seat, attacker = states["seat"], states["battle_attacker"]
    fighting = _pending(states, Frame.BATTLE)
    true_of = {
        Asked.FREE_PEOPLES: seat == Side.FREE_PEOPLES,
        Asked.SHADOW: seat == Side.SHADOW,
        Asked.ACTING: seat == states["acting"],
        Asked.OWNER: seat == top[:, CasualtyFrame.SIDE],
        Asked.ATTACKER: fighting & (seat == attacker),
        Asked.DEFENDER: fighting & (seat != attacker),
        Asked.FIGHTER: fighting,
        Asked.COMBATANT: fighting & (states["combat_card"][rows, seat] >= 0),
        Asked.EVENT: np.zeros(states.size, bool),
    }
    pending = states["decision"] != Decision.NONE
    for place, who in enumerate(Asked):
        wrong = f"a decision is not asked of {who.value}"
        _require(states, wrong, ~(pending & (asked == place)) | true_of[who])


def _flat(holds: np.ndarray) -> np.ndarray:
    return np.asarray(holds.reshape(holds.shape[0], -1).all(axis=1))


def _require(states: np.ndarray, message: str, *conditions: np.ndarray) -> None:
    for holds in conditions:
        if not holds.all():
            raise ValueError(f"game {int(np.argmin(holds))} of the batch: {message}")


def _pending(states: np.ndarray, kind: Frame) -> np.ndarray:
    """Whether a frame of a kind is on each stack."""
    live = np.arange(MAX_DEPTH) < states["depth"][:, None]
    return ((states["stack"][:, :, KIND] == kind) & live).any(axis=1)


def _check_figures(states: np.ndarray) -> None:
    """Every figure is in one place, and the unit sums are right (R1.1, R1.2)."""
    for kind, total in (("regular", TOTAL_REGULAR), ("elite", TOTAL_ELITE), ("leader", TOTAL_LEADER)):
        count = states[kind].sum(axis=1, dtype=np.int64) + states[f"reinforcement_{kind}"]
        count[:, _FP] += states[f"casualty_{kind}"]
        _require(states, f"the {kind} figures of a nation do not add up to its total", _flat(count == total))
    units = states["regular"].astype(np.int64) + states["elite"]
    for side, nations in ((Side.FREE_PEOPLES, _FP), (Side.SHADOW, _SH)):
        sums = units[:, :, nations].sum(axis=2)
        _require(states, "the unit sums are wrong", _flat(states["units"][:, :, side] == sums))


def _check_board(states: np.ndarray) -> None:
    """Sieges only at Strongholds, stacking, no lone Leaders, captures made (R7.1, R7.2, R7.17)."""
    units = states["units"]
    both = (units > 0).all(axis=2)
    fighting = _pending(states, Frame.BATTLE)
    stronghold = SETTLEMENT == Settlement.STRONGHOLD
    _require(states, "both sides have units where no Stronghold is", _flat(~both | stronghold))
    lone = (states["leader"][:, :, _FP].sum(axis=2) > 0) & (units[:, :, Side.FREE_PEOPLES] == 0)
    _require(states, "a Leader is without a unit (R7.3.4)", fighting | ~lone.any(axis=1))

    settled = np.zeros((states.size, NUM_REGIONS), dtype=np.int64)
    settled[:, SETTLEMENT_REGIONS] = states["control"]
    disband = states["options"][:, Option.OVERSTACK_VOLUNTARY] == OverstackVoluntary.DISBAND
    late = states["options"][:, Option.STACKING_CHECK] == StackingCheck.END_OF_ACTION
    acting = _pending(states, Frame.ACTION) & (states["decision"] != Decision.ACTION_DIE)
    trimming = _pending(states, Frame.TRIM) | disband & _pending(states, Frame.MOVE_ARMIES) | late & acting
    for side in Side:
        garrison = both & (settled == side)
        limit = np.where(garrison, GARRISON_LIMIT, FIELD_LIMIT)
        _require(
            states,
            "an army is above the stacking limit (R7.2.1)",
            trimming | _flat(units[:, :, side] <= limit),
        )
        alone = (units[:, :, side] > 0) & (units[:, :, 1 - side] == 0)
        enemy_settlement = alone[:, SETTLEMENT_REGIONS] & (states["control"] != side)
        _require(
            states,
            "an army stands in an enemy-controlled Settlement it did not capture (R7.17.1)",
            fighting | ~enemy_settlement.any(axis=1),
        )


def _check_cards_and_tiles(states: np.ndarray) -> None:
    """Decks have no gaps, hands keep the limit, special tiles keep to their zones (R6, R10.1)."""
    zones = states["card_zone"].reshape(states.size, NUM_DECKS, CARDS_PER_DECK)
    places = np.arange(CARDS_PER_DECK)
    there = (zones[:, :, :, None] == places).sum(axis=2)
    expected = places < states["deck_size"][:, :, None]
    _require(states, "a draw deck has a gap or a double", _flat(there == expected))
    in_hand = np.stack(
        [(states["card_zone"] == CardZone.HAND + seat).sum(axis=1) for seat in range(2)], axis=1
    )
    limit = states["options"][:, [Option.HAND_LIMIT]]
    discarding = _pending(states, Frame.HAND_LIMIT)
    _require(states, "a hand is above its limit (R6.2.2)", discarding | _flat(in_hand <= limit))
    early = (states["tile_zone"] == TileZone.ASIDE) | (states["tile_zone"] == TileZone.WAITING)
    standard = TILE_KIND == TileKind.STANDARD
    _require(states, "a standard tile is set aside", _flat(~early | ~standard))
    could_be_back = ((states["tile_zone"] == TileZone.DRAWN) & standard).any(axis=1)
    in_pool = (states["tile_zone"] == TileZone.POOL).any(axis=1)
    _require(states, "the Hunt Pool is empty and was not refilled (R10.1.1)", in_pool | ~could_be_back)


def _check_dice(states: np.ndarray) -> None:
    """Unused, used and hunting dice make up the pool once the dice are rolled; three Rings at most."""
    rolled = states["phase"] >= Phase.ACTION
    dice = states["dice"].sum(axis=2) + states["dice_used"] + states["hunt_box"]
    _require(states, "the action dice do not add up to the pool", ~rolled | _flat(dice == states["pool"]))
    _require(states, "there are more than three Elven Rings", states["rings"].sum(axis=1) <= 3)


def _check_fellowship(states: np.ndarray) -> None:
    """The Guide is in the Fellowship and of the highest Level; the Track is no region (R9.3, R11.2.1)."""
    on_track = states["mordor_step"] > 0
    _require(
        states, "the figure and the Mordor Track disagree", on_track == (states["fellowship_region"] == -1)
    )
    inside = states["location"] == Location.IN_FELLOWSHIP
    choosing = _pending(states, Frame.GUIDE) | (states["decision"] == Decision.CHOOSE_GUIDE)
    leaving = _pending(states, Frame.MOVE_COMPANIONS) | (states["winner"] != -1)
    rows = np.arange(states.size)
    guide_inside = inside[rows, states["guide"]]
    levels = np.where(inside & (IS_COMPANION == 1), CHARACTER_LEVEL, -1).max(axis=1)
    highest = (CHARACTER_LEVEL[states["guide"]] == levels) | (levels == -1)
    _require(states, "the Guide is not in the Fellowship (R9.3.1)", choosing | leaving | guide_inside)
    _require(states, "the Guide is not of the highest Level (R9.3.1)", choosing | leaving | highest)
