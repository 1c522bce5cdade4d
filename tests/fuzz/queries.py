"""Random queries. `{t}` stands for the table; each returns columns that JSON shows exactly."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fuzz.kinds import Kind, kind, name, quoted
from fuzz.tables import Column, Pools, Spec

META = (("_hoodie_record_key", "string"), ("_hoodie_partition_path", "string"))
COMPARISONS = ("=", "=", "<=>", "<", ">", "<=", ">=", "<>")


def counted(conditions: Sequence[str]) -> str:
    """How many rows meet each of these conditions, in one query."""
    listed = ", ".join(f"count_if({condition}) AS c{i}" for i, condition in enumerate(conditions))
    return f"SELECT {listed} FROM {{t}}"


class Queries:
    """Makes queries of a table with these columns."""

    def __init__(self, rng: random.Random, spec: Spec, pools: Pools, columns: Sequence[Column]) -> None:
        self.rng, self.spec, self.pools = rng, spec, pools
        self.columns = [(column, kind(ddl)) for column, ddl in columns]
        self.meta = [(column, kind(ddl)) for column, ddl in META if not (spec.generated and column == META[0][0])]
        self.kinds = dict([*self.columns, *self.meta])

    # ---- expressions

    def column(self, prefix: str = "") -> tuple[str, Kind]:
        """A column or a part of one."""
        favoured = [*self.spec.key, *self.spec.partition, *([self.spec.ordering] if self.spec.ordering else [])]
        if self.rng.random() < 0.35:
            column = self.rng.choice(favoured)
            return prefix + name(column), self.kinds[column]
        if self.rng.random() < 0.08:
            column, of = self.rng.choice(self.meta)
            return prefix + column, of
        column, of = self.rng.choice(self.columns)
        return self.inside(prefix + self.spelled(column), of)

    def spelled(self, column: str) -> str:
        return name(column)

    def inside(self, expression: str, of: Kind) -> tuple[str, Kind]:
        """The expression or something in its value."""
        if of.leaf or self.rng.random() < 0.3:
            return expression, of
        part, inner = self.rng.choice(of.parts)
        if of.ddl.startswith("struct"):
            return self.inside(f"{expression}.{name(part)}", inner)
        if of.ddl.startswith("array"):
            return self.inside(f"get({expression}, {self.rng.choice((0, 1))})", inner)
        return self.inside(f"try_element_at({expression}, {quoted(self.rng.choice(('k', 'n', 'é')))})", inner)

    def leaf(self, prefix: str = "") -> tuple[str, Kind]:
        """Something that can be compared."""
        while True:
            expression, of = self.column(prefix)
            if of.leaf:
                return expression, of

    def value(self, expression: str, of: Kind) -> str:
        """A literal for comparisons with the expression."""
        for column, pool in (*self.pools.keys.items(), *self.pools.partitions.items()):
            if expression.endswith(name(column)) and self.rng.random() < 0.8:
                known = [value for value in pool if value is not None]
                if known:
                    return of.of(self.rng.choice(known))
        if expression.endswith("_hoodie_record_key") and len(self.spec.key) == 1:
            return quoted(self.rng.choice(self.pools.keys[self.spec.key[0]]))
        return of.literal(self.rng)

    def predicate(self, levels: int = 2, prefix: str = "") -> str:
        """A condition; null for some rows."""
        if levels and self.rng.random() < 0.4:
            left, right = self.predicate(levels - 1, prefix), self.predicate(levels - 1, prefix)
            return self.rng.choice((f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"))
        expression, of = self.column(prefix)
        if not of.leaf:
            size = f"size({expression}) > 1"
            choices = [f"{expression} IS NULL", f"{expression} IS NOT NULL"]
            return self.rng.choice(choices if of.ddl.startswith("struct") else [*choices, size])
        return self.comparison(expression, of)

    def comparison(self, expression: str, of: Kind) -> str:
        match self.rng.choice(("compare", "compare", "compare", "in", "in", "null", "between", "text", "cast", "odd")):
            case "in":
                values = [self.value(expression, of) for _ in range(self.rng.choice((1, 2, 5, 12)))]
                values += ["NULL"] if self.rng.random() < 0.15 else []
                return f"{expression} {self.rng.choice(('IN', 'IN', 'NOT IN'))} ({', '.join(values)})"
            case "null":
                return f"{expression} IS {self.rng.choice(('', 'NOT '))}NULL"
            case "between":
                return f"{expression} BETWEEN {self.value(expression, of)} AND {self.value(expression, of)}"
            case "text" if of.ddl == "string":
                return self.about_text(expression)
            case "cast":
                return self.of_cast(expression, of)
            case "odd":
                return self.rng.choice((
                    f"coalesce({expression} = {self.value(expression, of)}, true)", "true", f"{expression} = NULL",
                    f"{self.value(expression, of)} {self.rng.choice(COMPARISONS)} {expression}",
                    f"if({expression} IS NULL, 1, 2) = {self.rng.choice((1, 2))}",
                ))  # fmt: skip
        return f"{expression} {self.rng.choice(COMPARISONS)} {self.value(expression, of)}"

    def about_text(self, expression: str) -> str:
        part = self.rng.choice(("k", "k0", "a", "é", "p", "日", "🦆", "", "1", "x"))
        return self.rng.choice((
            f"{expression} LIKE {quoted(part + '%')}", f"startswith({expression}, {quoted(part)})",
            f"{expression} LIKE {quoted('%' + part)}", f"contains({expression}, {quoted(part)})",
            f"{expression} NOT LIKE {quoted(part + '_%')}", f"upper({expression}) = {quoted(part.upper())}",
            f"length({expression}) > 1", f"substring({expression}, 1, 1) = {quoted(part[:1])}",
        ))  # fmt: skip

    def of_cast(self, expression: str, of: Kind) -> str:
        if of.number or of.ddl.startswith("decimal"):
            target = self.rng.choice(("decimal(38,10)", "string", "double"))
            value = f"cast({self.value(expression, of)} AS {target})"
            return f"cast({expression} AS {target}) {self.rng.choice(COMPARISONS)} {value}"
        if of.ddl in ("float", "boolean", "string"):
            return f"cast({expression} AS string) = cast({self.value(expression, of)} AS string)"
        return f"{expression} = {self.value(expression, of)}"

    def where(self, prefix: str = "") -> str:
        return f"WHERE {self.predicate(prefix=prefix)}" if self.rng.random() < 0.85 else ""

    # ---- queries

    def shown(self, count: int, prefix: str = "") -> str:
        """A select list."""
        chosen = [self.column(prefix) for _ in range(count)]
        return ", ".join(f"{of.shown(expression)} AS c{i}" for i, (expression, of) in enumerate(chosen))

    def everything(self) -> str:
        """All rows with all columns."""
        shown = [f"{of.shown(name(column))} AS c{i}" for i, (column, of) in enumerate(self.columns)]
        return f"SELECT {', '.join(shown)}, {', '.join(column for column, _ in self.meta)} FROM {{t}}"

    def any(self) -> str:
        """A query of any sort."""
        sorts = (
            (self.rows, 8), (self.aggregate, 4), (self.grouped, 3), (self.top, 2), (self.limited, 1),
            (self.distinct, 1), (self.joined, 2), (self.semi, 2), (self.with_itself, 1), (self.with_maximum, 1),
        )  # fmt: skip
        (made,) = self.rng.choices([sort for sort, _ in sorts], [weight for _, weight in sorts])
        return made()

    def rows(self) -> str:
        return f"SELECT {self.shown(self.rng.randint(1, 5))} FROM {{t}} {self.where()}"

    def filtered(self) -> str:
        """The keys of some rows and one more value of each: little to run beside what a scan does with its filter."""
        return f"SELECT {self.shown(1)}, {self.meta[0][0]} AS k FROM {{t}} WHERE {self.predicate()}"

    def aggregates(self, count: int) -> list[str]:
        made = ["count(*)"]
        for _ in range(count):
            expression, of = self.leaf()
            if of.number and self.rng.random() < 0.3:
                made.append(f"sum(cast({expression} AS decimal(38,0)))")
                continue
            function = self.rng.choice(("count", "min", "max", "count_distinct"))
            if function == "count_distinct":
                made.append(f"count(DISTINCT {expression})")
            elif function == "count" or of.ddl == "boolean":
                made.append(f"count({expression})")
            elif of.ddl in ("float", "double"):  # of 0.0 and -0.0 any may be the least
                made.append(f"{function}({expression}) + cast(0 AS {of.ddl})")
            else:
                made.append(of.shown(f"{function}({expression})"))
        return made

    def aggregate(self) -> str:
        listed = ", ".join(f"{made} AS c{i}" for i, made in enumerate(self.aggregates(self.rng.randint(0, 3))))
        return f"SELECT {listed} FROM {{t}} {self.where() if self.rng.random() < 0.6 else ''}"

    def grouped(self) -> str:
        expression, of = self.leaf()
        listed = ", ".join(f"{made} AS c{i}" for i, made in enumerate(self.aggregates(2)))
        having = "HAVING count(*) > 1" if self.rng.random() < 0.3 else ""
        return f"SELECT {of.shown(expression)} AS g, {listed} FROM {{t}} {self.where()} GROUP BY {expression} {having}"

    def distinct(self) -> str:
        chosen = [self.leaf() for _ in range(self.rng.randint(1, 2))]
        listed = ", ".join(f"{of.shown(expression)} AS c{i}" for i, (expression, of) in enumerate(chosen))
        return f"SELECT DISTINCT {listed} FROM {{t}} {self.where()}"

    def top(self) -> str:
        """Rows in an order that leaves nothing open."""
        chosen = [self.leaf() for _ in range(self.rng.randint(1, 3))]
        listed = ", ".join(f"{of.shown(expression)} AS c{i}" for i, (expression, of) in enumerate(chosen))
        orders = ", ".join(f"{expression} {self.rng.choice(('', 'DESC', 'NULLS LAST'))}" for expression, _ in chosen)
        texts = ", ".join(f"cast({of.shown(expression)} AS string)" for expression, of in chosen)
        limit = f"LIMIT {self.rng.choice((0, 1, 3, 10))}"
        return f"SELECT {listed} FROM {{t}} {self.where()} ORDER BY {orders}, {texts} {limit}"

    def limited(self) -> str:
        limit = self.rng.choice((0, 1, 2, 5, 1000))
        return f"SELECT count(*) AS c0 FROM (SELECT {self.shown(2)} FROM {{t}} {self.where()} LIMIT {limit})"

    def joining(self) -> tuple[str, Kind]:
        """A column to join by: often the key or a partition column."""
        names = [*self.spec.key, *self.spec.partition]
        if self.rng.random() < 0.7:
            column = self.rng.choice(names)
            return name(column), self.kinds[column]
        return self.leaf()

    def other(self, expression: str) -> str:
        """Rows of the model to join with."""
        some = f"WHERE {self.predicate(1)} ORDER BY 1 LIMIT {self.rng.choice((1, 5, 50))}"
        return f"(SELECT DISTINCT {expression} AS k FROM {{m}} {some})"

    def joined(self) -> str:
        expression, _ = self.joining()
        how = self.rng.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        hint = self.rng.choice(("", "", "/*+ BROADCAST(o) */", "/*+ MERGE(o) */", "/*+ SHUFFLE_HASH(o) */"))
        shown = self.shown(2, "a.")
        return (
            f"SELECT {hint} {shown}, cast(o.k AS string) AS k FROM {{t}} a {how} {self.other(expression)} o "
            f"ON a.{expression} = o.k {self.where('a.') if self.rng.random() < 0.4 else ''}"
            if not expression.startswith(("get(", "try_"))
            else self.rows()
        )

    def semi(self) -> str:
        expression, _ = self.joining()
        if self.rng.random() < 0.2:
            return f"SELECT {self.shown(2)} FROM {{t}} WHERE {expression} NOT IN {self.other(expression)}"
        return f"SELECT {self.shown(2)} FROM {{t}} WHERE {expression} IN {self.other(expression)}"

    def with_itself(self) -> str:
        expression = name(self.rng.choice([*self.spec.key, *self.spec.partition[:1]]))
        return (
            f"SELECT count(*) AS c0, count(a.{expression}) AS c1 FROM {{t}} a JOIN {{t}} b "
            f"ON a.{expression} = b.{expression} {self.where('a.')}"
        )

    def with_maximum(self) -> str:
        expression, of = self.leaf()
        if of.ddl == "boolean":
            return self.rows()
        largest = f"SELECT max({expression}) FROM {{t}} {self.where()}"
        return f"SELECT {self.shown(2)} FROM {{t}} WHERE {expression} = ({largest})"
