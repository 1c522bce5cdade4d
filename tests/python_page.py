"""docs/python.md, made from the docstrings of the package."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType, ModuleType

import hudilite

_HEAD = """# The Python API

<!-- made from the docstrings in python/hudilite; `make docs` writes it again -->

`trips` in the examples is `hudilite.table(spark, path)`: a merge-on-read table of three rows with the record key `id`,
the ordering field `ts` and the partition column `day`, and `path` is where it lies. Options are listed in
[options.md](options.md), errors in [errors.md](errors.md).
"""
#: Sections of a docstring, by their underlined titles.
_TITLE = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    functions = [name for name in hudilite.__all__ if isinstance(getattr(hudilite, name), FunctionType)]
    parts += ["\n## Functions\n", *(_function(f"hudilite.{n}", getattr(hudilite, n)) for n in functions)]
    bare = hudilite.inspect
    inner = [name for name in bare.__all__ if isinstance(getattr(bare, name), FunctionType)]
    parts += ["\n## Without Spark\n", *(_function(f"hudilite.inspect.{n}", getattr(bare, n)) for n in inner)]
    classes = [hudilite.HudiliteTable, hudilite.MergeBuilder, hudilite.OptimizeBuilder]
    for kind in classes:
        parts += [f"\n## {kind.__name__}\n", _text(kind)]
        parts += [_function(name, method) for name, method in _methods(kind)]
    parts += ["\n## Results\n", *(_result(kind) for kind in _results() if kind not in classes)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _methods(kind: type) -> Iterator[tuple[str, FunctionType]]:
    for name in sorted(dir(kind), key=str.lower):
        method = getattr(kind, name)
        if not name.startswith("_") and isinstance(method, FunctionType):
            yield name, method


def _results() -> list[type]:
    found: dict[str, type] = {}
    for owner in (hudilite, hudilite.inspect):
        for name in owner.__all__:
            thing = getattr(owner, name)
            if isinstance(thing, type) and not isinstance(thing, ModuleType):
                found.setdefault(name, thing)
    return [found[name] for name in sorted(found)]


def _function(name: str, function: FunctionType) -> str:
    plain = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    signature = re.sub(r"'([^']*)'", r"\1", plain)
    call = f"{name}{signature}"
    shown = f"### `{name}`\n\n```python\n{_wrapped(call)}\n```\n"
    return f"{shown}\n{_text(function)}"


def _wrapped(call: str) -> str:
    """A signature on one line, or with a parameter a line."""
    if len(call) <= 100:
        return call
    start, end = call.index("(") + 1, call.rindex(")")
    parts, depth = [""], 0
    for letter in call[start:end]:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return call[:start] + "\n" + "".join(f"    {part.strip()},\n" for part in parts) + call[end:]


def _result(kind: type) -> str:
    return f"### `{kind.__name__}`\n\n{_text(kind)}"


def _text(documented: object) -> str:
    found = _TITLE.split(inspect.getdoc(documented) or "")
    shown = [_prose(found[0])]
    for title, body in zip(found[1::2], found[2::2], strict=True):
        shown.append(f"{title}:\n\n{_examples(body) if title == 'Examples' else _entries(body)}")
    return "\n\n".join(part.strip("\n") for part in shown if part.strip()) + "\n"


def _entries(body: str) -> str:
    """Terms with what they mean."""
    lines: list[str] = []
    for line in body.strip("\n").splitlines():
        if line and not line.startswith(" "):
            lines.append(f"- `{line.strip()}`")
        elif line.strip():
            lines[-1] += (": " if lines[-1].endswith("`") and lines[-1].count("`") == 2 else " ") + _prose(line.strip())
    return "\n".join(_filled(line) for line in lines)


def _examples(body: str) -> str:
    """Examples with what they print, and the text between them."""
    blocks = re.split(r"\n\s*\n", body.strip("\n"))
    return "\n\n".join(f"```pycon\n{b}\n```" if b.startswith(">>>") else _prose(b) for b in blocks)


def _filled(line: str) -> str:
    return textwrap.fill(line, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _prose(text: str) -> str:
    """Markup of docstrings as Markdown has it."""
    text = re.sub(r":\w+:`([^`]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)
