"""Events that replace, hit and move figures (section 22.2, R6.4.6, R6.4.10)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Figure, Region, Roll, Side
from wotr_env.games.war_of_the_ring.components import (
    CHARACTER_SIDE,
    NUM_REGIONS,
)
from wotr_env.games.war_of_the_ring.data.event_programs import ArmyChoice, Op, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_LEADER_NATION,
    END_NATION,
    FIRST_NATION,
    WHOLE_ARMY,
    eliminate_leader,
    eliminate_unit,
    recruit_figure,
    reinforcements_of,
    suffer_hits,
)
from wotr_env.games.war_of_the_ring.rules.chance import roll_die
from wotr_env.games.war_of_the_ring.rules.characters import eliminate_character
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.conditions import leader_of_army
from wotr_env.games.war_of_the_ring.rules.events.frame import (
    EventFrame,
    Step,
    current_card,
    current_place,
    current_step,
    go_to_step,
    next_op,
    parameter,
)
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.movement import capture_if_undefended
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation
from wotr_env.games.war_of_the_ring.rules.spent import is_barred, spend_nations
from wotr_env.games.war_of_the_ring.rules.stack import ask, get, put
from wotr_env.games.war_of_the_ring.state import NUM_CHARACTERS, NUM_FREE_PEOPLES

# --- PROMOTE: The Grey Company in one army, Hill-trolls anywhere. The steps count figures replaced. ---

(_LED_BY,) = columns(Op.PROMOTE_IN_ARMY, "leader")
_PROMOTED_NATION, _UNITS = columns(Op.PROMOTE_ANYWHERE, "nation", "units")


@kernel
def _can_promote(state, region, nation):
    return state.regular[region, nation] > 0 and reinforcements_of(state, nation, Figure.ELITE) > 0


@kernel
def _promote(state, region, nation):
    """Replaces a Regular by an Elite; a Free Peoples Regular is eliminated (fp-char-24), a Shadow Regular
    returns to the reinforcements."""
    recruit_figure(state, region, nation, Figure.ELITE)
    eliminate_unit(state, region, nation, Figure.REGULAR)


@kernel
def _army_to_promote(state, card, place):
    leader = leader_of_army(state, EVENT_OPS[card, place, _LED_BY], 0)
    return int(state.location[leader]) if leader >= 0 else -1


@kernel
def _can_promote_own(state, region, nation):
    """Whether a nation of the player, on which the last action was not spent, has a Regular to promote
    (R13.5.1, R13.7.3)."""
    own = controls_nation(state, Side.FREE_PEOPLES, nation) and not is_barred(state, nation)
    return own and _can_promote(state, region, nation)


@kernel
def can_promote_in_army(state, card, place):
    region = _army_to_promote(state, card, place)
    for nation in range(NUM_FREE_PEOPLES):
        if region >= 0 and _can_promote_own(state, region, nation):
            return True
    return False


@kernel
def run_promote_in_army(state):
    ask(state, int(state.acting), Decision.EVENT_NATION)


@kernel
def legal_promoted_nation(state, mask):
    """D44: the nation of the Regular that becomes an Elite (fp-char-24)."""
    region = _army_to_promote(state, current_card(state), current_place(state))
    for nation in range(NUM_FREE_PEOPLES):
        if _can_promote_own(state, region, nation):
            mask[Block.NATION + nation] = True


@kernel
def apply_promoted_nation(state, action):
    region = _army_to_promote(state, current_card(state), current_place(state))
    _promote(state, region, action - Block.NATION)
    spend_nations(state, Side.FREE_PEOPLES, 1 << (action - Block.NATION))
    next_op(state)


@kernel
def can_promote_anywhere(state, card, place):
    for region in range(NUM_REGIONS):
        if _can_promote(state, region, EVENT_OPS[card, place, _PROMOTED_NATION]):
            return True
    return False


@kernel
def run_promote_anywhere(state):
    if current_step(state) < parameter(state, _UNITS) and can_promote_anywhere(
        state, current_card(state), current_place(state)
    ):
        ask(state, int(state.acting), Decision.EVENT_REGION)
    else:
        next_op(state)


@kernel
def legal_promoted_region(state, mask):
    """D44: the region in which a Regular becomes an Elite (sh-strat-15)."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _can_promote(state, region, parameter(state, _PROMOTED_NATION))


@kernel
def apply_promoted_region(state, action):
    _promote(state, action - Block.REGION, parameter(state, _PROMOTED_NATION))
    go_to_step(state, current_step(state) + 1)


# --- HITS outside a battle (R6.4.6, R6.4.10). ---

_DICE, _ON, _ARMY = columns(Op.HITS, "dice", "on", "army")


@kernel
def roll_dice(state, dice, on):
    """Rolls a number of dice; returns how many show at least ``on``."""
    found = 0
    for _ in range(dice):
        if roll_die(state, Roll.EVENT, int(state.acting), on) >= on:
            found += 1
    return found


@kernel
def after_hits(state, side, region):
    """Eliminates the retinue of an army that a card has destroyed, unless an option says otherwise (R6.4.10,
    RG10).

    A garrison under siege loses its Stronghold to the besieger immediately.
    """
    if state.units[region, side] == 0:
        if state.options[Option.CARD_HITS_SPARE_CHARACTERS] == 0:
            kill_retinue(state, side, region)
        capture_if_undefended(state, 1 - side, region)


@kernel
def kill_retinue(state, side, region):
    """Eliminates the Leaders, Nazgul and characters of a destroyed army; Nazgul return to the reinforcements
    (R7.10.6)."""
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        while state.leader[region, nation] > 0:
            eliminate_leader(state, region, nation)
    for character in range(NUM_CHARACTERS):
        if CHARACTER_SIDE[character] == side and state.location[character] == region:
            eliminate_character(state, character)


@kernel
def _nations_in(state, side, region):
    """The nations with units of a side in a region."""
    count = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if state.regular[region, nation] + state.elite[region, nation] > 0:
            count += 1
    return count


@kernel
def _can_be_hit(state, choice, region):
    if state.units[region, Side.SHADOW] == 0:
        return False
    if choice == ArmyChoice.OF_TWO_NATIONS:
        return _nations_in(state, Side.SHADOW, region) >= 2
    return region == Region.OSGILIATH or region == Region.SOUTH_ITHILIEN or region == Region.NORTH_ITHILIEN


@kernel
def can_hit(state, card, place):
    for region in range(NUM_REGIONS):
        if _can_be_hit(state, EVENT_OPS[card, place, _ARMY], region):
            return True
    return False


@kernel
def run_hits(state):
    """Rolls hits on one Shadow army, which the player of the card chooses."""
    if current_step(state) == Step.START:
        ask(state, int(state.acting), Decision.EVENT_REGION)
    else:
        after_hits(state, Side.SHADOW, get(state, EventFrame.PLACE))
        next_op(state)


@kernel
def legal_army_hit(state, mask):
    """D44: the army that is hit."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _can_be_hit(state, parameter(state, _ARMY), region)


@kernel
def apply_army_hit(state, action):
    region = action - Block.REGION
    go_to_step(state, Step.WAITING)
    put(state, EventFrame.PLACE, region)
    hits = roll_dice(state, parameter(state, _DICE), parameter(state, _ON))
    suffer_hits(state, Side.SHADOW, region, hits, WHOLE_ARMY)


# --- Return of the Witch-king (sh-strat-12). ---


@kernel
def witch_king_can_return(state):
    return state.location[Character.WITCH_KING] != Region.ANGMAR


@kernel
def run_witch_king_returns(state):
    state.location[Character.WITCH_KING] = Region.ANGMAR
    next_op(state)


OPERATIONS = {
    Op.PROMOTE_IN_ARMY: Operation(
        can_promote_in_army,
        run_promote_in_army,
        {
            Decision.EVENT_NATION: Choice(
                "D44",
                Asked.ACTING,
                legal_promoted_nation,
                apply_promoted_nation,
                "whose Regular becomes an Elite by {card}",
                "a Regular of {} becomes an Elite",
            )
        },
    ),
    Op.PROMOTE_ANYWHERE: Operation(
        can_promote_anywhere,
        run_promote_anywhere,
        {
            Decision.EVENT_REGION: Choice(
                "D44",
                Asked.ACTING,
                legal_promoted_region,
                apply_promoted_region,
                "where {card} turns a Regular of {op_nation} into an Elite",
                "an Elite in {}",
            )
        },
    ),
    Op.HITS: Operation(
        can_hit,
        run_hits,
        {
            Decision.EVENT_REGION: Choice(
                "D44",
                Asked.ACTING,
                legal_army_hit,
                apply_army_hit,
                "which Shadow army {card} strikes",
                "strike the army of {}",
            )
        },
    ),
    Op.WITCH_KING_RETURNS: Operation(witch_king_can_return, run_witch_king_returns),
}
