"""HTML that is made of elements, so that text is always escaped."""

from __future__ import annotations

from html import escape

_VOID = {"br", "meta"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


#: Content of an element: text, which is escaped, HTML, or nothing.
Child = str | Markup | None


def element(tag: str, /, *children: Child, **attributes: str | None) -> Markup:
    """One element.

    Parameters
    ----------
    tag
        Its name.
    *children
        Its content.
    **attributes
        Its attributes; ``class_`` is ``class``, and one that is None is left out.
    """
    named = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{named}>")
    return Markup(f"<{tag}{named}>{joined(*children)}</{tag}>")


def joined(*children: Child) -> Markup:
    """Elements and text one after the other."""
    return Markup("".join(c if isinstance(c, Markup) else escape(c) for c in children if c is not None))
