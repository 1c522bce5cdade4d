package io.hudilite.bench;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.hudilite.codec.bloom.BloomFilter;
import io.hudilite.codec.bloom.BloomFilter$;

import org.apache.hadoop.util.bloom.Key;
import org.apache.hadoop.util.hash.Hash;
import org.apache.hudi.common.bloom.SimpleBloomFilter;
import org.openjdk.jmh.annotations.*;

/** Adds 60,000 record keys to a bloom filter, and asks for as many that it has and as many that it lacks, as a lookup asks
 * most files; Hadoop's filter, of the same bits, and Hudi's are the yardsticks. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class KeyFilter {

    private static final int KEYS = 60_000;
    private static final double FALSE_ANSWERS = 0.000000001;

    private final byte[][] keys = new byte[KEYS][];
    private final byte[][] absent = new byte[KEYS][];
    private int bits;
    private int hashes;
    private BloomFilter full;
    private org.apache.hadoop.util.bloom.BloomFilter fullOfHadoop;
    private SimpleBloomFilter fullOfHudi;

    @Setup
    public void open() {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = key(i);
            absent[i] = key(i + KEYS);
        }
        double ln2 = Math.log(2);
        bits = (int) Math.ceil(KEYS * (-Math.log(FALSE_ANSWERS) / (ln2 * ln2)));
        hashes = (int) Math.ceil(ln2 * bits / KEYS);
        full = add();
        fullOfHadoop = addHadoop();
        fullOfHudi = addHudi();
    }

    private static byte[] key(int i) {
        return new UUID(i * 0x9e3779b97f4a7c15L, i).toString().getBytes(StandardCharsets.UTF_8);
    }

    @Benchmark
    public BloomFilter add() {
        BloomFilter filter = BloomFilter$.MODULE$.create("SIMPLE", KEYS, FALSE_ANSWERS, KEYS);
        for (byte[] key : keys) filter.add(key, 0, key.length);
        filter.keyCount();
        return filter;
    }

    @Benchmark
    public org.apache.hadoop.util.bloom.BloomFilter addHadoop() {
        org.apache.hadoop.util.bloom.BloomFilter filter =
            new org.apache.hadoop.util.bloom.BloomFilter(bits, hashes, Hash.MURMUR_HASH);
        for (byte[] key : keys) filter.add(new Key(key));
        return filter;
    }

    @Benchmark
    public SimpleBloomFilter addHudi() {
        SimpleBloomFilter filter = new SimpleBloomFilter(KEYS, FALSE_ANSWERS, Hash.MURMUR_HASH);
        for (byte[] key : keys) filter.add(key);
        return filter;
    }

    @Benchmark
    public int ask() {
        return found(keys);
    }

    @Benchmark
    public int askAbsent() {
        return found(absent);
    }

    private int found(byte[][] asked) {
        int found = 0;
        for (byte[] key : asked) if (full.mightContain(key, 0, key.length, Integer.MAX_VALUE)) found++;
        return found;
    }

    @Benchmark
    public int askHadoop() {
        return foundByHadoop(keys);
    }

    @Benchmark
    public int askAbsentHadoop() {
        return foundByHadoop(absent);
    }

    private int foundByHadoop(byte[][] asked) {
        int found = 0;
        for (byte[] key : asked) if (fullOfHadoop.membershipTest(new Key(key))) found++;
        return found;
    }

    @Benchmark
    public int askHudi() {
        return foundByHudi(keys);
    }

    @Benchmark
    public int askAbsentHudi() {
        return foundByHudi(absent);
    }

    // It takes texts alone.
    private int foundByHudi(byte[][] asked) {
        int found = 0;
        for (byte[] key : asked) if (fullOfHudi.mightContain(new String(key, StandardCharsets.UTF_8))) found++;
        return found;
    }
}
