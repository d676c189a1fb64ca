"""Answers chained in one line: ``army move orth gap 3r 1e`` answers several questions.

Words are matched in turn with the answers of the next question; the longest sequence of words that matches a
single answer is used. A comma ends an answer. Besides the words and numbers of answers, a line may contain

- figures: ``3r 1e l`` selects three Regulars, an Elite and a Leader, ``2n`` two Nazgul, ``3r:gon`` those of
  Gondor;
- ``all``: the whole army, all figures that can be selected, the highest number;
- ``none``: no, nobody, no more, zero, pass.

After figures, ``done`` is implied unless a character follows. If the rules have made a choice because there
was no alternative, a word for this choice is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wotr_env.games.war_of_the_ring.actions import FIGURES_PER_NATION, Block
from wotr_env.games.war_of_the_ring.codes import Figure, Nation, Verb
from wotr_env.games.war_of_the_ring.components import NATION_NAMES
from wotr_env.games.war_of_the_ring.words.names import is_nazgul
from wotr_experiments.terminal.choices import Answer, LineError, Question, TypedLine, find
from wotr_experiments.terminal.typed import can_mean, plain, words_begin

ALL, NONE = "all", "none"
_END = ","
_FIGURES = re.compile(r"(?P<count>[1-9]\d?)?(?P<kind>[reln])(?::(?P<nation>\w+))?", re.IGNORECASE)
_KINDS = {"r": Figure.REGULAR, "e": Figure.ELITE, "l": Figure.LEADER, "n": Figure.LEADER}
_NOTHING = (Block.VERB + Verb.DECLINE, Block.VERB + Verb.DONE, Block.VERB + Verb.PASS, Block.COUNT)
"""The actions that ``none`` stands for; the first legal one is used."""
_DONE = Block.VERB + Verb.DONE


class Chain(TypedLine):
    """The unused part of a typed line.

    Args:
        text: the line.
    """

    def __init__(self, text: str = "") -> None:
        self._words = text.replace(_END, f" {_END} ").split()
        self._figures: _Figures | None = None
        self._everybody = False
        self._decision = -1
        self._forced: list[Answer] = []

    @property
    def rest(self) -> str:
        """The words that have not been matched."""
        return " ".join(self._words).replace(f" {_END}", _END).strip(f"{_END} ")

    @property
    def pending(self) -> bool:
        """Whether the line may answer another question."""
        return bool(self.rest or self._figures or self._everybody)

    def whole(self, asked: Question) -> list[Answer]:
        """The answers that all words together can mean; empty if a comma or figures make the line a chain."""
        if _END in self._words or self.has_figures(asked):
            return []
        return find(asked.answers, self.rest)

    def has_figures(self, asked: Question) -> bool:
        """Whether the line begins with ``all``, ``none`` or figures, which have precedence over beginnings of
        words."""
        if not self._words:
            return False
        figures = _figures_of(self._words[0])
        return _special(asked, self._words[0]) is not None or bool(figures and figures.offered(asked))

    def begins(self, asked: Question) -> bool:
        """Whether the first word of the line may be an answer, and so is not a command."""
        if not self._words:
            return False
        return self.has_figures(asked) or bool(self._longest(asked.answers)[0])

    def next(self, asked: Question) -> Answer | None:
        """Returns the next answer; None if the line is used up.

        Raises:
            LineError: the next word is not an answer, or is ambiguous.
        """
        if (self._figures or self._everybody) and (answer := self._picked(asked)) is not None:
            return answer
        self._drop_ends()
        self._skip_forced(asked)
        self._forced = []
        return self._matched(asked) if self._words else None

    def follow(self, forced: Sequence[Answer]) -> None:
        """Adds choices that the rules made after the latest answer because there was no alternative."""
        self._forced += forced
        for answer in forced:
            if self._figures and self._figures.left and self._figures.fits(answer):
                self._figures.left -= 1

    def _picked(self, asked: Question) -> Answer | None:
        """The next of the requested figures, or the answer that ends the selection; None if the selection
        continues with other words."""
        figures, same = self._figures, asked.decision == self._decision
        if figures and figures.left:
            if same and (found := figures.among(asked)):
                figures.left -= 1
                return found
            missing, figures.left = figures.left, 0
            self._figures = None
            raise LineError(f"{figures.word!r}: {missing} of these figures are not available")
        if self._everybody and same and (others := [each for each in asked.answers if _is_thing(each)]):
            return others[0]
        if figures and same and self._goes_on(asked):
            self._figures = None
            return None
        self._figures, self._everybody = None, False
        return _with(asked, _DONE) if same else None

    def _goes_on(self, asked: Question) -> bool:
        """Whether the next word continues the selection: figures, a character, or ``done``."""
        if not self._words or self._words[0] == _END:
            return False
        word = self._words[0].casefold()
        if word in (ALL, NONE) or _FIGURES.fullmatch(word):
            return word != NONE
        return any(_is_character(each) or each.action == _DONE for each in self._longest(asked.answers)[0])

    def _skip_forced(self, asked: Question) -> None:
        """Drops words for choices that the rules have made, if the words are not answers now."""
        forced = self._forced
        while forced and self._words:
            if self.has_figures(asked) or len(self._longest(asked.answers)[0]) == 1:
                return
            found, length = self._longest(forced[:1])
            if found:
                del self._words[:length]
                self._drop_ends()
            del forced[:1]

    def _drop_ends(self) -> None:
        while self._words and self._words[0] == _END:
            self._words.pop(0)

    def _matched(self, asked: Question) -> Answer:
        word = self._words[0]
        if (figures := _figures_of(word)) is not None and (found := figures.among(asked)):
            self._words.pop(0)
            figures.left -= 1
            self._figures, self._decision = figures, asked.decision
            return found
        if (special := _special(asked, word)) is not None:
            self._words.pop(0)
            self._everybody = word.casefold() == ALL and _is_thing(special) and asked.picking
            self._decision = asked.decision
            return special
        several, length = self._longest(asked.answers)
        if len(several) == 1:
            del self._words[:length]
            return several[0]
        if several:
            raise LineError(can_mean(word, [each.words for each in several]))
        raise LineError(f"{word!r} is not an answer to: {asked.text}")

    def _longest(self, answers: Sequence[Answer]) -> tuple[list[Answer], int]:
        """The answers that the next words can mean, and the number of words: the longest sequence with a
        single meaning."""
        ends = (place for place, word in enumerate(self._words) if place and ends_names(word))
        for length in range(next(ends, len(self._words)), 1, -1):
            if len(found := find(answers, " ".join(self._words[:length]))) == 1:
                return found, length
        return find(answers, self._words[0]), 1


class _Figures:
    """A word such as ``3r`` or ``2e:gon``, and the number of figures that are still to be selected."""

    def __init__(self, word: str, count: int, kind: str, nation: str) -> None:
        self.word, self.left = word, count
        self._figure, self._nazgul, self._nation = _KINDS[kind], kind == "n", nation

    def fits(self, answer: Answer) -> bool:
        """Whether an answer selects one of these figures."""
        if not Block.FIGURE <= answer.action < Block.COUNT:
            return False
        nation, figure = divmod(answer.action - Block.FIGURE, FIGURES_PER_NATION)
        names = (plain(NATION_NAMES[nation]), Nation(nation).name.casefold())
        named = not self._nation or any(words_begin(plain(self._nation), name) for name in names)
        return figure == self._figure and named and (not self._nazgul or is_nazgul(nation, figure))

    def offered(self, asked: Question) -> bool:
        """Whether some of these figures are among the answers, of any nation."""
        return any(self.fits(answer) for answer in asked.answers)

    def among(self, asked: Question) -> Answer | None:
        """Returns the answer that selects one of these figures; None if there is none.

        Raises:
            LineError: figures of several nations are possible.
        """
        found = [answer for answer in asked.answers if self.fits(answer)]
        if len(found) > 1:
            nations = [(each.action - Block.FIGURE) // FIGURES_PER_NATION for each in found]
            names = " or ".join(f"{self.word}:{Nation(nation).name.casefold()[:3]}" for nation in nations)
            raise LineError(f"{self.word!r} exists for several nations: type {names}")
        return found[0] if found else None


def ends_names(word: str) -> bool:
    """Whether a word cannot be a further word of a name."""
    return word in (_END, ALL, NONE) or _FIGURES.fullmatch(word) is not None


def _figures_of(word: str) -> _Figures | None:
    match = _FIGURES.fullmatch(word)
    if match is None:
        return None
    return _Figures(word, int(match["count"] or 1), match["kind"].casefold(), match["nation"] or "")


def _special(asked: Question, word: str) -> Answer | None:
    """The answer for ``all`` or ``none``; None for another word, or if the word has no meaning in this
    question."""
    if word.casefold() == NONE:
        return next((found for action in _NOTHING if (found := _with(asked, action))), None)
    if word.casefold() != ALL:
        return None
    counts = [answer for answer in asked.answers if answer.action >= Block.COUNT]
    things = [answer for answer in asked.answers if _is_thing(answer)]
    whole = _with(asked, Block.VERB + Verb.WHOLE_ARMY)
    return whole or (counts[-1] if counts else things[0] if asked.picking and things else None)


def _with(asked: Question, action: int) -> Answer | None:
    return next((answer for answer in asked.answers if answer.action == action), None)


def _is_thing(answer: Answer) -> bool:
    """Whether an answer selects a figure or a character."""
    return _is_character(answer) or Block.FIGURE <= answer.action < Block.COUNT


def _is_character(answer: Answer) -> bool:
    return Block.CHARACTER <= answer.action < Block.NATION
