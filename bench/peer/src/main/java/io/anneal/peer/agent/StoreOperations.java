package io.anneal.peer.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.ReadExecutionController;
import org.apache.cassandra.db.SinglePartitionReadCommand;
import org.apache.cassandra.db.partitions.UnfilteredPartitionIterator;
import org.apache.cassandra.db.rows.Cell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.service.StorageService;
import org.apache.cassandra.utils.FBUtilities;

/**
 * What a node does below CQL, to be measured: mutations through commit log and memtable, reads of one partition,
 * compactions. Tables are of {@link DrawnRows}.
 */
final class StoreOperations {
    private static final long SEED_OF_CHOICES = 7;

    private StoreOperations() {}

    /**
     * Applies the mutations of that many rows, drawn in the loop, from some threads. Answers time and processor time of
     * the process until the last is acknowledged, then the same until all of it is flushed, if it is to be.
     */
    static List<List<String>> write(ColumnFamilyStore store, long seed, long rows, int threads, boolean flushes)
            throws InterruptedException {
        DrawnRows drawn = new DrawnRows(store.metadata(), seed);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            ProcessMeter meter = new ProcessMeter();
            List<Future<?>> writers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                long first = thread;
                writers.add(executor.submit(() -> {
                    for (long id = first; id < rows; id += threads) {
                        drawn.mutation(id).apply();
                    }
                }));
            }
            await(writers);
            List<String> acknowledged = List.of(meter.wallNanos(), meter.cpuNanos());
            if (flushes) {
                store.forceBlockingFlush(ColumnFamilyStore.FlushReason.USER_FORCED);
            }
            return List.of(acknowledged, List.of(meter.wallNanos(), meter.cpuNanos()));
        } finally {
            executor.shutdownNow();
        }
    }

    private static void await(List<Future<?>> writers) throws InterruptedException {
        for (Future<?> writer : writers) {
            try {
                writer.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("writing failed", e.getCause());
            }
        }
    }

    /** Reads partitions chosen at random; answers the median time of one in nanoseconds. */
    static List<List<String>> read(ColumnFamilyStore store, long seed, long rows, int reads) {
        DrawnRows drawn = new DrawnRows(store.metadata(), seed);
        SplittableRandom random = new SplittableRandom(SEED_OF_CHOICES);
        long[] nanos = new long[reads];
        for (int i = 0; i < reads; i++) {
            long id = random.nextLong(rows);
            long start = System.nanoTime();
            long valueBytes = read(store, drawn, id);
            nanos[i] = System.nanoTime() - start;
            if (valueBytes == 0) {
                throw new IllegalStateException("row is not there, id=" + id);
            }
        }
        Arrays.sort(nanos);
        return List.of(List.of(Long.toString(nanos[reads / 2])));
    }

    private static long read(ColumnFamilyStore store, DrawnRows drawn, long id) {
        SinglePartitionReadCommand command = SinglePartitionReadCommand.fullPartitionRead(
                store.metadata(), FBUtilities.nowInSeconds(), drawn.key(id));
        long valueBytes = 0;
        try (ReadExecutionController controller = command.executionController();
                UnfilteredPartitionIterator partitions = command.executeLocally(controller)) {
            while (partitions.hasNext()) {
                try (UnfilteredRowIterator partition = partitions.next()) {
                    while (partition.hasNext()) {
                        if (partition.next() instanceof Row row) {
                            for (Cell<?> cell : row.cells()) {
                                valueBytes += cell.valueSize();
                            }
                        }
                    }
                }
            }
        }
        return valueBytes;
    }

    /** Moves the SSTables of a directory into the table, unverified; answers how many there are then. */
    static List<List<String>> take(ColumnFamilyStore store, String directory) {
        store.importNewSSTables(Set.of(directory), false, false, false, false, false, false, false);
        return List.of(List.of(Integer.toString(store.getLiveSSTables().size())));
    }

    /** Compacts all SSTables into one, as fast as it can; answers time and processor time of the process. */
    static List<List<String>> compact(ColumnFamilyStore store) {
        int throttle = DatabaseDescriptor.getCompactionThroughputMebibytesPerSecAsInt();
        StorageService.instance.setCompactionThroughputMbPerSec(0);
        try {
            ProcessMeter meter = new ProcessMeter();
            store.forceMajorCompaction();
            return List.of(List.of(meter.wallNanos(), meter.cpuNanos()));
        } finally {
            StorageService.instance.setCompactionThroughputMbPerSec(throttle);
        }
    }
}
