"""Retreats of a defending army from a battle: to another region, or into its Stronghold (R7.12, R7.18)."""

from __future__ import annotations

from wotr_env.compiler.codes import Codes
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import (
    BattleKind,
    BattleStage,
    Decision,
    Figure,
    Frame,
    Nation,
    Side,
    Verb,
)
from wotr_env.games.war_of_the_ring.components import NEIGHBOURS, NUM_NEIGHBOURS
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import Option, RetreatInto
from wotr_env.games.war_of_the_ring.rules.armies import (
    free_for_movement,
    holds_stronghold,
    is_free,
    is_garrison,
    settle_in,
)
from wotr_env.games.war_of_the_ring.rules.characters import mark_characters
from wotr_env.games.war_of_the_ring.rules.chosen import choose_whole_army, clear_chosen, transfer_chosen
from wotr_env.games.war_of_the_ring.rules.command import commander_of_chosen
from wotr_env.games.war_of_the_ring.rules.figures import figure_action
from wotr_env.games.war_of_the_ring.rules.movement import army_enters
from wotr_env.games.war_of_the_ring.rules.seats import deciding_side
from wotr_env.games.war_of_the_ring.rules.spent import spent_army_goes
from wotr_env.games.war_of_the_ring.rules.stack import STAGE, ask_seat, get, pop, push, put
from wotr_env.games.war_of_the_ring.rules.table.modifiers import closed_to_retreats


class RetreatFrame(Codes):
    """Slots of the frame ``RETREAT``."""

    SIDE = 2  # whose army retreats
    ORIGIN = 3
    REGION = 4  # where it goes
    DECIDED = 5  # 1 once it is known who stays behind


@kernel
def _may_retreat_to(state, side, region):
    """Whether the region is free (with an option, only free for movement) and not closed by a card (R7.18.3,
    RG42, fp-strat-03)."""
    if closed_to_retreats(state, side, region):
        return False
    if state.options[Option.RETREAT_INTO] == RetreatInto.FREE_FOR_MOVEMENT:
        return free_for_movement(state, side, region)
    return is_free(state, side, region)


@kernel
def can_retreat(state, side, origin):
    """Whether an army may retreat from a region (R7.18.3)."""
    for i in range(NUM_NEIGHBOURS[origin]):
        if _may_retreat_to(state, side, NEIGHBOURS[origin, i]):
            return True
    return False


@kernel
def mark_retreats(state, mask, side, origin):
    """Marks the regions to which an army may retreat (R7.18.3, R7.18.4, R7.15.2)."""
    for i in range(NUM_NEIGHBOURS[origin]):
        region = NEIGHBOURS[origin, i]
        if _may_retreat_to(state, side, region):
            mask[Block.REGION + region] = True


@kernel
def legal_retreat(state, mask):
    """D27, R7.18.3: stay, or one adjacent free region (R7.15.2, R7.18.4)."""
    mask[Block.VERB + Verb.STAY] = True
    mark_retreats(state, mask, deciding_side(state), int(state.battle_target))


@kernel
def apply_retreat(state, action):
    if action != Block.VERB + Verb.STAY:
        retreat_from_battle(state, deciding_side(state), action - Block.REGION)


@kernel
def retreat_from_battle(state, defender, region):
    """Ends the battle with a retreat; the battle must be the top frame (R7.18.3, R7.18.7)."""
    put(state, STAGE, BattleStage.AFTERMATH)
    state.battle_retreated = 1
    retreat_army(state, defender, int(state.battle_target), region)


@kernel
def retreat_army(state, side, origin, region):
    """Moves all units and Leaders of an army; the owner decides about its characters and Nazgul (R7.18.3)."""
    push(state, Frame.RETREAT)
    put(state, RetreatFrame.SIDE, side)
    put(state, RetreatFrame.ORIGIN, origin)
    put(state, RetreatFrame.REGION, region)
    choose_whole_army(state, side, origin)


@kernel
def retreats_from(state):
    """The region of the army that retreats."""
    return get(state, RetreatFrame.ORIGIN)


@kernel
def retreats_to(state):
    """The destination of the army."""
    return get(state, RetreatFrame.REGION)


@kernel
def resume_retreat(state):
    """Asks which figures stay behind, if any can; trims the joined army to 10 units (R7.18.3, R7.2.3)."""
    side = get(state, RetreatFrame.SIDE)
    nazgul = side == Side.SHADOW and state.chosen_leader[Nation.SAURON] > 0
    if get(state, RetreatFrame.DECIDED) == 0 and (nazgul or state.chosen_characters != 0):
        ask_seat(state, commander_of_chosen(state, side), Decision.STAY_BEHIND)
        return
    origin = retreats_from(state)
    region = retreats_to(state)
    pop(state)
    transfer_chosen(state, side, origin, region)
    army_enters(state, side, region, int(state.chosen_characters))
    clear_chosen(state)
    spent_army_goes(state, side, origin, region)
    settle_in(state, side, region)


@kernel
def legal_stay_behind(state, mask):
    """D47, R7.18.3: another character or Nazgul who stays where he is, or done."""
    mark_characters(mask, int(state.chosen_characters))
    if get(state, RetreatFrame.SIDE) == Side.SHADOW and state.chosen_leader[Nation.SAURON] > 0:
        mask[figure_action(Nation.SAURON, Figure.LEADER)] = True
    mask[Block.VERB + Verb.DONE] = True


@kernel
def apply_stay_behind(state, action):
    if action == Block.VERB + Verb.DONE:
        put(state, RetreatFrame.DECIDED, 1)
    elif action >= Block.FIGURE:
        state.chosen_leader[Nation.SAURON] -= 1
    else:
        state.chosen_characters &= ~(1 << (action - Block.CHARACTER))


@kernel
def can_withdraw(state, defender):
    """Whether the army is in the region of its own Stronghold and is not besieged there (R7.12.1)."""
    target = int(state.battle_target)
    free_stronghold = holds_stronghold(state, defender, target) and not is_garrison(state, defender, target)
    return state.battle_kind == BattleKind.FIELD and free_stronghold


@kernel
def withdraw_from_battle(state):
    """R7.12.4: ends the battle by a withdrawal; the attacker decides whether a siege begins (RG5)."""
    state.battle_withdrawn = 1
    put(state, STAGE, BattleStage.AFTERMATH)
