package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.LocalParticipant;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairMaster;
import io.anneal.repair.RepairReport;
import io.anneal.repair.RowDifference;
import io.anneal.repair.message.ReadRate;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Whether the cost of a repair grows as the data does: each {@link RepairShape} at a size, at twice and at four times that
 * size, repaired once in this process from SSTables in the page cache. Twice as much should take twice the processor time.
 */
public final class RepairShapesScenario {
    public static final String NAME = "repair-shapes";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES =
            Stream.of(RepairShape.values()).map(RepairShape::text).toList();
    /** Rows of the largest shape, and what others are scaled by. */
    public static final int ROWS = RepairShape.ROWS;

    private static final int[] FACTORS = {1, 2, 4};
    /** What the JVM compiles before anything is measured. */
    private static final int WARM_UP_PART = 20;
    /** A cost that is the square of the size, from one size to the next. */
    private static final int SQUARE_STEP = 4;

    /** What a repair that is given up may take to close. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final double SECOND_NANOS = 1e9;

    private final BenchConfig config;
    private final long limitNanos;

    /** @param limitNanos a repair of one size that takes longer is given up, and with it the larger sizes */
    public RepairShapesScenario(BenchConfig config, long limitNanos) {
        this.config = config;
        this.limitNanos = limitNanos;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        List<BenchRecord> records = new ArrayList<>();
        for (RepairShape shape : RepairShape.values()) {
            if (!config.wants(shape.text())) {
                continue;
            }
            try {
                measure(shape, records);
            } catch (StuckException e) {
                config.progress().accept(NAME + ": " + e.getMessage());
                break;
            }
        }
        return records;
    }

    private void measure(RepairShape shape, List<BenchRecord> records) throws IOException {
        int size = shape.size(config.rowCount());
        repair(shape, Math.max(1, size / WARM_UP_PART));
        Run half = null;
        for (int factor : FACTORS) {
            if (half != null && half.wallNanos() > limitNanos / SQUARE_STEP) {
                say(shape, size * factor, "left out, half of it took %.1f s of wall time", half.wallSeconds());
                break;
            }
            Optional<Run> measured;
            try {
                measured = repair(shape, size * factor);
            } catch (OutOfMemoryError e) {
                // What the repair held is garbage by now, and the next shape may fit.
                say(shape, size * factor, "does not fit into the memory: give more with --memory");
                break;
            }
            if (measured.isEmpty()) {
                say(shape, size * factor, "given up after %.0f s", limitNanos / SECOND_NANOS);
                break;
            }
            Run run = measured.get();
            String caseName = shape.text() + "-x" + factor;
            records.add(record(caseName, BenchMetric.WALL, run.wallSeconds()));
            records.add(record(caseName, BenchMetric.CPU, run.cpuSeconds()));
            if (half != null) {
                double growth = run.cpuSeconds() / Math.max(1 / SECOND_NANOS, half.cpuSeconds());
                records.add(record(caseName, BenchMetric.CPU_GROWTH, growth));
            }
            say(shape, size * factor, "%.2f s of processor time", run.cpuSeconds());
            half = run;
        }
    }

    private void say(RepairShape shape, int size, String format, Object... values) {
        config.progress()
                .accept(NAME + " " + shape.text() + ", size " + size + ": "
                        + String.format(Locale.ROOT, format, values));
    }

    private static BenchRecord record(String caseName, BenchMetric metric, double value) {
        return BenchRecord.of(NAME, caseName, BenchSystem.ANNEAL, metric, new double[] {value});
    }

    /** Returns nothing when it took too long. Writing the replicas is not measured. */
    private Optional<Run> repair(RepairShape shape, int size) throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-" + NAME)) {
            Path behind = directory.path().resolve("behind");
            Path ahead = directory.path().resolve("ahead");
            shape.write(behind, ahead, size);
            try (StagingArea toBehind = staging(directory.path().resolve("to-behind"));
                    StagingArea toAhead = staging(directory.path().resolve("to-ahead"))) {
                ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                RepairReport report = bounded(shape, replica(behind, toBehind), replica(ahead, toAhead));
                Run run = stopwatch.run(size, 0);
                if (report.wereEqual() != (shape == RepairShape.WIDE_ROW_EQUAL)) {
                    throw new IOException("repair found something else than was written, shape=" + shape.text()
                            + ", size=" + size + ", equal=" + report.wereEqual());
                }
                return Optional.of(run);
            } catch (CancellationException e) {
                return Optional.empty();
            }
        }
    }

    private static StagingArea staging(Path directory) throws IOException {
        InstantSource clock = InstantSource.fixed(Instant.ofEpochSecond(RepairShape.NOW_SECONDS));
        return StagingArea.open(directory, NAME, clock);
    }

    private static CassandraReplicas replica(Path directory, StagingArea staging) {
        return new CassandraReplicas(List.of(directory), Optional.empty(), Optional.of(staging));
    }

    /** A repair that did not even say that it goes on. It cannot be stopped, and would disturb what is measured next. */
    private static final class StuckException extends IOException {
        private static final long serialVersionUID = 1;

        StuckException(RepairShape shape, long limitNanos) {
            super(String.format(
                    Locale.ROOT,
                    "%s given up after %.0f s within one window; this and all further cases are left out",
                    shape.text(),
                    limitNanos / SECOND_NANOS));
        }
    }

    private RepairReport bounded(RepairShape shape, CassandraReplicas behind, CassandraReplicas ahead)
            throws IOException {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<RepairReport> repair = executor.submit(() -> repair(shape, behind, ahead));
            return repair.get(Math.addExact(limitNanos, GRACE_NANOS), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new StuckException(shape, limitNanos);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CancellationException tooLong) {
                throw tooLong;
            }
            if (e.getCause() instanceof OutOfMemoryError full) {
                throw full;
            }
            throw new IOException("repair failed, shape=" + shape.text() + ", cause=" + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a repair ran");
        } finally {
            executor.shutdown();
        }
    }

    private RepairReport repair(RepairShape shape, CassandraReplicas behind, CassandraReplicas ahead)
            throws IOException {
        RepairConfig task = new RepairConfig(
                new UUID(0, 1),
                RepairShape.KEYSPACE,
                RepairShape.TABLE,
                List.of(TokenRange.FULL),
                shape.bufferBytes(),
                RepairShape.NOW_SECONDS,
                1,
                false,
                false,
                Optional.empty(),
                EnumSet.allOf(Waiver.class),
                1,
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Replica own = behind.open(RepairShape.KEYSPACE, RepairShape.TABLE, Optional.empty());
                LocalParticipant follower = new LocalParticipant("ahead", ahead, executor);
                RepairMaster master =
                        new RepairMaster(task, own, List.of(follower), new Deadline(config.nanoTime(), limitNanos))) {
            return master.run();
        } finally {
            // Ends after the closing of its replica, which removes what was not finished.
            executor.shutdown();
            awaitEnd(executor);
        }
    }

    private static void awaitEnd(ExecutorService executor) throws IOException {
        try {
            if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IOException("replica did not close within a minute");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends a repair that takes too long, as soon as it says anything. */
    private static final class Deadline implements RepairListener {
        private final LongSupplier nanoTime;
        private final long startNanos;
        private final long limitNanos;

        Deadline(LongSupplier nanoTime, long limitNanos) {
            this.nanoTime = nanoTime;
            this.limitNanos = limitNanos;
            startNanos = nanoTime.getAsLong();
        }

        private void check() {
            if (nanoTime.getAsLong() - startNanos > limitNanos) {
                throw new CancellationException("repair takes too long");
            }
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double covered) {
            check();
        }

        @Override
        public void deletionDiffers(DeletionDifference difference) {
            check();
        }

        @Override
        public void rowDiffers(RowDifference difference) {
            check();
        }
    }
}
