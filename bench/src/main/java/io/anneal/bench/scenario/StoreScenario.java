package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The store: writes, compactions and reads of single rows, all of rows of 1 KiB.
 *
 * <pre>
 * case                 anneal                                            cassandra                     limit
 * write-burst          mutations built and written from two threads,     the same rows through its
 *                      periodic, until the last is acknowledged          in-process write path
 * write-burst-flushed  until everything is in SSTables                   the same
 * write-steady         at a fifth of that rate: memory
 * write-batch-64       64 writers, each write on disk                                                  fdatasync
 * write-batch-64-async one thread that keeps 64 writes under way                                       fdatasync
 * write-batch-1        one writer                                                                      fdatasync
 * compact-4-half       four SSTables to one, half compressible           its compaction manager        chunks of four read, of
 * compact-4-random     the same of random bytes                          the same                      three written, synced
 * read-memtable        one row by its key, from a memtable               its local read
 * read-cached          the same from an SSTable in the page cache        the same
 * </pre>
 */
public final class StoreScenario {
    public static final String NAME = "store";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = List.of(
            "write-burst",
            "write-steady",
            "write-batch-64",
            "write-batch-64-async",
            "write-batch-1",
            "compact-4-half",
            "compact-4-random",
            "read-memtable",
            "read-cached");

    private static final List<String> WITHOUT_PEER =
            List.of("write-steady", "write-batch-64", "write-batch-64-async", "write-batch-1");

    private final BenchConfig config;
    private final StoreSizes sizes;
    private final Series series = new Series(NAME);

    public StoreScenario(BenchConfig config, StoreSizes sizes) {
        this.config = config;
        this.sizes = sizes;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        boolean wantsPeer = CASES.stream().anyMatch(name -> config.wants(name) && !WITHOUT_PEER.contains(name));
        try (StorePeer started = config.cassandra() && wantsPeer ? StorePeer.start(sizes, config.version()) : null) {
            Optional<StorePeer> peer = Optional.ofNullable(started);
            measureWrites(peer);
            measureBatches();
            CompactionCases compactions = new CompactionCases(config, sizes, series);
            if (config.wants("compact-4-half")) {
                compactions.measure("compact-4-half", TableShape.KILOBYTE_ROWS, peer);
            }
            if (config.wants("compact-4-random")) {
                compactions.measure("compact-4-random", TableShape.RANDOM_ROWS, peer);
            }
            measureReads(peer);
        }
        return series.records();
    }

    private void measureWrites(Optional<StorePeer> peer) throws IOException {
        WriteCases writes = new WriteCases(config, sizes, series);
        if (config.wants("write-burst") || config.wants("write-steady")) {
            // Without a burst nobody knows what a fifth of its rate is.
            double rowsPerSecond = writes.burst("write-burst", peer);
            if (config.wants("write-steady")) {
                writes.steady("write-steady", rowsPerSecond);
            }
        }
    }

    private void measureBatches() throws IOException {
        BatchCases batches = new BatchCases(config, sizes, series);
        if (config.wants("write-batch-64")) {
            batches.threads("write-batch-64", BatchCases.WRITERS);
        }
        if (config.wants("write-batch-64-async")) {
            batches.async("write-batch-64-async", BatchCases.WRITERS);
        }
        if (config.wants("write-batch-1")) {
            batches.threads("write-batch-1", 1);
        }
    }

    private void measureReads(Optional<StorePeer> peer) throws IOException {
        if (config.wants("read-memtable") || config.wants("read-cached")) {
            new ReadCases(config, sizes, series).measure("read-memtable", "read-cached", peer);
        }
    }
}
