"""What is raised about tables that are not as they should be."""

from __future__ import annotations


class DamagedTable(ValueError):
    """What the table's files say cannot be right; the text begins with the name of hudilite's condition."""
