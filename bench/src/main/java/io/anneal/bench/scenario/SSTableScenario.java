package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.ChunkFloor;
import io.anneal.bench.measure.RowHasher;
import io.anneal.bench.measure.Rows;
import io.anneal.fragment.FragmentCursor;
import io.anneal.schema.SchemaText;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reading and writing SSTables in one thread. All contenders read the same files, which our writer made, out of the page
 * cache; what is written is synced on every side.
 *
 * <pre>
 * case         anneal                           cassandra                    limit
 * scan         reads all rows, every value      its scanner, every cell      chunks read, checksum, LZ4
 * encode-hash  and encodes and hashes each row  its scanner alone            and bytes copied and hashed, a row's length each
 * write        scans and writes                 CQLSSTableWriter, sorted;    chunks read, checksum, LZ4, and LZ4, checksum,
 *                                               reading is left out          written, synced
 * merge-4      merges four SSTables             its scanners and merge       chunks of all four
 * </pre>
 *
 * Three further cases run a command in a process of its own, over an SSTable of the larger rows, and tell its heap:
 * {@code dump-memory}, {@code verify-memory}, {@code rewrite-memory}. They run only when they are named, since they want
 * more rows than the others.
 */
public final class SSTableScenario {
    public static final String NAME = "sstable";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = List.of(
            "scan-1k",
            "encode-hash-1k",
            "write-1k",
            "merge-4",
            "scan-small",
            "encode-hash-small",
            "write-small",
            "merge-4-small",
            "dump-memory",
            "verify-memory",
            "rewrite-memory");

    private static final int MERGED = 4;
    private static final List<String> COMMANDS = List.of("dump", "verify", "rewrite");
    private static final String MEMORY = "-memory";

    private final BenchConfig config;
    private final Rounds rounds;
    private final Stopwatch stopwatch;
    private final CommandMemory memory;

    /** @param command what the cases about memory run */
    public SSTableScenario(BenchConfig config, OwnCommand command) {
        this.config = config;
        memory = new CommandMemory(command, config.nanoTime());
        rounds = new Rounds(NAME, config);
        stopwatch = new Stopwatch(config.nanoTime());
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        try (PeerSide peer = config.cassandra() ? PeerSide.start(config.version()) : null) {
            List<BenchRecord> records = new ArrayList<>();
            for (TableShape shape : List.of(TableShape.KILOBYTE_ROWS, TableShape.SMALL_ROWS)) {
                records.addAll(ofOneSSTable(shape, Optional.ofNullable(peer)));
                records.addAll(ofSeveral(shape, Optional.ofNullable(peer)));
            }
            records.addAll(ofCommands());
            return records;
        }
    }

    private List<BenchRecord> ofOneSSTable(TableShape shape, Optional<PeerSide> peer) throws IOException {
        String suffix = shape == TableShape.KILOBYTE_ROWS ? "-1k" : "-small";
        String scan = "scan" + suffix;
        String encodeHash = "encode-hash" + suffix;
        String write = "write" + suffix;
        List<BenchRecord> records = new ArrayList<>();
        if (!config.wants(scan) && !config.wants(encodeHash) && !config.wants(write)) {
            return records;
        }
        try (GeneratedTable table = generate(shape, 1)) {
            if (config.wants(scan)) {
                records.addAll(rounds.measure(scan, scan(table, peer)));
            }
            if (config.wants(encodeHash)) {
                records.addAll(rounds.measure(encodeHash, encodeHash(table, peer)));
            }
            if (config.wants(write)) {
                records.addAll(rounds.measure(write, write(table, peer)));
            }
        }
        return records;
    }

    private List<BenchRecord> ofSeveral(TableShape shape, Optional<PeerSide> peer) throws IOException {
        String merge = "merge-" + MERGED + (shape == TableShape.KILOBYTE_ROWS ? "" : "-small");
        if (!config.wants(merge)) {
            return List.of();
        }
        try (GeneratedTable table = generate(shape, MERGED)) {
            return rounds.measure(merge, merge(table, peer));
        }
    }

    private List<BenchRecord> ofCommands() throws IOException {
        List<String> named = COMMANDS.stream()
                .filter(command -> config.cases().contains(command + MEMORY))
                .toList();
        if (named.isEmpty()) {
            return List.of();
        }
        List<BenchRecord> records = new ArrayList<>();
        try (GeneratedTable table = generate(TableShape.KILOBYTE_ROWS, 1)) {
            Path schema = table.directory().path().resolve("schema.cql");
            Files.writeString(schema, SchemaText.print(table.schema()));
            for (String command : named) {
                config.progress().accept(NAME + " " + command + MEMORY + ": running");
                try (TemporaryDirectory target = TemporaryDirectory.create("anneal-bench-" + command)) {
                    CommandMemory.Usage usage = memory.measure(arguments(command, table, schema, target), target);
                    String name = command + MEMORY;
                    records.add(record(name, BenchMetric.WALL, usage.wallSeconds()));
                    records.add(record(name, BenchMetric.PEAK_MEMORY, usage.peakHeapBytes()));
                }
            }
        }
        return records;
    }

    private static List<String> arguments(
            String command, GeneratedTable table, Path schema, TemporaryDirectory target) {
        List<String> arguments = new ArrayList<>(List.of("sstable", command, "--quiet", "--schema", schema.toString()));
        arguments.add(table.readers().get(0).descriptor().file(Component.DATA).toString());
        if (command.equals("rewrite")) {
            arguments.addAll(List.of("--to", target.path().resolve("out").toString()));
        }
        return arguments;
    }

    private static BenchRecord record(String caseName, BenchMetric metric, double value) {
        return BenchRecord.of(NAME, caseName, BenchSystem.ANNEAL, metric, new double[] {value});
    }

    private GeneratedTable generate(TableShape shape, int parts) throws IOException {
        config.progress().accept(NAME + ": writing " + config.rowCount() + " rows of " + shape);
        int rowCount = config.rowCount() / shape.rowsPerPartition() * shape.rowsPerPartition();
        return GeneratedTable.write(shape, rowCount, parts, config.version());
    }

    private List<Contender> scan(GeneratedTable table, Optional<PeerSide> peer) {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(contender(BenchSystem.ANNEAL, table, () -> {
            try (FragmentCursor cursor = table.scan()) {
                return Rows.read(cursor, table.rowCount());
            }
        }));
        peer.ifPresent(side -> contenders.add(side.scan(table)));
        contenders.add(contender(BenchSystem.LIMIT, table, () -> readChunks(table)));
        return contenders;
    }

    private List<Contender> encodeHash(GeneratedTable table, Optional<PeerSide> peer) {
        RowHasher hasher = new RowHasher(table.schema());
        int rowLengthBytes = (int) (table.dataLengthBytes() / table.rowCount());
        List<Contender> contenders = new ArrayList<>();
        contenders.add(contender(BenchSystem.ANNEAL, table, () -> {
            try (FragmentCursor cursor = table.scan()) {
                return hasher.hashAll(cursor, table.rowCount());
            }
        }));
        peer.ifPresent(side -> contenders.add(side.scan(table)));
        contenders.add(contender(BenchSystem.LIMIT, table, () -> {
            try (ChunkFloor floor = ChunkFloor.open(table.readers().get(0).descriptor())) {
                return floor.readAndHash(rowLengthBytes);
            }
        }));
        return contenders;
    }

    private List<Contender> write(GeneratedTable table, Optional<PeerSide> peer) {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(writer(BenchSystem.ANNEAL, table, table::copyTo));
        peer.ifPresent(side -> contenders.add(side.write(table)));
        contenders.add(writer(BenchSystem.LIMIT, table, target -> {
            try (ChunkFloor floor = ChunkFloor.open(table.readers().get(0).descriptor())) {
                return floor.rewrite(target.resolve("chunks"));
            }
        }));
        return contenders;
    }

    private List<Contender> merge(GeneratedTable table, Optional<PeerSide> peer) {
        List<Contender> contenders = new ArrayList<>();
        contenders.add(contender(BenchSystem.ANNEAL, table, () -> {
            try (FragmentCursor cursor = table.merge()) {
                return Rows.read(cursor, table.rowCount());
            }
        }));
        peer.ifPresent(side -> contenders.add(side.scan(table)));
        contenders.add(contender(BenchSystem.LIMIT, table, () -> readChunks(table)));
        return contenders;
    }

    private static long readChunks(GeneratedTable table) throws IOException {
        long sum = 0;
        for (SSTableReader reader : table.readers()) {
            try (ChunkFloor floor = ChunkFloor.open(reader.descriptor())) {
                sum += floor.read();
            }
        }
        return sum;
    }

    private Contender contender(BenchSystem system, GeneratedTable table, Stopwatch.Work work) {
        return new Contender(system, () -> stopwatch.measure(table.rowCount(), table.dataLengthBytes(), work));
    }

    /** Fills a directory, and returns what it did as a number. */
    @FunctionalInterface
    private interface WritingWork {
        long run(Path target) throws IOException;
    }

    /** Removing the files is not measured. */
    private Contender writer(BenchSystem system, GeneratedTable table, WritingWork work) {
        return new Contender(system, () -> {
            try (TemporaryDirectory target = table.directory().createInside(system.text())) {
                return stopwatch.measure(table.rowCount(), table.dataLengthBytes(), () -> work.run(target.path()));
            }
        });
    }
}
