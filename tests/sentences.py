"""Sentences of pages and of Python sources, and the words that none of them begins with."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def words() -> list[str]:
    """First words that no sentence has, from the house rules, which `CommentsSuite` reads, too."""
    rule = re.search(r"None begins with (.*?):", (ROOT / "CONTRIBUTING.md").read_text())
    assert rule, "the house rules name the words"
    return re.split(", | or ", rule[1])


def refused(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences that begin with one of the words and are no questions."""
    begins = re.compile(rf"({'|'.join(words())})\b")
    return (sentence for sentence in sentences if begins.match(sentence) and not sentence.endswith("?"))


def of_page(text: str) -> Iterator[str]:
    """Headings, and the sentences of paragraphs and lists; tables and blocks of code have none."""
    prose = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in re.split(r"\n\s*\n|\n(?= *(?:[-*|#>]|\d+\.) ?)", prose):
        if not block.lstrip().startswith("|"):
            yield from _of_block(re.sub(r"^\s*(?:[-*#>]+|\d+\.)? *", "", block))


def of_python(source: str) -> Iterator[str]:
    """Sentences of docstrings and of comments; comments on consecutive lines are one text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            for block in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                # The text of a parameter or attribute is set in below its name.
                for _, lines in groupby(block.splitlines(), lambda line: line[:1].isspace()):
                    yield from _of_block("\n".join(lines))
    for text in _comments(source):
        yield from _of_block(text)


def _comments(source: str) -> Iterator[str]:
    text, last = "", 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield text
                text = ""
            text, last = f"{text} {token.string.lstrip('#: ')}", token.start[0]
    yield text


def _of_block(block: str) -> Iterator[str]:
    flat = " ".join(re.sub(r"`[^`]*`", "code", block).split())
    yield from (part.lstrip("*_([") for part in re.split(r"(?<=[.:?!;)*]) (?=[*_(\[]*[A-Z])", flat))
