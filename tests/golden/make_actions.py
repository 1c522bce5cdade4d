"""Lets the real Apache Hudi take each kind of action on small tables with a metadata table, and keeps all files of every step.

    make_actions.py OUT --bundle HUDI_BUNDLE_JAR [--set actions|record-index|expressions] [--versions 6,8,9] [--only NAME]

OUT/<scenario>-v<version>/steps.json    one object a step: its name, the files that came or changed, those that went
OUT/<scenario>-v<version>/files/<n>     contents of files, by the numbers that the steps have for them
OUT/<set>.tar.gz                        all of it, files of one kind beside each other

A step is one action (an insert and the clustering that follows it are two), so that the tables before and after it can be made again. Files that only speak of the making, such as
checksums and markers, are left out.
"""

# ruff: noqa
# mypy: ignore-errors
# fmt: off
import argparse, datetime, decimal, hashlib, json, os, shutil, sys, tarfile, time
from pyspark.sql import SparkSession, functions as F

ap = argparse.ArgumentParser()
ap.add_argument("out"); ap.add_argument("--bundle", required=True)
ap.add_argument("--set", default="actions", choices=["actions", "record-index", "expressions"]); ap.add_argument("--versions", default="6,8,9"); ap.add_argument("--only", default="")
a = ap.parse_args()
spark = (SparkSession.builder.master("local[2]").appName("actions").config("spark.jars", a.bundle)
    .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
    .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.hudi.catalog.HoodieCatalog")
    .config("spark.kryo.registrator", "org.apache.spark.HoodieSparkKryoRegistrar")
    .config("spark.sql.shuffle.partitions", "1").config("spark.default.parallelism", "1")
    .config("spark.ui.enabled", "false").config("spark.driver.memory", "3g")
    .config("spark.sql.session.timeZone", "UTC").config("spark.sql.warehouse.dir", os.path.join(a.out, ".warehouse")).getOrCreate())
spark.sparkContext.setLogLevel("OFF")

INDEXES = {"hoodie.metadata.index.column.stats.enable": "true", "hoodie.metadata.index.partition.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true", "hoodie.metadata.compact.max.delta.commits": "1000",
    "hoodie.metadata.index.bloom.filter.file.group.count": "2"}

class Table:
    def __init__(self, name, version, **opts):
        self.dir = os.path.join(a.out, f"{name}-v{version}"); shutil.rmtree(self.dir, ignore_errors=True)
        self.path = os.path.join(a.out, ".tables", f"{name}-v{version}", "table"); shutil.rmtree(self.path, ignore_errors=True)
        os.makedirs(os.path.join(self.dir, "files")); self.steps = []; self.known = {}; self.contents = {}; self.version = version
        self.opts = {"hoodie.table.name": name.replace("-", "_"), "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "dt", "hoodie.datasource.write.precombine.field": "ts",
            "hoodie.write.table.version": str(version), "hoodie.write.auto.upgrade": "false",
            "hoodie.embed.timeline.server": "false", "hoodie.write.markers.type": "DIRECT",
            "hoodie.index.bloom.num_entries": "50", "hoodie.bloom.index.filter.dynamic.max.entries": "100",
            "hoodie.metadata.enable": "true", "hoodie.clean.automatic": "false", "hoodie.archive.automatic": "false",
            "hoodie.compact.inline": "false", "hoodie.clean.policy": "KEEP_LATEST_FILE_VERSIONS", "hoodie.clean.fileversions.retained": "1",
            "hoodie.cleaner.policy": "KEEP_LATEST_FILE_VERSIONS", "hoodie.cleaner.fileversions.retained": "1",
            "hoodie.upsert.shuffle.parallelism": "1", "hoodie.insert.shuffle.parallelism": "1",
            "hoodie.bulkinsert.shuffle.parallelism": "1", "hoodie.delete.shuffle.parallelism": "1", **INDEXES}
        self.opts.update(opts)
    def write(self, step, df, op="upsert", **opts):
        o = dict(self.opts); o.update({"hoodie.datasource.write.operation": op}); o.update(opts)
        df.write.format("hudi").options(**{k: v for k, v in o.items() if v is not None}).mode("append").save(self.path); self.keep(step)
    def call(self, step, body, **opts):
        jvm = spark._jvm; given = jvm.PythonUtils.toScalaMap({**self.opts, **opts})
        options = jvm.scala.collection.JavaConverters.mapAsJavaMapConverter(jvm.org.apache.hudi.HoodieWriterUtils.parametersWithWriteDefaults(given)).asJava()
        client = jvm.org.apache.hudi.DataSourceUtils.createHoodieClient(spark._jsc, None, self.path, self.opts["hoodie.table.name"], options)
        try: body(client)
        finally: client.close()
        self.keep(step)
    def done(self):
        folder = os.path.join(self.path, ".hoodie", "timeline"); folder = folder if os.path.isdir(folder) else os.path.join(self.path, ".hoodie")
        return sorted(f.split(".")[0].split("_")[0] for f in os.listdir(folder) if f.endswith((".commit", ".deltacommit", ".replacecommit")))
    def keep(self, step):
        now = {}
        for root, _, fs in os.walk(self.path):
            for f in fs:
                path = os.path.relpath(os.path.join(root, f), self.path)
                if not f.endswith(".crc") and "/.temp/" not in path and "/.heartbeat/" not in path:
                    now[path] = open(os.path.join(root, f), "rb").read()
        changed = {}
        for path, content in sorted(now.items()):
            digest = hashlib.sha256(content).hexdigest()
            if self.known.get(path) != digest:
                number = self.contents.setdefault(digest, len(self.contents)); changed[path] = number
                open(os.path.join(self.dir, "files", str(number)), "wb").write(content)
        gone = sorted(set(self.known) - set(now))
        self.known = {path: hashlib.sha256(content).hexdigest() for path, content in now.items()}
        self.steps.append({"step": step, "files": changed, "gone": gone})
        json.dump(self.steps, open(os.path.join(self.dir, "steps.json"), "w"), indent=0)
        print("  ", step, len(changed), "files,", len(gone), "gone", flush=True)

def rows(ids, ts, parts=("p1", "p2"), null=False):
    at = datetime.datetime(2026, 2, 3, 4, 5, 6, 789123)
    rs = [(f"k{i:03d}", ts, parts[i % len(parts)], i % 2 == 0, i - 3, float(i) / 7, i * 1.5 - ts, decimal.Decimal(i * 1001 - 3000) / 1000, (at + datetime.timedelta(days=i)).date(),
        at + datetime.timedelta(seconds=i * 3601), bytes([i % 256, 0, 255]), (i, f"s{i}"), None if null or i % 3 == 0 else f"blü{i}", None) for i in ids]
    return spark.createDataFrame(rs, "id string, ts long, dt string, b boolean, i int, f float, g double, d decimal(20,3), day date, at timestamp, raw binary, st struct<x:int,y:string>, nn string, none int")

# A column that may be null: one that is added later must.
extra = lambda text: F.when(F.col("ts") > 0, F.lit(text))

def cow(v):
    t = Table("cow", v)
    t.write("insert", rows(range(8), 1), "insert")
    t.write("upsert", rows([1, 3, 21], 2)); t.write("delete", rows([1], 3), "delete")
    t.write("upsert-all-null", rows([2, 4], 3, null=True))
    t.call("clean", lambda c: c.clean())
    t.write("column-added", rows([5, 7, 25], 4).withColumn("extra", extra("more")))
    t.write("rolled-back-write", rows([3, 8], 5).withColumn("extra", extra("gone")))
    t.call("rollback", lambda c: c.rollback(t.done()[-1]))
    t.write("insert-overwrite", rows(range(30, 34), 6, parts=("p1",)).withColumn("extra", extra("over")), "insert_overwrite")
    t.write("insert-and-cluster", rows(range(40, 44), 6).withColumn("extra", extra("small")), "insert", **{"hoodie.parquet.small.file.limit": "0",
        "hoodie.clustering.inline": "true", "hoodie.clustering.inline.max.commits": "1", "hoodie.clustering.plan.strategy.sort.columns": "i"})
    t.call("savepoint", lambda c: c.savepoint(t.done()[-1], "golden", "before the changes"))
    t.write("after-savepoint", rows(range(44, 48), 7, parts=("p1", "p3")).withColumn("extra", extra("later")))
    saved = t.done()[-2]
    t.call("restore", lambda c: c.restoreToSavepoint(saved))
    t.call("savepoint-deleted", lambda c: c.deleteSavepoint(saved))
    t.write("delete-partition", rows([1], 8, parts=("p2",)).withColumn("extra", extra("x")).limit(0), "delete_partition", **{"hoodie.datasource.write.partitions.to.delete": "p2"})
    t.call("clean-partition", lambda c: c.clean())
    t.write("insert-overwrite-table", rows(range(50, 54), 9).withColumn("extra", extra("all")), "insert_overwrite_table")

def none(): return spark._jvm.org.apache.hudi.common.util.Option.empty()

def mor(v):
    t = Table("mor", v, **{"hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.log.compaction.enable": "true", "hoodie.log.compaction.blocks.threshold": "1",
        "hoodie.compact.inline.max.delta.commits": "1"})
    off = {"hoodie.metadata.enable": "false"}
    t.write("insert-without", rows(range(8), 1), "insert", **off); t.write("upsert-without", rows([1, 3], 2), **off); t.write("delete-without", rows([2], 3), "delete", **off)
    t.write("initialised", rows([3, 4], 4))
    t.write("upsert", rows([5, 7], 5)); t.write("delete", rows([5], 6), "delete"); t.write("upsert-all-null", rows([6, 7], 6, null=True))
    planned = []
    t.call("log-compaction-planned", lambda c: planned.append(c.scheduleLogCompaction(none()).get()))
    t.call("log-compaction", lambda c: c.logCompact(planned[0], True))
    t.write("rolled-back-write", rows([3, 6], 7)); t.call("rollback", lambda c: c.rollback(t.done()[-1]))
    t.call("compaction-planned", lambda c: planned.append(c.scheduleCompaction(none()).get()))
    t.call("compaction", lambda c: c.compact(planned[-1], True))
    t.call("clean", lambda c: c.clean())
    t.write("upsert-on-compacted", rows([3, 6], 8))

def plain(v):
    t = Table("plain", v, **{"hoodie.datasource.write.partitionpath.field": "", "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator"})
    t.write("insert", rows(range(4), 1), "insert"); t.write("upsert", rows([1], 2)); t.call("clean", lambda c: c.clean())

# A metadata table with a record index alone beside the files, compacted every few writes.
KEYED = {"hoodie.metadata.index.column.stats.enable": "false", "hoodie.metadata.index.partition.stats.enable": "false", "hoodie.metadata.index.bloom.filter.enable": "false",
    "hoodie.metadata.record.index.enable": "true", "hoodie.metadata.global.record.level.index.enable": "true", "hoodie.index.type": "RECORD_INDEX", "hoodie.metadata.compact.max.delta.commits": "3",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
    **{f"hoodie.metadata.{name}.{bound}.filegroup.count": "3" for name in ("record.index", "global.record.level.index") for bound in ("min", "max")}}
keyed_rows = lambda ids, ts, **k: rows(ids, ts, **k).select("id", "ts", "dt", "i")

def keyed(v):
    # Twelve keys; then one that moves, one that goes, all written anew by a clustering, and at last two keys twice.
    t = Table("keyed", v, **KEYED)
    t.write("insert", keyed_rows(range(12), 1), "insert"); t.write("upsert", keyed_rows([1, 3, 21], 2)); t.write("delete", keyed_rows([1], 3), "delete")
    t.write("moved", keyed_rows([2], 4, parts=("p3",)), **{"hoodie.record.index.update.partition.path": "true"}); t.write("upsert-again", keyed_rows([5, 22], 5))
    t.write("insert-and-cluster", keyed_rows(range(30, 34), 6), "insert", **{"hoodie.parquet.small.file.limit": "0", "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "1", "hoodie.clustering.plan.strategy.sort.columns": "i"})
    t.write("twice", keyed_rows([3, 4], 7), "bulk_insert")

def keyed_mor(v):
    if v != 9: return
    t = Table("keyed-mor", v, **KEYED, **{"hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.compact.inline.max.delta.commits": "1"})
    t.write("insert", keyed_rows(range(12), 1), "insert"); t.write("upsert", keyed_rows([1, 3], 2)); t.write("upsert-and-insert", keyed_rows([2, 21], 3)); t.write("delete", keyed_rows([1], 4), "delete")
    planned = []
    t.call("compaction-planned", lambda c: planned.append(c.scheduleCompaction(none()).get())); t.call("compaction", lambda c: c.compact(planned[-1], True))
    t.write("upsert-on-compacted", keyed_rows([3, 6], 8))
    t.write("late-delete", keyed_rows([6], 2), "delete")

def keyed_in_partitions(v):
    # Groups of the index for each partition: a key of two partitions is two rows.
    if v != 9: return
    t = Table("keyed-in-partitions", v, **{**KEYED, "hoodie.metadata.record.index.enable": "false", "hoodie.metadata.global.record.level.index.enable": "false",
        "hoodie.metadata.record.level.index.enable": "true", "hoodie.index.type": "RECORD_LEVEL_INDEX", "hoodie.embed.timeline.server": "true",
        "hoodie.metadata.record.level.index.min.filegroup.count": "2", "hoodie.metadata.record.level.index.max.filegroup.count": "2"})
    t.write("insert", keyed_rows(range(12), 1), "insert"); t.write("other-partition", keyed_rows([2, 4], 2, parts=("p-3_x",))); t.write("upsert", keyed_rows([2, 23], 3)); t.write("delete", keyed_rows([5], 4), "delete")

# A metadata table with indexes of expressions beside the files.
EXPRESSED = {**{f"hoodie.metadata.index.{name}.enable": "false" for name in ("column.stats", "partition.stats", "bloom.filter")}, "hoodie.embed.timeline.server": "true",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider"}
expressed_rows = lambda ids, ts, **k: rows(ids, ts, **k).select("id", "ts", "dt", "day", F.initcap("nn").alias("nn"))

def indexed(t, v):
    for name in ("hoodie.metadata.enable", "hoodie.write.auto.upgrade", "hoodie.write.table.version", *EXPRESSED): spark.sql(f"set {name}={t.opts[name]}")
    table = f"{t.opts['hoodie.table.name']}_v{v}"; spark.sql(f"create table {table} using hudi location '{t.path}'")
    for name, column, options in [("low", "nn", "expr='lower'"), ("born", "day", "expr='year'"), ("begin", "id", "expr='substring', pos='1', len='3'")]:
        spark.sql(f"create index {name} on {table} using column_stats({column}) options({options})"); t.keep(f"index-{name}")

def expressed_cow(v):
    t = Table("expressed-cow", v, **EXPRESSED)
    t.write("insert", expressed_rows(range(8), 1), "insert"); indexed(t, v)
    t.write("upsert", expressed_rows([1, 3, 21], 2)); t.write("delete", expressed_rows([1], 3), "delete")
    t.write("upsert-all-null", expressed_rows([2, 4], 3, null=True)); t.call("clean", lambda c: c.clean())
    t.write("rolled-back-write", expressed_rows([3, 8], 5)); t.call("rollback", lambda c: c.rollback(t.done()[-1]))
    t.write("insert-overwrite", expressed_rows(range(30, 34), 6, parts=("p1",)), "insert_overwrite")
    t.write("insert-and-cluster", expressed_rows(range(40, 44), 6), "insert", **{"hoodie.parquet.small.file.limit": "0", "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "1", "hoodie.clustering.plan.strategy.sort.columns": "id"})

def expressed_mor(v):
    t = Table("expressed-mor", v, **EXPRESSED, **{"hoodie.datasource.write.table.type": "MERGE_ON_READ", "hoodie.compact.inline.max.delta.commits": "1"})
    t.write("insert", expressed_rows(range(8), 1), "insert"); t.write("upsert", expressed_rows([1, 3], 2)); t.write("delete", expressed_rows([2], 3), "delete"); indexed(t, v)
    t.write("upsert-again", expressed_rows([5, 7], 5)); t.write("delete-again", expressed_rows([5], 6), "delete"); t.write("upsert-all-null", expressed_rows([6, 7], 6, null=True))
    planned = []
    t.call("compaction-planned", lambda c: planned.append(c.scheduleCompaction(none()).get())); t.call("compaction", lambda c: c.compact(planned[-1], True))
    t.write("upsert-on-compacted", expressed_rows([3, 6], 8))

def expressed_plain(v):
    t = Table("expressed-plain", v, **EXPRESSED, **{"hoodie.datasource.write.partitionpath.field": "", "hoodie.datasource.write.keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator"})
    t.write("insert", expressed_rows(range(4), 1), "insert"); indexed(t, v); t.write("upsert", expressed_rows([1], 2))

SETS = {"actions": [cow, mor, plain], "record-index": [keyed, keyed_mor, keyed_in_partitions], "expressions": [expressed_cow, expressed_mor, expressed_plain]}
bad = 0
for v in [int(x) for x in a.versions.split(",")]:
    for f in SETS[a.set]:
        if a.only and f.__name__ not in a.only.split(","): continue
        s = time.time(); print(f.__name__, f"v{v}", flush=True)
        try: f(v); print("made", f.__name__, f"v{v}", f"{time.time() - s:.1f}s", flush=True)
        except Exception as ex: bad += 1; print("FAILED", f.__name__, f"v{v}", str(ex).replace("\n", " | ")[:1500], flush=True)
def pack():
    order = []
    for d in sorted(d for d in os.listdir(a.out) if os.path.exists(os.path.join(a.out, d, "steps.json"))):
        order.append((0, "", f"{d}/steps.json")); names = {}
        for step in json.load(open(os.path.join(a.out, d, "steps.json"))):
            for path, number in step["files"].items(): names.setdefault(number, path)
        kinds = lambda path: [".hoodie/metadata/.hoodie/" in path, ".hoodie/metadata/" in path and ".log." in path, path.endswith(".hfile"), path.endswith(".parquet"), ".log." in path, True].index(True)
        order += [(1 + kinds(path), os.path.splitext(path)[1] if kinds(path) in (0, 5) else "", f"{d}/files/{number}") for number, path in names.items()]
    plain = lambda info: setattr(info, "mtime", 0) or setattr(info, "uid", 0) or setattr(info, "gid", 0) or setattr(info, "uname", "") or setattr(info, "gname", "") or info
    with tarfile.open(os.path.join(a.out, f"{a.set}.tar.gz"), "w:gz", compresslevel=9) as tar:
        for _, _, name in sorted(order): tar.add(os.path.join(a.out, name), name, filter=plain)
if not bad: pack()
sys.exit(1 if bad else 0)
