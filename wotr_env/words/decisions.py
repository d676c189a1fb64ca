"""Words for decisions and actions."""

from __future__ import annotations

import numpy as np

from wotr_env.actions import ACTION_NAMES, Block
from wotr_env.cards.combat_programs import COMBAT_PROGRAM, COMBAT_TITLE
from wotr_env.cards.event_programs import EVENT_OPS, MAX_OPS, Op
from wotr_env.codes import CardZone, Decision, Frame, Reason, Verb, Winner
from wotr_env.components import (
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
from wotr_env.data.combat_programs import MAX_EFFECTS, OP, CombatOp
from wotr_env.rules.frames import FrameView, top_frame
from wotr_env.ruleset import Option
from wotr_env.words.names import (
    FACE_NAMES,
    PLAN_WORDS,
    SIDE_NAMES,
    characters_words,
    counted,
    face_name,
    figure_name,
    nation_name,
    party_words,
    region_name,
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

_QUESTIONS = {
    Decision.NONE: "nothing is to be decided",
    Decision.DISCARD_CARD: "which card to discard face down: {hand} in hand, the limit is {hand_limit}",
    Decision.DECLARE_FELLOWSHIP: "whether to declare the Fellowship, at most {progress} from {fellowship}",
    Decision.CHOOSE_GUIDE: "which Companion of the highest Level guides the Fellowship",
    Decision.HUNT_ALLOCATION: "how many of the {pool} action dice to put into the Hunt Box",
    Decision.ACTION_DIE: "which action die to use",
    Decision.RING_DIE: "which action die to change with an Elven Ring",
    Decision.RING_FACE: "to which result to turn the {face} die with an Elven Ring",
    Decision.ACTION_PLAN: "what to do with the {face} die",
    Decision.DRAW_DECK: "from which deck to draw a card",
    Decision.EVENT_CARD: "which event card to play with the {face} die",
    Decision.ADVANCE_NATION: "which nation to advance on the political track",
    Decision.RECRUIT_FIGURE: "which figure to recruit",
    Decision.RECRUIT_REGION: "where to place {recruit}",
    Decision.BRING_CHARACTER: "which character to bring into play",
    Decision.CHARACTER_REGION: "where {characters} comes into play",
    Decision.ARMY_ORIGIN: "which army to move",
    Decision.ARMY_DESTINATION: "where to move from {move_origin}",
    Decision.MOVE_FIGURES: "which figures move from {move_origin} to {move_destination}; picked: {chosen}",
    Decision.ATTACK_ORIGIN: "which army attacks",
    Decision.ATTACK_TARGET: "whom the army of {origin} attacks",
    Decision.ATTACK_FIGURES: "which figures of {origin} attack {target}; picked: {chosen}",
    Decision.COMPANION_GROUP: "which Companions move together; picked: {characters}",
    Decision.COMPANION_DESTINATION: "where {characters} go: {steps} at most",
    Decision.MINION_TO_MOVE: "which Nazgul or Minion to move",
    Decision.MINION_DESTINATION: "where {minion} moves",
    Decision.SEPARATE_GROUP: "which Companions leave the Fellowship; picked: {characters}",
    Decision.SEPARATE_DESTINATION: "where {characters} go from {fellowship}: {steps} at most",
    Decision.COMBAT_CARD: "whether to play a combat card in round {round} of the battle for {target}",
    Decision.EVENT_REGION: "which region to choose for {card}",
    Decision.EVENT_FIGURE: "which figure to choose for {card}",
    Decision.EVENT_NATION: "which nation to choose for {card}",
    Decision.EVENT_CHARACTER: "which character to choose for {card}",
    Decision.EVENT_OPTION: "what to do by {card}",
    Decision.EVENT_DIE: "which die to choose for {card}",
    Decision.COMBAT_CHOICE: "what to do by the combat card {combat_title}",
    Decision.STRONGHOLD: "whether to fight in the open or to withdraw into the Stronghold of {target}",
    Decision.ADVANCE_FIGURES: "which attackers advance from {origin} to {target}, if any; picked: {chosen}",
    Decision.CASUALTY: "which casualty to take in {army_region}: {hits} to go",
    Decision.CEASE: "whether to cease the attack on {target} after round {round}",
    Decision.RETREAT: "whether to stay in {target} or to retreat, and where",
    Decision.PROLONG_ASSAULT: "whether to reduce an Elite for another round of the assault on {target}",
    Decision.WHITE_RIDER: "whether Gandalf the White gives up his Leadership to silence all Nazgul",
    Decision.SORCERER: "whether the Witch-king draws a card, and from which deck",
    Decision.TRIM_ARMY: "which unit to remove from {army_region}: the limit is {army_limit}",
    Decision.HUNT_REACTION: "whether to lower the Hunt damage of {damage}",
    Decision.HUNT_DAMAGE: "who bears the Hunt damage of {damage}",
    Decision.TAKE_THEM_ALIVE: "whether {hobbit} is taken alive, as if separated",
    Decision.REVEAL_REGION: "where the Fellowship is revealed: {progress} from {fellowship} at most",
    Decision.ENTER_MORDOR: "whether the Fellowship at {fellowship} enters Mordor",
    Decision.FLOCKS_OF_CREBAIN: "whether Flocks of Crebain add 1 to each die of the Hunt roll",
    Decision.WIZARDS_STAFF: "whether the Wizard's Staff stops the draw of a Hunt tile",
    Decision.MITHRIL_COAT: "whether Mithril Coat and Sting replace the {tile}",
    Decision.LOSE_CARD: "whether the Free Peoples lose a Character card, and which",
    Decision.BALROG: "whether the Balrog of Moria draws a Hunt tile",
    Decision.GUIDE_DRAW: "whether Gandalf the Grey, the Guide, draws a card",
    Decision.PALANTIR_DRAW: "from which deck the Palantir draws a card",
    Decision.BUY_OFF_CARD: "which card to discard from the table",
    Decision.BUY_OFF_COST: "which card of the hand to pay for the discard",
}

# What a step of an operation asks (``Op`` and, where there are several, B of the frame), and what pointing at
# an object answers. Where nothing is said here, the decision has the general words.
EVENT_QUESTIONS: dict[tuple[Decision, Op, int | None], tuple[str, str]] = {
    (Decision.EVENT_REGION, Op.RECRUIT, None): ("where {card} recruits for {op_nation}", "recruit in {}"),
    (Decision.EVENT_REGION, Op.PROMOTE_ANYWHERE, None): (
        "where {card} turns a Regular of {op_nation} into an Elite",
        "an Elite in {}",
    ),
    (Decision.EVENT_REGION, Op.HITS, None): ("which Shadow army {card} strikes", "strike the army of {}"),
    (Decision.EVENT_REGION, Op.DREADFUL_SPELLS, 0): (
        "which Free Peoples army {card} strikes",
        "strike the army of {}",
    ),
    (Decision.EVENT_REGION, Op.DREADFUL_SPELLS, 1): (
        "whose Nazgul cast {card} on {event_region}",
        "the Nazgul of {} cast them",
    ),
    (Decision.EVENT_REGION, Op.SHIFT_FIGURE, None): (
        "to which region next to {fellowship} {card} drives the Fellowship",
        "drive the Fellowship to {}",
    ),
    (Decision.EVENT_REGION, Op.WOSES, 0): ("which army goes by {card}", "the army of {}"),
    (Decision.EVENT_REGION, Op.WOSES, 1): ("where the army of {event_region} goes by {card}", "go to {}"),
    (Decision.EVENT_REGION, Op.CORSAIRS, None): ("where the army of Umbar lands by {card}", "land in {}"),
    (Decision.EVENT_REGION, Op.DUNLENDINGS, 0): ("which region {card} gathers in", "gather in {}"),
    (Decision.EVENT_REGION, Op.DUNLENDINGS, 1): (
        "from where another unit joins {card} in {event_region}, if any; {event_count} of 4 so far",
        "bring a unit from {}",
    ),
    (Decision.EVENT_REGION, Op.EAGLES, 0): (
        "which army's Nazgul are struck by {card}",
        "strike the Nazgul of {}",
    ),
    (Decision.EVENT_REGION, Op.EAGLES, 1): (
        "where the surviving Nazgul of {event_region} flee",
        "flee to {}",
    ),
    (Decision.EVENT_REGION, Op.STORMCROW, None): (
        "where {event_nation} loses a figure by {card}",
        "lose a figure in {}",
    ),
    (Decision.EVENT_REGION, Op.DEAD_MEN, 0): ("where the {card} go", "go to {}"),
    (Decision.EVENT_REGION, Op.DEAD_MEN, 3): (
        "where the army of {event_region} retreats from the {card}",
        "retreat to {}",
    ),
    (Decision.EVENT_FIGURE, Op.RECRUIT, None): (
        "which unit of {op_nation} {card} recruits in {event_region}",
        "recruit {}",
    ),
    (Decision.EVENT_FIGURE, Op.KILL_LEADER, None): ("which Leader dies by {card}", "lose {}"),
    (Decision.EVENT_FIGURE, Op.WOSES, None): (
        "which figures go from {event_region} to {event_place} by {card}; picked: {chosen}",
        "take {} along",
    ),
    (Decision.EVENT_FIGURE, Op.CORSAIRS, None): (
        "which figures go from {event_region} to {event_place} by {card}; picked: {chosen}",
        "take {} along",
    ),
    (Decision.EVENT_FIGURE, Op.DUNLENDINGS, None): (
        "which unit goes from {origin} to {event_region} by {card}",
        "bring {}",
    ),
    (Decision.EVENT_FIGURE, Op.DEAD_MEN, None): (
        "whether the {card} raise another Regular of Gondor in {event_region}; {event_count} of 3 so far",
        "recruit {}",
    ),
    (Decision.EVENT_FIGURE, Op.STORMCROW, None): (
        "which figure of {event_nation} is lost in {event_place} by {card}",
        "lose {}",
    ),
    (Decision.EVENT_NATION, Op.PROMOTE_IN_ARMY, None): (
        "whose Regular becomes an Elite by {card}",
        "a Regular of {} becomes an Elite",
    ),
    (Decision.EVENT_NATION, Op.COUNSEL, None): (
        "which nation {card} activates and advances",
        "activate and advance {}",
    ),
    (Decision.EVENT_NATION, Op.STORMCROW, None): (
        "which nation {card} sets one step back on the political track",
        "set {} back",
    ),
    (Decision.EVENT_CHARACTER, Op.DEAD_MEN, None): (
        "which Companions go along with the {card} to {event_region}; picked: {characters}",
        "take {} along",
    ),
    (Decision.EVENT_CHARACTER, Op.BREAKING, None): (
        "who leaves the Fellowship by {card}: {event_count} to go",
        "{} leaves",
    ),
    (Decision.EVENT_OPTION, Op.ARMY_ACTION, None): ("whether armies move or one attacks by {card}", "{}"),
    (Decision.EVENT_OPTION, Op.SUMMON_OR_MOVE_NAZGUL, None): (
        "whether {card} recruits Nazgul with the Witch-king or moves the Nazgul",
        "{}",
    ),
    (Decision.EVENT_OPTION, Op.GOLLUM_GUIDES, None): (
        "whether Gollum hides or moves the Fellowship by {card}",
        "{}",
    ),
    (Decision.EVENT_OPTION, Op.STRIKE, None): (
        "whether {card} costs a card on the table or makes a Hunt roll, or nothing",
        "discard {} from the table",
    ),
    (Decision.EVENT_OPTION, Op.LURE, None): (
        "whether {lured} is lost to {card}, or the Fellowship takes {lured_level} Corruption",
        "{} is lost",
    ),
    (Decision.EVENT_DIE, Op.LIDLESS_EYE, None): (
        "which die {card} turns to an Eye; {event_step} so far",
        "turn the {} die to an Eye",
    ),
}

_COMBAT_CHOICES = {
    CombatOp.CONVERT: ("how many misses {combat_title} turns into hits", "{}"),
    CombatOp.SELF_HITS: ("how many hits to deal to the own army for {combat_title}", "{}"),
    CombatOp.FORFEIT_NAZGUL: ("how much Leadership of Nazgul to give up for {combat_title}", "{}"),
    CombatOp.FORFEIT_CHARACTER: ("whose Leadership to give up for {combat_title}", "that of {}"),
    CombatOp.MUTE: ("which Companion {combat_title} silences for the round", "silence {}"),
    CombatOp.SLAY: ("who is slain by {combat_title}, if anybody", "slay {}"),
    CombatOp.ABSORB_BY_DEATH: ("who dies by {combat_title} to cancel hits, if anybody", "{} dies"),
    CombatOp.ESCAPE: ("where the army of {target} escapes by {combat_title}", "retreat to {}"),
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

# What pointing at an object means, by decision; other decisions only name the object.
_POINTING = {
    Decision.DISCARD_CARD: "discard {}",
    Decision.DECLARE_FELLOWSHIP: "declare the Fellowship in {}",
    Decision.CHOOSE_GUIDE: "{} guides the Fellowship",
    Decision.HUNT_ALLOCATION: "put {} into the Hunt Box",
    Decision.ACTION_DIE: "use the {} die",
    Decision.RING_DIE: "change the {} die",
    Decision.RING_FACE: "turn it to {}",
    Decision.EVENT_CARD: "play {}",
    Decision.ADVANCE_NATION: "advance {}",
    Decision.RECRUIT_FIGURE: "recruit {}",
    Decision.RECRUIT_REGION: "place it in {}",
    Decision.BRING_CHARACTER: "bring {} into play",
    Decision.CHARACTER_REGION: "enter in {}",
    Decision.ARMY_ORIGIN: "move the army of {}",
    Decision.ARMY_DESTINATION: "move to {}",
    Decision.MOVE_FIGURES: "take {} along",
    Decision.ATTACK_ORIGIN: "attack with the army of {}",
    Decision.ATTACK_TARGET: "attack {}",
    Decision.ATTACK_FIGURES: "attack with {}",
    Decision.COMPANION_GROUP: "take {} along",
    Decision.COMPANION_DESTINATION: "move to {}",
    Decision.MINION_TO_MOVE: "move {}",
    Decision.MINION_DESTINATION: "move to {}",
    Decision.SEPARATE_GROUP: "separate {}",
    Decision.SEPARATE_DESTINATION: "go to {}",
    Decision.COMBAT_CARD: "play {}",
    Decision.ADVANCE_FIGURES: "advance with {}",
    Decision.RETREAT: "retreat to {}",
    Decision.TRIM_ARMY: "remove {}",
    Decision.REVEAL_REGION: "reveal the Fellowship in {}",
    Decision.HUNT_REACTION: "discard {}",
    Decision.LOSE_CARD: "discard {} from the table",
    Decision.BUY_OFF_CARD: "discard {} from the table",
    Decision.BUY_OFF_COST: "pay with {}",
}


def decision_text(state: np.record) -> str:
    """One sentence: who must decide what, or how the game ended."""
    winner = int(state["winner"])
    if winner != Winner.NONE:
        return f"The game is over: {_WINNERS[winner]}, {_REASONS[int(state['reason'])]}."
    decision = int(state["decision"])
    if decision == Decision.NONE:
        return f"{_QUESTIONS[decision].capitalize()}."
    question = _special_words(state)[0] or _QUESTIONS[decision]
    return f"{SIDE_NAMES[int(state['seat'])]} to decide {question.format(**_context(state))}."


def say(state: np.record, action: int) -> str:
    """An action of the pending decision in words, such as ``attack Osgiliath``.

    Args:
        state: one record of dtype ``STATE``.
        action: an action id, 0 <= action < NUM_ACTIONS.
    """
    decision = int(state["decision"])
    if action < Block.PLAN:
        words = _VERBS.get(action)
        return words or ACTION_NAMES[action]
    if action < Block.FACE:
        words = PLAN_WORDS.get(action - Block.PLAN)
        return words or ACTION_NAMES[action]
    if decision == Decision.ATTACK_TARGET and action == Block.REGION + int(state["battle_origin"]):
        besieger = int(state["control"][SETTLEMENT_INDEX[action - Block.REGION]]) != int(state["seat"])
        return f"assault the garrison of {_pointed(action)}" if besieger else "sortie against the besiegers"
    if decision == Decision.COMBAT_CARD and Block.CARD <= action < Block.CHARACTER:
        card = action - Block.CARD
        return f"play {CARD_NAMES[card]} for its combat effect {COMBAT_NAMES[card]}"
    if decision in (Decision.CASUALTY, Decision.PROLONG_ASSAULT):
        if Block.NATION <= action < Block.FIGURE:
            return f"reduce an Elite of {nation_name(action - Block.NATION)}"
        return f"remove {_pointed(action)}"
    if decision == Decision.COMBAT_CHOICE and action >= Block.COUNT:
        return str(action - Block.COUNT)
    return (_special_words(state)[1] or _POINTING.get(decision, "{}")).format(_pointed(action))


def _special_words(state: np.record) -> tuple[str, str]:
    """The question and the answer of a choice inside an event or a Combat card; empty if it has none."""
    decision = int(state["decision"])
    frame = top_frame(state)
    if _runs_event(frame):
        op = int(EVENT_OPS[frame.card, frame.stage, 0])
        if decision == Decision.EVENT_CARD:
            return "which further event card to play by {card}, if any", "play {}"
        return EVENT_QUESTIONS.get((decision, op, None)) or EVENT_QUESTIONS.get(
            (decision, op, frame.step), ("", "")
        )
    fought = int(state["combat_card"][int(state["seat"])])
    if decision == Decision.COMBAT_CHOICE and frame.kind == Frame.BATTLE and fought >= 0:
        effect = COMBAT_PROGRAM[COMBAT_TITLE[fought], (frame.effects - 1) % MAX_EFFECTS]
        return _COMBAT_CHOICES.get(int(effect[OP]), ("", ""))
    return "", ""


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
    """What the sentences of ``_QUESTIONS`` may mention."""
    seat = int(state["seat"])
    return {
        "hand": counted(int((state["card_zone"] == CardZone.HAND + seat).sum()), "card"),
        "hand_limit": int(state["options"][Option.HAND_LIMIT]),
        "progress": counted(int(state["progress"]), "region"),
        "fellowship": region_name(state["fellowship_region"]),
        "pool": int(state["pool"][seat]),
        "face": face_name(state["action_face"]),
        "characters": characters_words(int(state["chosen_characters"])) or "nobody",
        "chosen": party_words(state, "chosen") or "nothing",
        "origin": region_name(state["battle_origin"]),
        "target": region_name(state["battle_target"]),
        "round": int(state["battle_round"]),
        "damage": int(state["hunt_damage"]),
        "combat_title": COMBAT_NAMES[max(0, int(state["combat_card"][seat]))],
        "tile": tile_words(state),
        **_UNKNOWN,
        **_frame_context(top_frame(state)),
    }


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
    "hits": "0 hits",
    "card": "the event card",
    "op_nation": "the nation",
    "event_step": 0,
    "event_region": "nowhere",
    "event_nation": "the nation",
    "event_place": "nowhere",
    "event_count": 0,
    "lured": "a Companion",
    "lured_level": "his Level in",
}


def _frame_context(frame: FrameView) -> dict[str, object]:
    """What the business on top of the stack adds, by the same names as ``_UNKNOWN``."""
    if frame.kind == Frame.RECRUIT and 0 <= frame.figure < Block.COUNT - Block.FIGURE:
        return {"recruit": figure_name(frame.figure)}
    if frame.kind == Frame.MOVE_COMPANIONS:
        return {"steps": counted(frame.steps_left, "region")}
    if frame.kind == Frame.MOVE_MINIONS:
        return {"minion": _minion(frame.who)}
    if frame.kind == Frame.TAKE_THEM_ALIVE:
        return {"hobbit": CHARACTER_NAMES[frame.hobbit]}
    if frame.kind == Frame.MOVE_ARMIES:
        return {"move_origin": region_name(frame.origin), "move_destination": region_name(frame.destination)}
    if frame.kind == Frame.TRIM:
        return {"army_region": region_name(frame.region), "army_limit": counted(frame.limit, "unit")}
    if frame.kind == Frame.CASUALTIES:
        return {"army_region": region_name(frame.region), "hits": counted(frame.hits, "hit")}
    return _event_context(frame) if _runs_event(frame) else {}


def _runs_event(frame: FrameView) -> bool:
    return frame.kind == Frame.EVENT and 0 <= frame.card < NUM_CARDS and 0 <= frame.stage < MAX_OPS


def _event_context(frame: FrameView) -> dict[str, object]:
    """The numbers of a running operation in each of the meanings that they may have."""
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
        "lured": CHARACTER_NAMES[frame.lured] if companion else "a Companion",
        "lured_level": int(CHARACTER_LEVEL[frame.lured]) if companion else "his Level in",
    }


def _minion(who: int) -> str:
    """Who moves in a frame ``MOVE_MINIONS``: a Nazgul of a region, or a character."""
    return f"a Nazgul of {region_name(who)}" if who < NUM_REGIONS else CHARACTER_NAMES[who - NUM_REGIONS]


def _nation_or(number: int) -> str:
    return NATION_NAMES[number] if 0 <= number < len(NATION_NAMES) else "the nation"
