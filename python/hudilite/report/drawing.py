"""Drawings of matplotlib as SVG that stands in a page: its colours are the page's, light or dark."""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hudilite import wording
from hudilite.markup import Markup, element

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

#: Colours by their names in the style sheet. These values only stand for them: the page has one set for each theme.
INK, QUIET, GRID, PAPER = "#010102", "#010103", "#010104", "#010105"
WRITES, SERVICES, UNDO, LOGS = "#010106", "#010107", "#010108", "#010109"
_VARIABLES = {
    INK: "ink", QUIET: "quiet", GRID: "line", PAPER: "card", WRITES: "blue", SERVICES: "amber", UNDO: "red",
    LOGS: "violet",
}  # fmt: skip
_WIDTH_INCHES = 9.4
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have dollars in it
    "font.size": 9,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.labelcolor": QUIET,
    "axes.edgecolor": GRID,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.major.pad": 7,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "figure.facecolor": "none",
    "legend.frameon": False,
    "legend.fontsize": 9,
}
_OWN_IDS = re.compile(r' id="(?:figure|axes|patch|text|line2d|legend|xtick|ytick|matplotlib\.axis|[A-Z]\w+)_\d+"')


class Tips:
    """Text of a shape when the mouse is over it."""

    def __init__(self, chart: str) -> None:
        self._chart = chart
        self.texts: dict[str, str] = {}

    def add(self, artist: Any, text: str) -> None:
        """Say ``text`` of a shape."""
        gid = f"{self._chart}-{len(self.texts)}"
        artist.set_gid(gid)
        self.texts[gid] = text


def svg(name: str, height_inches: float, label: str, draw: Callable[[Axes, Tips], None]) -> Markup:
    """One drawing.

    Parameters
    ----------
    name
        Its name in the page: two drawings of a page have different ones.
    height_inches
        Its height at a width of 9.4 inches; the page scales both.
    label
        Description for readers who cannot see it.
    draw
        Draws it on axes.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    tips, out = Tips(name), io.StringIO()
    with matplotlib.rc_context({**_SETTINGS, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font lacks, which the browser's has
        figure = Figure(figsize=(_WIDTH_INCHES, height_inches), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.subplots(), tips)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _embedded(out.getvalue(), label, tips.texts)


def _embedded(text: str, label: str, tips: Mapping[str, str]) -> Markup:
    """The drawing without what only a file of its own needs."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _OWN_IDS.sub("", text)
    text = re.sub(r'(<svg [^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?) height="[^"]*"', r"\1", text, count=1)
    for value, variable in _VARIABLES.items():
        text = text.replace(value, f"var(--{variable})")
    for gid, tip in tips.items():
        text = text.replace(f'<g id="{gid}">', f'<g id="{gid}">{element("title", tip)}', 1)
    described = f' role="img">{element("title", label)}'
    return Markup(re.sub(r"(<svg [^>]*?)>", lambda m: m[1] + described, text, count=1))


def in_bytes(axis: Axis, most: float | None = None) -> None:
    """Label an axis with sizes; a linear one up to ``most`` at about five round ones."""
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    if most is not None:
        unit = 1024 ** int(math.log(max(most / 2, 1), 1024))
        step = next(n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if n * unit * 6 >= most)
        axis.set_major_locator(MultipleLocator(step * unit))
    axis.set_major_formatter(FuncFormatter(lambda value, _: wording.size(value) if value >= 0 else ""))
