"""The site of `make site` has every page, each once and below its purpose."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
NAVIGATION = SITE.partition("\nnav:\n")[2]


def test_each_page_is_in_the_navigation_once() -> None:
    shown = re.findall(r"^ +- [^\n]*: (\S+\.md)$", NAVIGATION, re.MULTILINE)
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    pages += [page for folder in ("docs", "benchmarks") for page in (ROOT / folder).rglob("*.md")]
    assert sorted(shown) == sorted(str(page.relative_to(ROOT)) for page in pages)


def test_pages_are_in_the_order_of_their_purpose() -> None:
    purposes = re.findall(r"^  - ([^:\n]+):", NAVIGATION, re.MULTILINE)
    expected = ["Start", "Guide", "SQL", "Python", "Coming from", "Operations", "Reference", "Design"]
    assert [purpose.split(" Delta")[0] for purpose in purposes] == expected


def test_a_reader_asks_no_other_server() -> None:
    assert "font: false" in SITE and "http" not in SITE
