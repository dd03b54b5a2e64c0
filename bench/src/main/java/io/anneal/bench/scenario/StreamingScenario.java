package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.measure.ChunkFloor;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Tables that go from one process to another over loopback and are synced there. Processor time is that of all processes;
 * bytes are those of the files in {@code whole}, uncompressed ones elsewhere.
 *
 * <pre>
 * case           anneal                            baseline                      limit                          cassandra
 * whole          an SSTable as it is, verified                                   sendfile and write, unchecked  entire SSTables
 * rows           rows of 1 KB                      requests, memtables, a flush                                 rows
 * small-cells    an SSTable of small rows as it is the same, row by row
 * partial        half of an SSTable                                              its chunks read and rewritten
 * partial-short  the same of shorter rows                                        the same
 * rebuild        half each of two sources at once  all of one source
 * many           1,000 SSTables at once            one after the other
 * </pre>
 */
public final class StreamingScenario {
    public static final String NAME = "streaming";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES =
            List.of("whole", "rows", "small-cells", "partial", "partial-short", "rebuild", "many");

    private static final int SMALL_ROWS_FACTOR = 4;
    /** About as many bytes as of the longer rows. */
    private static final int SHORT_ROWS_FACTOR = 4;
    /** Half of the ring, so half of the rows: it begins and ends within chunks. */
    private static final TokenRange MIDDLE = new TokenRange(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2);

    private static final List<TokenRange> ALL = List.of(TokenRange.FULL);
    private static final int STREAMS = 1_000;
    /** Fewer streams of a table that has less than this for each. */
    private static final int STREAM_ROWS_MIN = 100;

    private final BenchConfig config;
    private final OwnCommand command;
    private final Series series = new Series(NAME);

    public StreamingScenario(BenchConfig config, OwnCommand command) {
        this.config = config;
        this.command = command;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-streaming")) {
            if (config.wants("whole") || config.wants("rows") || config.wants("partial")) {
                kilobyteRows(directory);
            }
            if (config.wants("partial-short")) {
                shortRows(directory);
            }
            if (config.wants("small-cells")) {
                smallCells(directory);
            }
            if (config.wants("rebuild")) {
                rebuild(directory);
            }
            if (config.wants("many")) {
                many(directory);
            }
        }
        return series.records();
    }

    private StreamingTables.Drawn draw(TemporaryDirectory parent, TableShape shape, int factor, int parts)
            throws IOException {
        Path directory = parent.createInside("source").path();
        return StreamingTables.make(directory, shape, (long) factor * config.rowCount(), config.version(), parts);
    }

    private StreamingSides start(TemporaryDirectory directory, List<StreamingTables.Drawn> sources) throws IOException {
        return StreamingSides.start(
                command, config.nanoTime(), directory.createInside("target").path(), sources);
    }

    private void kilobyteRows(TemporaryDirectory directory) throws IOException {
        StreamingTables.Drawn drawn = draw(directory, TableShape.KILOBYTE_ROWS, 1, 1);
        try (StreamingSides sides = start(directory, List.of(drawn))) {
            if (config.wants("whole")) {
                besideCassandra(
                        "whole",
                        sides,
                        drawn,
                        drawn.fileBytes(),
                        List.of(
                                new Contender(
                                        BenchSystem.ANNEAL,
                                        () -> sides.stream(sides.replicas(), drawn.fileBytes(), ALL)
                                                .run()),
                                new Contender(BenchSystem.LIMIT, () -> bareCopy(sides, drawn, directory))));
            }
            if (config.wants("rows")) {
                besideCassandra(
                        "rows",
                        sides,
                        drawn,
                        drawn.dataBytes(),
                        List.of(
                                rows(sides, drawn, BenchSystem.ANNEAL),
                                new Contender(BenchSystem.BASELINE, () -> sides.oldWay(drawn.dataBytes()))));
            }
            if (config.wants("partial")) {
                partial("partial", sides, drawn, directory);
            }
        }
    }

    private void partial(
            String caseName, StreamingSides sides, StreamingTables.Drawn drawn, TemporaryDirectory directory)
            throws IOException {
        measure(
                caseName,
                sides,
                List.of(
                        new Contender(
                                BenchSystem.ANNEAL,
                                () -> sides.stream(sides.replicas(), drawn.dataBytes() / 2, List.of(MIDDLE))
                                        .run()),
                        new Contender(BenchSystem.LIMIT, () -> rewriteHalf(sides, drawn, directory))));
    }

    private void shortRows(TemporaryDirectory directory) throws IOException {
        StreamingTables.Drawn drawn = draw(directory, TableShape.SHORT_ROWS, SHORT_ROWS_FACTOR, 1);
        try (StreamingSides sides = start(directory, List.of(drawn))) {
            partial("partial-short", sides, drawn, directory);
        }
    }

    /** The same with Cassandra's own, if that is wanted; its files are those of ours. */
    private void besideCassandra(
            String caseName,
            StreamingSides sides,
            StreamingTables.Drawn drawn,
            long dataBytes,
            List<Contender> contenders)
            throws IOException {
        if (!config.cassandra()) {
            measure(caseName, sides, contenders);
            return;
        }
        say(caseName, "starting two Cassandra nodes");
        boolean entire = caseName.equals("whole");
        try (StreamingNodes nodes = StreamingNodes.start(config.nanoTime(), drawn, config.version(), entire)) {
            List<Contender> all = new ArrayList<>(contenders);
            all.add(new Contender(BenchSystem.CASSANDRA, () -> nodes.rebuild(dataBytes)));
            measure(caseName, sides, all);
        }
    }

    private static Contender rows(StreamingSides sides, StreamingTables.Drawn drawn, BenchSystem system) {
        return new Contender(
                system,
                () -> sides.stream(RowsOnly.of(sides.replicas()), drawn.dataBytes(), ALL)
                        .run());
    }

    private static Run bareCopy(StreamingSides sides, StreamingTables.Drawn drawn, TemporaryDirectory parent)
            throws IOException {
        try (TemporaryDirectory into = parent.createInside("bare")) {
            return sides.bareCopy(drawn, into.path());
        }
    }

    private static Run rewriteHalf(StreamingSides sides, StreamingTables.Drawn drawn, TemporaryDirectory parent)
            throws IOException {
        try (TemporaryDirectory into = parent.createInside("bare");
                ChunkFloor chunks = ChunkFloor.open(drawn.sstable())) {
            int quarter = chunks.chunkCount() / 4;
            return sides.measure(
                    drawn.dataBytes() / 2,
                    () -> chunks.rewrite(into.path().resolve("data"), quarter, chunks.chunkCount() - quarter));
        }
    }

    private void smallCells(TemporaryDirectory directory) throws IOException {
        StreamingTables.Drawn drawn = draw(directory, TableShape.SMALL_ROWS, SMALL_ROWS_FACTOR, 1);
        try (StreamingSides sides = start(directory, List.of(drawn))) {
            measure(
                    "small-cells",
                    sides,
                    List.of(
                            new Contender(
                                    BenchSystem.ANNEAL,
                                    () -> sides.stream(sides.replicas(), drawn.dataBytes(), ALL)
                                            .run()),
                            rows(sides, drawn, BenchSystem.BASELINE)));
        }
    }

    private void rebuild(TemporaryDirectory directory) throws IOException {
        StreamingTables.Drawn first = draw(directory, TableShape.KILOBYTE_ROWS, 1, 2);
        StreamingTables.Drawn second = draw(directory, TableShape.KILOBYTE_ROWS, 1, 2);
        try (StreamingSides sides = start(directory, List.of(first, second))) {
            List<TokenRange> halves = StreamingTables.parts(2);
            measure(
                    "rebuild",
                    sides,
                    List.of(
                            new Contender(
                                    BenchSystem.ANNEAL,
                                    () -> sides.stream(sides.replicas(), first.dataBytes(), halves)
                                            .run()),
                            new Contender(
                                    BenchSystem.BASELINE,
                                    () -> sides.stream(sides.replicas(), first.dataBytes(), ALL)
                                            .run())));
            // The same where each byte comes once.
            sent("rebuild", BenchSystem.ANNEAL, sides.stream(sides.replicas(), first.dataBytes(), halves));
            sent("rebuild", BenchSystem.BASELINE, sides.stream(sides.replicas(), first.dataBytes(), ALL));
        }
    }

    private void sent(String caseName, BenchSystem system, StreamingSides.Streamed streamed) {
        series.add(caseName, system, BenchMetric.BYTES_SENT, streamed.sentBytes());
    }

    private void many(TemporaryDirectory directory) throws IOException {
        int streams = Math.max(1, Math.min(STREAMS, config.rowCount() / STREAM_ROWS_MIN));
        StreamingTables.Drawn drawn = draw(directory, TableShape.KILOBYTE_ROWS, 1, streams);
        try (StreamingSides sides = start(directory, List.of(drawn))) {
            List<TokenRange> parts = StreamingTables.parts(streams);
            measure(
                    "many",
                    sides,
                    List.of(
                            new Contender(
                                    BenchSystem.ANNEAL,
                                    () -> sides.stream(sides.replicas(), drawn.dataBytes(), parts)
                                            .run()),
                            new Contender(
                                    BenchSystem.BASELINE,
                                    () -> sides.stream(sides.replicas(), drawn.dataBytes(), ALL)
                                            .run())));
            for (int round = 0; round < config.runs(); round++) {
                double[] rates =
                        sides.stream(sides.replicas(), drawn.dataBytes(), parts).bytesPerSecond();
                series.add("many", BenchSystem.ANNEAL, BenchMetric.SLOWEST_RATE, rates[0]);
                series.add("many", BenchSystem.ANNEAL, BenchMetric.MEDIAN_RATE, rates[rates.length / 2]);
            }
        }
    }

    /** All in turn, and ours once more while memory is watched. */
    private void measure(String caseName, StreamingSides sides, List<Contender> contenders) throws IOException {
        say(caseName, "warming up");
        for (Contender contender : contenders) {
            Warming.warm(config, contender);
        }
        say(caseName, "measuring");
        for (int round = 0; round < config.runs(); round++) {
            for (Contender contender : contenders) {
                series.add(caseName, contender.system(), contender.work().run());
            }
        }
        say(caseName, "watching memory");
        Contender own = contenders.get(0);
        series.add(caseName, own.system(), BenchMetric.PEAK_MEMORY, sides.peakBytes(own));
    }

    private void say(String caseName, String step) {
        config.progress().accept(NAME + " " + caseName + ": " + step);
    }
}
