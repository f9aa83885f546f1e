"""Line plots as small SVG files that read well on light and on dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT = 720, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 96, 34, 32
_COLOURS = ("#1f77b4", "#d9730d", "#2ca02c", "#9467bd")
# A grey of medium lightness is told apart from white and from near-black alike.
_GREY = "#868e96"


def line_plot(
    title: str,
    series: Mapping[str, Sequence[float]],
    *,
    marks: Mapping[str, float],
    top: float = 100.0,
    unit: str = " %",
    axis: str = "day",
) -> str:
    """Return the SVG of lines over 1, 2, 3, ...; `marks` are named heights drawn across as dashed lines."""
    longest = max(len(values) for values in series.values())

    def x(place: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * place / max(1, longest - 1), 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * min(value, top) / top, 1)

    parts = [_text(_LEFT, 18, title, size=13, anchor="start", weight="600")]
    for value in (0.0, top):
        parts += [_line(y(value)), _text(_LEFT - 6, y(value) + 4, f"{value:g}{unit}", anchor="end")]
    for name, value in marks.items():
        parts += [
            _line(y(value), dashes="5 4"),
            _text(_LEFT - 6, y(value) + 4, f"{value:g}{unit}", anchor="end"),
        ]
        parts.append(_text(_WIDTH - _RIGHT + 8, y(value) + 4, name, anchor="start"))
    every = max(1, round(longest / 6 / 5) * 5)
    for day in (1, *range(every, longest + 1, every)):
        parts.append(_text(x(day - 1), _HEIGHT - 12, f"{axis} {day}" if day == 1 else str(day)))
    for (name, values), colour, row in zip(series.items(), _COLOURS, range(len(series)), strict=False):
        points = " ".join(f"{x(place):g},{y(value):g}" for place, value in enumerate(values))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            _text(
                _WIDTH - 8 - 110 * (len(series) - 1 - row), 18, name, anchor="end", fill=colour, weight="600"
            )
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" font-family="system-ui, sans-serif" font-size="11">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _line(height: float, dashes: str = "") -> str:
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{height:g}" y2="{height:g}" stroke="{_GREY}" '
        f'stroke-opacity="0.6"{dash}/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 11,
    anchor: str = "middle",
    fill: str = _GREY,
    weight: str = "400",
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )
