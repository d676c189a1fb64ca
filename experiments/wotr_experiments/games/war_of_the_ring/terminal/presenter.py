"""What the terminal shows of War of the Ring: its map, armies and battles, its story, and lines with several
answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from wotr_env.core.descriptions import Sentence
from wotr_env.games.war_of_the_ring.codes import Phase
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, CHARACTER_NAMES, NUM_CARDS, REGION_NAMES
from wotr_env.games.war_of_the_ring.events import shared_trace_of
from wotr_env.games.war_of_the_ring.events.types import Event
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.seating import partner_of, seats_of, side_of
from wotr_env.games.war_of_the_ring.words.actions import own_words
from wotr_env.games.war_of_the_ring.words.names import seat_name, the_seat
from wotr_experiments.games.war_of_the_ring.terminal import own_dice, views
from wotr_experiments.games.war_of_the_ring.terminal.answers import (
    answer_of,
    forced_answers,
    idle_answer,
    pickable,
    question,
)
from wotr_experiments.games.war_of_the_ring.terminal.battle import battle, followed
from wotr_experiments.games.war_of_the_ring.terminal.chain import Chain
from wotr_experiments.games.war_of_the_ring.terminal.story import SIDE_STYLES, line_of, result_lines
from wotr_experiments.terminal.choices import Answer, Question
from wotr_experiments.terminal.match import Match, Step
from wotr_experiments.terminal.presenter import (
    TURN,
    ArgumentError,
    Look,
    OwnDice,
    Presenter,
    Room,
    found_of,
)
from wotr_experiments.terminal.saves import Told


class WarPresenter(Presenter):
    """Shows a match of War of the Ring in the terminal.

    Args:
        match: the match.
    """

    own_dice = OwnDice(own_dice.EXPLANATION, own_dice.ask_outcomes)
    how_to_answer = (
        "Answer by number or by words; beginnings of words are enough (min tir for Minas Tirith), Tab "
        "completes. One line may answer several questions: army move orth gap 3r 1e; all and none are "
        "answers, too. Enter takes the answer marked (Enter). A command whose word is also the beginning of "
        "an answer can be written with a slash: /map."
    )
    completions = tuple(f"region {name}" for name in REGION_NAMES)

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self._courses: dict[int, tuple[Event, ...]] = {}  # of battles, by the number of actions before

    @property
    def looks(self) -> Mapping[str, Look]:
        return LOOKS

    def style(self, seat: int) -> str:
        return SIDE_STYLES[side_of(seat)]

    def greeting(self) -> str:
        """Describes the players: ``You play Sauron with random (Isengard) against scripted (Gondor) and
        scripted (Rohan).``"""
        state, bots, me = self.state, self.match.saved.bots, self.match.seat
        partner = partner_of(state, me)
        named = [f"{spec} ({seat_name(state, seat)})" for seat, spec in enumerate(bots)]
        beside = "" if partner is None else f" with {named[partner]}"
        others = [seat for seat in range(len(seats_of(state))) if side_of(seat) != side_of(me)]
        against = " and ".join(named[seat] for seat in others)
        return f"You play {the_seat(state, me)}{beside} against {against}."

    def opening(self) -> list[Told]:
        return [(TURN, f"Turn {int(self.state['turn'])}")]

    # --- Decisions. ---

    def question(self) -> Question:
        return question(self.state, self.match.game.legal())

    def answer_of(self, action: int) -> Answer:
        return answer_of(self.state, action)

    def idle_answer(self) -> int | None:
        return idle_answer(self.match.game)

    def own_words(self, action: int) -> str:
        return own_words(self.state, action)

    def overview(self) -> RenderableType | None:
        return views.status(self._shown()) if int(self.state["phase"]) == Phase.ACTION else None

    def asked(self, asked: Question) -> Iterator[RenderableType]:
        shown = self._shown()
        fight = battle(shown, self._fought, asked.decision)
        if fight is not None:
            yield ""
            yield fight
        yield Text(asked.text, style=self.style(self.match.seat))
        figures = views.figures(asked, pickable(self.match.game, asked))
        yield self._answers(asked, shown, briefly=True) if figures is None else figures

    def answers(self, asked: Question) -> RenderableType:
        return self._answers(asked, self._shown())

    def _answers(self, asked: Question, shown: dict[str, Any], briefly: bool = False) -> RenderableType:
        """The answers, each with the forces in the region that it names."""
        return views.answers(asked, views.notes_of(asked, shown, side_of(self.match.seat)), briefly)

    def line(self, text: str = "") -> Chain:
        return Chain(text)

    # --- The story. ---

    def follow(self, step: Step) -> list[Answer]:
        trace = shared_trace_of(step.before, step.action)
        played = len(self.match.game.actions)
        course = self._courses.get(played - 1, ())
        self._courses[played] = followed(course, trace.events(self.match.seat))
        return forced_answers(trace)

    def goes_without_saying(self, choice: Sentence) -> bool:
        return getattr(choice, "shows", False)

    def line_about(self, sentence: Sentence) -> Told:
        return line_of(sentence)

    def end(self) -> list[Told]:
        game = self.match.game
        return result_lines(game.result, game.ruleset.seats, self.match.seat, len(game.actions))

    @property
    def _fought(self) -> tuple[Event, ...]:
        """The course of the current battle, as far as the person knows it (``battle.followed``)."""
        return self._courses.get(len(self.match.game.actions), ())

    # --- Commands. ---

    def _shown(self) -> dict[str, Any]:
        return picture(self.state, self.match.seat)

    @property
    def _options(self) -> np.ndarray:
        return self.state["options"]

    def _map(self, rest: str, room: Room) -> RenderableType:
        shown = views.whole_map(self._shown(), *room, rest)
        if shown is None:
            raise ArgumentError(f"there is no nation {rest!r}; map alone draws the whole map")
        return shown

    def _armies(self, rest: str, room: Room) -> RenderableType:
        shown = views.armies(self._shown(), rest)
        if shown is None:
            raise ArgumentError(
                f"there is no nation {rest!r}; armies alone lists them, armies all every region"
            )
        return shown

    def _region(self, rest: str, room: Room) -> RenderableType:
        number = found_of(REGION_NAMES, rest, "region", "which? type region NAME")
        return views.region(self._shown(), number, *room)

    def _battle(self, rest: str, room: Room) -> RenderableType:
        fight = battle(self._shown(), self._fought, int(self.state["decision"]))
        if fight is None:
            raise ArgumentError("there is no battle now")
        return fight

    def _hand(self, rest: str, room: Room) -> RenderableType:
        return views.hand(self._shown(), self.match.seat, self._options)

    def _card(self, rest: str, room: Room) -> RenderableType:
        number = found_of((*CARD_NAMES, *CHARACTER_NAMES), rest, "card", "which? type card NAME")
        if number < NUM_CARDS:
            return views.card(self._shown(), number, self._options)
        return views.character(self._shown(), number - NUM_CARDS, self._options)

    def _dice(self, rest: str, room: Room) -> RenderableType:
        return views.dice(self._shown())

    def _fellowship(self, rest: str, room: Room) -> RenderableType:
        return views.fellowship(self._shown())

    def _politics(self, rest: str, room: Room) -> RenderableType:
        return views.politics(self._shown())


LOOKS = {
    "map": Look("[NATION]", "the map, or the lands of a nation", WarPresenter._map),
    "armies": Look("[all|NATION]", "armies and characters, region by region", WarPresenter._armies),
    "region": Look("NAME", "what is around a region, drawn and in words", WarPresenter._region),
    "battle": Look("", "the battle under way: forces, dice and odds", WarPresenter._battle),
    "hand": Look("", "your cards, and the cards on the table", WarPresenter._hand),
    "card": Look("NAME", "the text of any card, a character's too", WarPresenter._card),
    "dice": Look("", "action dice, Hunt Box, Elven Rings", WarPresenter._dice),
    "fellowship": Look("", "the Fellowship and the Hunt tiles", WarPresenter._fellowship),
    "politics": Look("", "how far the nations are from war", WarPresenter._politics),
}
"""The commands that show something, by their words."""
