package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedMutations;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.QuerierPages;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.ReadQuery;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Pages of a table with queriers kept between them, beside the same pages read without. No case keeps data in a cache of its own;
 * the system's page cache is warm.
 *
 * <pre>
 * case                  anneal                                  beside
 * range-5000            all rows in pages of 5,000, four        baseline: rounds of 1, 2, 4 ... chunks
 *                       scanners, a quarter of the ring each;
 *                       eight SSTables a shard overlap
 * range-5000-compacted  one SSTable a shard                     the same
 * range-100             pages of 100                            the same
 * range-100-compacted                                           the same
 * partition             one partition of all rows, pages of     baseline: opened anew at each page
 *                       1,000, from eight SSTables
 * reverse               the same against clustering order       the same
 * partition-compacted, reverse-compacted: from one SSTable      the same
 * pager                 all rows of the compacted table, pages  limit: scan and canonical encoding alone
 *                       of 5,000, one scanner
 * pager-alone           the same, nothing read ahead            the same
 * abandoned             10,000 scans that end after a page:
 *                       memory and files that are left
 * scanners              1,000 scanners at once, 64 MiB for all
 * loopback              all rows of the compacted table from       cassandra: through the Java driver
 *                       another process, pages of 5,000
 * loopback-100          one partition, pages of 100             the same
 * </pre>
 *
 * <p>Ranges and partitions stand beside Cassandra's own paging over the same SSTables, if it is wanted.
 */
public final class PagingScenario {
    public static final String NAME = "paging";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = List.of(
            "range-5000",
            "range-100",
            "range-5000-compacted",
            "range-100-compacted",
            "pager",
            "pager-alone",
            "abandoned",
            "scanners",
            "partition",
            "reverse",
            "partition-compacted",
            "reverse-compacted",
            "loopback",
            "loopback-100");

    private static final List<String> COMPACTED =
            List.of("range-5000-compacted", "range-100-compacted", "pager", "pager-alone", "abandoned", "scanners");
    private static final List<String> BESIDE_CASSANDRA = CASES.stream()
            .filter(name -> name.startsWith("range")
                    || name.startsWith("loopback")
                    || name.startsWith("partition")
                    || name.startsWith("reverse"))
            .toList();
    private static final int RANGE_SCANNERS = 4;
    private static final int PAGE_LARGE = 5_000;
    private static final int PAGE_MEDIUM = 1_000;
    private static final int PAGE_SMALL = 100;
    private static final int BUFFER_BYTES = 64 << 10;

    private final BenchConfig config;
    private final OwnCommand command;
    private final PagingSizes sizes;
    private final Series series = new Series(NAME);

    public PagingScenario(BenchConfig config, OwnCommand command, PagingSizes sizes) {
        this.config = config;
        this.command = command;
        this.sizes = sizes;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        boolean wantsPeer = config.cassandra() && wantsAny(BESIDE_CASSANDRA);
        try (PagingPeer started = wantsPeer ? PagingPeer.start(PagedStore.SHAPE.schema(), config.version()) : null) {
            Optional<PagingPeer> peer = Optional.ofNullable(started);
            if (wantsAny(COMPACTED) || config.wants("range-5000") || config.wants("range-100")) {
                measureMixed(peer);
            }
            measurePartition("", PagedStore.PARTS, peer);
            measurePartition("-compacted", 1, peer);
            measureLoopback(peer);
        }
        return series.records();
    }

    private boolean wantsAny(List<String> cases) {
        return cases.stream().anyMatch(config::wants);
    }

    private void measureMixed(Optional<PagingPeer> peer) throws IOException {
        config.progress().accept(NAME + ": writing " + config.rowCount() + " rows");
        try (PagedStore store = PagedStore.ofMixedPartitions(config, PagedStore.SHARDS)) {
            Table table = store.table();
            PagingPeer.take(peer, table);
            List<ReadQuery> quarters = PagedScans.ofRing(RANGE_SCANNERS);
            compare("range-5000", table, quarters, PAGE_LARGE, peer);
            compare("range-100", table, quarters, PAGE_SMALL, peer);
            if (!wantsAny(COMPACTED)) {
                return;
            }
            table.compact();
            PagingPeer.take(peer, table);
            compare("range-5000-compacted", table, quarters, PAGE_LARGE, peer);
            compare("range-100-compacted", table, quarters, PAGE_SMALL, peer);
            pager("pager", table, QuerierLimits.DEFAULT);
            pager("pager-alone", table, QuerierLimits.DEFAULT.withReadAheads(0));
            PagingLoads loads = new PagingLoads(config, sizes, series, table);
            if (config.wants("abandoned")) {
                loads.abandoned("abandoned");
            }
            if (config.wants("scanners")) {
                loads.scanners("scanners");
            }
        }
    }

    private void measurePartition(String suffix, int parts, Optional<PagingPeer> peer) throws IOException {
        if (!config.wants("partition" + suffix) && !config.wants("reverse" + suffix)) {
            return;
        }
        config.progress().accept(NAME + ": writing a partition of " + config.rowCount() + " rows");
        try (PagedStore store = PagedStore.ofOnePartition(config, parts)) {
            PagingPeer.take(peer, store.table());
            for (boolean reversed : List.of(false, true)) {
                ReadQuery query = ReadQuery.ofPartitions(List.of(GeneratedMutations.key(0)), Slices.ALL, reversed);
                compare(
                        (reversed ? "reverse" : "partition") + suffix,
                        store.table(),
                        List.of(query),
                        PAGE_MEDIUM,
                        peer);
            }
        }
    }

    private void measureLoopback(Optional<PagingPeer> peer) throws IOException {
        PagingLoopback loopback = new PagingLoopback(config, command, series);
        if (config.wants("loopback")) {
            try (PagedStore store =
                    PagedStore.ofMixedPartitions(config, StoreConfig.defaults().shardCount())) {
                store.table().compact();
                loopback.measure("loopback", store, PAGE_LARGE, peer);
            }
        }
        if (config.wants("loopback-100")) {
            try (PagedStore store = PagedStore.ofOnePartition(config, 1)) {
                loopback.measure("loopback-100", store, PAGE_SMALL, peer);
            }
        }
    }

    private void compare(String caseName, Table table, List<ReadQuery> queries, int pageRows, Optional<PagingPeer> peer)
            throws IOException {
        if (!config.wants(caseName)) {
            return;
        }
        try (Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
                QuerierPages pages = queriers.pages(caseName, table)) {
            PagedScans stateful = new PagedScans(pages, pageRows, true);
            long rows = stateful.read(queries);
            List<Contender> contenders = new ArrayList<>();
            contenders.add(contender(BenchSystem.ANNEAL, stateful, queries, rows));
            contenders.add(contender(BenchSystem.BASELINE, new PagedScans(pages, pageRows, false), queries, rows));
            peer.ifPresent(side -> contenders.add(new Contender(BenchSystem.CASSANDRA, () -> {
                Run run = side.read(queries, table.schema(), pageRows);
                requireAll(run.rows(), rows);
                return run;
            })));
            inTurns(caseName, contenders);
        }
    }

    private void pager(String caseName, Table table, QuerierLimits limits) throws IOException {
        if (!config.wants(caseName)) {
            return;
        }
        List<ReadQuery> all = PagedScans.ofRing(1);
        try (Queriers queriers = Queriers.open(limits, HostEnvironment.system());
                QuerierPages pages = queriers.pages(caseName, table)) {
            PagedScans scans = new PagedScans(pages, PAGE_LARGE, true);
            long rows = scans.read(all);
            inTurns(
                    caseName,
                    List.of(contender(BenchSystem.ANNEAL, scans, all, rows), new Contender(BenchSystem.LIMIT, () -> {
                        ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                        requireAll(encode(table), rows);
                        return stopwatch.run(rows, 0);
                    })));
        }
    }

    private static long encode(Table table) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(table.schema(), CanonicalEncoder.UNCLAMPED);
        ByteWriter out = new ByteWriter(2 * BUFFER_BYTES);
        long rows = 0;
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                if (kind == FragmentKind.CLUSTERING_ROW) {
                    if (out.lengthBytes() > BUFFER_BYTES) {
                        out.clear();
                    }
                    encoder.row(cursor.key(), cursor.row(), out);
                    rows++;
                }
            }
        }
        return rows;
    }

    private Contender contender(BenchSystem system, PagedScans scans, List<ReadQuery> queries, long rows) {
        return new Contender(system, () -> {
            ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
            requireAll(scans.read(queries), rows);
            return stopwatch.run(rows, 0);
        });
    }

    static void requireAll(long rows, long expected) {
        if (rows != expected) {
            throw new IllegalStateException("not all rows were read, rows=" + rows + ", expected=" + expected);
        }
    }

    /** As {@link Rounds}, and counts what each reads from files. */
    private void inTurns(String caseName, List<Contender> contenders) throws IOException {
        config.progress().accept(NAME + " " + caseName + ": warming up");
        for (Contender contender : contenders) {
            Warming.warm(config, contender);
        }
        config.progress().accept(NAME + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            for (Contender contender : contenders) {
                Optional<ProcessReads> before = ProcessReads.now();
                series.add(caseName, contender.system(), contender.work().run());
                Optional<ProcessReads> after = ProcessReads.now();
                boolean isOwn = contender.system() != BenchSystem.CASSANDRA;
                if (isOwn && before.isPresent() && after.isPresent()) {
                    ProcessReads reads = after.get().since(before.get());
                    series.add(caseName, contender.system(), BenchMetric.READ_OPS, reads.operations());
                    series.add(caseName, contender.system(), BenchMetric.BYTES_READ, reads.bytes());
                }
            }
        }
    }
}
