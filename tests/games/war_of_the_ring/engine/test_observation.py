"""Observations: the layout of the vector, and its contents against an independent reading of the states."""

from __future__ import annotations

import numpy as np
import pytest

from tests.battles import shadow_attacks
from tests.observation_oracle import expected
from tests.positions import Position, attack, play, region
from tests.random_play import PLAYS, all_decisions, positions, positions_of_partners
from wotr_env import STATE, Game, Ruleset, VectorGame, sample_world
from wotr_env.games.war_of_the_ring.codes import CardZone, Decision, Nation, Phase, Winner
from wotr_env.games.war_of_the_ring.components import CARD_IDS, NUM_CARDS, NUM_REGIONS, REGION_IDS
from wotr_env.games.war_of_the_ring.engine.observation_layout import (
    CARD_FIELDS,
    CARD_WIDTH,
    GLOBAL_FIELDS,
    REGION_FIELDS,
    REGION_WIDTH,
    At,
)
from wotr_env.games.war_of_the_ring.observation import (
    LAYOUT,
    OBSERVATION_SIZE,
    as_dict,
    entities,
    layout_table,
    name_of,
    observe,
    place,
)

CARDS_OF_BOTH = ("sh-strat-01", "sh-strat-09", "fp-strat-01")
VISIBLE_TO = {"both", "owner", "decider"}


def numbered() -> np.ndarray:
    """An observation whose every place holds its own number."""
    return np.arange(OBSERVATION_SIZE, dtype=np.int16)


# --- The layout. ---


def test_an_observation_fits_its_limit():
    assert 0 < OBSERVATION_SIZE <= 5184
    assert Game(1).observe().shape == (OBSERVATION_SIZE,)


def test_names_are_unique_and_meanings_are_given():
    names = [field.name for field in LAYOUT]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)
    assert all(field.meaning and field.visible_to in VISIBLE_TO for field in LAYOUT)
    assert LAYOUT == REGION_FIELDS + CARD_FIELDS + GLOBAL_FIELDS


def test_the_parts_cover_every_place_exactly_once():
    parts = as_dict(numbered())
    assert list(parts) == [field.name for field in LAYOUT]
    assert all(parts[field.name].shape == field.shape for field in LAYOUT)
    places = np.concatenate([part.ravel() for part in parts.values()])
    assert sorted(places.tolist()) == list(range(OBSERVATION_SIZE))


def test_the_entities_cover_every_place_in_order():
    rows = entities(numbered())
    assert np.concatenate([part.ravel() for part in rows]).tolist() == list(range(OBSERVATION_SIZE))
    assert rows.regions.shape == (NUM_REGIONS, REGION_WIDTH) and rows.cards.shape == (NUM_CARDS, CARD_WIDTH)


@pytest.mark.parametrize(
    ("fields", "length", "width"),
    [(REGION_FIELDS, NUM_REGIONS, REGION_WIDTH), (CARD_FIELDS, NUM_CARDS, CARD_WIDTH)],
)
def test_the_columns_of_a_row(fields, length, width):
    assert {field.shape[0] for field in fields} == {length}
    assert sum(field.shape[1] for field in fields) == width
    table = entities(numbered())[0 if fields is REGION_FIELDS else 1]
    columns = np.concatenate([as_dict(numbered())[field.name] for field in fields], axis=1)
    np.testing.assert_array_equal(columns, table)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_views_share_the_memory_of_the_observation(batch):
    observation = np.zeros((*batch, OBSERVATION_SIZE), dtype=np.int8)
    for field in LAYOUT:
        part = as_dict(observation)[field.name]
        assert part.shape == (*batch, *field.shape) and np.shares_memory(part, observation)
        part[...] = 1
    assert observation.all()
    for part in entities(observation):
        assert np.shares_memory(part, observation) and part.shape[: len(batch)] == batch
        part[...] = 0
    assert not observation.any()


def test_the_table_lists_every_part():
    lines = layout_table().splitlines()
    assert len(lines) == 2 + len(LAYOUT)
    for line, field in zip(lines[2:], LAYOUT, strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        shape = tuple(int(length) for length in cells[2].split(" x "))
        assert cells == [f"`{field.name}`", cells[1], cells[2], field.visible_to, field.meaning]
        assert shape == field.shape


# --- The contents. ---


def test_the_random_positions_have_every_kind_of_decision():
    assert all_decisions() == set(Decision)


@pytest.mark.parametrize("name", PLAYS)
@pytest.mark.parametrize("seat", (0, 1))
def test_every_part_is_what_the_state_says(name, seat):
    _check_parts(positions(name), seat)


@pytest.mark.parametrize(
    ("players", "seat"), [(players, seat) for players in (3, 4) for seat in range(players)]
)
def test_r13_every_part_is_what_the_state_says(players, seat):
    states = positions_of_partners(players)
    assert states["given"].any() and states["mixed"].any()
    _check_parts(states, seat)


def _check_parts(states: np.ndarray, seat: int) -> None:
    seats = np.full(states.size, seat)
    seen = as_dict(observe(states, seats))
    for part, values in expected(states, seats).items():
        assert values.shape == seen[part].shape or values.ndim < seen[part].ndim
        values = values.reshape(seen[part].shape)
        wrong = np.flatnonzero((seen[part] != values).reshape(states.size, -1).any(axis=1))
        assert wrong.size == 0, _difference(part, states[wrong[0]], seen[part][wrong[0]], values[wrong[0]])


def _difference(part: str, state: np.record, seen: np.ndarray, values: np.ndarray) -> str:
    place = tuple(int(axis[0]) for axis in np.nonzero(seen != values))
    decision = Decision(int(state["decision"])).name
    return (
        f"{part}{list(place)} is {seen[place]}, not {values[place]}; seat {state['seat']} decides {decision}"
    )


def test_a_leader_whose_units_are_gone_is_seen():
    """His army is gone before the other side has taken its casualties (R7.10.6): he still stands there."""
    position = Position().at_war("gondor").army("osgiliath", gondor=1, gondor_leader=1)
    position.army("south-ithilien", southrons=2).dice("army", "army")
    game = attack(position.game(6, 6, 1), "army", "osgiliath", "south-ithilien")
    play(game, "figure:gondor-regular")
    assert game.decision == Decision.CASUALTY and game.state.units[region("osgiliath")].sum() == 0
    states = np.array([game.state])
    for seat in range(2):
        seen = as_dict(observe(states, seat))["leader"]
        assert seen[0, region("osgiliath"), Nation.GONDOR] == 1


def test_the_oracle_knows_every_part():
    assert set(expected(positions("first")[:2], np.zeros(2, dtype=np.int64))) == {
        field.name for field in LAYOUT
    }


@pytest.mark.parametrize("name", ("first", "cards_second", "fellowship"))
def test_only_the_seat_that_decides_sees_what_is_asked(name):
    states = positions(name)
    running = states["winner"] == Winner.NONE
    asked = as_dict(observe(states, states["seat"]))
    other = as_dict(observe(states, 1 - states["seat"].astype(np.int64)))
    for field in LAYOUT:
        if field.visible_to == "decider":
            assert not other[field.name].any() and not asked[field.name][~running].any(), field.name
    assert (asked["decision"].sum(axis=1) == running).all() and (asked["deciding"][:, 0] == running).all()
    assert not other["deciding"].any()


@pytest.mark.parametrize("name", ("first", "cards_second"))
def test_what_both_see_is_the_same_for_both(name):
    states = positions(name)
    seen = [as_dict(observe(states, seat)) for seat in range(2)]
    own = (
        "side",
        "seat",
        "deciding",
        "hand_size",
        "committed_back",
    )  # hand_size: a back not shown counts as held
    for field in LAYOUT:
        if field.visible_to == "both" and field.name not in own:
            np.testing.assert_array_equal(seen[0][field.name], seen[1][field.name], field.name)
    still = (states["card_zone"] & ~1 != CardZone.COMMITTED).all(axis=1)
    for part in ("hand_size", "committed_back"):
        np.testing.assert_array_equal(seen[0][part][still], seen[1][part][still])


@pytest.mark.parametrize("name", ("cards", "cards_second"))
def test_a_seat_sees_no_card_of_the_other_that_lies_hidden(name):
    states = positions(name)
    zones = states["card_zone"]
    public = (zones == CardZone.TABLE) | (zones == CardZone.DISCARD) | (zones == CardZone.IN_PLAY)
    for seat in range(2):
        rows = entities(observe(states, seat)).cards
        theirs = slice(48, 96) if seat == 0 else slice(0, 48)
        assert not rows[:, theirs][~public[:, theirs]].any()
        decks = (zones < CardZone.HAND)[:, :, None]
        assert not (rows * decks).any()


def test_numbers_stay_within_int8():
    ruleset = Ruleset(max_turns=10_000)
    state = Game(1, ruleset).state
    state["turn"] = 300
    seen = as_dict(observe(state, 0))
    assert seen["turn"].tolist() == [[127]] and seen["turns_left"].tolist() == [[127]]
    state["turn"] = 9_990
    assert as_dict(observe(state, 0))["turns_left"].tolist() == [[10]]
    state["max_turns"] = 0
    assert as_dict(observe(state, 0))["turns_left"].tolist() == [[127]]


@pytest.mark.parametrize("visible", (False, True))
def test_a_committed_card_is_seen_by_its_owner_alone(visible):
    """R7.9.2: the defender knows only that a card lies there, by option also its back."""
    ruleset = {"combat_card_back_visible": visible}
    battle = shadow_attacks({"sauron": 3, "nazgul": 1}, {"gondor": 2}, *CARDS_OF_BOTH, **ruleset)
    game = attack(battle.game(), *battle.route)
    assert game.decision == Decision.COMBAT_CARD and game.seat == 1
    card = next(name for name in map(game.name_of, game.legal()) if name.startswith("card:sh"))
    index = CARD_IDS.index(card.removeprefix("card:"))
    back = index // 24 - 2
    hand = as_dict(game.observe(1))["hand_size"][1].copy()
    play(game, card)
    assert game.decision == Decision.COMBAT_CARD and game.seat == 0
    own, other = as_dict(game.observe(1)), as_dict(game.observe(0))
    assert own["in_play"][index] == 1 and not other["in_play"][48:].any()
    assert own["committed"].tolist() == other["committed"].tolist() == [0, 1]
    assert own["committed_back"][1, back] == 1 and own["hand_size"][1].sum() == hand.sum() - 1
    assert other["committed_back"].sum() == (1 if visible else 0)
    expected_hand = own["hand_size"][1] if visible else hand
    assert other["hand_size"][1].tolist() == expected_hand.tolist()


# --- Calls. ---


def test_out_is_written_and_returned():
    states = positions("first")[:5]
    out = np.full((5, OBSERVATION_SIZE), 99, dtype=np.int8)
    seats = np.array([0, 1, 0, 1, 1])
    assert observe(states, seats, out) is out
    np.testing.assert_array_equal(out, observe(states, seats))
    np.testing.assert_array_equal(out[1], observe(states[1], 1)[0])


@pytest.mark.parametrize("kind", (np.int8, np.uint8, np.int32, np.int64))
def test_seats_may_be_integers_of_any_width(kind):
    states = positions("first")[:4]
    seats = np.array([0, 1, 1, 0])
    np.testing.assert_array_equal(observe(states, seats.astype(kind)), observe(states, seats.tolist()))


def test_observing_changes_nothing_and_copies():
    states = positions("first")[:4].copy()
    before = states.tobytes()
    one, other = observe(states, 0), observe(states, 0)
    assert states.tobytes() == before and not np.shares_memory(one, other)
    game = Game(1)
    game.observe()[:] = 7
    np.testing.assert_array_equal(game.observe(), observe(game.state, game.seat)[0])


@pytest.mark.parametrize("seats", (0, [0, 1], np.array([0, 1], dtype=np.int8), np.array([0, 1])))
def test_seats_may_be_given_in_many_ways(seats):
    states = positions("first")[:2]
    wanted = np.concatenate([observe(states[:1], 0), observe(states[1:], int(np.broadcast_to(seats, 2)[1]))])
    np.testing.assert_array_equal(observe(states, seats), wanted)


def test_states_may_be_read_only():
    states = positions("first")[:3].copy()
    states.flags.writeable = False
    np.testing.assert_array_equal(observe(states, 0), observe(states.copy(), 0))


def test_an_out_that_cannot_be_written_is_refused():
    out = np.zeros((1, OBSERVATION_SIZE), dtype=np.int8)
    out.flags.writeable = False
    with pytest.raises(ValueError):
        observe(Game(1).state, 0, out)


def test_states_need_not_be_contiguous():
    states = positions("first")[:10]
    np.testing.assert_array_equal(observe(states[::3], 1), observe(states, 1)[::3])


@pytest.mark.parametrize(
    ("seats", "out"),
    [
        (2, None),
        (-1, None),
        (0.0, None),
        ("0", None),
        (None, None),
        ([0], None),
        ([0, 1, 0], None),
        ([[0, 1]], None),
        ([0, 2], None),
        (True, None),
        (0, np.zeros((3, OBSERVATION_SIZE), dtype=np.int8)),
        (0, np.zeros((2, OBSERVATION_SIZE - 1), dtype=np.int8)),
        (0, np.zeros((2, OBSERVATION_SIZE), dtype=np.int16)),
        (0, np.zeros((OBSERVATION_SIZE, 2), dtype=np.int8).T),
    ],
)
def test_what_does_not_fit_is_refused(seats, out):
    with pytest.raises(ValueError) as error:
        observe(positions("first")[:2], seats, out)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("states", [np.zeros(2), np.zeros((2, 2), dtype=STATE), None, 3])
def test_what_are_no_states_is_refused(states):
    with pytest.raises(ValueError, match="array of STATE"):
        observe(states, 0)


@pytest.mark.parametrize("seat", (2, -1, (0,), 0.5, True))
def test_a_game_has_two_seats(seat):
    for asked in (Game(1).observe, Game(1).events):
        with pytest.raises(
            ValueError, match=r"^the seats of this game are 0 \(Free Peoples\), 1 \(Shadow\), not "
        ):
            asked(seat)


@pytest.mark.parametrize("players", (3, 4))
def test_a_game_of_partners_has_more(players):
    game = Game(1, Ruleset(players=players))
    for seat in range(players):
        np.testing.assert_array_equal(game.observe(seat), observe(game.state, seat)[0])
    with pytest.raises(ValueError, match=rf"2 \(Isengard\).*, not {players}$"):
        game.observe(players)
    states = np.array([Game(1, Ruleset(players=number)).state for number in (2, players)])
    with pytest.raises(ValueError, match=r"1 \(Shadow\), not 2$"):
        observe(states, 2)
    assert observe(states, [1, players - 1]).shape == (2, OBSERVATION_SIZE)
    assert sample_world(game.state, players - 1, np.random.default_rng(1)).dtype == STATE
    with pytest.raises(ValueError, match=rf"not {players}$"):
        sample_world(game.state, players, np.random.default_rng(1))


def test_a_vector_without_observations_writes_none():
    games = VectorGame(2, seed=1, observations=False)
    games.random_steps(3)
    assert games.observations.shape == (0, OBSERVATION_SIZE)


def test_every_number_has_a_name_and_a_place():
    for at in range(OBSERVATION_SIZE):
        name, _, words = name_of(at).partition(": ")
        name, _, numbers = name.rstrip("]").partition("[")
        indices = [int(number) for number in numbers.split(", ") if number]
        assert place(name, *indices) == at
        if words and len(words.split(", ")) == len(indices):
            assert place(name, *words.split(", ")) == at
    assert name_of(At.PHASE + 1) == "phase[1]: Fellowship" and name_of(At.TURN) == "turn"
    game = Game(1)
    seen = game.observe(0)
    assert (
        seen[place("regular", "edoras", "rohan")]
        == game.state["regular"][REGION_IDS.index("edoras"), Nation.ROHAN]
    )
    asked = Decision(int(game.state["decision"])).name.replace("_", " ").capitalize()
    decider = game.observe(int(game.state["seat"]))
    assert decider[place("decision", asked)] == 1
    assert decider[place("phase", list(Phase).index(int(game.state["phase"])))] == 1


@pytest.mark.parametrize(
    "given", [("luck",), ("phase",), ("phase", 6), ("phase", "Roll", 1), ("phase", -1), ("phase", "x")]
)
def test_places_that_are_none(given):
    with pytest.raises(ValueError, match=r"(has no part 'luck'|has no element)"):
        place(*given)
    for at in (-1, OBSERVATION_SIZE):
        with pytest.raises(ValueError, match=f"from 0 to {OBSERVATION_SIZE - 1}, not {at}"):
            name_of(at)
