"""A short life on a Spark that no tests run on: the notebook of first statements, and the services of a table."""

from __future__ import annotations

import tempfile

import first_statements
import pyspark

import hudilite

KEYS = {
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.precombine.field": "v",
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.compact.inline": "false",
}


def services() -> None:
    """Each kind of service once, with arguments that are left out and such as need quoting."""
    path = f'{tempfile.mkdtemp()}/it\'s `a` "table"'
    spark = hudilite.session("smoke", master="local[2]", **{"spark.ui.enabled": "false"})
    spark.sparkContext.setLogLevel("OFF")
    for v in (1, 2):
        rows = spark.range(10).selectExpr("id", f"{v} AS v")
        rows.write.format("hudilite").options(**KEYS).mode("append").save(path)
    table = hudilite.table(spark, path)
    assert table.schedule_compaction() is not None
    assert [group.rows for group in table.compact().groups] == [10]
    saved = table.savepoint(comment="it's saved")
    assert [s.comment for s in table.savepoints()] == ["it's saved"]
    assert len(table.cluster(sort_by=["v", "id"]).files) == 1
    table.delete_savepoint(saved.instant)
    assert table.rollback().write is not None
    table.clean(retain=1)
    table.archive()
    assert table.doctor() == [] and table.wait_for_services()
    assert {row["v"] for row in table.rows().collect()} == {2} and len(table.history(limit=2)) == 2
    spark.stop()


if __name__ == "__main__":
    services()
    first_statements.check(first_statements.run({"__name__": "first_statements"}))
    print(f"smoke on Spark {pyspark.__version__}: ok")
