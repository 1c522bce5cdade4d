"""`spark.catalog`, readers and writers of Python on tables by their names."""

from __future__ import annotations

from statements.known.gaps import NO_TABLE
from statements.statement import NAMED, WRITE, Statement, asks

_NEW = "spark.createDataFrame([(4, 'c', 4.0, 'four')], 'id int, day string, v double, name string')"
_STREAMLESS = "STATEMENT_NOT_SUPPORTED"
_FOUR = (4, "c", 4.0, "four")
_LISTED = "'$N' in [table.name for table in spark.catalog.listTables('stmts')]"
_ALL = [(1, "a", 1.0, "one"), (2, "a", 2.0, "two"), (3, "b", 3.0, None)]


def _writes(text: str, adds: object = (), removes: object = (), **more: object) -> Statement:
    return Statement(text, python=True, adds=adds, removes=removes, touches=WRITE, **more)  # type: ignore[arg-type]


def _refused(text: str, condition: str, said: str = "", **more: object) -> Statement:
    return Statement(text, python=True, condition=condition, text_of_error=said, **more)  # type: ignore[arg-type]


_STREAM = "spark.readStream.format('rate').load().selectExpr('CAST(value AS INT) AS id', \"'a' AS day\").writeStream"
_KEPT = ".option('checkpointLocation', '$DIR-checkpoint')"


KINDS = {
    "streams": [
        _refused("spark.readStream.format('hudilite').load('$DIR').schema", _STREAMLESS, "readStream"),
        _refused("spark.readStream.format('hudilite').schema('id INT').load('$DIR').schema", _STREAMLESS, "readStream"),
        _refused("spark.readStream.format('hudilite').load('$DIR-none').schema", "TABLE_NOT_FOUND", "$DIR-none"),
        _refused("spark.readStream.format('hudilite').load().schema", "MISSING_OPTION", "path"),
        _refused("spark.readStream.table('$T').schema", _STREAMLESS, "readStream"),
        _refused("spark.readStream.format('hudilite').table('$T').schema", _STREAMLESS, "incremental"),
        _refused("spark.sql('SELECT * FROM STREAM $T').schema", _STREAMLESS, "readStream", lines=("4",)),
        _refused(f"{_STREAM}.format('hudilite'){_KEPT}.start('$DIR')", _STREAMLESS, "writeStream"),
        _refused(f"{_STREAM}.format('hudilite'){_KEPT}.start('$DIR-none')", _STREAMLESS, "foreachBatch"),
        _refused(f"{_STREAM}.format('hudilite').option('path', '$DIR-none'){_KEPT}.start()", _STREAMLESS, "$DIR-none"),
        _refused(f"{_STREAM}.format('hudilite').partitionBy('day'){_KEPT}.start('$DIR-none')", _STREAMLESS),
        _refused(f"{_STREAM}.format('hudilite'){_KEPT}.start()", "MISSING_OPTION", "path"),
        _refused(f"{_STREAM}.format('hudilite'){_KEPT}.toTable('$T')", _STREAMLESS, "writeStream"),
        _refused(f"{_STREAM}{_KEPT}.toTable('$T')", _STREAMLESS, "foreachBatch"),
        _refused(
            f"{_STREAM}.format('hudilite').option('primaryKey', 'id'){_KEPT}.toTable('$P')", _STREAMLESS, "foreachBatch"
        ),
    ],
    "spark.catalog": [
        asks("spark.catalog.tableExists('$T')", True),
        asks("spark.catalog.tableExists('$P')", False),
        asks("spark.catalog.tableExists('nobody')", False),
        asks("spark.catalog.getTable('$T').name", "$N", doors=NAMED),
        asks("spark.catalog.getTable('$T').tableType", "MANAGED", doors=("name",)),
        asks("[column.name for column in spark.catalog.listColumns('$T')]", "id", "day", "v", "name"),
        asks("[column.name for column in spark.catalog.listColumns('$T') if column.isPartition]", "day"),
        # A classic session makes objects of the tables, which Spark cannot do where it interprets plans (Makefile).
        asks(_LISTED, True, doors=NAMED, lines=("3.5",)),
        asks(_LISTED, True, doors=("connect",), lines=("4",)),
        asks("spark.catalog.currentDatabase()", "stmts"),
        asks("spark.catalog.databaseExists('stmts')", True),
        asks("spark.catalog.isCached('$T')", False),
        Statement(
            "spark.catalog.cacheTable('$T')",
            python=True,
            then="spark.catalog.isCached('$T')",
            sees=(True,),
            undo=("UNCACHE TABLE $T",),
        ),
        asks("spark.catalog.refreshTable('$T')"),
        asks("spark.catalog.refreshByPath('$DIR')"),
        asks("spark.catalog.clearCache()"),
        _refused("spark.catalog.getTable('$P')", NO_TABLE),
        _refused("spark.catalog.listColumns('$P')", NO_TABLE),
        _refused("spark.catalog.recoverPartitions('$T')", ""),
    ],
    "readers": [
        asks("spark.table('$T').count()", 3),
        asks("spark.read.table('$T').where('id = 1').select('name')", "one"),
        asks("spark.read.option('versionAsOf', '$I1').table('$T').count()", 2),
        asks("spark.read.format('hudilite').load('$DIR').count()", 3),
        asks("spark.table('$T').columns", "id", "day", "v", "name"),
        asks("spark.table('$T').schema.simpleString()", "struct<id:int,day:string,v:double,name:string>"),
        asks("spark.read.table('$M.history').count()", 2),
        asks("spark.table('$T').select('_hoodie_record_key').distinct().count()", 3),
        _refused("spark.read.option('header', True).table('$T').collect()", "UNKNOWN_OPTION", "header"),
        _refused("spark.read.format('hudilite').load('$DIR-none')", "TABLE_NOT_FOUND", "$DIR-none"),
        _refused("spark.read.format('hudilite').load()", "", "path"),
        _refused("spark.read.format('hudilite').schema('x int').load('$DIR')", "", ""),
        _refused("spark.table('$P')", NO_TABLE),
    ],
    "writers": [
        _writes(f"{_NEW}.write.insertInto('$T')", [_FOUR]),
        _writes(f"{_NEW}.write.insertInto('$T', overwrite=True)", [_FOUR], _ALL),
        _writes(f"{_NEW}.writeTo('$T').append()", [_FOUR]),
        _writes(f"{_NEW}.writeTo('$T').overwritePartitions()", [_FOUR]),
        _writes(
            f"{_NEW}.writeTo('$T').overwrite(expr(\"day = 'c' or day = 'b'\"))",
            [_FOUR],
            _ALL[2:],
        ),
        _writes(
            f"{_NEW}.write.format('hudilite').mode('append').saveAsTable('$T')", [_FOUR], doors=("name", "connect")
        ),
        _writes(f"{_NEW}.write.format('hudilite').mode('append').save('$DIR')", [_FOUR]),
        _writes(f"{_NEW}.write.format('hudilite').mode('overwrite').save('$DIR')", [_FOUR], _ALL),
        _writes(
            f"{_NEW}.write.format('hudilite').mode('overwrite').option('replaceWhere', \"day = 'b'\").save('$DIR')".replace(
                "'c'", "'b'"
            ),
            [(4, "b", 4.0, "four")],
            _ALL[2:],
        ),
        _writes(
            f"{_NEW}.write.format('hudilite').mode('overwrite').option('partitionOverwriteMode', 'dynamic').save('$DIR')",
            [_FOUR],
        ),
        asks(f"{_NEW}.write.format('hudilite').mode('ignore').saveAsTable('$T')", doors=("name",)),
        _refused(
            f"{_NEW}.write.format('hudilite').saveAsTable('$T')",
            "TABLE_OR_VIEW_ALREADY_EXISTS|TABLE_ALREADY_EXISTS",
            doors=("name",),
        ),
        _refused(f"{_NEW}.write.format('hudilite').save('$DIR')", "TABLE_OR_VIEW_ALREADY_EXISTS|TABLE_ALREADY_EXISTS"),
        _refused(
            f"{_NEW}.writeTo('$T').using('hudilite').create()", "TABLE_OR_VIEW_ALREADY_EXISTS|TABLE_ALREADY_EXISTS"
        ),
        _refused(f"{_NEW}.writeTo('$P').append()", NO_TABLE),
        _refused(f"{_NEW}.writeTo('$T').option('header', 'x').append()", "UNKNOWN_OPTION", "header"),
        _refused(f"{_NEW}.drop('id').write.format('hudilite').mode('append').save('$DIR')", "MISSING_COLUMN", "id"),
        _refused(
            f"{_NEW}.write.format('hudilite').mode('append').option('mergeSchema', 'maybe').save('$DIR')",
            "INVALID_OPTION_VALUE",
            "mergeSchema",
        ),
        _refused(
            f"{_NEW}.write.format('hudilite').mode('append').option('hoodie.table.name', 'another').save('$DIR')",
            "OPTION_CONTRADICTS_TABLE",
            "",
        ),
        _refused(f"{_NEW}.write.format('hudilite').mode('append').bucketBy(4, 'id').save('$DIR')", ""),
    ],
    "readers and writers of other columns": [
        asks("list(spark.table('$T').inputFiles())"),
        asks("[f for f in spark.table('$T').join(spark.table('other'), 'id').inputFiles() if '/other/' not in f]"),
        _writes(f"{_NEW}.select('name', 'v', 'day', 'id').writeTo('$T').append()", [_FOUR]),
        _writes(
            f"{_NEW}.select('name', 'v', 'day', 'id').write.format('hudilite').mode('append').saveAsTable('$T')",
            [_FOUR],
            doors=("name", "connect"),
        ),
        _writes(f"{_NEW}.selectExpr('id', 'day AS name', 'v', 'name AS day').write.insertInto('$T')", [_FOUR]),
        Statement(
            f"{_NEW}.writeTo('$P').using('hudilite').tableProperty('primaryKey', 'id').createOrReplace()",
            python=True,
            touches=frozenset({"names"}),
            then="SELECT * FROM $P",
            sees=[_FOUR],
        ),
        _refused(f"{_NEW}.writeTo('$T').overwrite(expr('v > 1'))", "STATEMENT_NOT_SUPPORTED", "v"),
        _refused(f"{_NEW}.select('id', 'day').write.insertInto('$T')", "INSERT_COLUMN_ARITY_MISMATCH"),
        _refused(f"{_NEW}.selectExpr('*', '1 AS more').write.insertInto('$T')", "INSERT_COLUMN_ARITY_MISMATCH"),
        _refused(f"{_NEW}.write.partitionBy('name').insertInto('$T')", "", ""),
        _writes(f"{_NEW}.select('id', 'day').writeTo('$T').append()", [(4, "c", None, None)], lines=("4",)),
        _refused(f"{_NEW}.select('id', 'day').writeTo('$T').append()", "", "", lines=("3.5",)),
        _refused(
            f"{_NEW}.selectExpr('id', 'day', 'named_struct(\"x\", v) AS v', 'name').writeTo('$T').append()", "", "v"
        ),
        Statement(
            f"{_NEW}.writeTo('$P').using('hudilite').create()",
            python=True,
            touches=frozenset({"names"}),
            then="SELECT * FROM $P",
            sees=[_FOUR],
        ),
        _refused(f"{_NEW}.writeTo('$P').using('hudilite').tableProperty('primaryKey', 'id').replace()", NO_TABLE),
    ],
}
