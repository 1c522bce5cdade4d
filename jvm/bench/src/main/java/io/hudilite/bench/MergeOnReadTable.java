package io.hudilite.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A merge-on-read table of one slice: 200,000 rows of eight columns in a base file, 10 % of them upserted into log files. */
@State(Scope.Benchmark)
public class MergeOnReadTable {

    static final int ROWS = 200_000;
    static final int UPSERTS = 2;

    private Path folder;
    SparkSession spark;

    @Setup
    public void make() throws IOException {
        folder = Files.createTempDirectory("hudilite-bench");
        spark = SparkSession.builder().master("local[1]").appName("bench")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.extensions", "io.hudilite.spark.HudiliteExtensions")
            .getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        write(rows(1, 0), "bulk_insert");
        for (int version = 1; version <= UPSERTS; version++) write(rows(20, version), "upsert");
    }

    private Dataset<Row> rows(int step, int version) {
        return spark.range(0, ROWS, step, 1).selectExpr(
            "lpad(cast(id as string), 20, '0') key", "id + " + version + " ts", "md5(cast(id as string)) note",
            "cast(id % 1000 as int) zone", "rand(" + version + ") fare", "cast(id % 97 as decimal(12,2)) amount",
            "timestamp_millis(id * 1000) at", "id % 2 = 0 flag");
    }

    private void write(Dataset<Row> rows, String operation) {
        rows.write().format("hudilite").mode(SaveMode.Append)
            .option("hoodie.table.name", "bench")
            .option("hoodie.datasource.write.table.type", "MERGE_ON_READ")
            .option("hoodie.datasource.write.recordkey.field", "key")
            .option("hoodie.datasource.write.precombine.field", "ts")
            .option("hoodie.datasource.write.operation", operation)
            .save(path());
    }

    String path() {
        return folder.resolve("t").toString();
    }

    List<Path> logFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(path()))) {
            return files.filter(f -> f.getFileName().toString().contains(".log.")
                && !f.getFileName().toString().endsWith(".crc")).sorted().collect(Collectors.toList());
        }
    }

    @TearDown
    public void delete() throws IOException {
        spark.stop();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) Files.delete(file);
        }
    }
}
