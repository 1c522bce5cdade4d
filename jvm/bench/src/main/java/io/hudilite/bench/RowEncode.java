package io.hudilite.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.hudilite.spark.basefile.encode.FileSettings;
import io.hudilite.spark.basefile.encode.ParquetSchema$;
import io.hudilite.spark.basefile.encode.RowGroupBuffer;
import io.hudilite.spark.basefile.encode.RowGroupBuffer$;
import io.hudilite.spark.basefile.encode.TakenBytes;
import io.hudilite.spark.shim.PageStores$;

import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport;
import org.apache.spark.sql.types.StructType;
import org.openjdk.jmh.annotations.*;

/** Encodes 100,000 rows to the pages of a row group, in memory; Spark's ParquetWriteSupport on parquet's own column
 * writers, with the same pages and the same codec, is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class RowEncode {

    private static final int ROWS = 100_000;

    /** Columns: all of a base file, only numbers, only texts, or a struct, a list and a map. */
    @Param({"all", "numbers", "texts", "nested"})
    public String columns;

    @Param({"zstd", "uncompressed"})
    public String codec;

    private final Configuration conf = new Configuration();
    private StructType schema;
    private MessageType message;
    private List<InternalRow> rows;
    private FileSettings settings;

    private static final String TEXTS = "'20260101000000000' `_hoodie_commit_time`, "
        + "concat('20260101000000000_0_', id) `_hoodie_commit_seqno`, uuid(7) `_hoodie_record_key`, "
        + "'dt=2026-01-01' `_hoodie_partition_path`, 'f_0-0-0_20260101000000000.parquet' `_hoodie_file_name`, "
        + "md5(cast(id as string)) note, concat('zone', id % 200) zone";
    private static final String NUMBERS = "id ts, cast(id % 1000 as int) place, rand(3) fare, rand(4) tip, "
        + "cast(id % 97 as decimal(12,2)) amount, timestamp_millis(id * 1000) at, id % 2 = 0 flag";
    private static final String NESTED = "named_struct('a', id, 'b', md5(cast(id as string))) s, "
        + "array(id, id + 1, id + 2) l, map('x', id, 'y', id) m";

    @Setup
    public void open() {
        SparkSession spark = SparkSession.builder().master("local[1]").appName("bench")
            .config("spark.ui.enabled", "false").getOrCreate();
        spark.sparkContext().setLogLevel("ERROR");
        String select = columns.equals("texts") ? TEXTS : columns.equals("numbers") ? NUMBERS
            : columns.equals("nested") ? NESTED : TEXTS + ", " + NUMBERS;
        org.apache.spark.sql.Dataset<Row> data =
            spark.sql("select " + select.replace("uuid(7)", "concat_ws('-', md5(cast(id * 7 as string)), id % 7)")
                + " from range(0, " + ROWS + ", 1, 1)");
        schema = data.schema();
        message = ParquetSchema$.MODULE$.of(schema);
        rows = new ArrayList<>(ROWS);
        scala.collection.Iterator<InternalRow> all = data.queryExecution().executedPlan().executeToIterator();
        while (all.hasNext()) rows.add(all.next().copy());
        settings = new FileSettings(Long.MAX_VALUE, codec, 1L << 30, 1 << 20, 1000);
        // The format has decimals of fixed length, which Spark calls legacy; lists and maps are its newer ones.
        conf.set("spark.sql.parquet.writeLegacyFormat", columns.equals("nested") ? "false" : "true");
        conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS");
        conf.set("spark.sql.parquet.fieldId.write.enabled", "false");
        conf.setInt("parquet.compression.codec.zstd.level", 1);
        ParquetWriteSupport.setSchema(schema, conf);
        spark.stop();
    }

    @Benchmark
    public long sinks() {
        CodecFactory codecs = new CodecFactory(conf, settings.pageBytes());
        RowGroupBuffer group = new RowGroupBuffer(schema, message, settings, codecs,
            (scala.collection.immutable.Set<Object>) (Object) scala.collection.immutable.Set$.MODULE$.empty(),
            new TakenBytes());
        int width = schema.length();
        for (InternalRow row : rows) {
            for (int i = 0; i < width; i++) group.sinks()[i].put(row, i);
            group.added(1);
        }
        long bytes = 0;
        for (int i = 0; i < width; i++) {
            bytes += group.sinks()[i].bufferedBytes();
            group.sinks()[i].finish();
        }
        codecs.release();
        return bytes;
    }

    @Benchmark
    public long writeSupport() {
        CodecFactory codecs = new CodecFactory(conf, settings.pageBytes());
        ColumnChunkPageWriteStore pages = PageStores$.MODULE$.open(codecs, CompressionCodecName.fromConf(codec), message,
            new HeapByteBufferAllocator(), 64);
        ColumnWriteStore store = RowGroupBuffer$.MODULE$.properties("none", settings)
            .withDictionaryEncoding("_hoodie_record_key", false).withDictionaryEncoding("_hoodie_commit_seqno", false)
            .build().newColumnWriteStore(message, pages, pages);
        RecordConsumer consumer = new ColumnIOFactory().getColumnIO(message).getRecordWriter(store);
        ParquetWriteSupport support = new ParquetWriteSupport();
        support.init(conf);
        support.prepareForWrite(consumer);
        for (InternalRow row : rows) support.write(row);
        consumer.flush();
        long bytes = store.getBufferedSize();
        store.flush();
        store.close();
        codecs.release();
        return bytes;
    }
}
