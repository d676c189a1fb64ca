"""Names of human players in records."""

from __future__ import annotations

import re

PERSON = "person"
"""The name of a human player."""


_OF_STUDY = re.compile(rf"{PERSON} \(study, (\d+) taken back\)")


def person_of_study(taken_back: int) -> str:
    """The name of a human player in a game with full takeback, with the number of takebacks."""
    return f"{PERSON} (study, {taken_back} taken back)"


def taken_back_by(player: str) -> int | None:
    """The number of takebacks of a player of a record; None if the player is not human."""
    if found := _OF_STUDY.fullmatch(player):
        return int(found[1])
    return 0 if player == PERSON else None
