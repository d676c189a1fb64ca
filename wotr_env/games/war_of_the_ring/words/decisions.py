"""Words for decisions and actions."""

from __future__ import annotations

import numpy as np

from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, Block
from wotr_env.games.war_of_the_ring.cards.combat import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Frame, Plan, Reason, Verb, Winner
from wotr_env.games.war_of_the_ring.components import (
    CARD_NAMES,
    CHARACTER_LEVEL,
    CHARACTER_NAMES,
    COMBAT_NAMES,
    NATION_NAMES,
    NUM_CARDS,
    NUM_REGIONS,
    REGION_NAMES,
    SETTLEMENT_INDEX,
)
from wotr_env.games.war_of_the_ring.data.combat_programs import MAX_EFFECTS, OP, CombatOp
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.battle.combat_windows import EFFECTS
from wotr_env.games.war_of_the_ring.rules.cards import SHARED_LIMIT
from wotr_env.games.war_of_the_ring.rules.choice import Choice
from wotr_env.games.war_of_the_ring.rules.decisions import DECISIONS
from wotr_env.games.war_of_the_ring.rules.events.program import OPERATIONS
from wotr_env.games.war_of_the_ring.rules.frames import FrameView, top_frame
from wotr_env.games.war_of_the_ring.seating import is_shared, seats_of_side, side_of
from wotr_env.games.war_of_the_ring.winners import winning_partners
from wotr_env.games.war_of_the_ring.words.names import (
    FACE_NAMES,
    PLAN_WORDS,
    characters_words,
    face_name,
    figure_name,
    nation_name,
    party_words,
    places_words,
    region_name,
    seat_name,
    tile_words,
)

_REASONS = {
    Reason.NONE: "no reason",
    Reason.CORRUPTION: "the Ring-bearers are corrupted",
    Reason.RING_DESTROYED: "the Ring is destroyed",
    Reason.SHADOW_MILITARY: "the Shadow has conquered the Free Peoples",
    Reason.FREE_PEOPLES_MILITARY: "the Free Peoples have conquered the Shadow",
    Reason.TURN_LIMIT: "the turn limit is reached",
}

_WINNERS = {
    Winner.FREE_PEOPLES: "the Free Peoples win",
    Winner.SHADOW: "the Shadow wins",
    Winner.DRAW: "a draw",
}

_VERBS = {
    Verb.DONE: "done",
    Verb.DECLINE: "no",
    Verb.ACCEPT: "yes",
    Verb.PASS: "pass",
    Verb.USE_RING: "use an Elven Ring",
    Verb.WHOLE_ARMY: "the whole army",
    Verb.CEASE: "cease the attack",
    Verb.CONTINUE: "continue the attack",
    Verb.STAY: "stay",
    Verb.FIGHT: "fight in the open",
    Verb.WITHDRAW: "withdraw into the Stronghold",
    Verb.TAKE_CORRUPTION: "take the damage as Corruption",
    Verb.SACRIFICE_GUIDE: "sacrifice the Guide",
    Verb.SACRIFICE_RANDOM: "sacrifice a random Companion",
    Verb.GUIDE_ABILITY: "use the Guide's ability",
    Verb.BOTH_HOBBITS: "both Hobbits",
    Verb.CHARACTER_DECK: "draw from the Character deck",
    Verb.STRATEGY_DECK: "draw from the Strategy deck",
    Verb.HUNT_ROLL: "a Hunt roll",
    Verb.RANDOM_CARD: "a random card of the hand",
}

_ANSWERS = {
    (Decision.EXCHANGE_CARD, Verb.ACCEPT): "exchange a card with the partner",
    (Decision.EXCHANGE_CARD, Verb.DECLINE): "exchange no card",
    (Decision.MERGE_ARMIES, Verb.ACCEPT): "make the armies in {army_region} one",
    (Decision.MERGE_ARMIES, Verb.DECLINE): "keep the armies in {army_region} apart",
}
"""Words for a verb in one decision."""


def decision_text(state: np.record) -> str:
    """One sentence: the deciding seat and its decision, or how the game ended."""
    winner = int(state["winner"])
    if winner != Winner.NONE:
        reason = _REASONS[Reason(int(state["reason"]))]
        return f"The game is over: {_WINNERS[Winner(winner)]}, {reason}{_best_partner(state)}."
    decision = int(state["decision"])
    if decision == Decision.NONE:
        return "Nothing is to be decided."
    question = _choice(state).question.format(**_context(state))
    return f"{seat_name(state, int(state['seat']))} to decide {question}."


def _best_partner(state: np.record) -> str:
    """The winners among two partners, in words (R13.8.1); empty if there are none."""
    best = np.flatnonzero(winning_partners(np.asarray(state).reshape(1))[0]).tolist()
    if not best:
        return ""
    words = " and ".join(seat_name(state, seat) for seat in best)
    verb = "wins among partners" if len(best) == 1 else "share the victory"
    seats = seats_of_side(state, side_of(best[0]))
    return f"; {words} {verb} ({', '.join(places_words(state, seat) for seat in seats)})"


def say(state: np.record, action: int) -> str:
    """An action of the pending decision in words, such as ``attack Osgiliath``.

    Args:
        state: one record of dtype ``STATE``.
        action: an action id, 0 <= action < NUM_ACTIONS.
    """
    decision = int(state["decision"])
    if (decision, action - Block.VERB) in _ANSWERS:
        return _ANSWERS[Decision(decision), Verb(action - Block.VERB)].format(**_context(state))
    if action < Block.PLAN:
        return _VERBS[Verb(action)] if action in _VERBS else ACTION_NAMES[action]
    if action < Block.FACE:
        plan = action - Block.PLAN
        return PLAN_WORDS[Plan(plan)] if plan in PLAN_WORDS else ACTION_NAMES[action]
    if decision == Decision.ATTACK_TARGET and action == Block.REGION + int(state["battle_origin"]):
        keeper = int(state["control"][SETTLEMENT_INDEX[action - Block.REGION]])
        besieger = keeper != side_of(int(state["seat"]))
        return f"assault the garrison of {_pointed(action)}" if besieger else "sortie against the besiegers"
    if decision == Decision.COMBAT_CARD and Block.CARD <= action < Block.CHARACTER:
        card = action - Block.CARD
        return f"play {CARD_NAMES[card]} for its combat effect {COMBAT_NAMES[card]}"
    if decision in (Decision.CASUALTY, Decision.PROLONG_ASSAULT) and Block.NATION <= action < Block.FIGURE:
        return f"reduce an Elite of {nation_name(action - Block.NATION)}"
    if decision == Decision.COMBAT_CHOICE and action >= Block.COUNT:
        return str(action - Block.COUNT)
    answer = "{}" if decision == Decision.NONE else _choice(state).answer
    return answer.format(_pointed(action))


def _choice(state: np.record) -> Choice:
    """The row of the pending decision in the tables; an event or a Combat card that asks has a row of its
    own."""
    decision = Decision(int(state["decision"]))
    frame = top_frame(state)
    own: Choice | None = None
    if _runs_event(frame):
        operation = OPERATIONS.get(Op(EVENT_OPS[frame.card, frame.stage, 0]))
        own = operation and operation.choice(decision, frame.step)
    fought = int(state["combat_card"][side_of(int(state["seat"]))])
    if decision == Decision.COMBAT_CHOICE and frame.kind == Frame.BATTLE and fought >= 0:
        effect = COMBAT_PROGRAM[COMBAT_TITLE[fought], (frame.effects - 1) % MAX_EFFECTS]
        own = EFFECTS[CombatOp(effect[OP])].choice if effect[OP] else None
    return own or DECISIONS[decision]


def _pointed(action: int) -> str:
    """The object an action points at."""
    if action >= Block.COUNT:
        return counted(action - Block.COUNT, "die", "dice")
    if action >= Block.FIGURE:
        return figure_name(action - Block.FIGURE)
    if action >= Block.NATION:
        return NATION_NAMES[action - Block.NATION]
    if action >= Block.CHARACTER:
        return CHARACTER_NAMES[action - Block.CHARACTER]
    if action >= Block.CARD:
        return CARD_NAMES[action - Block.CARD]
    if action >= Block.REGION:
        return REGION_NAMES[action - Block.REGION]
    return FACE_NAMES[action - Block.FACE]


def _context(state: np.record) -> dict[str, object]:
    """The values that the sentences in the tables of decisions may contain."""
    seat = int(state["seat"])
    side = side_of(seat)
    return {
        "hand": counted(int((state["card_zone"] == CardZone.HAND + seat).sum()), "card"),
        "hand_limit": _hand_limit(state, seat),
        "progress": counted(int(state["progress"]), "region"),
        "fellowship": region_name(state["fellowship_region"]),
        "reach": _reach(state),
        "pool": int(state["pool"][side]),
        "face": face_name(state["action_face"]),
        "characters": characters_words(int(state["chosen_characters"])) or "nobody",
        "chosen": party_words(state, "chosen") or "nothing",
        "origin": region_name(state["battle_origin"]),
        "target": region_name(state["battle_target"]),
        "round": int(state["battle_round"]),
        "damage": int(state["hunt_damage"]),
        "combat_title": COMBAT_NAMES[max(0, int(state["combat_card"][side]))],
        "tile": tile_words(state),
        **_UNKNOWN,
        **_frame_context(top_frame(state)),
    }


def _reach(state: np.record) -> str:
    """A phrase for the regions in which the Fellowship may be declared."""
    progress, region = int(state["progress"]), region_name(state["fellowship_region"])
    return f"at most {counted(progress, 'region')} from {region}" if progress else f"in {region}"


def _hand_limit(state: np.record, seat: int) -> int:
    limit = int(state["options"][Option.HAND_LIMIT])
    return min(limit, SHARED_LIMIT) if is_shared(state, seat) else limit


# What is said of a business that is not on top of the stack, in states set up by hand.
_UNKNOWN = {
    "recruit": "the figure",
    "steps": "some regions",
    "minion": "the Nazgul or Minion",
    "hobbit": "the Hobbit",
    "move_origin": "its region",
    "move_destination": "the next region",
    "army_region": "the army",
    "army_limit": "exceeded",
    "retreat_region": "another region",
    "hits": "0 hits",
    "card": "the event card",
    "op_nation": "the nation",
    "event_step": 0,
    "event_region": "nowhere",
    "event_nation": "the nation",
    "event_place": "nowhere",
    "event_count": 0,
    "unit_from": "nowhere",
    "lured": "a Companion",
    "lured_level": "his Level in",
}


def _frame_context(frame: FrameView) -> dict[str, object]:
    """The values from the business on top of the stack, by the names in ``_UNKNOWN``."""
    if frame.kind == Frame.RECRUIT and 0 <= frame.figure < Block.COUNT - Block.FIGURE:
        return {"recruit": figure_name(frame.figure)}
    if frame.kind == Frame.MOVE_COMPANIONS:
        return {"steps": counted(frame.steps_left, "region")}
    if frame.kind == Frame.MOVE_MINIONS:
        return {"minion": _minion(frame.who)}
    if frame.kind == Frame.TAKE_THEM_ALIVE:
        return {"hobbit": CHARACTER_NAMES[frame.hobbit]}
    if frame.kind == Frame.MOVE_ARMIES:
        here = frame.destination if frame.steps_left > 0 else frame.origin
        return {"move_origin": region_name(here), "move_destination": region_name(frame.destination)}
    if frame.kind == Frame.RETREAT:
        return {"army_region": region_name(frame.origin), "retreat_region": region_name(frame.region)}
    if frame.kind == Frame.TRIM:
        return {"army_region": region_name(frame.region), "army_limit": counted(frame.limit, "unit")}
    if frame.kind == Frame.ARMIES_MEET:
        return {"army_region": region_name(frame.region)}
    if frame.kind == Frame.CASUALTIES:
        return {"army_region": region_name(frame.region), "hits": counted(frame.hits, "hit")}
    return _event_context(frame) if _runs_event(frame) else {}


def _runs_event(frame: FrameView) -> bool:
    return frame.kind == Frame.EVENT and 0 <= frame.card < NUM_CARDS and 0 <= frame.stage < MAX_OPS


def _event_context(frame: FrameView) -> dict[str, object]:
    """The numbers of a running operation, under each of the names that they may have."""
    companion = 0 <= frame.lured < len(CHARACTER_NAMES)
    return {
        "card": CARD_NAMES[frame.card],
        # Of the operations only those that name a nation have it as their first parameter.
        "op_nation": _nation_or(int(EVENT_OPS[frame.card, frame.stage, 1])),
        "event_step": frame.step,
        "event_region": region_name(frame.place),
        "event_nation": _nation_or(frame.nation),
        "event_place": region_name(frame.target),
        "event_count": frame.count,
        "unit_from": region_name(frame.unit_from),
        "lured": CHARACTER_NAMES[frame.lured] if companion else "a Companion",
        "lured_level": int(CHARACTER_LEVEL[frame.lured]) if companion else "his Level in",
    }


def _minion(who: int) -> str:
    """The moving figure in a frame ``MOVE_MINIONS``: a Nazgul of a region, or a character."""
    return f"a Nazgul of {region_name(who)}" if who < NUM_REGIONS else CHARACTER_NAMES[who - NUM_REGIONS]


def _nation_or(number: int) -> str:
    return NATION_NAMES[number] if 0 <= number < len(NATION_NAMES) else "the nation"
