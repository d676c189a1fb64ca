"""The invariants of all positions: conservation of all components and the basic order of the board.

Section 17.4 of the rules. The checks are vectorised over a batch, so that random play can be checked after
every decision. Arrays are transposed so that the games are the last axis; then every reduction runs over long
rows.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import (
    CardZone,
    Decision,
    Frame,
    Location,
    Nation,
    Phase,
    Settlement,
    Side,
    TileKind,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
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
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op
from wotr_env.games.war_of_the_ring.engine.bounds import LEAST, MOST
from wotr_env.games.war_of_the_ring.options import Option, OverstackVoluntary, StackingCheck
from wotr_env.games.war_of_the_ring.rules.armies import FIELD_LIMIT, GARRISON_LIMIT, CasualtyFrame, TrimFrame
from wotr_env.games.war_of_the_ring.rules.cards import SHARED_LIMIT, HandFrame
from wotr_env.games.war_of_the_ring.rules.choice import Asked
from wotr_env.games.war_of_the_ring.rules.command import MeetFrame
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.rules.seats import (
    FEWEST_PLAYERS,
    NOBODY,
    PARTNER,
    SEAT_NATIONS,
    SEAT_SIDE,
)
from wotr_env.games.war_of_the_ring.rules.sharing import ShareFrame, ShareStage
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.walks import MoveFrame
from wotr_env.games.war_of_the_ring.state import (
    CARDS_PER_DECK,
    MAX_DEPTH,
    NUM_DECKS,
    NUM_FREE_PEOPLES,
    NUM_SEATS,
    STATE,
)

_FP = slice(0, NUM_FREE_PEOPLES)
_SH = slice(NUM_FREE_PEOPLES, None)
_MOST_STEPS = 8
"""The number of different steps of an operation of an event."""

_PLACE_BIT = np.zeros(128, dtype=np.int32)
"""A bit for each zone of a card that is a position in the draw deck; 0 for all other zones."""
_PLACE_BIT[:CARDS_PER_DECK] = 1 << np.arange(CARDS_PER_DECK)

_PLACES = {name: (dtype.base, dtype.shape, at) for name, (dtype, at, *_) in (STATE.fields or {}).items()}
"""The type, the shape and the offset in the record of each field."""

_OWNERS = {CasualtyFrame.SIDE, TrimFrame.SIDE, HandFrame.SEAT, ShareFrame.SIDE, MeetFrame.SIDE}
assert len(_OWNERS) == 1, "the slot of Asked.OWNER"


def check_invariants(state: np.ndarray) -> None:
    """Checks one position.

    Raises:
        ValueError: an invariant is broken; the message names it.
    """
    states = np.empty(1, dtype=STATE)
    states[0] = state
    check_batch(states)


def check_batch(states: np.ndarray, masks: np.ndarray | None = None) -> None:
    """Checks a batch ``STATE[N]``, and its masks ``bool[N, NUM_ACTIONS]`` if given.

    Raises:
        ValueError: an invariant is broken; the message names the invariant and the first game that breaks it.
    """
    games = _Games(states)
    _check_ranges(games)
    _check_figures(games)
    _check_board(games)
    _check_cards_and_tiles(games)
    _check_dice(games)
    _check_fellowship(games)
    _check_tidy(games)
    _check_seat(games)
    _check_partners(games)
    passive_at_war = (games["active"] == 0) & (games["steps_to_war"] == 0)
    _require("a passive nation is At War (R8.4)", ~passive_at_war)
    if masks is not None:
        over = games["winner"] != -1
        choices = masks.sum(axis=1)
        least = np.where(games.option(Option.ASK_SINGLE) == 1, 1, 2)
        _require("a finished game has legal actions", ~over | (choices == 0))
        _require("a decision has too few legal actions", over | (choices >= least))


class _Games:
    """The fields of ``STATE[N]`` by name, each with the games as the last axis: ``[..., N]``."""

    def __init__(self, states: np.ndarray) -> None:
        self._states = states
        rows = np.ascontiguousarray(states).view(np.int8).reshape(states.size, STATE.itemsize)
        self.bytes = np.ascontiguousarray(rows.T)
        self._fields: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._fields:
            base, shape, at = _PLACES[name]
            self._fields[name] = (
                self.bytes[at : at + math.prod(shape)].reshape(*shape, -1)
                if base == np.int8
                else np.moveaxis(self._states[name], 0, -1)
            )
        return self._fields[name]

    def option(self, option: Option) -> np.ndarray:
        """``int8[N]``: the value of an option."""
        return self["options"][option]

    def pending(self, kind: Frame) -> np.ndarray:
        """``bool[N]``: whether a frame of a kind is on each stack."""
        return np.asarray((self._kinds == kind).any(axis=0))

    @functools.cached_property
    def _kinds(self) -> np.ndarray:
        live = np.arange(MAX_DEPTH)[:, None] < self["depth"]
        return np.where(live, self["stack"][:, KIND], -1)

    @functools.cached_property
    def partner(self) -> np.ndarray:
        """``int64[NUM_SEATS, N]``: the partner of each seat, or ``NOBODY``."""
        return PARTNER[self.option(Option.PLAYERS) - FEWEST_PLAYERS].T

    @functools.cached_property
    def seat_nations(self) -> np.ndarray:
        """``int64[NUM_SEATS, N]``: the nations that each seat controls, one bit each."""
        return SEAT_NATIONS[self.option(Option.PLAYERS) - FEWEST_PLAYERS].T

    @functools.cached_property
    def top(self) -> np.ndarray:
        """``int64[fields, N]``: the frame on top of each stack."""
        rows = np.arange(self._states.size)
        return self["stack"][self["depth"] - 1, :, rows].T.astype(np.int64)


def _require(message: str, holds: np.ndarray) -> None:
    if not holds.all():
        broken = ~holds.reshape(-1, holds.shape[-1]).all(axis=0)
        raise ValueError(f"game {int(np.argmax(broken))} of the batch: {message}")


def _check_ranges(games: _Games) -> None:
    """Checks that all numbers of one byte are in the ranges of their fields."""
    if ((games.bytes >= LEAST[:, None]) & (games.bytes <= MOST[:, None])).all():
        return
    for name, (base, shape, at) in _PLACES.items():
        if base == np.int8:
            cells = slice(at, at + math.prod(shape))
            held = (games.bytes[cells] >= LEAST[cells, None]) & (games.bytes[cells] <= MOST[cells, None])
            _require(f"{name} is out of its range", held)


_OF_ACTIONS = tuple(name for name in _PLACES if name.startswith(("moved_", "chosen_", "action_")))
_OF_BATTLES = tuple(name for name in _PLACES if name.startswith(("party_", "battle_")))
_OF_HUNTS = tuple(
    name for name in _PLACES if (name.startswith("hunt_") and name != "hunt_box") or name == "tile_number"
)


def _check_tidy(games: _Games) -> None:
    """Checks that the fields of an action, a battle or a Hunt are neutral if there is none, so that equal
    positions have equal states."""
    acting, fighting, hunting = (games.pending(kind) for kind in (Frame.ACTION, Frame.BATTLE, Frame.HUNT))
    for names, needed in (
        (_OF_ACTIONS, acting | hunting),  # a Hunt lets groups leave the Fellowship outside an action
        (_OF_BATTLES, acting | fighting),
        (_OF_HUNTS, hunting),
    ):
        if needed.all():
            continue
        for name in names:
            neutral = -1 if name == "hunt_tile" else 0
            _require(f"{name} is left over", needed | (games[name] == neutral))


def _asked_table() -> np.ndarray:
    """The player who is asked: ``int64[decision, operation, step]``, an index of ``Asked``; operation 0: no
    event."""
    kinds = list(Asked)
    table = np.full((len(Decision), len(Op), _MOST_STEPS), kinds.index(Asked.EVENT))
    for decision, choice in DECISIONS.items():
        table[decision] = kinds.index(choice.asked)
    for op, operation in OPERATIONS.items():
        for decision, step, choice in operation.questions():
            table[decision, op, *step] = kinds.index(choice.asked)
    return table


_ASKED = _asked_table()


def _check_seat(games: _Games) -> None:
    """Checks that each decision is asked of the player whom the tables name for it."""
    top = games.top
    by_event = top[KIND] == Frame.EVENT
    card, place = np.where(by_event, [top[EventFrame.CARD], top[STAGE]], 0)
    op = np.where(by_event, EVENT_OPS[card, np.minimum(place, MAX_OPS - 1), 0], Op.END)
    step = np.where(by_event, np.minimum(top[EventFrame.STEP], _MOST_STEPS - 1), 0)
    asked = _ASKED[games["decision"], op, step]
    side, attacker = SEAT_SIDE[games["seat"]], games["battle_attacker"]
    owner = np.clip(top[CasualtyFrame.SIDE], 0, NUM_SEATS - 1)
    fighting = games.pending(Frame.BATTLE)
    committed = np.take_along_axis(games["combat_card"], side[None], axis=0)[0]
    true_of = {
        Asked.FREE_PEOPLES: side == Side.FREE_PEOPLES,
        Asked.SHADOW: side == Side.SHADOW,
        Asked.ACTING: side == games["acting"],
        Asked.OWNER: side == np.where(top[KIND] == Frame.HAND_LIMIT, SEAT_SIDE[owner], owner),
        Asked.ATTACKER: fighting & (side == attacker),
        Asked.DEFENDER: fighting & (side != attacker),
        Asked.FIGHTER: fighting,
        Asked.COMBATANT: fighting & (committed >= 0),
        Asked.EVENT: np.zeros(side.shape, bool),
    }
    rows = np.arange(asked.size)
    holds = (games["decision"] == Decision.NONE) | np.stack([true_of[who] for who in Asked])[asked, rows]
    if not holds.all():
        who = list(Asked)[asked[int(np.argmin(holds))]]
        _require(f"a decision is not asked of {who.value}", holds)


def _check_partners(games: _Games) -> None:
    """Checks games of three and four players: mixed armies, given and offered cards, and the nations and
    armies of the last action (R13)."""
    if (games.option(Option.PLAYERS) == FEWEST_PLAYERS).all():
        for name in ("mixed", "given", "offered", "taken_by_second", "spent_nations", "spent_armies"):
            _require(f"{name} is set in a game of two players", games[name] == 0)
        return
    rows = np.arange(games["seat"].size)
    for name in ("seat", "charge", "next_seat"):
        seats = np.atleast_2d(games[name])
        _require(f"{name} is a seat that nobody plays", games.seat_nations[seats, rows] > 0)
    for name in ("charge", "next_seat"):
        _require(f"{name} is of the wrong side", SEAT_SIDE[games[name]] == np.arange(len(Side))[:, None])
    there = (games["regular"] + games["elite"]) > 0
    for side in Side:
        both = np.ones(there[:, 0].shape, bool)
        for seat in np.flatnonzero(SEAT_SIDE == side):
            nations = games.seat_nations[seat] >> np.arange(there.shape[1])[:, None] & 1
            both &= (there & (nations == 1)).any(axis=1)
        words = games["mixed"][side].repeat(32, axis=0)[:NUM_REGIONS]
        mixed = words >> (np.arange(NUM_REGIONS) % 32).astype(np.uint32)[:, None] & 1
        _require("a mixed army has units of one player only (R13.6.1)", (mixed == 0) | both)
    zone = games["card_zone"]
    words = games["given"].repeat(32, axis=0)
    given = words >> (np.arange(len(zone)) % 32).astype(np.uint32)[:, None] & 1
    held = (zone >= CardZone.HAND) & (zone < CardZone.HAND + NUM_SEATS)
    _require("a card given is in no hand (R13.2.3)", (given == 0) | held)
    top = games.top
    sharing = (top[KIND] == Frame.SIDE_DRAWS) & (top[STAGE] == ShareStage.OVER)
    _require("a card is offered outside an exchange (R13.2.3)", (games["offered"] > 0) <= sharing)
    alone = (games.partner[Side.FREE_PEOPLES] == NOBODY) & (games.partner[Side.SHADOW] != NOBODY)
    for name in ("spent_nations", "spent_armies"):
        _require(f"{name} is set without a lone Free Peoples player (R13.7.3)", alone | (games[name] == 0))
    _check_decider(games)


def _kinds_of(*asked: Asked) -> list[Decision]:
    """The decisions for which one of these players is asked."""
    return [decision for decision, choice in DECISIONS.items() if choice.asked in asked]


_OF_LEADERS = [
    Decision.DECLARE_FELLOWSHIP,
    Decision.ENTER_MORDOR,
    Decision.CHOOSE_GUIDE,
    Decision.HUNT_ALLOCATION,
    Decision.FLOCKS_OF_CREBAIN,
    Decision.WIZARDS_STAFF,
    Decision.MITHRIL_COAT,
    Decision.HUNT_REACTION,
    Decision.HUNT_DAMAGE,
    Decision.TAKE_THEM_ALIVE,
    Decision.LOSE_CARD,
    Decision.REVEAL_REGION,
    Decision.BALROG,
]
_OF_COMMANDERS = _kinds_of(Asked.ATTACKER, Asked.DEFENDER, Asked.FIGHTER, Asked.COMBATANT)
_OF_WHO_ACTS = _kinds_of(Asked.ACTING)
_PICKING = [Decision.MOVE_FIGURES, Decision.ATTACK_FIGURES]


def _check_decider(games: _Games) -> None:
    """Checks that partners decide for their side as in R13.3, R13.4 and R13.6, and use only units that they
    may use."""
    rows = np.arange(games["seat"].size)
    seat = games["seat"].astype(np.int64)
    side = SEAT_SIDE[seat]
    first = np.where(games["turn"] % 2 == 1, side, games.partner[side, rows])
    leader = np.where(games.partner[side, rows] == NOBODY, side, first)
    decision = np.where(games["winner"] == Winner.NONE, games["decision"], Decision.NONE)
    of_leader = np.isin(decision, _OF_LEADERS)
    _require("a decision is not asked of the leader (R13.3)", ~of_leader | (seat == leader))
    of_who_acts = np.isin(decision, _OF_WHO_ACTS) & (games["phase"] == Phase.ACTION)
    turn = games["next_seat"][side, rows]
    _require("a decision is not asked of him whose turn it is (R13.4.1)", ~of_who_acts | (seat == turn))
    fights = games.pending(Frame.BATTLE) & np.isin(decision, _OF_COMMANDERS)
    army = _army_in_battle(games, side)
    in_battle = _commander(games, side, leader, *army)
    _require("a decision of a battle is not its commander's (R13.6.2)", ~fights | (seat == in_battle))
    attacks = decision == Decision.ATTACK_FIGURES
    origin = np.where(attacks, games["battle_origin"], games.top[MoveFrame.ORIGIN])
    origin = np.clip(origin, 0, NUM_REGIONS - 1)
    there = games["regular"][origin, :, rows].T, games["elite"][origin, :, rows].T
    mixed = games["mixed"][side, origin // 32, rows] >> (origin % 32).astype(np.uint32) & 1
    commands = (mixed == 1) & (_commander(games, side, leader, *there) == seat)
    chosen = ((games["chosen_regular"] + games["chosen_elite"]) > 0) << np.arange(len(Nation))[:, None]
    foreign = chosen.sum(axis=0) & ~games.seat_nations[seat, rows] != 0
    picks = np.isin(decision, _PICKING)
    _require("units of the partner are picked from an army of his (R13.5.1)", ~picks | ~foreign | commands)


def _army_in_battle(games: _Games, side: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of Regulars and Elites, ``int8[nations, N]``: the attacking part, its rearguard, or the
    defender."""
    rows = np.arange(side.size)
    party = games["party_regular"], games["party_elite"]
    attacks = side == games["battle_attacker"]
    lost = (party[0] + party[1]).sum(axis=0) == 0
    place = np.where(attacks, games["battle_origin"], games["battle_target"])
    there = games["regular"][place, :, rows].T, games["elite"][place, :, rows].T
    return np.where(attacks & ~lost, party[0], there[0]), np.where(attacks & ~lost, party[1], there[1])


def _commander(
    games: _Games, side: np.ndarray, leader: np.ndarray, regular: np.ndarray, elite: np.ndarray
) -> np.ndarray:
    """``int64[N]``: the seat of a side that commands the units, which are given by nation, ``int8[nations,
    N]``."""
    rows = np.arange(side.size)
    partner = games.partner[side, rows]
    bits = games.seat_nations[:, None] >> np.arange(len(Nation))[:, None] & 1
    sign = np.where(partner == NOBODY, 0, bits[side, :, rows].T - bits[partner, :, rows].T)
    units = ((regular + elite) * sign).sum(axis=0)
    elites = (elite * sign).sum(axis=0)
    more = np.where(units != 0, units, elites)
    return np.where(more > 0, side, np.where(more < 0, partner, leader))


def _check_figures(games: _Games) -> None:
    """Checks that every figure is in one place, and that the sums of units are right (R1.1, R1.2)."""
    for kind, total in (("regular", TOTAL_REGULAR), ("elite", TOTAL_ELITE), ("leader", TOTAL_LEADER)):
        count = games[kind].sum(axis=0, dtype=np.int16) + games[f"reinforcement_{kind}"]
        count[_FP] += games[f"casualty_{kind}"]
        _require(f"the {kind} figures of a nation do not add up to its total", count == total[:, None])
    units = games["regular"] + games["elite"]
    for side, nations in ((Side.FREE_PEOPLES, _FP), (Side.SHADOW, _SH)):
        sums = units[:, nations].sum(axis=1, dtype=np.int16)
        _require("the unit sums are wrong", games["units"][:, side] == sums)


def _check_board(games: _Games) -> None:
    """Checks the board: sieges only at Strongholds, stacking, no Leaders without units, captures (R7.1, R7.2,
    R7.17)."""
    units = games["units"]
    there = units > 0
    both = there[:, 0] & there[:, 1]
    fighting = games.pending(Frame.BATTLE)
    stronghold = SETTLEMENT == Settlement.STRONGHOLD
    _require("both sides have units where no Stronghold is", ~both[~stronghold])
    lone = games["leader"][:, _FP].any(axis=1) & ~there[:, Side.FREE_PEOPLES]
    _require("a Leader is without a unit (R7.3.4)", fighting | ~lone)

    settled = np.zeros(both.shape, dtype=np.int8)
    settled[SETTLEMENT_REGIONS] = games["control"]
    disband = games.option(Option.OVERSTACK_VOLUNTARY) == OverstackVoluntary.DISBAND
    late = games.option(Option.STACKING_CHECK) == StackingCheck.END_OF_ACTION
    acting = games.pending(Frame.ACTION) & (games["decision"] != Decision.ACTION_DIE)
    choosing = games.pending(Frame.MOVE_ARMIES) | games.pending(Frame.EVENT)
    trimming = games.pending(Frame.TRIM) | disband & choosing | late & acting
    for side in Side:
        limit = np.where(both & (settled == side), np.int8(GARRISON_LIMIT), np.int8(FIELD_LIMIT))
        _require("an army is above the stacking limit (R7.2.1)", trimming | (units[:, side] <= limit))
        alone = (there[:, side] & ~there[:, 1 - side])[SETTLEMENT_REGIONS]
        _require(
            "an army stands in an enemy-controlled Settlement it did not capture (R7.17.1)",
            fighting | ~(alone & (games["control"] != side)),
        )


def _check_cards_and_tiles(games: _Games) -> None:
    """Checks that decks have no gaps, that hands are within the limit, and that special tiles are in their
    own zones (R6, R10.1)."""
    zone, size = games["card_zone"], games["deck_size"].reshape(NUM_DECKS, -1)
    bits = _PLACE_BIT[zone].reshape(NUM_DECKS, CARDS_PER_DECK, -1)
    # As many powers of two as a number of ones has digits give it only if they are all of them.
    gapless = (bits.sum(axis=1) == (1 << size.astype(np.int64)) - 1) & ((bits > 0).sum(axis=1) == size)
    _require("a draw deck has a gap or a double", gapless)
    in_hand = np.stack([(zone == CardZone.HAND + seat).sum(axis=0) for seat in range(NUM_SEATS)])
    discarding = games.pending(Frame.HAND_LIMIT)
    limit = games.option(Option.HAND_LIMIT)
    limit = np.where(games.partner != NOBODY, np.minimum(limit, SHARED_LIMIT), limit)
    _require("a hand is above its limit (R6.2.2)", discarding | (in_hand <= limit))
    absent = games.seat_nations == 0
    _require("a seat that nobody plays has cards (R13.1.1)", ~absent | (in_hand == 0))
    tiles = games["tile_zone"]
    early = (tiles == TileZone.ASIDE) | (tiles == TileZone.WAITING)
    standard = TILE_KIND == TileKind.STANDARD
    _require("a standard tile is set aside", ~early[standard])
    could_be_back = (tiles[standard] == TileZone.DRAWN).any(axis=0)
    in_pool = (tiles == TileZone.POOL).any(axis=0)
    _require("the Hunt Pool is empty and was not refilled (R10.1.1)", in_pool | ~could_be_back)


def _check_dice(games: _Games) -> None:
    """Checks that unused, used and hunting dice make up the pool once the dice are rolled, and that a side
    has at most three Rings."""
    rolled = games["phase"] >= Phase.ACTION
    dice = games["dice"].sum(axis=1) + games["dice_used"] + games["hunt_box"]
    _require("the action dice do not add up to the pool", ~rolled | (dice == games["pool"]))
    _require("there are more than three Elven Rings", games["rings"].sum(axis=0) <= 3)


def _check_fellowship(games: _Games) -> None:
    """Checks that the Guide is in the Fellowship and has the highest Level, and that the Mordor Track is not
    a region (R9.3, R11.2.1)."""
    on_track = games["mordor_step"] > 0
    _require("the figure and the Mordor Track disagree", on_track == (games["fellowship_region"] == -1))
    inside = games["location"] == Location.IN_FELLOWSHIP
    choosing = games.pending(Frame.GUIDE) | (games["decision"] == Decision.CHOOSE_GUIDE)
    leaving = games.pending(Frame.MOVE_COMPANIONS) | (games["winner"] != -1)
    guide = games["guide"]
    guide_inside = inside[guide, np.arange(guide.size)]
    levels = np.where(inside & (IS_COMPANION == 1)[:, None], CHARACTER_LEVEL[:, None], -1).max(axis=0)
    highest = (CHARACTER_LEVEL[guide] == levels) | (levels == -1)
    _require("the Guide is not in the Fellowship (R9.3.1)", choosing | leaving | guide_inside)
    _require("the Guide is not of the highest Level (R9.3.1)", choosing | leaving | highest)
