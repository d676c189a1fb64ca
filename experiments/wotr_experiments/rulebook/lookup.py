"""Search in the rules of a game by words."""

from __future__ import annotations

from collections.abc import Iterable

from wotr_experiments.rulebook.coverage import rule_titles_of_games
from wotr_experiments.rulebook.rule_texts import rule_texts

MOST = 12
"""The largest number of results."""


def look_up_rules(words: str, game: str) -> str:
    """The rules of a smaller game that contain all words (``matching``).

    Args:
        words: the words, such as ``fortress`` or ``coins``.
        game: the name of the game.
    """
    if not words.strip():
        return "Name a word of a rule, such as coins."
    texts = rule_texts()
    titles = rule_titles_of_games().get(game, {})
    return matching(words, ((f"{name} {title}", texts[name]) for name, title in titles.items()))


def matching(words: str, pieces: Iterable[tuple[str, str]]) -> str:
    """The titles and texts that contain all words, one per line, at most ``MOST``; matching titles come
    first.

    Args:
        words: words separated by spaces or hyphens; case is ignored.
        pieces: pairs of a title and a text.
    """
    wanted = words.lower().replace("-", " ").split()
    named, others = [], []
    for title, text in pieces:
        name = title.lower().replace("-", " ")
        if all(word in name for word in wanted):
            named.append(f"{title}: {text}")
        elif all(word in f"{name} {text.lower()}" for word in wanted):
            others.append(f"{title}: {text}")
    found = [*named, *others]
    if not found:
        return f"Nothing in the rules matches {words!r}."
    more = f"\n... and {len(found) - MOST} more" if len(found) > MOST else ""
    return "\n".join(found[:MOST]) + more
