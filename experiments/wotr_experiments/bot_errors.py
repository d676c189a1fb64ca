"""One-line messages for exceptions of bots, with the place in the bot's code; and their tracebacks."""

from __future__ import annotations

import traceback
from pathlib import Path

_HOSTS = (
    str(Path(__file__).parent),  # who asks bots
    str(Path("wotr_env") / "play" / "bots.py"),
    str(Path("wotr_agents") / "registry.py"),
)
"""Packages whose frames precede the frames of a bot."""
_MOST_FRAMES = 30
_MOST_LETTERS = 1_500
"""Maximal number of characters of a traceback."""


def raised(error: BaseException) -> str:
    """Returns a message such as ``KeyError: 'rohan' (mybot.py, line 12, in act)``; without a place if there
    is no traceback.

    The place is the last frame in the bot's own folder.
    """
    said = _said(error)
    frames = _own_frames(error)
    if not frames:
        return said
    folder = Path(frames[0].filename).parent
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    return f"{said} ({Path(own[-1].filename).name}, line {own[-1].lineno}, in {own[-1].name})"


def own_traceback(error: BaseException) -> str:
    """Returns the traceback inside the bot's code, without its caller. If it has many frames, only the last
    ones are kept; it may be empty."""
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
