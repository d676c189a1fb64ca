"""The texts of cards and characters follow the options of the ruleset."""

import numpy as np
import pytest

from wotr_env import Ruleset
from wotr_env.games.war_of_the_ring.codes import Character
from wotr_env.games.war_of_the_ring.components import CARD_IDS, CARD_WORDINGS, CHARACTER_WORDINGS, NUM_CARDS
from wotr_env.games.war_of_the_ring.ruleset import option_code
from wotr_env.games.war_of_the_ring.words.cards import card_text, character_text, combat_text

FIRST, SECOND = Ruleset.first_edition().encode(), Ruleset.second_edition().encode()


def test_texts_state_condition_effect_and_discard():
    staff = card_text(CARD_IDS.index("fp-char-08"), FIRST)
    assert staff.startswith("Condition: Gandalf the Grey is in the Fellowship. ")
    assert "Discarded: When used" in staff


def test_the_cards_that_the_second_edition_prints_otherwise():
    differ = [name for card, name in enumerate(CARD_IDS) if card_text(card, FIRST) != card_text(card, SECOND)]
    assert differ == ["fp-char-19", "fp-char-20", "fp-char-21", "fp-strat-01", "sh-char-17"]
    huorns, battle = CARD_IDS.index("fp-char-20"), CARD_IDS.index("fp-strat-01")
    assert "another Character Event card" in card_text(huorns, SECOND)
    assert card_text(battle, SECOND).endswith("or when the condition no longer holds.")
    assert "Stronghold that the Free Peoples control" in card_text(CARD_IDS.index("sh-char-17"), SECOND)


def test_the_characters_that_the_second_edition_prints_otherwise():
    differ = [who for who in Character if character_text(who, FIRST) != character_text(who, SECOND)]
    assert differ == [
        Character.GANDALF_GREY,
        Character.MERIADOC,
        Character.PEREGRIN,
        Character.GOLLUM,
        Character.WITCH_KING,
    ]
    assert character_text(Character.WITCH_KING, FIRST).startswith("Leadership 2. Enters: Sauron is At War. ")
    assert " Action dice: 1 more while in play. Sorcerer: " in character_text(Character.WITCH_KING, FIRST)
    assert "Sorcerer: In a battle he is in" in character_text(Character.WITCH_KING, FIRST)
    assert "Free Peoples Nations are At War" in character_text(Character.WITCH_KING, SECOND)
    assert character_text(Character.GIMLI, FIRST).startswith(
        "Level 2, Leadership 1. Activates: Dwarves. Captain of the West: "
    )


def test_r7_9_4_the_second_edition_prints_the_initiative():
    for card in range(NUM_CARDS):
        assert combat_text(card, SECOND).startswith(combat_text(card, FIRST) + " Initiative ")
    mumakil = CARD_IDS.index("sh-strat-07")
    assert combat_text(mumakil, SECOND).endswith("Initiative 3 and 5.")
    assert combat_text(0, SECOND).endswith("Initiative 3.")


@pytest.mark.parametrize("wording", [each for each in (*CARD_WORDINGS, *CHARACTER_WORDINGS) if each.variants])
def test_a_variant_is_printed_where_its_option_has_its_value(wording):
    for variant in wording.variants:
        ruleset = Ruleset().encode()
        option, code = option_code(variant.option, variant.value)
        assert ruleset[option] != code, "the wording without a variant is that of the first edition"
        assert all(text != wording.parts[title] for title, text in variant.parts.items())


def test_a_single_option_changes_its_own_card_alone():
    options = Ruleset.first_edition(sorcerer_deck="same").encode()
    king = character_text(Character.WITCH_KING, options)
    assert "from the deck of its kind" in king and "Enters: Sauron is At War." in king
    assert card_text(0, options) == card_text(0, FIRST)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("ents", "true", "no ruleset option ents"), ("ents_extra_card", "yes", "must be one of False, True")],
)
def test_option_code_refuses(option, value, message):
    with pytest.raises(ValueError, match=message):
        option_code(option, value)


def test_option_code():
    option, code = option_code("sorcerer_deck", "same")
    assert np.array_equal(SECOND[option], code)
