"""Prints the events of a game in the terminal: the sentences of
``wotr_env.games.war_of_the_ring.words.events`` in colours."""

from __future__ import annotations

from collections.abc import Sequence

from wotr_env import Result
from wotr_env.core.descriptions import Sentence, Tone
from wotr_env.core.seats import Seat
from wotr_env.core.spelling import counted
from wotr_env.games.war_of_the_ring.codes import Reason, Winner
from wotr_env.games.war_of_the_ring.seating import TEAMS, side_of
from wotr_experiments.games.war_of_the_ring.terminal.forces import TONES
from wotr_experiments.terminal.presenter import EFFECT, IMPORTANT, TURN
from wotr_experiments.terminal.saves import Told

SIDE_STYLES = tuple(f"bold {tone}" for tone in TONES)
_FORCED = "dim"

_REASONS = {
    Reason.CORRUPTION: "corrupts the Ring-bearers",
    Reason.RING_DESTROYED: "destroy the Ring",
    Reason.SHADOW_MILITARY: "conquers the Free Peoples",
    Reason.FREE_PEOPLES_MILITARY: "conquer the Shadow",
    Reason.TURN_LIMIT: "at the limit of turns",
}


def line_of(sentence: Sentence) -> Told:
    """A sentence in its displayed form; consequences are indented."""
    if sentence.tone == Tone.TURN:
        return TURN, sentence.text
    if sentence.tone == Tone.MAJOR:
        return IMPORTANT, sentence.text
    if sentence.tone == Tone.FORCED:
        return _FORCED, f"  no other choice: {sentence.text}"
    side = sentence.team if sentence.seat is None else side_of(sentence.seat)
    if sentence.tone == Tone.DEED and side is not None:
        return SIDE_STYLES[side], sentence.text
    return EFFECT, f"  {sentence.text}"


def result_lines(result: Result, seats: Sequence[Seat], viewer: int, decisions: int) -> list[Told]:
    """Describes the end of a game for a seat.

    Args:
        result: the result of the game.
        seats: the players.
        viewer: the seat.
        decisions: number of decisions in the game.
    """
    words = "A draw"
    if result.winner != Winner.DRAW:
        words = f"{_outcome(result, seats, viewer)}: {TEAMS[result.winner].with_article}"
    free_peoples, shadow = result.victory_points
    points = f"victory points: Free Peoples {free_peoples}, Shadow {shadow}"
    return [
        (IMPORTANT, f"{words} {_REASONS[result.reason]}, in turn {result.turn}."),
        (EFFECT, f"Corruption {result.corruption}, {points}; {counted(decisions, 'decision')}"),
    ]


def _outcome(result: Result, seats: Sequence[Seat], viewer: int) -> str:
    """Describes what the result means for a seat; of partners, one may have done better (R13.8)."""
    if result.winner != seats[viewer].team:
        return "You lose"
    if viewer not in result.seats:
        return f"Your side wins, but {seats[result.seats[0]].title} has done better than you"
    return "You win" if len(result.seats) == 1 else "You and your partner win"
