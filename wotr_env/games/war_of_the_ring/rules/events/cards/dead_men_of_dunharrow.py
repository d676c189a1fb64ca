"""Dead Men of Dunharrow (fp-char-22): a chain of move, hits, retreat or destruction, recruits and control."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Figure, Nation, Roll, Side, Verb
from wotr_env.games.war_of_the_ring.components import IS_COMPANION, REGION_NATION, Region
from wotr_env.games.war_of_the_ring.data.event_programs import Op
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_NATION,
    FIRST_NATION,
    WHOLE_ARMY,
    eliminate_unit,
    recruit_figure,
    settle_after_choice,
    stacking_room,
    suffer_hits,
)
from wotr_env.games.war_of_the_ring.rules.battle.retreat import can_retreat, mark_retreats, retreat_army
from wotr_env.games.war_of_the_ring.rules.chance import roll_die
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.command import commander
from wotr_env.games.war_of_the_ring.rules.events.figures import kill_retinue
from wotr_env.games.war_of_the_ring.rules.events.frame import EventFrame, current_step, go_to_step, next_op
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation, always
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.movement import capture
from wotr_env.games.war_of_the_ring.rules.politics import companions_arrive
from wotr_env.games.war_of_the_ring.rules.seats import seat_of
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_seat, get, put
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS

LEADERS = 1 << int(Character.STRIDER) | 1 << int(Character.ARAGORN)
RECRUITS = 3


class DeadMenStep(Codes):
    DESTINATION = 0
    COMPANY = 1
    HITS = 2
    RETREAT = 3
    RECRUITS = 4


@kernel
def _leader(state):
    """Strider or Aragorn, if he is in a region of Rohan; otherwise -1."""
    for character in range(NUM_CHARACTERS):
        region = int(state.location[character])
        if LEADERS >> character & 1 and region >= 0 and REGION_NATION[region] == Nation.ROHAN:
            return character
    return -1


@kernel
def run_dead_men(state):
    step = current_step(state)
    region = get(state, EventFrame.PLACE)
    if step == DeadMenStep.DESTINATION:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_REGION)
    elif step == DeadMenStep.COMPANY:
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_CHARACTER)
    elif step == DeadMenStep.HITS:
        if state.units[region, Side.SHADOW] > 0:
            go_to_step(state, DeadMenStep.RETREAT)
            hits = roll_die(state, Roll.EVENT, Side.FREE_PEOPLES, 0)
            suffer_hits(state, Side.SHADOW, region, hits, WHOLE_ARMY)
        else:
            go_to_step(state, DeadMenStep.RECRUITS)
    elif step == DeadMenStep.RETREAT:
        if state.units[region, Side.SHADOW] > 0 and can_retreat(state, Side.SHADOW, region):
            ask_seat(state, commander(state, Side.SHADOW, region), Decision.EVENT_REGION)
        else:
            _destroy(state, region)
            go_to_step(state, DeadMenStep.RECRUITS)
    elif get(state, EventFrame.COUNT) < RECRUITS and _can_raise_gondor(state, region):
        ask(state, Side.FREE_PEOPLES, Decision.EVENT_FIGURE)
    else:
        next_op(state)
        settle_after_choice(state, Side.FREE_PEOPLES, region)


@kernel
def legal_dead_men_destination(state, mask):
    """D44: the destination."""
    for region in (Region.ERECH, Region.LAMEDON, Region.PELARGIR):
        mask[Block.REGION + region] = True


@kernel
def apply_dead_men_destination(state, action):
    put(state, EventFrame.PLACE, action - Block.REGION)
    go_to_step(state, DeadMenStep.COMPANY)


@kernel
def legal_dead_men_companion(state, mask):
    """D44: Companions of the leader's region who go along, or done."""
    leader = _leader(state)
    for character in range(NUM_CHARACTERS):
        together = state.location[character] == state.location[leader]
        if IS_COMPANION[character] and character != leader and together:
            if state.chosen_characters >> character & 1 == 0:
                mask[Block.CHARACTER + character] = True
    mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_dead_men_companion(state, action):
    if action != Block.VERB + Verb.DONE:
        state.chosen_characters |= 1 << (action - Block.CHARACTER)
        return
    region = get(state, EventFrame.PLACE)
    company = int(state.chosen_characters) | 1 << _leader(state)
    state.chosen_characters = 0
    for character in range(NUM_CHARACTERS):
        if company >> character & 1:
            state.location[character] = region
    companions_arrive(state, region, company)
    go_to_step(state, DeadMenStep.HITS)


@kernel
def _destroy(state, region):
    """Destroys the rest of the army, with its Nazgul and Minions."""
    side = int(Side.SHADOW)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        while state.regular[region, nation] > 0:
            eliminate_unit(state, region, nation, Figure.REGULAR)
        while state.elite[region, nation] > 0:
            eliminate_unit(state, region, nation, Figure.ELITE)
    kill_retinue(state, side, region)


@kernel
def legal_flight(state, mask):
    """D45: the region to which the army retreats (R7.18.3, RG17)."""
    mark_retreats(state, mask, Side.SHADOW, get(state, EventFrame.PLACE))


@kernel
def apply_flight(state, action):
    go_to_step(state, DeadMenStep.RECRUITS)
    retreat_army(state, Side.SHADOW, get(state, EventFrame.PLACE), action - Block.REGION)


@kernel
def _can_raise_gondor(state, region):
    """Whether there is room for a Gondor Regular from the reinforcements; Shadow control of the Settlement
    does not matter (RG64)."""
    room = stacking_room(state, Side.FREE_PEOPLES, region) > 0 and state.units[region, Side.SHADOW] == 0
    return room and state.reinforcement_regular[Nation.GONDOR] > 0


@kernel
def legal_dead_men_recruit(state, mask):
    """D44: a Gondor Regular, or no further one."""
    mask[figure_action(Nation.GONDOR, Figure.REGULAR)] = True
    mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_dead_men_recruit(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, EventFrame.COUNT, RECRUITS)
        return
    region = get(state, EventFrame.PLACE)
    recruit_figure(state, region, Nation.GONDOR, Figure.REGULAR)
    capture(state, seat_of(state, Side.FREE_PEOPLES), region)
    put(state, EventFrame.COUNT, get(state, EventFrame.COUNT) + 1)


OPERATIONS = {
    Op.DEAD_MEN: Operation(
        always,
        run_dead_men,
        {
            (Decision.EVENT_REGION, DeadMenStep.DESTINATION): Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_dead_men_destination,
                apply_dead_men_destination,
                "where the {card} go",
                "go to {}",
            ),
            Decision.EVENT_CHARACTER: Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_dead_men_companion,
                apply_dead_men_companion,
                "which Companions go along with the {card} to {event_region}; picked: {characters}",
                "take {} along",
            ),
            (Decision.EVENT_REGION, DeadMenStep.RETREAT): Choice(
                "D45",
                Asked.SHADOW,
                legal_flight,
                apply_flight,
                "where the army of {event_region} retreats from the {card}",
                "retreat to {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D44",
                Asked.FREE_PEOPLES,
                legal_dead_men_recruit,
                apply_dead_men_recruit,
                "whether the {card} raise another Regular of Gondor in {event_region};"
                " {event_count} of 3 so far",
                "recruit {}",
            ),
        },
    )
}
