"""Asserts on error conditions: the bracketed name at the start of a message is hudilite's contract."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def fails_with(condition: str, *mentions: str) -> Iterator[None]:
    """The block must fail with this condition, in a message that names each of `mentions`."""
    with pytest.raises(Exception) as caught:
        yield
    message = str(caught.value)
    assert f"[{condition}]" in message, message[:2000]
    start = message.index(f"[{condition}]")
    for mention in mentions:
        assert mention in message[start : start + 1500], message[start : start + 1500]
