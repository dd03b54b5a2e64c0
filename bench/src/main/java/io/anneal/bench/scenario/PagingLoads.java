package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.QuerierPages;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.ReadQuery;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What many scans at once, and those that nobody goes on with, take of a process. */
final class PagingLoads {
    private static final long BUDGET_BYTES = 64L << 20;
    /** The ring's parts that the scanners read, several each. */
    private static final int PARTS = 50;

    private static final int PAGE_ROWS = 100;
    private static final long SAMPLE_MILLIS = 200;
    private static final Path FILES = Path.of("/proc/self/fd");

    private final BenchConfig config;
    private final PagingSizes sizes;
    private final Series series;
    private final Table table;

    PagingLoads(BenchConfig config, PagingSizes sizes, Series series, Table table) {
        this.config = config;
        this.sizes = sizes;
        this.series = series;
        this.table = table;
    }

    /** Scans of which each is left after its first page. */
    void abandoned(String caseName) throws IOException {
        List<ReadQuery> queries = PagedScans.ofRing(PARTS);
        for (int round = 0; round < config.runs(); round++) {
            config.progress().accept(PagingScenario.NAME + " " + caseName + ": run " + (round + 1));
            long filesBefore = openFiles();
            try (MemoryWatch memory = MemoryWatch.start();
                    Queriers queriers = open();
                    QuerierPages pages = queriers.pages(caseName, table)) {
                PagedScans scans = new PagedScans(pages, PAGE_ROWS, true);
                ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                for (int i = 0; i < sizes.abandoned(); i++) {
                    scans.abandon(queries.get(i % PARTS));
                }
                series.add(caseName, BenchSystem.ANNEAL, stopwatch.run(0, 0));
                series.add(caseName, BenchSystem.ANNEAL, BenchMetric.HELD_MEMORY, memory.collectedBytes());
            }
            series.add(caseName, BenchSystem.ANNEAL, BenchMetric.FILES_LEFT, openFiles() - filesBefore);
        }
    }

    /** Scanners that read a part of the ring each, all at once. */
    void scanners(String caseName) throws IOException {
        List<ReadQuery> parts = PagedScans.ofRing(PARTS);
        List<ReadQuery> queries = new ArrayList<>();
        for (int i = 0; i < sizes.scanners(); i++) {
            queries.add(parts.get(i % PARTS));
        }
        for (int round = 0; round < config.runs(); round++) {
            config.progress().accept(PagingScenario.NAME + " " + caseName + ": run " + (round + 1));
            try (MemoryWatch memory = MemoryWatch.start();
                    Queriers queriers = open();
                    QuerierPages pages = queriers.pages(caseName, table)) {
                memory.sample(SAMPLE_MILLIS);
                ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
                long rows = new PagedScans(pages, PAGE_ROWS, true).read(queries);
                series.add(caseName, BenchSystem.ANNEAL, stopwatch.run(rows, 0));
                series.add(caseName, BenchSystem.ANNEAL, BenchMetric.PEAK_MEMORY, memory.peakBytes());
                series.add(caseName, BenchSystem.ANNEAL, BenchMetric.MEMORY_BUDGET, BUDGET_BYTES);
            }
        }
    }

    private static Queriers open() {
        return Queriers.open(QuerierLimits.DEFAULT.withBytes(BUDGET_BYTES), HostEnvironment.system());
    }

    /** Zero where the system does not tell. */
    private static long openFiles() throws IOException {
        if (!Files.isReadable(FILES)) {
            return 0;
        }
        try (Stream<Path> open = Files.list(FILES)) {
            return open.count();
        }
    }
}
