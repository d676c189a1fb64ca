"""What happens in a game, told at the terminal: the sentences of ``wotr_env.words.events`` in colours."""

from __future__ import annotations

from wotr_env import Result
from wotr_env.codes import Reason, Winner
from wotr_env.kind import Sentence, Tone
from wotr_env.words.names import SIDE_NAMES, counted

SIDE_STYLES = ("bold dodger_blue1", "bold red1")
EFFECT = "default"
TURN = "bold yellow"
IMPORTANT = "bold magenta"
_UNASKED = "dim"

Line = tuple[str, str]
"""A style and a text."""

_REASONS = {
    Reason.CORRUPTION: "corrupts the Ring-bearers",
    Reason.RING_DESTROYED: "destroy the Ring",
    Reason.SHADOW_MILITARY: "conquers the Free Peoples",
    Reason.FREE_PEOPLES_MILITARY: "conquer the Shadow",
    Reason.TURN_LIMIT: "at the limit of turns",
}


def line_of(sentence: Sentence) -> Line:
    """A sentence as it is shown; what came of something is indented."""
    if sentence.tone == Tone.TURN:
        return TURN, sentence.text
    if sentence.tone == Tone.MAJOR:
        return IMPORTANT, sentence.text
    if sentence.tone == Tone.FORCED:
        return _UNASKED, f"  no other choice: {sentence.text}"
    if sentence.tone == Tone.DEED and sentence.seat is not None:
        return SIDE_STYLES[sentence.seat], sentence.text
    return EFFECT, f"  {sentence.text}"


def result_lines(result: Result, viewer: int, decisions: int) -> list[Line]:
    """How a game ended, told to a seat.

    Args:
        result: of the game.
        viewer: the seat that is told, 0 or 1.
        decisions: how many the game had.
    """
    words = "A draw"
    if result.winner != Winner.DRAW:
        mine = "You win" if result.winner == viewer else "You lose"
        words = f"{mine}: the {SIDE_NAMES[result.winner]}"
    free_peoples, shadow = result.victory_points
    points = f"victory points: Free Peoples {free_peoples}, Shadow {shadow}"
    return [
        (IMPORTANT, f"{words} {_REASONS[result.reason]}, in turn {result.turn}."),
        (EFFECT, f"Corruption {result.corruption}, {points}; {counted(decisions, 'decision')}"),
    ]
