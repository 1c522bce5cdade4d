"""The page of the Python API."""

from __future__ import annotations

import os
from pathlib import Path

import python_page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_page_says_what_the_docstrings_say() -> None:
    """`make docs` writes it again."""
    if os.environ.get("UPDATE") == "1":
        PAGE.write_text(python_page.page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == python_page.page(), "docs/python.md is stale; make docs"
