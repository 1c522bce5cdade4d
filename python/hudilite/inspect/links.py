"""Symbolic links in tables on the local disk (docs/format.md, "Paths")."""

from __future__ import annotations

import os

from hudilite.inspect.damage import DamagedTable


def check(table: str, folder: str, path: str) -> None:
    """Refuses a link to a folder that would be found twice, or without end.

    Parameters
    ----------
    table
        The table's base path.
    folder
        Where the link lies.
    path
        The link, or a folder that is none.

    Raises
    ------
    DamagedTable
        When it is a link that leads nowhere or back to the table, or that lies behind another link.
    """
    if not os.path.islink(path):
        return
    target, top = os.path.realpath(path), os.path.realpath(table)
    if not os.path.exists(path):
        reason = "it leads nowhere"
    elif _is_below(target, top) or _is_below(top, target):
        reason = f"it leads back to {target}"
    elif not _is_below(os.path.realpath(folder), top):
        reason = "it lies behind another link"
    else:
        return
    raise DamagedTable(
        f"[UNSUPPORTED_LINK] The table at {table} has the symbolic link {path}, which is not followed: {reason}."
    )


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
