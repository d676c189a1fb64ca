"""The picture of a position: complete, plain JSON, true to the board, nothing the viewer may not know."""

import functools
import json

import numpy as np
import pytest

from tests.positions import Position, card, region
from tests.random_play import positions_of_partners
from wotr_env import STATE, Game, Ruleset, sample_world
from wotr_env.games.war_of_the_ring.codes import CardZone, Character, Location, Side, TileZone, Winner
from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    NATION_SIDE,
    REGION_IDS,
    SETTLEMENT_INDEX,
    SETTLEMENT_REGIONS,
    TILE_IDS,
)
from wotr_env.games.war_of_the_ring.engine.observation_layout import At
from wotr_env.games.war_of_the_ring.observation import observe
from wotr_env.games.war_of_the_ring.picture import (
    BACKS,
    CHARACTER_IDS,
    FACE_IDS,
    NATION_IDS,
    SIDE_IDS,
    picture,
)
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK, CARDS_PER_SIDE
from wotr_env.games.war_of_the_ring.words.decisions import decision_text
from wotr_env.games.war_of_the_ring.words.positions import describe, victory_points

VIEWERS = (0, 1, None)
SEATS = ("gondor", "sauron", "isengard", "rohan")
KEYS = {
    "": {
        "turn", "phase", "over", "winner", "reason", "deciding", "decision", "about", "regions", "fellowship",
        "politics", "dice", "hunt", "cards", "battle", "victory_points", "seats", "hands",
    },
    "region": {"control", "besieged", "armies", "characters"},
    "army": {"side", "garrison", "mixed", "figures"},
    "fellowship": {
        "region", "progress", "revealed", "mordor_step", "corruption", "guide", "companions", "gollum",
    },
    "nation": {"steps_to_war", "active"},
    "dice": {"unused", "used", "pool", "hunt_box", "rings"},
    "hunt": {"pool", "drawn", "waiting", "tile", "roll"},
    "cards": {"deck_size", "table", "discard", "in_play"},
    "hands": {"hand", "hand_size", "given", "offered", "face_down", "face_down_size", "committed"},
    "seat": {"title", "side", "leads", "acts_next", "places", "won"},
    "battle": {"attacker", "region", "origin", "round", "kind", "hits", "cards", "party"},
    "about": {"origin", "goal", "hits", "taken"},
}  # fmt: skip


@functools.cache
def sampled_positions() -> np.ndarray:
    """``STATE[N]``: positions of random games; the last of each is over, some are in a battle."""
    states = []
    for seed in range(4):
        game, rng = Game(seed, Ruleset(max_turns=12)), np.random.default_rng(seed)
        while not game.over:
            if rng.random() < 0.1 or (game.state["combat_card"] >= 0).any():
                states.append(game.state)
            game.step(int(rng.choice(game.legal())))
        states.append(game.state)
    return np.array(states, dtype=STATE)


def is_id(name: object, names: tuple[str, ...], *others: object) -> bool:
    return name in names or name in others


@pytest.mark.parametrize("viewer", VIEWERS)
def test_all_keys_are_there_and_all_is_plain_json(viewer):
    for state in sampled_positions():
        shown = picture(state, viewer)
        assert json.loads(json.dumps(shown)) == shown
        assert shown.keys() == KEYS[""]
        assert shown["fellowship"].keys() == KEYS["fellowship"]
        assert tuple(shown["politics"]) == NATION_IDS
        assert all(nation.keys() == KEYS["nation"] for nation in shown["politics"].values())
        assert shown["hunt"].keys() == KEYS["hunt"]
        assert shown["battle"] is None or shown["battle"].keys() == KEYS["battle"]
        for name in ("dice", "cards", "victory_points"):
            assert tuple(shown[name]) == SIDE_IDS
        for side in SIDE_IDS:
            assert shown["dice"][side].keys() == KEYS["dice"]
            assert shown["cards"][side].keys() == KEYS["cards"]
            assert shown["hands"][side].keys() == KEYS["hands"]
            assert shown["seats"][side].keys() == KEYS["seat"]
            assert tuple(shown["hands"][side]["hand_size"]) == BACKS
            assert tuple(shown["cards"][side]["deck_size"]) == BACKS
        assert all(place.keys() == KEYS["region"] for place in shown["regions"].values())
        armies = [army for place in shown["regions"].values() for army in place["armies"]]
        assert armies and all(army.keys() == KEYS["army"] for army in armies)


def test_ids_are_those_of_the_components():
    for state in sampled_positions():
        shown = picture(state, None)
        assert is_id(shown["winner"], SIDE_IDS, None, "draw") and is_id(shown["deciding"], SIDE_IDS, None)
        assert set(shown["regions"]) <= set(REGION_IDS)
        assert set(shown["fellowship"]["companions"]) <= set(CHARACTER_IDS)
        assert is_id(shown["fellowship"]["region"], REGION_IDS, None)
        assert is_id(shown["fellowship"]["guide"], CHARACTER_IDS)
        assert is_id(shown["hunt"]["tile"], TILE_IDS, None)
        for side in SIDE_IDS:
            assert set(shown["dice"][side]["unused"]) <= set(FACE_IDS)
        battle = shown["battle"]
        if battle:
            assert is_id(battle["attacker"], SIDE_IDS) and battle["kind"] in ("field", "assault", "sortie")
            assert battle["region"] == REGION_IDS[state.battle_target]
            assert state.battle_target >= 0 and state.battle_origin >= 0
            assert set(battle["cards"]) <= set(CARD_IDS)


def test_the_sample_shows_something():
    shown = [picture(state, None) for state in sampled_positions()]
    assert any(one["battle"] and one["battle"]["cards"] for one in shown)
    assert any(one["over"] for one in shown) and any(not one["over"] for one in shown)
    assert any(one["hands"][side]["committed"] for one in shown for side in SIDE_IDS)
    assert any(one["hands"][side]["face_down"] for one in shown for side in SIDE_IDS)


def test_figures_add_up_to_the_board():
    for state in sampled_positions():
        shown = picture(state, 0)
        total = {nation: np.zeros(3, dtype=int) for nation in NATION_IDS}
        for name, place in shown["regions"].items():
            units = [0, 0]
            for army in place["armies"]:
                side = SIDE_IDS.index(army["side"])
                for nation, figures in army["figures"].items():
                    assert NATION_SIDE[NATION_IDS.index(nation)] == side and any(figures)
                    total[nation] += figures
                    units[side] += sum(figures[:2])
            assert units == state.units[region(name)].tolist()
        for number, nation in enumerate(NATION_IDS):
            assert total[nation][0] == state.regular[:, number].sum()
            assert total[nation][1] == state.elite[:, number].sum()
            assert total[nation][2] == (state.leader[:, number].sum() if number < 6 else 0)


def test_everything_is_somewhere_once():
    for state in sampled_positions():
        shown = picture(state, None)
        on_map = [who for place in shown["regions"].values() for who in place["characters"]]
        fellowship = shown["fellowship"]
        inside = fellowship["companions"] + ["gollum"] * fellowship["gollum"]
        known = [CHARACTER_IDS[who] for who in np.flatnonzero(state.location >= Location.IN_FELLOWSHIP)]
        assert sorted(on_map + inside) == sorted(known)
        assert {region(name) for name in shown["regions"]} >= set(SETTLEMENT_REGIONS.tolist())
        tiles = shown["hunt"]["pool"] + shown["hunt"]["drawn"] + shown["hunt"]["waiting"]
        assert (
            len(tiles)
            == len(set(tiles))
            == np.isin(state.tile_zone, (TileZone.POOL, TileZone.DRAWN, TileZone.WAITING)).sum()
        )
        for side in SIDE_IDS:
            cards = shown["cards"][side] | shown["hands"][side]
            listed = [
                name for key in ("hand", "table", "discard", "face_down", "in_play") for name in cards[key]
            ]
            assert len(listed) == len(set(listed))
            assert len(listed) + sum(cards["deck_size"].values()) + cards["committed"] == CARDS_PER_SIDE
            assert sum(cards["hand_size"].values()) == len(cards["hand"])
            assert (
                list(cards["deck_size"].values())
                == state.deck_size.reshape(2, 2)[SIDE_IDS.index(side)].tolist()
            )
            assert cards["face_down_size"] == len(cards["face_down"])
            dice = shown["dice"][side]
            faces = state.dice[SIDE_IDS.index(side)]
            assert dice["unused"] == {FACE_IDS[face]: int(faces[face]) for face in np.flatnonzero(faces)}
            if dice["unused"] or dice["used"]:
                assert sum(dice["unused"].values()) + dice["used"] + dice["hunt_box"] == dice["pool"]


@pytest.mark.parametrize("viewer", [0, 1])
def test_the_own_cards_are_shown_and_the_others_are_not(viewer):
    for state in sampled_positions():
        cards = picture(state, viewer)["hands"]
        own, other = cards[SIDE_IDS[viewer]], cards[SIDE_IDS[1 - viewer]]
        assert own["hand"] == [CARD_IDS[c] for c in np.flatnonzero(state.card_zone == CardZone.HAND + viewer)]
        assert len(own["face_down"]) == own["face_down_size"]
        assert other["hand"] is None and other["face_down"] is None


def hidden_reordered(state: np.record, side: int, rng: np.random.Generator) -> np.record:
    """Another position that the opponent of a side cannot tell from this one: its cards are permuted."""
    state = state.copy()
    hidden = (
        *range(CARDS_PER_DECK),
        CardZone.HAND + side,
        CardZone.FACE_DOWN + side,
        CardZone.COMMITTED + side,
    )
    for deck in (2 * side, 2 * side + 1):
        cards = np.arange(deck * CARDS_PER_DECK, (deck + 1) * CARDS_PER_DECK)
        cards = cards[np.isin(state.card_zone[cards], hidden)]
        state.card_zone[cards] = rng.permutation(state.card_zone[cards])
    committed = np.flatnonzero(state.card_zone == CardZone.COMMITTED + side)
    if len(committed):
        state.combat_card[side] = committed[0]
    return state


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_viewer_cannot_tell_hidden_cards_apart(viewer):
    rng = np.random.default_rng(5)
    changed = 0
    for state in sampled_positions():
        other = hidden_reordered(state, 1 - viewer, rng)
        own = other.card_zone[2 * viewer * CARDS_PER_DECK : 2 * (viewer + 1) * CARDS_PER_DECK]
        for deck in (own[:CARDS_PER_DECK], own[CARDS_PER_DECK:]):
            deck[deck < CARDS_PER_DECK] = rng.permutation(deck[deck < CARDS_PER_DECK])
        other["key"], other["counter"] = rng.integers(2**31, size=2), rng.integers(2**31)
        other["tape"] = rng.integers(0, 5, size=32)
        changed += picture(other, None) != picture(state, None)
        assert picture(other, viewer) == picture(state, viewer)
    assert changed > len(sampled_positions()) // 2


def test_deck_orders_and_the_random_key_are_in_no_picture():
    rng = np.random.default_rng(6)
    for state in sampled_positions()[::5]:
        other = state.copy()
        for deck in range(4):
            zones = other.card_zone[deck * CARDS_PER_DECK : (deck + 1) * CARDS_PER_DECK]
            zones[zones < CARDS_PER_DECK] = rng.permutation(zones[zones < CARDS_PER_DECK])
        other["key"] += 1
        assert picture(other, None) == picture(state, None)


@pytest.mark.parametrize("back_visible", [False, True])
def test_the_back_of_a_committed_card(back_visible):
    """Option ``combat_card_back_visible``: otherwise it counts in the hand, as if it were still there."""
    shown = []
    for committed, kept in (("sh-char-02", "sh-strat-02"), ("sh-strat-02", "sh-char-02")):
        state = (
            Position(Ruleset(combat_card_back_visible=back_visible)).hand(Side.SHADOW, committed, kept).state
        )
        state.card_zone[card(committed)] = CardZone.COMMITTED + Side.SHADOW
        state.combat_card[Side.SHADOW] = card(committed)
        shown.append([picture(state, viewer)["hands"]["shadow"] for viewer in VIEWERS])
    (first, own, both), (second, *_) = shown
    assert first["committed"] and second["committed"]
    assert (first == second) is not back_visible
    assert first["hand_size"] == {"character": int(not back_visible), "strategy": 1}
    assert own["hand_size"] == both["hand_size"] == {"character": 0, "strategy": 1}
    assert own["hand"] == ["sh-strat-02"]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_only_the_own_decision_is_told(viewer):
    for state in sampled_positions():
        shown = picture(state, viewer)
        if state.winner != Winner.NONE:
            assert shown["over"] and shown["deciding"] is None and shown["decision"] == ""
            assert shown["winner"] and shown["reason"]
            continue
        assert (shown["over"], shown["winner"], shown["reason"]) == (False, None, None)
        assert shown["deciding"] == SIDE_IDS[state.seat]
        assert shown["decision"] == (decision_text(state) if viewer in (None, state.seat) else "")


def test_a_siege_has_a_garrison_and_besiegers():
    position = Position().army("minas-tirith", gondor=3, gondor_elite=1, gondor_leader=1)
    position.army("minas-tirith", sauron=4, southrons_elite=2, nazgul=1)
    state = position.control("minas-tirith", Side.FREE_PEOPLES).place("witch-king", "minas-tirith").state
    assert picture(state, 0)["regions"]["minas-tirith"] == {
        "control": "free_peoples",
        "besieged": True,
        "armies": [
            {"side": "free_peoples", "garrison": True, "mixed": False, "figures": {"gondor": [3, 1, 1]}},
            {
                "side": "shadow",
                "garrison": False,
                "mixed": False,
                "figures": {"sauron": [4, 0, 1], "southrons": [0, 2, 0]},
            },
        ],
        "characters": ["witch-king"],
    }
    position.control("minas-tirith", Side.SHADOW)
    garrisons = [army["garrison"] for army in picture(state, 0)["regions"]["minas-tirith"]["armies"]]
    assert garrisons == [False, True]


def test_armies_in_the_field_are_no_sieges():
    state = (
        Position().army("osgiliath", gondor=2).army("orthanc", isengard=3).place("strider", "fangorn").state
    )
    regions = picture(state, 1)["regions"]
    assert regions["osgiliath"]["control"] is None and not regions["osgiliath"]["besieged"]
    assert regions["orthanc"]["control"] == "shadow"
    assert not regions["orthanc"]["armies"][0]["garrison"]
    assert regions["fangorn"] == {"control": None, "besieged": False, "armies": [], "characters": ["strider"]}
    assert "fords-of-isen" not in regions


def test_the_fellowship_on_the_mordor_track():
    position = Position().fellowship(mordor_step=3, corruption=7, companions=[], revealed=True)
    assert picture(position.state, 1)["fellowship"] == {
        "region": None,
        "progress": 0,
        "revealed": True,
        "mordor_step": 3,
        "corruption": 7,
        "guide": "gollum",
        "companions": [],
        "gollum": True,
    }


def test_points_and_control_follow_the_state():
    state = Position().control("minas-tirith", Side.SHADOW).control("moria", Side.FREE_PEOPLES).state
    shown = picture(state, None)
    assert tuple(shown["victory_points"].values()) == victory_points(state) == (2, 2)
    for name, place in shown["regions"].items():
        index = SETTLEMENT_INDEX[region(name)]
        assert place["control"] == (SIDE_IDS[state.control[index]] if index >= 0 else None)


def test_character_ids_are_those_of_the_actions():
    assert CHARACTER_IDS[Character.MOUTH_OF_SAURON] == "mouth-of-sauron"


@pytest.mark.parametrize("viewer", [2, -2, True, "elves"])
def test_a_viewer_is_a_seat_or_none(viewer):
    with pytest.raises(ValueError, match=r"this game (are 0 \(Free Peoples\), 1|has free-peoples, shadow)"):
        picture(Game(1).state, viewer)


# --- Partners. ---


@pytest.mark.parametrize("players", [3, 4])
def test_pictures_of_partners_are_complete_and_true(players):
    for state in positions_of_partners(players)[::3]:
        shown = picture(state, None)
        assert json.loads(json.dumps(shown)) == shown
        names = [seat.name for seat in Ruleset(players=players).seats]
        assert list(shown["seats"]) == list(shown["hands"]) == names
        for seat, name in enumerate(names):
            hand = shown["hands"][name]
            assert hand.keys() == KEYS["hands"]
            cards = np.flatnonzero(state.card_zone == CardZone.HAND + seat)
            assert hand["hand"] == [CARD_IDS[card] for card in cards]
            assert set(hand["given"]) <= set(hand["hand"])
        assert sum(seat["leads"] for seat in shown["seats"].values()) == 2
        assert shown["over"] or shown["deciding"] == names[state.seat]


@pytest.mark.parametrize("players", [3, 4])
def test_seats_stand_as_their_observations_say(players):
    for state in positions_of_partners(players)[::3]:
        seen = observe(np.asarray(state).reshape(1), 0)[0]
        for seat, shown in enumerate(picture(state, None)["seats"].values()):
            assert shown["leads"] == bool(seen[At.LEADS + seat])
            if shown["places"] is not None:
                assert shown["places"] == seen[At.PLACES_WON + seat]
                assert shown["acts_next"] == bool(seen[At.NEXT_SEAT + seat])


@pytest.mark.parametrize("players", [3, 4])
def test_a_partner_cannot_tell_hidden_cards_apart(players):
    """In every world that a seat holds possible it sees the same picture, and reads the same words."""
    rng = np.random.default_rng(7)
    given = changed = 0
    for state in positions_of_partners(players)[::5]:
        for viewer in range(players):
            world = sample_world(state, viewer, rng)
            shown = picture(state, viewer)
            assert picture(world, viewer) == shown
            if viewer == state.seat:
                assert describe(world) == describe(state)
                given += any(hand["given"] for hand in shown["hands"].values())
            changed += picture(world, None) != picture(state, None)
    assert changed and given


def test_what_is_given_is_known_to_both_partners_and_to_nobody_else():
    for state in positions_of_partners(4):
        for seat, name in enumerate(SEATS):
            given = [picture(state, viewer)["hands"][name]["given"] for viewer in range(4)]
            if given[seat]:
                partner = (3, 2, 1, 0)[seat]
                assert given[partner] == given[seat]
                assert not any(given[other] for other in range(4) if other not in (seat, partner))
                return
    raise AssertionError("no card was given")
