"""Choosing a part of an army, figure by figure: move sets, attacking parts, advance sets.

R7.5.2-R7.5.5 (moves), R7.8.2-R7.8.4 (attacks), R7.18.5 (advance). The figures picked are in ``chosen_*``. A
figure *may join* if the rules let it move, attack or advance; a party is complete with at least one unit,
and with a leader figure where the die asks for one (by option also without, RU51). If no unit stays behind,
every FP Leader goes along.
"""

from __future__ import annotations

from wotr_env.compiler.memory import lowest_bit
from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.codes import Character, Figure, Nation, Side, Verb
from wotr_env.games.war_of_the_ring.components import COMPANIONS, NATION_SIDE, NATIONS_OF, OPEN_AT_PEACE
from wotr_env.games.war_of_the_ring.data.event_programs import Need
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.options import CharacterDieLeader, Option
from wotr_env.games.war_of_the_ring.rules.armies import (
    END_LEADER_NATION,
    END_NATION,
    FIRST_NATION,
    UNLIMITED,
    at_war,
    leaders_in,
    may_enter,
    nations_at_war,
    nations_in,
    stacking_room,
)
from wotr_env.games.war_of_the_ring.rules.characters import mark_characters, own_characters_at, servants
from wotr_env.games.war_of_the_ring.rules.chosen import chosen_units, nothing_chosen
from wotr_env.games.war_of_the_ring.rules.command import (
    leads_along,
    nations_among,
    nations_chosen,
    nations_to_attack,
    nations_to_move,
)
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.places import figures_moved, places_noted
from wotr_env.games.war_of_the_ring.rules.seats import ALL_NATIONS, has_partners
from wotr_env.games.war_of_the_ring.rules.spent import is_barred_army, something_is_barred
from wotr_env.games.war_of_the_ring.rules.walks import can_finish_walk, may_join_walk
from wotr_env.games.war_of_the_ring.state import NUM_FREE_PEOPLES, NUM_NATIONS

# Purposes.
MOVE = 0
ATTACK = 1
ADVANCE = 2  # with figures of the attacking part only
WALK = 3  # a move over several regions by a card


@kernel
def _nations_used(state, purpose, side, region):
    """The nations whose units in a region may be picked, one bit each (R13.5.1, R13.6)."""
    if purpose == ADVANCE or not has_partners(state):
        return ALL_NATIONS
    if purpose == ATTACK:
        return nations_to_attack(state, side, region)
    return nations_to_move(state, side, region)


@kernel
def _left(state, purpose, region, nation, figure):
    """The number of figures of a kind that can still be picked, whether or not they may join (R7.5.6)."""
    if figure == Figure.REGULAR:
        there = int(state.party_regular[nation] if purpose == ADVANCE else state.regular[region, nation])
        chosen = int(state.chosen_regular[nation])
    elif figure == Figure.ELITE:
        there = int(state.party_elite[nation] if purpose == ADVANCE else state.elite[region, nation])
        chosen = int(state.chosen_elite[nation])
    else:
        there = int(state.party_leader[nation] if purpose == ADVANCE else state.leader[region, nation])
        chosen = int(state.chosen_leader[nation])
    if purpose == MOVE or purpose == WALK:
        there = max(0, there - figures_moved(state, region, nation, figure))
    return there - chosen


@kernel
def _characters_left(state, purpose, side, region):
    """The characters that can still be picked; Saruman attacks but never leaves Orthanc (R7.7.4, R7.8.1).

    Also R7.5.6, R7.6.6, R13.5.2.
    """
    if purpose == ADVANCE:
        there = int(state.party_characters)
    else:
        there = own_characters_at(state, side, region)
    if purpose != ATTACK:
        there &= ~(1 << Character.SARUMAN)
    if purpose == MOVE or purpose == WALK:
        there &= ~int(state.moved_characters)
    return there & ~int(state.chosen_characters)


@kernel
def unit_may_join(state, purpose, nation, region, destination):
    """Whether units of a nation may join: the player may use them, and the rules of war and peace allow them
    to move (R13.5.1)."""
    if has_partners(state) and _nations_used(state, purpose, NATION_SIDE[nation], region) >> nation & 1 == 0:
        return False
    return _is_free_to_go(state, purpose, nation, region, destination)


@kernel
def _nations_free_to_go(state, purpose, destination):
    """The nations whose units may move under the rules of war and peace, one bit each; walks are checked
    nation by nation."""
    if purpose == ADVANCE or purpose == WALK:
        return ALL_NATIONS
    at_war_now = nations_at_war(state)
    return at_war_now | int(OPEN_AT_PEACE[destination]) if purpose == MOVE else at_war_now


@kernel
def _nations_there(state, purpose, side, region):
    """The nations whose units are in the army or the attacking part, one bit each."""
    if purpose != ADVANCE:
        return nations_in(state, region) & int(NATIONS_OF[side])
    return nations_among(state.party_regular, state.party_elite) & int(NATIONS_OF[side])


@kernel
def _is_free_to_go(state, purpose, nation, region, destination):
    """Whether units of a nation may move or attack: units at peace stay within their borders and never attack
    (R7.5.9, R7.8.3, R8.5)."""
    if purpose == MOVE:
        return may_enter(state, nation, destination)
    if purpose == WALK:
        return may_join_walk(state, NATION_SIDE[nation], region, destination, nation, chosen_units(state) + 1)
    return purpose == ADVANCE or at_war(state, nation)


@kernel
def leader_may_join(state, purpose, nation, region, destination):
    """Whether Leaders of a nation may join: Free Peoples Leaders have the same restrictions as units, unless
    an option removes them; Nazgul have none (R7.5.9, R8.6).

    Also R13.5.2.
    """
    if has_partners(state):
        used = _nations_used(state, purpose, NATION_SIDE[nation], region)
        if not leads_along(state, used, region, nation):
            return False
    if nation == Nation.SAURON or state.options[Option.LEADERS_BOUND] == 0:
        return True
    if purpose == WALK:  # he is no unit
        units = max(1, chosen_units(state))
        return may_join_walk(state, NATION_SIDE[nation], region, destination, nation, units)
    return _is_free_to_go(state, purpose, nation, region, destination)


@kernel
def _everybody_may_walk(state, side, region, destination):
    """Whether the army can walk with all its units and Leaders."""
    bound = 0
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        figures = int(state.regular[region, nation]) + int(state.elite[region, nation])
        if figures + int(state.leader[region, nation]) > 0 and not at_war(state, nation):
            bound |= 1 << nation
    units = int(state.units[region, side])
    return can_finish_walk(state, side, region, destination, bound, units)


@kernel
def _leader_is_held(state, purpose, side, region, destination):
    """Whether some Free Peoples Leader cannot join, so that a unit must stay with it (R7.5.4, R7.8.4)."""
    if purpose == WALK:
        return side == Side.FREE_PEOPLES and not _everybody_may_walk(state, side, region, destination)
    if side == Side.FREE_PEOPLES and purpose != ADVANCE:
        nations = leaders_in(state, region) & int(NATIONS_OF[side])
        while nations != 0:
            nation = lowest_bit(nations)
            nations &= nations - 1
            if figures_moved(state, region, nation, Figure.LEADER) > 0 or not leader_may_join(
                state, purpose, nation, region, destination
            ):
                return True
    return False


@kernel
def _needed_among(characters, need):
    """The characters of a set that satisfy the need for a leader, one bit each."""
    if need == Need.LEADER:
        return characters
    if need == Need.COMPANION:
        return characters & COMPANIONS
    return characters & 1 << Character.WITCH_KING


@kernel
def _leader_to_pick(state, purpose, side, region, destination, need):
    """Whether a figure that satisfies the need and may join is not yet picked (R7.5.5, R7.8.1)."""
    if _needed_among(_characters_left(state, purpose, side, region), need) != 0:
        return True
    if need == Need.NAZGUL:
        return _left(state, purpose, region, Nation.SAURON, Figure.LEADER) > 0
    return need == Need.LEADER and _leader_figure_to_pick(state, purpose, side, region, destination)


@kernel
def _leader_figure_to_pick(state, purpose, side, region, destination):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if _left(state, purpose, region, nation, Figure.LEADER) > 0 and leader_may_join(
            state, purpose, nation, region, destination
        ):
            return True
    return False


@kernel
def _leader_picked(state, need):
    """Whether the party contains the needed figure: a Leader, Nazgul, character or Servant (R7.5.5, R14.13).

    Also R7.3.1.
    """
    if _needed_among(int(state.chosen_characters), need) != 0:
        return True
    if need == Need.NAZGUL:
        return state.chosen_leader[Nation.SAURON] > 0
    if need != Need.LEADER:
        return False
    for nation in range(state.chosen_leader.size):
        if state.chosen_leader[nation] > 0:
            return True
    leading = servants(state)
    for nation in range(Nation.ISENGARD, NUM_NATIONS if leading != 0 else 0):
        if leading >> nation & 1 and state.chosen_elite[nation] > 0:
            return True
    return False


@kernel
def army_is_led(state, side, region):
    """Whether an army has a Leader, Nazgul, character or Servant, whether or not this figure may move
    (R7.5.5, R14.13).

    Also R13.5.
    """
    if own_characters_at(state, side, region) != 0:
        return True
    used = _nations_used(state, MOVE, side, region)
    leaders = leaders_in(state, region) & int(NATIONS_OF[side])
    while leaders != 0:
        if leads_along(state, used, region, lowest_bit(leaders)):
            return True
        leaders &= leaders - 1
    leading = servants(state) & used if side == Side.SHADOW else 0
    if leading != 0:
        for nation in range(Nation.ISENGARD, NUM_NATIONS):
            if leading >> nation & 1 and state.elite[region, nation] > 0:
                return True
    return False


@kernel
def _may_leave_leader(state, purpose, side, region, destination, need, room):
    """Whether, by an option, an army with leaders may attack or move without them (RU51)."""
    if need != Need.LEADER or state.options[Option.CHARACTER_DIE_LEADER] == CharacterDieLeader.GOES_ALONG:
        return False
    if not army_is_led(state, side, region):
        return False
    if purpose == ATTACK:
        return True
    units = 0
    used = nations_to_move(state, side, region)
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        there = int(state.regular[region, nation]) + int(state.elite[region, nation])
        if there == 0 or used >> nation & 1 == 0:
            continue
        units += there
        if not unit_may_join(state, purpose, nation, region, destination):
            return False
    held = _leader_is_held(state, purpose, side, region, destination)
    return 0 < units <= room and not (held and units == state.units[region, side])


@kernel
def _elite_leader_left(state, purpose, side, region, destination, need):
    """Whether an Elite that counts as a Leader is not yet picked (R14.13, R13.5.3)."""
    if side != Side.SHADOW or need != Need.LEADER:
        return False
    leading = servants(state)
    for nation in range(Nation.ISENGARD, NUM_NATIONS if leading != 0 else 0):
        if (
            leading >> nation & 1
            and _left(state, purpose, region, nation, Figure.ELITE) > 0
            and unit_may_join(state, purpose, nation, region, destination)
        ):
            return True
    return False


@kernel
def _some_unit_left(state, purpose, region, nation):
    regulars = _left(state, purpose, region, nation, Figure.REGULAR)
    return regulars > 0 or _left(state, purpose, region, nation, Figure.ELITE) > 0


# --- What the last action of a lone Free Peoples player bars (R13.7.3). ---


@kernel
def _is_restricted(state, purpose, side):
    return side == Side.FREE_PEOPLES and purpose != ADVANCE and something_is_barred(state)


@kernel
def _may_go_together(state, purpose, region, destination, nations, nation, units):
    """Whether a number of units of some nations (one bit each) and of another nation may move to the same
    place."""
    if purpose != WALK:
        return unit_may_join(state, purpose, nation, region, destination)
    bound = 0
    for each in range(NUM_FREE_PEOPLES):
        if (nations | 1 << nation) >> each & 1 and not at_war(state, each):
            bound |= 1 << each
    return can_finish_walk(state, Side.FREE_PEOPLES, region, destination, bound, units)


@kernel
def _can_complete(state, purpose, region, destination, nations, picked, room):
    """Whether a number of picked units of some nations (one bit each) is a legal party or can become one
    (R13.7.3)."""
    if not is_barred_army(state, nations, region):
        return True
    if nations & (nations - 1) != 0 or picked >= room:
        return False
    units = int(state.units[region, Side.FREE_PEOPLES])
    if units == picked + 1 and _leader_is_held(state, purpose, Side.FREE_PEOPLES, region, destination):
        return False
    for nation in range(NUM_FREE_PEOPLES):
        if (
            nations >> nation & 1 == 0
            and _some_unit_left(state, purpose, region, nation)
            and _may_go_together(state, purpose, region, destination, nations, nation, picked + 1)
            and not is_barred_army(state, nations | 1 << nation, region)
        ):
            return True
    return False


@kernel
def _can_begin(state, purpose, region, destination, room):
    """Whether some unit can be the first of a party that the last action does not bar."""
    for nation in range(NUM_FREE_PEOPLES):
        if (
            _some_unit_left(state, purpose, region, nation)
            and unit_may_join(state, purpose, nation, region, destination)
            and _can_complete(state, purpose, region, destination, 1 << nation, 1, room)
        ):
            return True
    return False


@kernel
def _some_unit_may_go(state, purpose, side, region, destination):
    """Whether an army has a unit that the player may pick, that may move, and that has not moved yet."""
    nations = _nations_there(state, purpose, side, region) & _nations_used(state, purpose, side, region)
    nations &= _nations_free_to_go(state, purpose, destination)
    if purpose != WALK and places_noted(state) == 0:
        return nations != 0
    while nations != 0:
        nation = lowest_bit(nations)
        nations &= nations - 1
        if purpose == WALK and not _is_free_to_go(state, purpose, nation, region, destination):
            continue
        if places_noted(state) == 0 or _some_unit_left(state, purpose, region, nation):
            return True
    return False


@kernel
def can_form(state, purpose, side, region, destination, need, room):
    """Whether a complete party is possible in an army of which nothing is picked yet."""
    if room < 1 or state.units[region, side] == 0:
        return False
    if not _some_unit_may_go(state, purpose, side, region, destination):
        return False
    if _is_restricted(state, purpose, side) and not _can_begin(state, purpose, region, destination, room):
        return False
    if state.units[region, side] == 1 and _leader_is_held(state, purpose, side, region, destination):
        return False
    if need == Need.NOBODY:
        return True
    if _leader_to_pick(state, purpose, side, region, destination, need):
        return True
    if _elite_leader_left(state, purpose, side, region, destination, need):
        return True
    return _may_leave_leader(state, purpose, side, region, destination, need, room)


@kernel
def _units_not_used(state, used, side, region):
    """The number of units in a region that belong to other nations than those the player may use
    (R13.5.1)."""
    units = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if used >> nation & 1 == 0:
            units += int(state.regular[region, nation]) + int(state.elite[region, nation])
    return units


@kernel
def _mark_leaders(state, mask, purpose, side, region, destination):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        left = _left(state, purpose, region, nation, Figure.LEADER)
        if left > 0 and leader_may_join(state, purpose, nation, region, destination):
            mask[figure_action(nation, Figure.LEADER)] = True


@kernel
def _mark_units(state, mask, purpose, side, region, destination, room, led, elite_leader):
    """Marks the units that may be picked next.

    Args:
        led: whether the last place need not go to an Elite that leads.
        elite_leader: whether some Elite that leads is left.

    Returns:
        The number of units that may join, and their nations, one bit each.
    """
    picked = chosen_units(state)
    is_last = int(state.units[region, side]) - picked == 1
    open_to_units = picked < room and not (
        is_last and _leader_is_held(state, purpose, side, region, destination)
    )
    restricted = _is_restricted(state, purpose, side)
    chosen = nations_chosen(state) if restricted else 0
    leading = servants(state)
    joining = 0
    joining_nations = 0
    nations = _nations_there(state, purpose, side, region) & _nations_used(state, purpose, side, region)
    nations &= _nations_free_to_go(state, purpose, destination)
    while nations != 0:
        nation = lowest_bit(nations)
        nations &= nations - 1
        if purpose == WALK and not _is_free_to_go(state, purpose, nation, region, destination):
            continue
        for figure in range(Figure.LEADER):
            left = _left(state, purpose, region, nation, figure)
            if left == 0:
                continue
            joining += left
            joining_nations |= 1 << nation
            leads = figure == Figure.ELITE and elite_leader and leading >> nation & 1
            if not open_to_units or not (picked + 1 < room or led or leads):
                continue
            if not restricted or _can_complete(
                state, purpose, region, destination, chosen | 1 << nation, picked + 1, room
            ):
                mask[figure_action(nation, figure)] = True
    return joining, joining_nations


@kernel
def _all_may_be_picked(state, purpose, side, region, destination, room, joining, joining_nations):
    """Whether the whole army may be picked at once: some units and nations (one bit each) that may join."""
    if not nothing_chosen(state) or not 0 < joining <= room:
        return False
    if not _all_may_walk(state, purpose, side, region, destination):
        return False
    if _is_restricted(state, purpose, side) and is_barred_army(state, joining_nations, region):
        return False
    everybody = joining == int(state.units[region, side])
    return not (everybody and _leader_is_held(state, purpose, side, region, destination))


@kernel
def legal_pick(state, mask, purpose, side, region, destination, need, room):
    """The figures that may be picked next, the whole army, or done (D13, D14, D24)."""
    picked = chosen_units(state)
    staying = int(state.units[region, side]) - picked
    used = _nations_used(state, purpose, side, region)
    own_staying = staying if used == ALL_NATIONS else staying - _units_not_used(state, used, side, region)
    may_leave = _may_leave_leader(state, purpose, side, region, destination, need, room)
    unled = may_leave and (purpose == ATTACK or own_staying == 0)
    has_leader = need == Need.NOBODY or _leader_picked(state, need) or unled
    leader_to_pick = _leader_to_pick(state, purpose, side, region, destination, need)
    elite_leader = _elite_leader_left(state, purpose, side, region, destination, need)
    led = has_leader or leader_to_pick or may_leave
    joining, nations = _mark_units(state, mask, purpose, side, region, destination, room, led, elite_leader)
    if side == Side.SHADOW or staying > 0:
        _mark_leaders(state, mask, purpose, side, region, destination)
    mark_characters(mask, _characters_left(state, purpose, side, region))
    if (led or elite_leader) and _all_may_be_picked(
        state, purpose, side, region, destination, room, joining, nations
    ):
        mask[Block.VERB + Verb.WHOLE_ARMY] = True
    leaders_follow = (  # R7.5.4; Nazgul and characters may stay behind
        side == Side.FREE_PEOPLES
        and need == Need.LEADER
        and staying == 0
        and _leader_figure_to_pick(state, purpose, side, region, destination)
    )
    barred = _is_restricted(state, purpose, side) and is_barred_army(state, nations_chosen(state), region)
    if picked > 0 and (has_leader or leaders_follow) and not barred:
        mask[Block.VERB + Verb.DONE] = True


@kernel
def _all_may_walk(state, purpose, side, region, destination):
    """Whether all figures that may join a walk can also move together."""
    if purpose != WALK:
        return True
    bound = 0
    units = 0
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        there = _left(state, purpose, region, nation, Figure.REGULAR)
        there += _left(state, purpose, region, nation, Figure.ELITE)
        if there > 0 and unit_may_join(state, purpose, nation, region, destination):
            units += there
            if not at_war(state, nation):
                bound |= 1 << nation
    return can_finish_walk(state, side, region, destination, bound, units)


@kernel
def _pick_all(state, purpose, side, region, destination):
    """Picks all figures of the army that may join (R7.1.3)."""
    for nation in range(FIRST_NATION[side], END_NATION[side]):
        if unit_may_join(state, purpose, nation, region, destination):
            state.chosen_regular[nation] += _left(state, purpose, region, nation, Figure.REGULAR)
            state.chosen_elite[nation] += _left(state, purpose, region, nation, Figure.ELITE)
    _pick_leaders(state, purpose, side, region, destination)
    state.chosen_characters |= _characters_left(state, purpose, side, region)


@kernel
def _pick_leaders(state, purpose, side, region, destination):
    for nation in range(FIRST_NATION[side], END_LEADER_NATION[side]):
        if leader_may_join(state, purpose, nation, region, destination):
            state.chosen_leader[nation] += _left(state, purpose, region, nation, Figure.LEADER)


@kernel
def apply_pick(state, action, purpose, side, region, destination):
    """Picks a figure or all figures; returns whether the party is complete."""
    if action == Block.VERB + Verb.WHOLE_ARMY:
        _pick_all(state, purpose, side, region, destination)
    elif action == Block.VERB + Verb.DONE:
        if side == Side.FREE_PEOPLES and chosen_units(state) == state.units[region, side]:
            _pick_leaders(state, purpose, side, region, destination)
    else:
        if action >= Block.FIGURE:
            nation = nation_of_figure(action)
            figure = kind_of_figure(action)
            if figure == Figure.REGULAR:
                state.chosen_regular[nation] += 1
            elif figure == Figure.ELITE:
                state.chosen_elite[nation] += 1
            else:
                state.chosen_leader[nation] += 1
        else:
            state.chosen_characters |= 1 << (action - Block.CHARACTER)
        return False
    return True


@kernel
def room_at(state, purpose, side, destination):
    """The number of units that may be picked: the stacking limit of the destination (R7.5.8); no limit for
    attackers."""
    if purpose == ATTACK or purpose == WALK:
        return UNLIMITED
    return stacking_room(state, side, destination)
