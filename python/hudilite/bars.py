"""Progress of long services as a bar, in a terminal and in a notebook."""

from __future__ import annotations

import warnings
from typing import Any

from hudilite.errors import told


class Bar:
    """A bar to be called with how much is done and how much there is.

    It is the one of tqdm that fits where Python runs: widgets in a notebook that has them, else a line of text on the
    standard error.

    Raises
    ------
    ModuleNotFoundError
        When it is made and tqdm is not installed.
    """

    def __init__(self, what: str) -> None:
        self._bar: Any = _tqdm()(desc=what, total=0, dynamic_ncols=True)

    def __call__(self, done: int, total: int) -> None:
        """Show that much."""
        self._bar.total, self._bar.n = total, done
        self._bar.refresh()

    def close(self) -> None:
        """Leave it as it is; it may be called again."""
        self._bar.close()


def _tqdm() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a notebook without widgets, where text will do
        try:
            from tqdm.auto import tqdm
        except ModuleNotFoundError as e:
            what = "progress=True, where a function of how much is done and how much there is would do,"
            raise ModuleNotFoundError(told("PACKAGE_NOT_INSTALLED", what=what, package="tqdm", extra="progress")) from e
    return tqdm
