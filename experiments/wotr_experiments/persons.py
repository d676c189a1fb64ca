"""What people are called among the players of a record."""

from __future__ import annotations

import re

PERSON = "person"
"""Who plays a seat that no bot plays."""


_OF_STUDY = re.compile(rf"{PERSON} \(study, (\d+) taken back\)")


def person_of_study(taken_back: int) -> str:
    """A person at a game where what was seen could be taken back, and how often that was done."""
    return f"{PERSON} (study, {taken_back} taken back)"


def taken_back_by(player: str) -> int | None:
    """How often a player of a record has taken back what was seen; None for one who is no person."""
    if found := _OF_STUDY.fullmatch(player):
        return int(found[1])
    return 0 if player == PERSON else None
