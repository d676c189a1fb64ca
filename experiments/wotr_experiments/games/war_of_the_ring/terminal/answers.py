"""The legal answers of a decision for people: labels, groups, and the parsing of typed lines."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence

import numpy as np

from wotr_env.core.spelling import capital
from wotr_env.games.war_of_the_ring.actions import ACTION_NAMES, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Plan, Verb
from wotr_env.games.war_of_the_ring.components import NATION_NAMES, REGION_NAMES, REGION_NATION
from wotr_env.games.war_of_the_ring.words.decisions import decision_text, say
from wotr_experiments.terminal.typed import has_symbols, plain, words_begin

MANY = 10
"""Number of answers from which regions are grouped by nation."""
FREE_LANDS = "Free lands"
OTHERS = ""

_NOTHING_PICKED = ("nothing", "nobody")
_SHORT = ("which", "where", "how", "who", "whom", "whose", "to", "from", "what")


@dataclasses.dataclass(frozen=True)
class Answer:
    """A legal action."""

    action: int
    label: str
    """A text that can be typed instead of the words: the count itself, or the number in the list."""
    words: str
    """The words, such as ``attack Osgiliath``."""
    group: str
    """The nation of a region in a long list; otherwise empty."""

    @property
    def short(self) -> str:
        """A short form of the words: in a group only the region, if the words end with it."""
        region = self.action - Block.REGION
        if self.group and self.words.endswith(REGION_NAMES[region]):
            return REGION_NAMES[region]
        return self.words

    @functools.cached_property
    def keys(self) -> tuple[str, ...]:
        """All texts that mean this answer, normalised: its words, its object, its stable name."""
        name = ACTION_NAMES[self.action]
        keys = dict.fromkeys(plain(text) for text in (self.words, name, name.partition(":")[2]))
        return tuple(key for key in keys if not key.isdigit())  # a number is a label


@dataclasses.dataclass(frozen=True)
class Question:
    """A pending decision and its answers in the order in which they are listed."""

    text: str
    answers: tuple[Answer, ...]
    default: Answer | None
    """The answer for Enter; None if there is no obvious answer."""
    decision: int = Decision.NONE
    """The ``Decision``."""
    picking: bool = False
    """Whether figures or characters are picked one by one."""


def question(state: np.record, legal: Sequence[int]) -> Question:
    """The question to the deciding seat.

    Args:
        state: one record of dtype ``STATE`` with a pending decision.
        legal: the ids of the legal actions.
    """
    many = len(legal) >= MANY
    groups = {action: _group(action) if many else OTHERS for action in legal}
    order = list(dict.fromkeys([*NATION_NAMES, FREE_LANDS, OTHERS]))
    ordered = sorted(legal, key=lambda action: (_is_last(action), order.index(groups[action]), action))
    counts = any(action >= Block.COUNT for action in legal)
    answers = []
    for number, action in enumerate(ordered, start=1):
        label = str(number)
        if counts:
            label = str(action - Block.COUNT) if action >= Block.COUNT else ""
        answers.append(Answer(action, label, say(state, action), groups[action]))
    picking = "picked: " in decision_text(state)
    default = _default(state, answers)
    return Question(_sentence(state), tuple(answers), default, int(state["decision"]), picking)


def answer_of(state: np.record, action: int) -> Answer:
    """A single answer, without a number in a list."""
    label = str(action - Block.COUNT) if action >= Block.COUNT else ""
    return Answer(action, label, say(state, action), OTHERS)


def find(answers: Iterable[Answer], text: str) -> list[Answer]:
    """The answers that a typed line can mean: none, one, or several if it is ambiguous.

    An answer is typed by its number, its words, or beginnings of its words in order, such as ``min tir``.
    Only the best matches are returned: exact matches, otherwise matches at the beginning, otherwise matches
    of later words.
    """
    answers = list(answers)
    if found := [answer for answer in answers if answer.label and answer.label == text.strip()]:
        return found
    wanted = plain(text)
    if has_symbols(text) or not any(letter.isalpha() for letter in wanted):
        return []  # another number is a mistake, not the beginning of some words
    for fits in (_is_key, _begins_key, _has_words):
        if found := [answer for answer in answers if fits(answer, wanted)]:
            return found
    return []


def exact(answers: Iterable[Answer], text: str) -> Answer | None:
    """The answer whose number or whole words are typed."""
    label, wanted = text.strip(), "" if has_symbols(text) else plain(text)
    return next((each for each in answers if label == each.label or _is_key(each, wanted)), None)


def _is_key(answer: Answer, wanted: str) -> bool:
    return wanted in answer.keys


def _begins_key(answer: Answer, wanted: str) -> bool:
    return any(key.startswith(wanted) for key in answer.keys)


def _has_words(answer: Answer, wanted: str) -> bool:
    return any(words_begin(wanted, key) for key in answer.keys)


def _is_last(action: int) -> bool:
    """Whether an answer goes last: verbs, and wasting a die."""
    return action <= Block.PLAN + Plan.SKIP


def _group(action: int) -> str:
    if not Block.REGION <= action < Block.CARD:
        return OTHERS
    nation = REGION_NATION[action - Block.REGION]
    return NATION_NAMES[nation] if nation >= 0 else FREE_LANDS


def _sentence(state: np.record) -> str:
    """The decision as a short sentence to the deciding player."""
    words = decision_text(state).rstrip(".").partition(" to decide ")[2] or decision_text(state).rstrip(".")
    first = words.partition(" ")[0]
    if first not in _SHORT:
        return f"Decide {words}"
    asked, _, detail = words.partition("; ")
    detail = "" if detail.rpartition(": ")[2] in _NOTHING_PICKED else detail
    asked, colon, rest = asked.partition(": ")
    ends = f"{capital(asked)}?"
    details = [part for part in (rest if colon else "", detail) if part]
    return f"{ends} ({'; '.join(details)})" if details else ends


def _default(state: np.record, answers: Sequence[Answer]) -> Answer | None:
    """The default answer: to end picking, or not to declare the Fellowship; never an answer that gives
    something up."""
    _, picking, picked = decision_text(state).rstrip(".").partition("picked: ")
    for answer in answers:
        if answer.action == Block.VERB + Verb.DONE and picking and picked not in _NOTHING_PICKED:
            return answer
        declare = int(state["decision"]) == Decision.DECLARE_FELLOWSHIP
        if answer.action == Block.VERB + Verb.DECLINE and declare:
            return answer
    return None
