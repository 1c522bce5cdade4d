"""Tables in the place of others: a write that brings other columns, and at times another key, order, type or index."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from engines import ORDERING

from fuzz import kinds
from fuzz.tables import MODEL, NAMES, PAYLOAD, Column, Spec, Wish, random_spec

#: First version whose tables may get other facts.
FIRST_WITH_FACTS = 8


def replacement(rng: random.Random, spec: Spec, columns: Sequence[Column]) -> Spec:
    """The table that takes the place of this one, with these columns by now."""
    if spec.version >= FIRST_WITH_FACTS and not spec.dropped and rng.random() < 0.5:
        return other_facts(rng, spec)
    return replace(spec, columns=other_columns(rng, spec, columns))


def other_columns(rng: random.Random, spec: Spec, columns: Sequence[Column]) -> list[Column]:
    """Some columns stay, some go, some get another type, and some come; those of the table's facts stay as they are."""
    made = []
    for name, ddl in columns:
        if name in spec.fixed or rng.random() < 0.5:
            made.append((name, ddl))
        elif rng.random() < 0.4:
            made.append((name, kinds.random_ddl(rng)))
    taken = {name.lower() for name, _ in made}
    fresh = [name for name in NAMES if name.lower() not in taken]
    return [*made, *((name, kinds.random_ddl(rng)) for name in rng.sample(fresh, rng.randint(1, 2)))]


def other_facts(rng: random.Random, spec: Spec) -> Spec:
    """Another table of this version, with as many partition columns."""
    partial = rng.random() < 0.3
    return random_spec(
        rng, Wish(version=spec.version, partitions=len(spec.partition), generated=spec.generated, partial=partial)
    )


def stated(spec: Spec) -> dict[str, str]:
    """The options that say all facts of the table in the place of another, also those that it does not have."""
    plain = "DefaultHoodieRecordPayload" if spec.event_time else "OverwriteWithLatestAvroPayload"
    return {ORDERING: "", PAYLOAD: MODEL + plain, **spec.options()}
