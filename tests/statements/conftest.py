"""Doors to tables, made once a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import layout
import pytest
from sessions import Sessions

from statements.doors import DATABASE, Door, doors
from statements.templates import TEMPLATES, make


@pytest.fixture(scope="module")
def opened(sessions: Sessions, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Door]]:
    """The doors of this run by their names."""
    spark = sessions.get("connect")
    scratch = tmp_path_factory.mktemp("statements")
    spark.sql(f"CREATE DATABASE {DATABASE} LOCATION '{scratch}/warehouse/{DATABASE}.db'")
    spark.sql(
        f"CREATE TABLE {DATABASE}.other USING parquet AS SELECT id, day FROM VALUES (1, 'a'), (9, 'z') AS t(id, day)"
    )
    for name, template in TEMPLATES.items():
        make(spark, template, scratch / "templates" / name)
    made = doors(spark, scratch / "templates", scratch)
    yield made
    if "connect" in made:
        made["connect"].session.stop()  # else it looks for its server as the process ends
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


@pytest.fixture
def instants(opened: dict[str, Door]) -> Callable[[str], list[str]]:
    """The times of the writes of a template."""
    templates = opened["path"].templates
    return lambda on: [instant.requested for instant in layout.writes(templates / on)]
