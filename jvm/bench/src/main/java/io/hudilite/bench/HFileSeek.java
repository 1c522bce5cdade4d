package io.hudilite.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.hudilite.codec.hfile.HFile;
import io.hudilite.codec.hfile.HFileRecords;

import org.apache.hudi.io.ByteArraySeekableDataInputStream;
import org.apache.hudi.io.ByteBufferBackedInputStream;
import org.apache.hudi.io.compress.CompressionCodec;
import org.apache.hudi.io.hfile.HFileContext;
import org.apache.hudi.io.hfile.HFileReader;
import org.apache.hudi.io.hfile.HFileReaderImpl;
import org.apache.hudi.io.hfile.HFileWriter;
import org.apache.hudi.io.hfile.HFileWriterImpl;
import org.apache.hudi.io.hfile.KeyValue;
import org.apache.hudi.io.hfile.UTF8StringKey;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;
import scala.jdk.javaapi.CollectionConverters;

/** Opens an HFile of 200,000 records as long as those of a record index, in memory, and reads all of it or looks sorted keys
 * up, half of which it has; Hudi's own reader is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class HFileSeek {

    private static final int RECORDS = 200_000;
    private static final int VALUE_BYTES = 60;

    /** Bytes of a block: hudilite's and Hudi's own. */
    @Param({"65536", "1048576"})
    public int block;

    /** Keys of a lookup. */
    @Param({"10", "1000", "50000"})
    public int keys;

    private byte[] content;
    private List<String> asked;
    private scala.collection.immutable.Seq<byte[]> askedBytes;

    @Setup
    public void write() throws IOException {
        Random random = new Random(3);
        TreeSet<String> stored = new TreeSet<>();
        while (stored.size() < RECORDS) stored.add(uuid(random));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HFileContext context = HFileContext.builder().compressionCodec(CompressionCodec.GZIP).blockSize(block).build();
        try (HFileWriter writer = new HFileWriterImpl(context, out)) {
            byte[] value = new byte[VALUE_BYTES];
            for (String key : stored) {
                for (int i = 40; i < VALUE_BYTES; i++) value[i] = (byte) random.nextInt();
                writer.append(key, value.clone());
            }
        }
        content = out.toByteArray();
        ask(random, new ArrayList<>(stored));
    }

    private void ask(Random random, List<String> stored) {
        TreeSet<String> some = new TreeSet<>();
        while (some.size() < keys)
            some.add(some.size() % 2 == 0 ? stored.get(random.nextInt(RECORDS)) : uuid(random));
        asked = new ArrayList<>(some);
        List<byte[]> bytes = new ArrayList<>();
        for (String key : asked) bytes.add(key.getBytes(StandardCharsets.UTF_8));
        askedBytes = CollectionConverters.asScala(bytes).toVector();
    }

    private static String uuid(Random random) {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    @Benchmark
    public void lookup(Blackhole sink) {
        consume(HFile.of(content, "in memory").lookup(askedBytes), sink);
    }

    @Benchmark
    public void scan(Blackhole sink) {
        consume(HFile.of(content, "in memory").scan(), sink);
    }

    private static void consume(HFileRecords records, Blackhole sink) {
        while (records.next()) {
            sink.consume(records.key());
            sink.consume(records.value());
        }
    }

    @Benchmark
    public void lookupHudi(Blackhole sink) throws IOException {
        try (HFileReader reader = hudi()) {
            reader.seekTo(); // without it no key is found
            for (String key : asked)
                if (reader.seekTo(new UTF8StringKey(key)) == HFileReader.SEEK_TO_FOUND) consume(reader, sink);
        }
    }

    @Benchmark
    public void scanHudi(Blackhole sink) throws IOException {
        try (HFileReader reader = hudi()) {
            for (boolean more = reader.seekTo(); more; more = reader.next()) consume(reader, sink);
        }
    }

    private HFileReader hudi() throws IOException {
        HFileReader reader = new HFileReaderImpl(
            new ByteArraySeekableDataInputStream(new ByteBufferBackedInputStream(content)), content.length);
        reader.initializeMetadata();
        return reader;
    }

    private static void consume(HFileReader reader, Blackhole sink) throws IOException {
        KeyValue found = reader.getKeyValue().get();
        byte[] bytes = found.getBytes();
        sink.consume(java.util.Arrays.copyOfRange(bytes, found.getKeyContentOffset(),
            found.getKeyContentOffset() + found.getKeyContentLength()));
        sink.consume(java.util.Arrays.copyOfRange(bytes, found.getValueOffset(),
            found.getValueOffset() + found.getValueLength()));
    }
}
