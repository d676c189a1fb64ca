"""What an observation must hold, computed again from the states with plain numpy.

It follows section 18 of the rules and the meanings in ``engine/observation_layout.py``, not the code that
encodes.
"""

from __future__ import annotations

import numpy as np

from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    BattleStage,
    CardZone,
    Character,
    Decision,
    Face,
    Frame,
    HuntCause,
    Location,
    Nation,
    Phase,
    Plan,
    Settlement,
    Side,
    TileZone,
    Winner,
)
from wotr_env.games.war_of_the_ring.components import (
    NUM_CARDS,
    NUM_REGIONS,
    NUM_TILES,
    REGION_NATION,
    REGION_SIDE,
    SETTLEMENT,
    SETTLEMENT_REGIONS,
    VICTORY_POINTS,
)
from wotr_env.games.war_of_the_ring.engine.observation_layout import SHOWN_FRAMES
from wotr_env.games.war_of_the_ring.options import FpMilitary, Option
from wotr_env.games.war_of_the_ring.rules.armies import CasualtyFrame, TrimFrame
from wotr_env.games.war_of_the_ring.rules.battle.retreat import RetreatFrame
from wotr_env.games.war_of_the_ring.rules.command import MeetFrame
from wotr_env.games.war_of_the_ring.rules.companions import CompanionFrame
from wotr_env.games.war_of_the_ring.rules.minions import MinionFrame
from wotr_env.games.war_of_the_ring.rules.stack import KIND, STAGE
from wotr_env.games.war_of_the_ring.rules.walks import MoveFrame
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, MAX_DEPTH, NUM_CHARACTERS, NUM_SEATS

FIGURES = (
    (Character.GANDALF_GREY, Character.GANDALF_WHITE),
    (Character.STRIDER, Character.ARAGORN),
    (Character.BOROMIR,),
    (Character.LEGOLAS,),
    (Character.GIMLI,),
    (Character.MERIADOC,),
    (Character.PEREGRIN,),
    (Character.WITCH_KING,),
    (Character.MOUTH_OF_SAURON,),
    (Character.SARUMAN,),
)
"""The characters of each column of ``figures``."""
IN_BATTLE = {
    "battle_round": "battle_round",
    "hits": "hits",
    "misses": "misses",
    "combat": "combat",
    "forfeited_nazgul": "forfeited_nazgul",
    "party_regular": "party_regular",
    "party_elite": "party_elite",
    "party_leader": "party_leader",
}
IN_HUNT = ("hunt_successes", "hunt_damage", "hunt_reveals", "hunt_casualty")
PLAIN = (
    "regular",
    "elite",
    "leader",
    "dice",
    "dice_used",
    "pool",
    "hunt_box",
    "rings",
    "ring_used",
    "messenger_used",
    "fellowship_moved_last_turn",
    "steps_to_war",
    "active",
    "reinforcement_regular",
    "reinforcement_elite",
    "reinforcement_leader",
    "casualty_regular",
    "casualty_elite",
    "casualty_leader",
    "minions_seen",
    "progress",
    "revealed",
    "mordor_step",
    "corruption",
    "move_attempted",
    "hide_attempted",
    "deck_size",
    "options",
)
"""Fields that every seat sees as they are in the state."""
FLAGS = (
    "white_rider",
    "withdrawn",
    "retreated",
    "card_lock",
    "fixed_rounds",
    "no_cease",
    "fewer_by_garrison",
)
CHOSEN = ("chosen_regular", "chosen_elite", "chosen_leader")


def expected(states: np.ndarray, seats: np.ndarray) -> dict[str, np.ndarray]:
    """The parts of the observations of seats (N,) of ``STATE[N]``: by name an array (N, *shape)."""
    fields = {name: states[name] for name in PLAIN}
    fields |= _board(states) | _cards(states, seats) | _turn(states, seats) | _fellowship(states)
    fields |= _hunt(states) | _battle(states)
    asked = (states["winner"] == Winner.NONE) & (states["seat"] == seats)
    fields |= {name: _where(asked, value) for name, value in (_decision(states) | _places(states)).items()}
    fields["battle_stage"] = _where(asked, fields["battle_stage"])
    fields["deciding"] = asked
    return fields


def _one_hot(values: np.ndarray, size: int) -> np.ndarray:
    """(N,) to (N, size); a value that is out of range has no place."""
    return values[:, None].astype(np.int64) == np.arange(size)


def _bits(sets: np.ndarray) -> np.ndarray:
    return (sets[:, None].astype(np.int64) >> np.arange(NUM_CHARACTERS)) & 1


def _where(condition: np.ndarray, value: np.ndarray) -> np.ndarray:
    return value * condition.reshape(-1, *[1] * (value.ndim - 1))


def _pending(states: np.ndarray, kind: Frame) -> np.ndarray:
    live = np.arange(MAX_DEPTH) < states["depth"][:, None]
    return ((states["stack"][:, :, KIND] == kind) & live).any(axis=1)


def _frames(states: np.ndarray, below: int) -> np.ndarray:
    """The frame on top of each stack, or one below it: (N, 8); zeros where there is none."""
    place = states["depth"].astype(np.int64) - 1 - below
    return _where(place >= 0, states["stack"][np.arange(states.size), np.maximum(place, 0)])


def _board(states: np.ndarray) -> dict[str, np.ndarray]:
    control = np.zeros((states.size, NUM_REGIONS), dtype=np.int64)
    control[:, SETTLEMENT_REGIONS] = np.where(states["control"] == Side.FREE_PEOPLES, 1, -1)
    here = states["location"][:, None, :] == np.arange(NUM_REGIONS)[:, None]  # N, region, character
    figures = np.stack([here[:, :, list(who)].any(axis=2) for who in FIGURES], axis=2)
    units = states["regular"].astype(np.int64) + states["elite"]
    besieged = (units[:, :, :5].sum(axis=2) > 0) & (units[:, :, 5:].sum(axis=2) > 0)
    points = np.zeros((states.size, 2), dtype=np.int64)
    strongholds_only = states["options"][:, Option.FP_MILITARY] == FpMilitary.STRONGHOLDS_ONLY
    for side, sign in ((Side.FREE_PEOPLES, 1), (Side.SHADOW, -1)):
        taken = (control == sign) & (REGION_SIDE != side)
        if side == Side.FREE_PEOPLES:
            taken &= ~strongholds_only[:, None] | (SETTLEMENT == Settlement.STRONGHOLD)
        points[:, side] = (taken * VICTORY_POINTS).sum(axis=1)
    marks = besieged.astype(np.int64)
    for side in Side:
        marks += _set(states["mixed"][:, side], NUM_REGIONS) << (side + 1)
    for row, places in enumerate(states["spent_armies"][:, 0]):
        marks[row, places[places > 0] - 1] += 8
    return {
        "control": control[:, :, None],
        "besieged": marks[:, :, None],
        "fellowship": (states["fellowship_region"][:, None] == np.arange(NUM_REGIONS))[:, :, None],
        "figures": figures,
        "victory_points": points,
        "on_board": states["location"] >= 0,
        "in_fellowship": states["location"] == Location.IN_FELLOWSHIP,
        "out_of_game": np.isin(states["location"], (Location.ELIMINATED, Location.REPLACED)),
    }


def _cards(states: np.ndarray, seats: np.ndarray) -> dict[str, np.ndarray]:
    zones = states["card_zone"].astype(np.int64)
    partners = np.array(_PARTNERS)[_players(states), seats][:, None]
    seats = seats[:, None]
    back_shown = states["options"][:, [Option.COMBAT_CARD_BACK_VISIBLE]] == 1
    given = _set(states["given"], NUM_CARDS)
    own, partners_hand = zones == CardZone.HAND + seats, zones == CardZone.HAND + partners
    committed = (zones >= CardZone.COMMITTED) & (zones < CardZone.COMMITTED + NUM_SEATS)
    seen = committed & ((zones == CardZone.COMMITTED + seats) | back_shown)

    def by_back(cards: np.ndarray) -> np.ndarray:
        return cards.reshape(-1, 2, 2, CARDS_PER_DECK).sum(axis=3)

    face_down = (zones >= CardZone.FACE_DOWN) & (zones < CardZone.FACE_DOWN + NUM_SEATS)
    fields = {
        "hand": own + 2 * (given & (own | ((partners >= 0) & partners_hand))),
        "table": zones == CardZone.TABLE,
        "in_play": (zones == CardZone.IN_PLAY) | (zones == CardZone.COMMITTED + seats),
        "gone": np.where(zones == CardZone.DISCARD, 1, 2 * (zones == CardZone.FACE_DOWN + seats)),
    }
    fields = {name: value[:, :, None] for name, value in fields.items()}
    hands = []
    for seat, side in enumerate(_SIDES):
        unseen = (zones == CardZone.COMMITTED + seat) & ~seen
        hands.append(by_back((zones == CardZone.HAND + seat) | unseen)[:, side])
    fields["hand_size"] = np.stack(hands, axis=1)
    fields["face_down_size"] = by_back(face_down)
    fields["committed"] = by_back(committed).sum(axis=2)
    fields["committed_back"] = by_back(seen)
    return fields


# --- Three and four players (R13). ---

_SIDES = (0, 1, 1, 0)
_PARTNERS = ((-1,) * 4, (-1,) * 4, (-1,) * 4, (-1, 2, 1, -1), (3, 2, 1, 0))
"""By the number of players and seat: the partner, or -1."""
_OWN = {
    0: ("gondor", "elves"),
    1: ("sauron",),
    2: ("isengard", "southrons"),
    3: ("rohan", "north", "dwarves"),
}


def _players(states: np.ndarray) -> np.ndarray:
    return states["options"][:, Option.PLAYERS].astype(np.int64)


def _set(words: np.ndarray, size: int) -> np.ndarray:
    """``bool[N, size]``: the members of sets of 32 bits a word, ``uint32[N, W]``."""
    places = np.arange(size)
    return (words[:, places // 32] >> (places % 32).astype(np.uint32) & 1).astype(bool)


def _partners(states: np.ndarray, seats: np.ndarray) -> dict[str, np.ndarray]:
    leads, acts, won = (np.zeros((states.size, NUM_SEATS), dtype=np.int64) for _ in range(3))
    for row, state in enumerate(states):
        partner = _PARTNERS[int(state["options"][Option.PLAYERS])]
        for side in range(2):
            second = partner[side] >= 0 and int(state["turn"]) % 2 == 0
            leads[row, partner[side] if second else side] = 1
            acts[row, state["next_seat"][side]] = 1
            for seat in (side, partner[side]) if partner[side] >= 0 else ():
                won[row, seat] = _places_won(state, seat)
    return {
        "seat": _one_hot(seats, NUM_SEATS),
        "leads": leads,
        "next_seat": acts,
        "places_won": won,
        "spent_nations": states["spent_nations"][:, [0]] >> np.arange(5) & 1,
    }


def _places_won(state: np.record, seat: int) -> int:
    """R13.8.1: Cities and Strongholds taken less those lost, of the Free Peoples those lost alone."""
    side, won = _SIDES[seat], 0
    for index, region in enumerate(SETTLEMENT_REGIONS.tolist()):
        if SETTLEMENT[region] == Settlement.TOWN:
            continue
        held = int(state["control"][index]) == side
        nation = Nation(REGION_NATION[region]).name.lower()
        if REGION_SIDE[region] != side:
            second = int(state["taken_by_second"][index // 32]) >> index % 32 & 1 == 1
            won += held and side == Side.SHADOW and second == (seat != side)
        elif not held and nation in _OWN[seat]:
            won -= 1
    return won


def _turn(states: np.ndarray, seats: np.ndarray) -> dict[str, np.ndarray]:
    turn, last = states["turn"].astype(np.int64), states["max_turns"].astype(np.int64)
    acting = _one_hot(states["acting"], 2)
    return {
        "side": np.array(_SIDES)[seats][:, None],
        "turn": np.minimum(turn, 127)[:, None],
        "turns_left": np.where(last > 0, np.minimum(last - turn, 127), 127)[:, None],
        "phase": _one_hot(states["phase"] - Phase.DRAW, len(Phase)),
        "acting": _where(states["phase"] == Phase.ACTION, acting),
        **_partners(states, seats),
    }


def _fellowship(states: np.ndarray) -> dict[str, np.ndarray]:
    return {
        "guide": _one_hot(states["guide"], NUM_CHARACTERS),
        "tile_in_pool": states["tile_zone"] == TileZone.POOL,
        "tile_waiting": states["tile_zone"] == TileZone.WAITING,
        "tile_drawn": states["tile_zone"] == TileZone.DRAWN,
        "tile_removed": states["tile_zone"] == TileZone.REMOVED,
    }


def _hunt(states: np.ndarray) -> dict[str, np.ndarray]:
    fields = {name: states[name] for name in IN_HUNT}
    fields["hunt"] = np.ones(states.size)
    fields["hunt_cause"] = _one_hot(states["hunt_cause"], len(HuntCause))
    fields["hunt_tile"] = _one_hot(states["hunt_tile"], NUM_TILES)
    return {name: _where(_pending(states, Frame.HUNT), value) for name, value in fields.items()}


def _battle(states: np.ndarray) -> dict[str, np.ndarray]:
    fields = {name: states[field] for name, field in IN_BATTLE.items()}
    battle = states["stack"][:, :, KIND] == Frame.BATTLE
    battle &= np.arange(MAX_DEPTH) < states["depth"][:, None]
    stage = (states["stack"][:, :, STAGE] * battle).sum(axis=1)  # there is one battle at a time
    fields["battle"] = np.ones(states.size)
    fields["battle_attacker"] = _one_hot(states["battle_attacker"], 2)
    fields["battle_kind"] = _one_hot(states["battle_kind"], len(BattleKind))
    fields["battle_stage"] = _one_hot(stage, len(BattleStage))
    fields["battle_flags"] = np.stack([states[f"battle_{flag}"] for flag in FLAGS], axis=1)
    fields["combat_void"] = (states["combat_void"][:, None] >> np.arange(2)) & 1
    for name in ("party_characters", "forfeited_characters", "muted_characters"):
        fields[name] = _bits(states[name])
    return {name: _where(battle.any(axis=1), value) for name, value in fields.items()}


def _decision(states: np.ndarray) -> dict[str, np.ndarray]:
    acting = _pending(states, Frame.ACTION)
    frames = [_frames(states, below) for below in range(SHOWN_FRAMES)]
    kinds = [
        _where(states["depth"] > below, _one_hot(frame[:, KIND], len(Frame)))
        for below, frame in enumerate(frames)
    ]
    return {
        "decision": _one_hot(states["decision"], len(Decision)),
        "action_face": _where(acting, _one_hot(states["action_face"], len(Face))),
        "action_plan": _where(acting, _one_hot(states["action_plan"], len(Plan))),
        **{name: states[name] for name in CHOSEN},
        "moved_figures": states["moved_figures"],
        "chosen_characters": _bits(states["chosen_characters"]),
        "moved_characters": _bits(states["moved_characters"]),
        "frame_kind": np.stack(kinds, axis=1),
        "frame_numbers": np.stack([frame[:, STAGE:] for frame in frames], axis=1),
    }


def _places(states: np.ndarray) -> dict[str, np.ndarray]:
    """The regions a decision is about, by the kind of decision."""
    decision = states["decision"]
    frame = _frames(states, 0).astype(np.int64)
    origin = np.full(states.size, -1)
    target = np.full(states.size, -1)

    def choose(where: np.ndarray, kinds: tuple[Decision, ...], values: np.ndarray) -> None:
        asked = np.isin(decision, kinds)
        where[asked] = values[asked]

    battle = _pending(states, Frame.BATTLE)
    attacking = battle | np.isin(decision, (Decision.ATTACK_TARGET, Decision.ATTACK_FIGURES))
    origin[attacking] = states["battle_origin"][attacking]
    aimed = attacking & (decision != Decision.ATTACK_TARGET)
    target[aimed] = states["battle_target"][aimed]
    origin[np.isin(decision, (Decision.CASUALTY, Decision.TRIM_ARMY, Decision.MERGE_ARMIES))] = -1
    choose(target, (Decision.CASUALTY,), frame[:, CasualtyFrame.REGION])
    choose(target, (Decision.TRIM_ARMY,), frame[:, TrimFrame.REGION])
    choose(target, (Decision.MERGE_ARMIES,), frame[:, MeetFrame.REGION])
    choose(origin, (Decision.ARMY_DESTINATION, Decision.MOVE_FIGURES), frame[:, MoveFrame.ORIGIN])
    choose(target, (Decision.MOVE_FIGURES,), frame[:, MoveFrame.DESTINATION])
    walking = np.where(frame[:, MoveFrame.STEPS_LEFT] > 0, frame[:, MoveFrame.DESTINATION], -1)
    choose(target, (Decision.ARMY_DESTINATION,), walking)
    choose(origin, (Decision.STAY_BEHIND,), frame[:, RetreatFrame.ORIGIN])
    choose(target, (Decision.STAY_BEHIND,), frame[:, RetreatFrame.REGION])
    leaving = (Decision.COMPANION_DESTINATION, Decision.SEPARATE_DESTINATION)
    choose(origin, leaving, frame[:, CompanionFrame.REGION])
    who = frame[:, MinionFrame.WHO]
    minion = states["location"][np.arange(states.size), np.clip(who - NUM_REGIONS, 0, NUM_CHARACTERS - 1)]
    choose(origin, (Decision.MINION_DESTINATION,), np.where(who < NUM_REGIONS, who, minion))
    moved = np.where(np.arange(8) < states["moved_count"][:, None], states["moved_to"], -1)
    places = np.arange(NUM_REGIONS)
    return {
        "origin": (origin[:, None] == places)[:, :, None],
        "target": (target[:, None] == places)[:, :, None],
        "entered": ((moved[:, None, :] == places[:, None]) * np.arange(1, 9)).max(axis=2)[:, :, None],
    }
