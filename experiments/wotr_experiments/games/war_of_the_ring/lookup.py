"""Search in the rules: cards, characters, regions, and titles of rules."""

from __future__ import annotations

from collections.abc import Iterator

from wotr_env.games.war_of_the_ring.components import (
    CARD_IDS,
    CARD_NAMES,
    CHARACTER_NAMES,
    REGION_IDS,
    REGION_NAMES,
)
from wotr_env.games.war_of_the_ring.ruleset import Ruleset
from wotr_env.games.war_of_the_ring.words.board import region_words
from wotr_env.games.war_of_the_ring.words.cards import card_text, character_text, combat_text
from wotr_experiments.rulebook.coverage import rule_titles
from wotr_experiments.rulebook.lookup import matching


def look_up(words: str, ruleset: Ruleset) -> str:
    """The pieces that contain all words (``matching``).

    Args:
        words: the words, such as ``witch-king`` or ``siege``.
        ruleset: the ruleset, which determines the texts of cards and characters.
    """
    if not words.strip():
        return "Name a card, a character, a region or a word of a rule: witch-king, osgiliath, siege."
    return matching(words, _pieces(ruleset))


def _pieces(ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Titles and texts of all pieces."""
    options = ruleset.encode()
    for card, name in enumerate(CARD_NAMES):
        combat = combat_text(card, options)
        yield f"card:{CARD_IDS[card]} {name}", f"{card_text(card, options)} In battle: {combat}"
    for character, name in enumerate(CHARACTER_NAMES):
        yield name, character_text(character, options)
    for region, name in enumerate(REGION_NAMES):
        yield f"region:{REGION_IDS[region]} {name}", region_words(region)
    yield from rule_titles().items()
