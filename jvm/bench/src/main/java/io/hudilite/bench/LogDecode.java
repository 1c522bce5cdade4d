package io.hudilite.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.hudilite.log.AvroBlock$;
import io.hudilite.log.AvroRecords;
import io.hudilite.log.LogBlock;
import io.hudilite.log.LogFileReader$;
import io.hudilite.spark.logfile.read.AvroRowDecoder;
import io.hudilite.storage.Storage;
import io.hudilite.transaction.lock.Process;

import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.types.StructType;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

/** Decodes the 10,000 records of one Avro log block; Avro's own generic reader is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class LogDecode {

    private static final String ALL = "key string, ts bigint, note string, zone int, fare double, "
        + "amount decimal(12,2), at timestamp, flag boolean";

    private String path;
    private byte[] content;
    private Schema schema;

    @Setup
    public void open() throws IOException {
        MergeOnReadTable table = new MergeOnReadTable();
        table.make();
        Path file = table.logFiles().get(0);
        path = file.toString();
        Storage storage = Process.current().storage(new Configuration());
        LogBlock block = LogFileReader$.MODULE$.blocks(storage, path, Files.size(file)).apply(0);
        content = LogFileReader$.MODULE$.content(storage, block, Files.size(file));
        schema = new Schema.Parser().parse(block.schemaJson());
        table.delete();
    }

    @Benchmark
    public void allColumns(Blackhole sink) {
        decode(ALL, sink);
    }

    @Benchmark
    public void twoColumns(Blackhole sink) {
        decode("key string, fare double", sink);
    }

    private void decode(String columns, Blackhole sink) {
        AvroRowDecoder decoder = new AvroRowDecoder(schema, StructType.fromDDL(columns), path);
        AvroRecords records = AvroBlock$.MODULE$.records(content, path);
        while (records.next()) sink.consume(decoder.decode(content, records.offset(), records.length()));
    }

    @Benchmark
    public void genericAvro(Blackhole sink) throws IOException {
        GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
        AvroRecords records = AvroBlock$.MODULE$.records(content, path);
        BinaryDecoder decoder = null;
        GenericRecord record = null;
        while (records.next()) {
            decoder = DecoderFactory.get().binaryDecoder(content, records.offset(), records.length(), decoder);
            record = reader.read(record, decoder);
            sink.consume(record);
        }
    }
}
