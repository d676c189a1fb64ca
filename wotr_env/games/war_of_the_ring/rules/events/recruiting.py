"""Events that recruit figures (section 22.2, R6.4.7, R6.4.8)."""

from __future__ import annotations

from wotr_env.games.war_of_the_ring.actions import Block
from wotr_env.games.war_of_the_ring.cards.events import EVENT_OPS
from wotr_env.games.war_of_the_ring.codes import Character, Decision, Figure, Nation, Settlement, Side
from wotr_env.games.war_of_the_ring.components import (
    COASTAL,
    EASTERN_EDGE,
    NATION_SIDE,
    NUM_REGIONS,
    REGION_NATION,
    SETTLEMENT,
    Region,
)
from wotr_env.games.war_of_the_ring.data.event_programs import MAX_OPS, Op, Place, columns
from wotr_env.games.war_of_the_ring.kernels import kernel
from wotr_env.games.war_of_the_ring.rules.armies import (
    GARRISON_LIMIT,
    UNLIMITED,
    controller,
    is_besieger,
    is_free,
    is_garrison,
    recruit_figure,
    reinforcements_of,
    settle_after_choice,
    stacking_room,
)
from wotr_env.games.war_of_the_ring.rules.choice import Asked, Choice
from wotr_env.games.war_of_the_ring.rules.events.conditions import companion_at
from wotr_env.games.war_of_the_ring.rules.events.frame import (
    EventFrame,
    current_card,
    current_place,
    current_step,
    go_to_step,
    next_op,
    parameter,
)
from wotr_env.games.war_of_the_ring.rules.events.operation import Operation
from wotr_env.games.war_of_the_ring.rules.figures import figure_action, kind_of_figure, nation_of_figure
from wotr_env.games.war_of_the_ring.rules.places import forget_places, is_noted, note_place
from wotr_env.games.war_of_the_ring.rules.seats import controls_nation
from wotr_env.games.war_of_the_ring.rules.stack import ask, ask_again, get, put

# Step 0 chooses a place; then the steps count units of the player's choice.
_NATION, _REGULAR, _UNIT, _ELITE, _LEADER, _AT, _PLACES = columns(
    Op.RECRUIT, "nation", "regular", "unit", "elite", "leader", "at", "places"
)


@kernel
def is_open_to(state, side, region):
    """Whether a card may recruit in a region: it has no enemy units in the field and no enemy Settlement
    (R6.4.7)."""
    if is_garrison(state, side, region) or is_besieger(state, side, region):
        return True
    return state.units[region, 1 - side] == 0 and controller(state, region) != 1 - side


@kernel
def unit_room(state, side, region):
    """The number of units that a card may still add: up to 5 in a garrison under siege, otherwise up to 10 in
    the field (R6.4.7, R7.2.1).

    With an option of the ruleset, a card may add any number of units, and the army is trimmed afterwards
    (R7.2.2, RG64).
    """
    room = stacking_room(state, side, region)
    if room != UNLIMITED and is_garrison(state, side, region):
        return GARRISON_LIMIT - int(state.units[region, side])
    return room


@kernel
def _is_place(state, place, region):
    """Whether a region is one of the places that a card names."""
    if place < NUM_REGIONS:
        return region == place
    nation = REGION_NATION[region]
    if place == Place.WITH_BOROMIR:
        return state.location[Character.BOROMIR] == region
    if place == Place.WITH_WITCH_KING:
        return state.location[Character.WITCH_KING] == region
    if place == Place.COAST_WITH_ARMY:
        return COASTAL[region] == 1 and state.units[region, Side.FREE_PEOPLES] > 0
    if place == Place.EDORAS_OR_COMPANION:
        return region == Region.EDORAS or (nation == Nation.ROHAN and companion_at(state, region))
    if place == Place.FREE_ROHAN_SETTLEMENT:
        settled = nation == Nation.ROHAN and SETTLEMENT[region] != Settlement.NONE
        return settled and is_free(state, Side.FREE_PEOPLES, region)
    if place == Place.WITH_SHADOW_ARMY:
        return state.units[region, Side.SHADOW] > 0
    if place == Place.FREE_EASTERN_EDGE:
        edge = nation == Nation.SOUTHRONS and EASTERN_EDGE[region] == 1
        return edge and is_free(state, Side.SHADOW, region)
    if place == Place.SOUTHRON_SETTLEMENT:
        return nation == Nation.SOUTHRONS and SETTLEMENT[region] != Settlement.NONE
    if place == Place.SAURON_STRONGHOLD:
        return nation == Nation.SAURON and SETTLEMENT[region] == Settlement.STRONGHOLD
    return region == Region.MOUNT_GRAM or region == Region.MORIA


@kernel
def _can_recruit_in(state, card, place, region):
    """Whether the card can place at least one of its figures in the region."""
    row = EVENT_OPS[card, place]
    nation = row[_NATION]
    side = NATION_SIDE[nation]
    if not _is_place(state, row[_AT], region) or not is_open_to(state, side, region):
        return False
    regulars = row[_REGULAR] + row[_UNIT] > 0 and reinforcements_of(state, nation, Figure.REGULAR) > 0
    elites = row[_ELITE] + row[_UNIT] > 0 and reinforcements_of(state, nation, Figure.ELITE) > 0
    if (regulars or elites) and unit_room(state, side, region) > 0:
        return True
    leaders = row[_LEADER] > 0 and reinforcements_of(state, nation, Figure.LEADER) > 0
    return leaders and (side == Side.SHADOW or state.units[region, side] > 0)


@kernel
def can_recruit(state, card, place):
    """Whether some figure of a nation of the card's player can be placed in some region (R13.5.1)."""
    if not _is_for_own_nation(state, card, place):
        return False
    named = EVENT_OPS[card, place, _AT]
    if named < NUM_REGIONS:
        return _can_recruit_in(state, card, place, named)
    for region in range(NUM_REGIONS):
        if _can_recruit_in(state, card, place, region):
            return True
    return False


@kernel
def _can_be_next(state, region):
    """Whether a region is a place for recruits that was not chosen before."""
    if is_noted(state, region):
        return False
    return _can_recruit_in(state, current_card(state), current_place(state), region)


@kernel
def _is_for_own_nation(state, card, place):
    nation = EVENT_OPS[card, place, _NATION]
    return controls_nation(state, NATION_SIDE[nation], nation)


@kernel
def _some_next_place(state):
    if not _is_for_own_nation(state, current_card(state), current_place(state)):
        return False
    for region in range(NUM_REGIONS):
        if _can_be_next(state, region):
            return True
    return False


@kernel
def run_recruit(state):
    """Asks for each place, then places the figures: Regulars, Elites, free units, Leaders."""
    if current_step(state) == 0:
        if get(state, EventFrame.COUNT) < parameter(state, _PLACES) and _some_next_place(state):
            ask(state, int(state.acting), Decision.EVENT_REGION)
        else:
            forget_places(state)
            next_op(state)
        return
    region = get(state, EventFrame.PLACE)
    nation = parameter(state, _NATION)
    if current_step(state) <= parameter(state, _UNIT) and _some_unit_choice(state, nation, region):
        ask(state, int(state.acting), Decision.EVENT_FIGURE)
        return
    _place(state, region, nation, Figure.LEADER, parameter(state, _LEADER))
    go_to_step(state, 0)
    put(state, EventFrame.COUNT, get(state, EventFrame.COUNT) + 1)
    settle_after_choice(state, NATION_SIDE[nation], region)


@kernel
def _place(state, region, nation, figure, count):
    """Places as many of the figures as are available and fit (R0.11, R6.4.4, R6.4.8)."""
    side = NATION_SIDE[nation]
    for _ in range(count):
        if reinforcements_of(state, nation, figure) == 0:
            return
        if figure == Figure.LEADER:
            if side == Side.FREE_PEOPLES and state.units[region, side] == 0:
                return
        elif unit_room(state, side, region) <= 0:
            return
        recruit_figure(state, region, nation, figure)


@kernel
def _some_unit_choice(state, nation, region):
    """Whether a unit of the player's choice can be placed."""
    return unit_room(state, NATION_SIDE[nation], region) > 0 and (
        reinforcements_of(state, nation, Figure.REGULAR) > 0
        or reinforcements_of(state, nation, Figure.ELITE) > 0
    )


@kernel
def legal_recruit_place(state, mask):
    """D44: the place of recruits."""
    for region in range(NUM_REGIONS):
        mask[Block.REGION + region] = _can_be_next(state, region)


@kernel
def apply_recruit_place(state, action):
    """Places the figures of fixed kind immediately, and then asks for units of the player's choice (22.4).

    If other places of the card also need Regulars, the number of Regulars is asked for (R6.4.4).
    """
    region = action - Block.REGION
    note_place(state, region)
    go_to_step(state, 1)
    put(state, EventFrame.PLACE, region)
    if _fewest_regulars(state) < _most_regulars(state):
        ask_again(state, Decision.EVENT_OPTION)
    else:
        _place_fixed(state, _most_regulars(state))


@kernel
def _place_fixed(state, regulars):
    region = get(state, EventFrame.PLACE)
    nation = parameter(state, _NATION)
    _place(state, region, nation, Figure.REGULAR, regulars)
    _place(state, region, nation, Figure.ELITE, parameter(state, _ELITE))


# --- A pool too short for all places of a card (R6.4.4, 22.4). ---


@kernel
def _most_regulars(state):
    """The maximal number of the card's Regulars that the chosen place can receive."""
    nation = parameter(state, _NATION)
    room = unit_room(state, NATION_SIDE[nation], get(state, EventFrame.PLACE))
    pool = reinforcements_of(state, nation, Figure.REGULAR)
    return min(parameter(state, _REGULAR), max(0, room), pool)


@kernel
def _fewest_regulars(state):
    """The number of Regulars that no other place can receive, so that no possible recruit is lost.

    A place that was chosen among several gets at least one Regular.
    """
    card = current_card(state)
    place = current_place(state)
    nation = parameter(state, _NATION)
    places = parameter(state, _PLACES)
    elsewhere = _units_that_fit(state, card, place, _REGULAR, places - get(state, EventFrame.COUNT) - 1)
    of_any_kind = 0
    for later in range(place + 1, MAX_OPS):
        row = EVENT_OPS[card, later]
        if row[0] == Op.RECRUIT and row[_NATION] == nation:
            elsewhere += _units_that_fit(state, card, later, _REGULAR, row[_PLACES])
            of_any_kind += _units_that_fit(state, card, later, _UNIT, row[_PLACES])
    elsewhere += max(0, of_any_kind - reinforcements_of(state, nation, Figure.ELITE))
    fewest = reinforcements_of(state, nation, Figure.REGULAR) - elsewhere
    return max(fewest, 1 if places > 1 else 0)


@kernel
def _units_that_fit(state, card, place, column, places):
    """The number of units in a column of an operation that some of its open places can receive."""
    row = EVENT_OPS[card, place]
    fitting = 0
    for count in range(1, row[column] + 1):
        with_room = 0
        for region in range(NUM_REGIONS):
            if (
                _can_recruit_in(state, card, place, region)
                and not is_noted(state, region)
                and unit_room(state, NATION_SIDE[row[_NATION]], region) >= count
            ):
                with_room += 1
        fitting += min(places, with_room)
    return fitting


@kernel
def legal_recruit_number(state, mask):
    """D44: the number of Regulars for the place, if there are too few for all places."""
    for count in range(_fewest_regulars(state), _most_regulars(state) + 1):
        mask[Block.COUNT + count] = True


@kernel
def apply_recruit_number(state, action):
    _place_fixed(state, action - Block.COUNT)


@kernel
def legal_recruit_unit(state, mask):
    """D44: Regular or Elite, for each unit that the card lets the player choose (22.4)."""
    nation = parameter(state, _NATION)
    for figure in range(Figure.LEADER):
        if reinforcements_of(state, nation, figure) > 0:
            mask[figure_action(nation, figure)] = True


@kernel
def apply_recruit_unit(state, action):
    region = get(state, EventFrame.PLACE)
    recruit_figure(state, region, nation_of_figure(action), kind_of_figure(action))
    go_to_step(state, current_step(state) + 1)


OPERATIONS = {
    Op.RECRUIT: Operation(
        can_recruit,
        run_recruit,
        {
            Decision.EVENT_REGION: Choice(
                "D44",
                Asked.ACTING,
                legal_recruit_place,
                apply_recruit_place,
                "where {card} recruits for {op_nation}",
                "recruit in {}",
            ),
            Decision.EVENT_FIGURE: Choice(
                "D44",
                Asked.ACTING,
                legal_recruit_unit,
                apply_recruit_unit,
                "which unit of {op_nation} {card} recruits in {event_region}",
                "recruit {}",
            ),
            Decision.EVENT_OPTION: Choice(
                "D44",
                Asked.ACTING,
                legal_recruit_number,
                apply_recruit_number,
                "how many Regulars of {op_nation} {card} recruits in {event_region}, of too few for all",
                "recruit {}",
            ),
        },
    ),
}
