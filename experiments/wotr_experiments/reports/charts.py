"""Charts as inline SVG, drawn from plain numbers; colours are classes of ``templates/report.css``.

Lengths are in pixels of the drawing, x to the right, y down. Broad charts are drawn twice, for wide pages and
for phones; the style sheet shows one of them.
"""

from __future__ import annotations

import dataclasses
import html
import math
from collections.abc import Callable, Mapping, Sequence

_WIDTH = 760
_ROW = 24
_ABOVE = 18
"""Height of a name above its row."""
_RIGHT = 20
_AXIS = 34
"""Height of the numbers below a chart."""
_MOST_BARS = 40
"""Maximal number of bars of a histogram."""
_CHARACTER = 7
"""Approximate width of a character of a label."""

Mark = tuple[str, float, float, float, str]
"""A point with an interval: class, value, low and high end, and its description."""
Point = tuple[float, float]
"""A point: x and y."""
Interval = tuple[float, float, float]
"""A vertical interval: x, low end and high end."""


@dataclasses.dataclass(frozen=True)
class _Frame:
    """The size and layout of a broad chart."""

    kind: str
    width: int
    left: int
    """The left edge of the plot: right of the names, or at the side if names are above their rows."""
    numbers: int
    """Approximate number of labels on the axis."""

    @property
    def above(self) -> int:
        """The height of a name above its row."""
        return 0 if self.left > self.width / 4 else _ABOVE

    def scale(self, low: float, high: float) -> Callable[[float], float]:
        """A function from a value to its x."""
        return lambda value: self.left + (self.width - self.left - _RIGHT) * (value - low) / (high - low)

    def axis(self, low: float, high: float, bottom: float, unit: str) -> str:
        """The axis with round numbers and grid lines."""
        parts, scale = [], self.scale(low, high)
        for number in _round_numbers(low, high, self.numbers):
            x = scale(number)
            parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{bottom:.1f}"/>')
            parts.append(f'<text class="middle" x="{x:.1f}" y="{bottom + 14:.1f}">{number:g}</text>')
        middle = (self.left + self.width - _RIGHT) / 2
        parts.append(
            f'<text class="middle" x="{middle:.1f}" y="{bottom + 30:.1f}">{html.escape(unit)}</text>'
        )
        return "".join(parts)

    def name(self, name: str, top: float, middle: float) -> str:
        """The name of a row, left of its middle or above it."""
        room = (self.width if self.above else self.left) // _CHARACTER - 2
        short = html.escape(name if len(name) <= room else name[: room - 1] + "…")
        place = (
            f'x="0" y="{top + 13:.1f}"'
            if self.above
            else f'class="end" x="{self.left - 10}" y="{middle + 4:.1f}"'
        )
        return f"<text {place}>{short}<title>{html.escape(name)}</title></text>"


_WIDE = _Frame("wide-chart", _WIDTH, 250, 6)
_NARROW = _Frame("narrow-chart", 350, 12, 4)


def _twice(draw: Callable[[_Frame], tuple[str, float]]) -> str:
    """A broad chart drawn twice, from a function that gives its content and height in a frame."""
    return "".join(
        f'<div class="{frame.kind}">{_svg(*draw(frame), frame.width)}</div>' for frame in (_WIDE, _NARROW)
    )


def intervals(rows: Mapping[str, Sequence[Mark]], unit: str, line: float) -> str:
    """A chart of points with intervals: one row per name, with one line per mark.

    Args:
        rows: marks by name; at least one.
        unit: unit of the axis.
        line: position of a vertical reference line.
    """
    return _twice(lambda frame: _intervals(frame, rows, unit, line))


def _intervals(
    frame: _Frame, rows: Mapping[str, Sequence[Mark]], unit: str, line: float
) -> tuple[str, float]:
    marks = [mark for row in rows.values() for mark in row]
    low = min([line, *(mark[2] for mark in marks)])
    high = max([line, *(mark[3] for mark in marks)])
    margin = (high - low) * 0.05 or 1.0
    scale = frame.scale(low - margin, high + margin)
    step = _ROW * 0.6
    parts, top = [], 8.0
    for name, row in rows.items():
        height = step * len(row) + 10
        parts.append(frame.name(name, top, top + height / 2))
        top += frame.above
        for number, (kind, value, least, most, words) in enumerate(row):
            y = top + 5 + step * (number + 0.5)
            parts.append(
                f'<g class="{kind}"><title>{html.escape(words)}</title>'
                f'<line x1="{scale(least):.1f}" x2="{scale(most):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<circle cx="{scale(value):.1f}" cy="{y:.1f}" r="4"/></g>'
            )
        top += height
        parts.append(f'<line class="grid" x1="0" x2="{frame.width}" y1="{top:.1f}" y2="{top:.1f}"/>')
    axis = frame.axis(low - margin, high + margin, top, unit)
    zero = f'<line class="zero" x1="{scale(line):.1f}" x2="{scale(line):.1f}" y1="0" y2="{top:.1f}"/>'
    return axis + zero + "".join(parts), top + _AXIS


def shares(rows: Mapping[str, Mapping[str, int]], classes: Mapping[str, str]) -> str:
    """A stacked bar for each name, with a legend.

    Args:
        rows: counts by name, in stacking order.
        classes: classes of the counts.
    """
    return _twice(lambda frame: _shares(frame, rows, classes))


def _shares(
    frame: _Frame, rows: Mapping[str, Mapping[str, int]], classes: Mapping[str, str]
) -> tuple[str, float]:
    parts, first = _legend(classes, 0 if frame.above else 10, frame.width)
    scale, row = frame.scale(0, 100), _ROW + frame.above
    for number, (name, counts) in enumerate(rows.items()):
        top = first + row * number + 4
        parts.append(frame.name(name, top, top + 9))
        top += frame.above
        total = sum(counts.values()) or 1
        start = 0.0
        for what, count in counts.items():
            end = start + 100 * count / total
            if count:
                parts.append(
                    f'<rect class="{classes[what]}" x="{scale(start):.1f}" y="{top:.0f}" height="18" '
                    f'width="{scale(end) - scale(start):.1f}">'
                    f"<title>{html.escape(what)}: {count:,} ({count / total:.1%})</title></rect>"
                )
            start = end
    bottom = first + row * len(rows) + 4
    return frame.axis(0, 100, bottom, "% of the games") + "".join(parts), bottom + _AXIS


def histogram(counts: Mapping[int, int], unit: str, kind: str) -> str:
    """A histogram over at least one integer; bars combine several integers if the range is wide."""
    low, high = min(counts), max(counts)
    each = math.ceil((high - low + 1) / _MOST_BARS)
    bins = [0] * math.ceil((high - low + 1) / each)
    for number, count in counts.items():
        bins[(number - low) // each] += count
    height, width = 150, _WIDTH / 2 - 20
    bar = (width - 50) / len(bins)
    most, total = max(bins), sum(bins)
    every = max(1, math.ceil(_CHARACTER * (len(str(high)) + 2) / bar))
    parts = []
    for place, count in enumerate(bins):
        first = low + place * each
        tall = (height - 10) * count / most
        x = 40 + bar * place
        numbers = f"{first}" if each == 1 else f"{first} to {first + each - 1}"
        parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{height - tall:.1f}" width="{max(1.0, bar - 2):.1f}" '
            f'height="{tall:.1f}"><title>{numbers}: {count:,} games ({count / total:.1%})</title></rect>'
        )
        if place % every == 0:
            parts.append(f'<text class="middle" x="{x + bar / 2:.1f}" y="{height + 14}">{first}</text>')
    parts.append(f'<text class="end" x="36" y="14">{most / total:.0%}</text>')
    parts.append(f'<text class="middle" x="{width / 2:.0f}" y="{height + 30}">{html.escape(unit)}</text>')
    parts.append(f'<line class="axis" x1="38" x2="{width:.0f}" y1="{height}" y2="{height}"/>')
    return _svg("".join(parts), height + _AXIS, width)


def columns(stacks: Mapping[str, Mapping[str, float]], classes: Mapping[str, str], unit: str, of: str) -> str:
    """A stacked column for each name, with shares that sum to 1; half as wide as other charts.

    Args:
        stacks: shares by name, stacked from below; at least one.
        classes: classes of the shares, for the legend.
        unit: unit of the names.
        of: the total that the shares refer to.
    """
    width, left = _WIDTH / 2 - 10, 44.0
    parts, top = _legend(classes, left, width)
    height = top + 170.0
    room = (width - left - 4) / len(stacks)
    for percent in (0, 25, 50, 75, 100):
        y = height - (height - top) * percent / 100
        parts.append(f'<line class="grid" x1="{left:.0f}" x2="{width:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="end" x="{left - 5:.0f}" y="{y + 4:.1f}">{percent}%</text>')
    every = max(1, math.ceil(_CHARACTER * (max(map(len, stacks)) + 1) / room))
    for place, (name, stack) in enumerate(stacks.items()):
        x, y = left + 3 + room * place, height
        for what, part in stack.items():
            tall = (height - top) * part
            y -= tall
            if part:
                words = f"{unit} {name}: {what} {part:.1%} of {of}"
                parts.append(
                    f'<rect class="{classes[what]}" x="{x:.1f}" y="{y:.1f}" width="{room - 3:.1f}" '
                    f'height="{tall:.1f}"><title>{html.escape(words)}</title></rect>'
                )
        if place % every == 0:
            middle = x + (room - 3) / 2
            parts.append(
                f'<text class="middle" x="{middle:.1f}" y="{height + 14:.0f}">{html.escape(name)}</text>'
            )
    words = html.escape(f"{unit}; % of {of}")
    parts.append(f'<text class="middle" x="{(left + width) / 2:.0f}" y="{height + 30:.0f}">{words}</text>')
    return _svg("".join(parts), height + _AXIS, width)


def trace(values: Sequence[float], bounds: tuple[float, float], unit: str) -> str:
    """A line over 1, 2, 3, ... with two bounds; needs at least one value."""
    return _twice(lambda frame: _trace(frame, values, bounds, unit))


def _trace(
    frame: _Frame, values: Sequence[float], bounds: tuple[float, float], unit: str
) -> tuple[str, float]:
    height, width = 220, frame.width
    low, high = min(*bounds, *values), max(*bounds, *values)
    margin = (high - low) * 0.05
    low, high = low - margin, high + margin

    def y_of(value: float) -> float:
        return height * (high - value) / (high - low)

    left = 50
    step = (width - left - _RIGHT) / len(values)
    points = [(left, y_of(0.0)), *((left + step * (i + 1), y_of(value)) for i, value in enumerate(values))]
    thinned = points[:: max(1, len(points) // 2_000)] + points[-1:]
    parts = [
        f'<polyline class="trace" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in thinned)}"/>',
        f'<text class="middle" x="{width / 2}" y="{height + 30}">{html.escape(unit)}</text>',
        f'<text class="end" x="{width - _RIGHT}" y="{height + 14}">{len(values):,}</text>',
        f'<text x="{left}" y="{height + 14}">0</text>',
    ]
    for value, kind in ((bounds[0], "shadow"), (0.0, "axis"), (bounds[1], "free_peoples")):
        y = y_of(value)
        parts.append(
            f'<g class="{kind}"><line x1="{left}" x2="{width - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/></g>'
        )
        parts.append(f'<text class="end" x="{left - 4}" y="{y + 4:.1f}">{value:.2f}</text>')
    return "".join(parts), float(height + _AXIS)


def lines(
    series: Mapping[str, Sequence[Point]],
    classes: Mapping[str, str],
    unit: str,
    dots: bool = False,
    bounds: tuple[float, float] | None = None,
    intervals: Mapping[str, Sequence[Interval]] | None = None,
) -> str:
    """A line for each name, with a legend for several lines; half as wide as other charts.

    Args:
        series: points by name, at least one each, with ascending x >= 0 and finite y.
        classes: classes of the names.
        unit: unit of x.
        dots: mark every point.
        bounds: bounds of y; points outside are drawn at the bounds. By default the range of points and
            intervals.
        intervals: vertical intervals behind the points of a name.
    """
    width, left = _WIDTH / 2 - 10, 52
    upright = [(classes[name], *each) for name, found in (intervals or {}).items() for each in found]
    values = [y for points in series.values() for _, y in points]
    values += [y for _, _, *ends in upright for y in ends]
    low, high = bounds or (min(values), max(values))
    same = high - low <= 1e-6 * abs(high)  # but for rounding
    margin = 0.0 if bounds else (abs(high) or 1.0) * 0.05 if same else (high - low) * 0.05
    low, high = low - margin, high + margin
    most = max(points[-1][0] for points in series.values()) or 1.0
    shown = {name: classes[name] for name in series} if len(series) > 1 else {}
    parts, top = _legend(shown, left, width)
    height = top + 160.0

    def x_of(value: float) -> float:
        return left + (width - left - _RIGHT) * value / most

    def y_of(value: float) -> float:
        return height - (height - top) * (min(max(value, low), high) - low) / (high - low)

    for number in _round_numbers(low, high, 5):
        y = y_of(number)
        parts.append(f'<line class="grid" x1="{left}" x2="{width - _RIGHT:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="end" x="{left - 6}" y="{y + 4:.1f}">{number:.6g}</text>')
    for number in _round_numbers(0, most, 4):
        x = x_of(number)
        parts.append(f'<text class="middle" x="{x:.1f}" y="{height + 14:.0f}">{_short(number)}</text>')
    parts.append(f'<text class="middle" x="{width / 2:.0f}" y="{height + 30:.0f}">{html.escape(unit)}</text>')
    parts += [
        f'<line class="interval {kind}" x1="{x_of(x):.1f}" x2="{x_of(x):.1f}" y1="{y_of(low):.1f}" '
        f'y2="{y_of(high):.1f}"/>'
        for kind, x, low, high in upright
    ]
    for name, points in series.items():
        places = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in points)
        words, kind = html.escape(name), classes[name]
        parts.append(f'<polyline class="series {kind}" points="{places}"><title>{words}</title></polyline>')
        for x, y in points if dots or len(points) == 1 else ():
            parts.append(
                f'<circle class="dot {kind}" cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3">'
                f"<title>{words}: {y:.6g} after {x:,.0f} {html.escape(unit)}</title></circle>"
            )
    return _svg("".join(parts), height + _AXIS, width)


def _legend(classes: Mapping[str, str], left: float, width: float) -> tuple[list[str], float]:
    """The legend in rows at the top, and its height."""
    parts, x, top = [], left, 4.0
    for name, kind in classes.items():
        room = 34 + _CHARACTER * len(name)
        if x > left and x + room > width:
            x, top = left, top + 18
        parts.append(f'<rect class="{kind}" x="{x:.0f}" y="{top:.0f}" width="12" height="12"/>')
        parts.append(f'<text x="{x + 16:.0f}" y="{top + 10:.0f}">{html.escape(name)}</text>')
        x += room
    return parts, top + (_ROW - 4 if parts else 4)


def _short(number: float) -> str:
    """A short form of a large number, such as 150M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def _round_numbers(low: float, high: float, about: int) -> list[float]:
    """About ``about`` round numbers from low to high: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [number * step for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _svg(content: str, height: float, width: float) -> str:
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img" '
        f'xmlns="http://www.w3.org/2000/svg">{content}</svg>'
    )
