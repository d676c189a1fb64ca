"""The two presets against the table of section 16 of the rules, and the options that are refused."""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from pathlib import Path

import numpy as np
import pytest

import wotr_env.games.war_of_the_ring.rules
from wotr_env.games.war_of_the_ring.option_fields import choice
from wotr_env.games.war_of_the_ring.options import NUM_OPTIONS, MordorIdle, Option, Switch
from wotr_env.games.war_of_the_ring.ruleset import Ruleset, explained

# Option: first edition, second edition. Not here: the options with one value only (Ruleset's docstring).
SECTION_16 = {
    "players": (2, 2),
    "hand_limit": (6, 6),
    "max_turns": (0, 0),
    "dwarf_setup": ("first", "second"),
    "hunt_alloc_min": ("zero", "one_after_move"),
    "hunt_dice_count": ("all_dice", "shadow_dice"),
    "hunt_one_fails": (True, True),
    "hunt_table_cards": ("unlimited", "one_per_tile"),
    "guide_ability_after_casualty": (False, True),
    "reveal_forbidden": ("fp_settlement", "fp_city_or_stronghold"),
    "stronghold_tile_on": ("reveal", "reveal"),
    "stronghold_stay": ("free", "tile"),
    "mordor_entry": ("declare", "figure_present"),
    "mordor_mandatory_declare": ("figure_there", "never"),
    "mordor_pool_reset": ("all_standard", "eye_only"),
    "mordor_idle": ("move", "move_or_hide"),
    "blue_tiles_stop": (False, False),
    "combat_card_order": ("defender_first", "initiative"),
    "combat_card_back_visible": (False, True),
    "die_bonus_timing": ("next_turn", "next_turn"),
    "die_skip": ("always", "always"),
    "null_events": (True, True),
    "table_cards_need_condition": (False, True),
    "overstack_voluntary": ("illegal", "disband"),
    "stacking_check": ("each_move", "end_of_action"),
    "leaders_bound": (True, True),
    "companion_activation": ("end_of_move", "end_of_move"),
    "fp_military": ("strongholds_and_cities", "strongholds_and_cities"),
    "gandalf_grey_guide": ("character_card", "same_deck"),
    "witch_king_entry": ("sauron", "sauron_and_free_peoples"),
    "sorcerer_deck": ("either", "same"),
    "gollum_tiles": ("all_numbered", "standard_numbered"),
    "ents_extra_card": (False, True),
    "balrog_table_combat": (True, True),
    "balrog_shelter": ("free_peoples", "controlled"),
    "character_die_leader": ("goes_along", "goes_along"),
    "reveal_moves": ("may_stay", "must_leave"),
    "mouth_strongholds": ("stop", "besieged_only"),
    "retreat_into": ("free", "free"),
    "take_them_alive": ("optional", "forced"),
    "capture_needs_survivor": (False, True),
    "card_hits_spare_characters": (False, False),
}
OTHER_VALUES = {
    "hand_limit": (1, 4, 12),
    "max_turns": (1, 10_000),
    "ask_single": (True,),
    "stronghold_tile_on": ("declare_or_reveal",),
    "mordor_mandatory_declare": ("reachable",),
    "blue_tiles_stop": (True,),
    "null_events": (False,),
    "die_bonus_timing": ("at_once",),
    "die_skip": ("forced_only",),
    "companion_activation": ("any_region_entered",),
    "fp_military": ("strongholds_only",),
    "character_die_leader": ("in_army",),
    "retreat_into": ("free_for_movement",),
    "card_hits_spare_characters": (True,),
}
REFUSED = [
    ("players", 5),
    ("players", "2"),
    ("hand_limit", 0),
    ("hand_limit", 13),
    ("hand_limit", 6.0),
    ("hand_limit", True),
    ("max_turns", -1),
    ("max_turns", None),
    ("hunt_dice_count", "all"),
    ("hunt_dice_count", 0),
    ("hunt_dice_count", "ALL_DICE"),
    ("hunt_dice_count", ["all_dice"]),
    ("hunt_one_fails", 1),
    ("hunt_one_fails", "yes"),
    ("hunt_one_fails", None),
]

every_option = pytest.mark.parametrize("option", SECTION_16)
edition = pytest.mark.parametrize("ruleset", [Ruleset.first_edition(), Ruleset.second_edition()])


@every_option
def test_section_16_first_edition(option):
    assert getattr(Ruleset.first_edition(), option) == SECTION_16[option][0]


@every_option
def test_section_16_second_edition(option):
    assert getattr(Ruleset.second_edition(), option) == SECTION_16[option][1]


def test_the_table_names_every_option():
    assert {field.name for field in dataclasses.fields(Ruleset)} == {*SECTION_16, "ask_single"}


def test_rules_read_every_option_that_makes_a_difference():
    rules = Path(wotr_env.games.war_of_the_ring.rules.__path__[0]).parent
    texts = [path.read_text() for room in ("rules", "engine") for path in (rules / room).rglob("*.py")]
    unread = {option.name for option in Option if not any(f"Option.{option.name}" in text for text in texts)}
    assert unread == set()


def test_default_is_the_first_edition():
    assert Ruleset() == Ruleset.first_edition()
    assert Ruleset() != Ruleset.second_edition()
    assert not Ruleset().ask_single


@pytest.mark.parametrize(("option", "values"), OTHER_VALUES.items())
def test_single_options_change_a_preset(option, values):
    for value in values:
        for preset in (Ruleset.first_edition, Ruleset.second_edition):
            changed = preset(**{option: value})
            assert getattr(changed, option) == value
            assert dataclasses.replace(changed, **{option: getattr(preset(), option)}) == preset()


def test_an_option_overrides_the_preset():
    assert Ruleset.second_edition(mordor_idle="move").mordor_idle == "move"
    assert Ruleset.second_edition(ents_extra_card=False).ents_extra_card is False


@pytest.mark.parametrize(("option", "value"), REFUSED)
def test_wrong_value_is_refused_in_one_line(option, value):
    with pytest.raises(ValueError, match=f"ruleset option {option} must be") as caught:
        Ruleset(**{option: value})
    assert repr(value) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("preset", [Ruleset, Ruleset.first_edition, Ruleset.second_edition])
def test_unknown_option_is_refused(preset):
    with pytest.raises(TypeError, match="hunt_dices"):
        preset(hunt_dices="all_dice")


def test_unknown_option_in_a_record_is_refused_in_one_line():
    with pytest.raises(
        ValueError, match="War of the Ring has no option 'hunt_dices'; did you mean hunt_dice_count"
    ) as caught:
        Ruleset.from_dict({"hunt_dices": "all_dice"})
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="War of the Ring has no option 'woses_condition'"):
        Ruleset.from_dict({"woses_condition": "second_edition"})
    for removed in ("hunt_alloc_max", "hunt_sequence", "hobbit_ability"):
        with pytest.raises(ValueError, match=f"War of the Ring has no option '{removed}'"):
            Ruleset.from_dict({removed: "fixed"})
    with pytest.raises(ValueError, match="hand_limit must be an integer from 1 to 12, not 99"):
        Ruleset.from_dict({"hand_limit": 99})


def test_a_ruleset_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ruleset().players = 3  # type: ignore[misc]


def test_every_option_and_every_value_is_explained():
    options = {option.name: option for option in explained()}
    assert list(options) == [field.name for field in dataclasses.fields(Ruleset)]
    for field in dataclasses.fields(Ruleset):
        option = options[field.name]
        if "values" in field.metadata:
            written = (False, True) if field.metadata["values"] is Switch else field.metadata["values"]
            assert list(option.meanings) == [getattr(value, "name", str(value)).lower() for value in written]
        assert option.about and all(option.meanings.values())
        assert {option.first, option.second} <= set(option.meanings)
        assert re.search(r"\((R[G\d]|22\.)|of the program", option.about), f"{field.name} names no rule"
    assert options["mordor_idle"].editions("move_or_hide") == ["second"]


def test_an_option_whose_values_are_not_explained_is_no_option():
    with pytest.raises(ValueError, match="the values of MordorIdle are"):
        choice(MordorIdle, "What saves a Fellowship", {"move": "an attempt to move"})


@edition
def test_to_dict_and_from_dict_are_inverse(ruleset):
    changed = dataclasses.replace(ruleset, hand_limit=4, max_turns=20, fp_military="strongholds_only")
    for rules in (ruleset, changed):
        words = json.loads(json.dumps(rules.to_dict()))
        assert Ruleset.from_dict(words) == rules


def test_to_dict_names_only_what_differs_from_the_first_edition():
    assert Ruleset().to_dict() == {}
    assert Ruleset(max_turns=30, die_skip="forced_only").to_dict() == {
        "max_turns": 30,
        "die_skip": "forced_only",
    }
    differing = {option for option, (first, second) in SECTION_16.items() if first != second}
    assert set(Ruleset.second_edition().to_dict()) == differing


def test_encode_indexes_the_values_by_option():
    first, second = Ruleset.first_edition().encode(), Ruleset.second_edition().encode()
    for encoded in (first, second):
        assert encoded.dtype == np.int8
        assert encoded.shape == (NUM_OPTIONS,)
    assert first[Option.PLAYERS] == 2
    assert first[Option.HAND_LIMIT] == 6
    assert first[Option.HUNT_ONE_FAILS] == 1
    assert first[Option.HUNT_DICE_COUNT] == 0
    assert second[Option.HUNT_DICE_COUNT] == 1
    assert second[Option.MORDOR_MANDATORY_DECLARE] == 2
    assert second[Option.ENTS_EXTRA_CARD] == 1
    differing = {Option(option).name.lower() for option in np.flatnonzero(first != second)}
    assert differing == {option for option, (one, two) in SECTION_16.items() if one != two}


@pytest.mark.parametrize("option", sorted(OTHER_VALUES.keys() - {"max_turns"}))
def test_every_value_has_a_code_of_its_own(option):
    values = OTHER_VALUES[option]
    codes = {Ruleset(**{option: value}).encode()[Option[option.upper()]] for value in values}
    codes.add(Ruleset().encode()[Option[option.upper()]])
    assert len(codes) == 1 + len(values)


def test_types_of_word_options_name_their_values():
    types = typing.get_type_hints(Ruleset)
    words = {field.name: field for field in dataclasses.fields(Ruleset) if isinstance(field.default, str)}
    assert len(words) > 20
    for name, field in words.items():
        assert typing.get_args(types[name]) == tuple(code.name.lower() for code in field.metadata["values"])
