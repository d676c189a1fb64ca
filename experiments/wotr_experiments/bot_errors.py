"""What a bot has raised, for people: in one line with the place in its own code, and its traceback."""

from __future__ import annotations

import traceback
from pathlib import Path

_HOSTS = (
    str(Path(__file__).parent),  # who asks bots
    str(Path("wotr_env") / "play" / "bots.py"),
    str(Path("wotr_agents") / "registry.py"),
)
"""Whose frames stand above a bot's own."""
_MOST_FRAMES = 30
_MOST_LETTERS = 1_500
"""Of a traceback."""


def raised(error: BaseException) -> str:
    """``KeyError: 'rohan' (mybot.py, line 12, in act)``; without a place if it was raised nowhere.

    The place is the last in the bot's own folder, not in what it calls.
    """
    said = _said(error)
    frames = _own_frames(error)
    if not frames:
        return said
    folder = Path(frames[0].filename).parent
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    return f"{said} ({Path(own[-1].filename).name}, line {own[-1].lineno}, in {own[-1].name})"


def own_traceback(error: BaseException) -> str:
    """The frames of the bot, the last ones if there are many, without those of who asked it; may be empty."""
    try:
        lines = "".join(traceback.format_list(_own_frames(error)[-_MOST_FRAMES:])).splitlines()
    except Exception:  # such as without memory
        return ""
    while lines and sum(map(len, lines)) > _MOST_LETTERS:
        del lines[0]
    return "\n".join(lines)


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # its own words fail, too
        return type(error).__name__


def _own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    try:
        frames = traceback.extract_tb(error.__traceback__)
    except Exception:
        return []
    first = 0
    while first < len(frames) and any(host in frames[first].filename for host in _HOSTS):
        first += 1
    return frames[first:]
