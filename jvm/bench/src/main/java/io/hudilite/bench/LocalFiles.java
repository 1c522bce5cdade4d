package io.hudilite.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;

import io.hudilite.storage.HadoopFiles$;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.openjdk.jmh.annotations.*;

/** Creates and deletes a small local file; Hadoop's own file system is the yardstick. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LocalFiles {

    private final Configuration conf = new Configuration();
    private Path file;
    private FileSystem own;
    private FileSystem hadoops;

    @Setup
    public void open() throws IOException {
        java.nio.file.Path folder = Files.createTempDirectory("hudilite-bench");
        file = new Path(folder.resolve("f").toUri());
        own = HadoopFiles$.MODULE$.fileSystem(file, conf);
        hadoops = file.getFileSystem(conf);
    }

    @TearDown
    public void close() throws IOException {
        hadoops.delete(file.getParent(), true);
    }

    @Benchmark
    public void create() throws IOException {
        write(own);
    }

    @Benchmark
    public void createHadoop() throws IOException {
        write(hadoops);
    }

    private void write(FileSystem files) throws IOException {
        try (FSDataOutputStream out = files.create(file, true)) {
            out.writeLong(1L);
        }
        files.delete(file, false);
    }
}
