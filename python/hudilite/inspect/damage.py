"""Errors about damaged tables."""

from __future__ import annotations


class DamagedTable(ValueError):
    """The table's files contradict the format; the text begins with the name of hudilite's condition."""
