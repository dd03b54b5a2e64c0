package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.ChunkFloor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What this machine can do at best with the libraries that Anneal uses, one thread: bytes in memory, files, the steps
 * that no reader can do without, and a socket. All other results are to be read beside these.
 */
public final class LimitsScenario {
    public static final String NAME = "limits";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = List.of(
            "lz4-compress",
            "lz4-decompress",
            "xxh3-128",
            "xxh64",
            "crc32",
            "array-copy",
            "file-read",
            "write-fsync",
            "fdatasync-4k",
            "sendfile",
            "floor-1k",
            "floor-small");

    private final BenchConfig config;
    private final Rounds rounds;
    private final Stopwatch stopwatch;

    public LimitsScenario(BenchConfig config) {
        this.config = config;
        rounds = new Rounds(NAME, config);
        stopwatch = new Stopwatch(config.nanoTime());
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        List<BenchRecord> records = new ArrayList<>();
        SampleBytes sample = SampleBytes.draw(config.rowCount());
        MemoryLimits memory = new MemoryLimits(sample);
        measure(records, "lz4-compress", sample.lengthBytes(), memory::compress);
        measure(records, "lz4-decompress", sample.lengthBytes(), memory::decompress);
        measure(records, "xxh3-128", sample.lengthBytes(), memory::xxh3);
        measure(records, "xxh64", sample.lengthBytes(), memory::xxh64);
        measure(records, "crc32", sample.lengthBytes(), memory::crc32);
        measure(records, "array-copy", sample.lengthBytes(), memory::copy);
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-limits")) {
            FileLimits files = new FileLimits(directory.path(), sample);
            measure(records, "file-read", sample.lengthBytes(), files::read);
            measure(records, "write-fsync", sample.lengthBytes(), files::write);
            measure(records, "fdatasync-4k", 0, files::syncBlock);
            measure(records, "sendfile", sample.lengthBytes(), files::sendFile);
        }
        floor(records, "floor-1k", TableShape.KILOBYTE_ROWS);
        floor(records, "floor-small", TableShape.SMALL_ROWS);
        return records;
    }

    private void measure(List<BenchRecord> records, String caseName, long bytes, Stopwatch.Work work)
            throws IOException {
        if (config.wants(caseName)) {
            Contender limit = new Contender(BenchSystem.LIMIT, () -> stopwatch.measure(0, bytes, work));
            records.addAll(rounds.measure(caseName, List.of(limit)));
        }
    }

    /** File read, checksum, LZ4, copy and hash: what reading for a comparison costs without parsing. */
    private void floor(List<BenchRecord> records, String caseName, TableShape shape) throws IOException {
        if (!config.wants(caseName)) {
            return;
        }
        config.progress().accept(NAME + ": writing " + config.rowCount() + " rows of " + shape);
        try (GeneratedTable table = GeneratedTable.write(shape, config.rowCount(), 1, config.version())) {
            long rows = config.rowCount();
            int rowLengthBytes = (int) (table.dataLengthBytes() / rows);
            Stopwatch.Work work = () -> {
                try (ChunkFloor floor = ChunkFloor.open(table.readers().get(0).descriptor())) {
                    return floor.readAndHash(rowLengthBytes);
                }
            };
            Contender limit =
                    new Contender(BenchSystem.LIMIT, () -> stopwatch.measure(rows, table.dataLengthBytes(), work));
            records.addAll(rounds.measure(caseName, List.of(limit)));
        }
    }
}
