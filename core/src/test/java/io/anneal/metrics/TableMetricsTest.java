package io.anneal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

final class TableMetricsTest {
    private static final String DOMAIN = "io.anneal";

    private final AtomicLong nanos = new AtomicLong();
    private final StoreMetrics metrics = new StoreMetrics("/data/\"store\"", TableSelection.ALL, nanos::get);
    private final TableMetrics table = metrics.addTable("ks.t", 2);

    private static Set<String> beans(String pattern) throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        return server.queryNames(new ObjectName(pattern), null).stream()
                .map(ObjectName::getCanonicalName)
                .collect(Collectors.toSet());
    }

    @Test
    void shouldCountByShardAndForTheTable() {
        table.shard(0).readDone(1_000, 2, 5);
        table.shard(1).readDone(3_000, 4, 0);
        table.shard(1).writeDone(30);
        table.shard(0).flushed(100, 7);
        table.shard(1).flushed(200, 7);
        table.shard(1).flushFailed();
        table.shard(0).memtableBytes(() -> 11);
        table.shard(1).memtableBytes(() -> 22);

        assertThat(metrics.values())
                .containsEntry("ks.t.shard-0.read-latency.count", 1L)
                .containsEntry("ks.t.read-latency.count", 2L)
                .containsEntry("ks.t.read-latency.p50-nanos", 1_003L)
                .containsEntry("ks.t.shard-1.read-latency.p50-nanos", 3_007L)
                .containsEntry("ks.t.sstables-per-read.max", 4L)
                .containsEntry("ks.t.tombstones-per-read.max", 5L)
                .containsEntry("ks.t.write-latency.max-nanos", 30L)
                .containsEntry("ks.t.shard-0.write-latency.count", 0L)
                .containsEntry("ks.t.flushes", 2L)
                .containsEntry("ks.t.flushed-bytes", 300L)
                .containsEntry("ks.t.shard-1.flushed-bytes", 200L)
                .containsEntry("ks.t.flushes-failed", 1L)
                .containsEntry("ks.t.flush-duration.count", 2L)
                .containsEntry("ks.t.shard-1.memtable-bytes", 22L)
                .containsEntry("ks.t.memtable-bytes", 33L);
    }

    @Test
    void shouldCountWhatShardsDoNotDivide() {
        table.compacted(1_000, 600, 50);
        table.compactionFailed();
        table.scanDone(10, 3);
        table.filterNegative();
        table.filterTruePositive();
        table.filterTruePositive();
        table.filterFalsePositive();
        table.pending(() -> 4, () -> 4_000);
        table.live(() -> 6, () -> 6_000);

        assertThat(metrics.values())
                .containsEntry("ks.t.compactions", 1L)
                .containsEntry("ks.t.compactions-failed", 1L)
                .containsEntry("ks.t.compacted-bytes-read", 1_000L)
                .containsEntry("ks.t.compacted-bytes-written", 600L)
                .containsEntry("ks.t.compaction-duration.count", 1L)
                .containsEntry("ks.t.compactions-pending", 4L)
                .containsEntry("ks.t.compaction-bytes-pending", 4_000L)
                .containsEntry("ks.t.sstables", 6L)
                .containsEntry("ks.t.sstable-bytes", 6_000L)
                .containsEntry("ks.t.scans", 1L)
                .containsEntry("ks.t.rows-scanned", 10L)
                .containsEntry("ks.t.tombstones-scanned", 3L)
                .containsEntry("ks.t.filter-negatives", 1L)
                .containsEntry("ks.t.filter-true-positives", 2L)
                .containsEntry("ks.t.filter-false-positives", 1L);
    }

    @Test
    void shouldCountAllTablesTogether() {
        TableMetrics other = metrics.addTable("ks.t2", 1);
        table.shard(0).readDone(1_000, 2, 5);
        table.shard(1).flushed(100, 7);
        other.shard(0).readDone(3_000, 4, 0);
        other.shard(0).flushed(200, 7);
        table.live(() -> 6, () -> 6_000);
        other.live(() -> 1, () -> 500);
        table.compacted(1_000, 600, 50);
        table.repaired(() -> 70, () -> 80, () -> -1);
        other.repaired(() -> 50, () -> 90, () -> 100);

        assertThat(metrics.values())
                .containsEntry("tables.read-latency.count", 2L)
                .containsEntry("tables.read-latency.p50-nanos", 1_003L)
                .containsEntry("tables.sstables-per-read.max", 4L)
                .containsEntry("tables.flushed-bytes", 300L)
                .containsEntry("tables.sstables", 7L)
                .containsEntry("tables.sstable-bytes", 6_500L)
                .containsEntry("tables.compaction-duration.count", 1L)
                // What is overdue for the sum is so for a table.
                .containsEntry("tables.ring-repaired-seconds", 50L)
                .containsEntry("tables.repaired-seconds", 80L)
                .containsEntry("tables.gc-grace-seconds", 100L);
        assertThat(metrics.text()).contains("anneal_tables_flushed_bytes{store=\"/data/\\\"store\\\"\"} 300\n");
    }

    /** A count that falls is taken for one that began anew. */
    @Test
    void shouldKeepWhatDroppedTablesHaveCounted() {
        table.shard(0).writeDone(30);
        table.shard(0).flushed(100, 7);
        table.compacted(1_000, 600, 50);
        table.live(() -> 6, () -> 6_000);
        metrics.removeTable(table);
        metrics.removeTable(table);

        assertThat(metrics.values())
                .containsEntry("tables.write-latency.count", 1L)
                .containsEntry("tables.flushes", 1L)
                .containsEntry("tables.compactions", 1L)
                .containsEntry("tables.compaction-duration.count", 1L)
                .containsEntry("tables.sstable-bytes", 0L)
                .containsEntry("tables.gc-grace-seconds", -1L)
                .doesNotContainKey("ks.t.flushes");
    }

    private static Set<String> shown(StoreMetrics shown) {
        return shown.values().keySet().stream()
                .filter(name -> name.endsWith(".sstables") && !name.startsWith("tables."))
                .map(name -> name.replace(".sstables", ""))
                .collect(Collectors.toSet());
    }

    @Test
    void shouldShowTheLargestTablesAndThoseThatAreNamed() throws JMException {
        TableSelection selection = TableSelection.largest(2).and(TableSelection.named("ks.t1", "later.one", "whole.*"));
        try (StoreMetrics some = new StoreMetrics("some", selection, nanos::get)) {
            AtomicLong grows = new AtomicLong(3);
            for (int i = 1; i <= 5; i++) {
                int bytes = i;
                some.addTable("ks.t" + i, 1).live(() -> 1, i == 3 ? grows::get : () -> bytes);
            }
            assertThat(shown(some)).containsExactlyInAnyOrder("ks.t5", "ks.t4", "ks.t1");
            some.startJmx();
            assertThat(beans(DOMAIN + ":type=Table,name=sstables,*")).hasSize(3);
            grows.set(100);
            TableMetrics later = some.addTable("later.one", 1);
            assertThat(beans(DOMAIN + ":type=Table,name=sstables,*")).hasSize(4);
            assertThat(shown(some)).containsExactlyInAnyOrder("ks.t5", "ks.t3", "ks.t1", "later.one");
            grows.set(0);
            later.shard(0).flushed(1, 1);
            assertThat(beans(DOMAIN + ":type=Table,table=ks.t3,*")).isEmpty();
            some.removeTable(later);
            some.addTable("whole.of", 1);
            assertThat(shown(some)).containsExactlyInAnyOrder("ks.t5", "ks.t4", "ks.t1", "whole.of");
        }
        assertThat(shown(new StoreMetrics("none", TableSelection.NONE, nanos::get)))
                .isEmpty();
    }

    @Test
    void shouldRefuseASelectionOfWhatIsNoTable() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableSelection.named("orders"))
                .withMessageContaining("name=orders");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableSelection.largest(-1))
                .withMessageContaining("largestMax=-1");
    }

    private record Size(int metrics, int textBytes) {}

    private Size sizeOfMany(TableSelection selection) {
        try (StoreMetrics many = new StoreMetrics("/var/lib/shop/store", selection, nanos::get)) {
            for (int i = 0; i < 800; i++) {
                many.addTable("shop.orders_of_" + i, 2);
            }
            return new Size(many.values().size(), many.text().length());
        }
    }

    /** All of them are 88,000 numbers in 8 MB at each question. */
    @Test
    void shouldTellLittleOfManyTables() {
        Size all = sizeOfMany(TableSelection.ALL);
        assertThat(all.metrics()).isEqualTo(88_069);
        assertThat(all.textBytes()).isGreaterThan(8_000_000);
        Size ten = sizeOfMany(TableSelection.largest(10));
        assertThat(ten.metrics()).isEqualTo(1_169);
        assertThat(ten.textBytes()).isLessThan(150_000);
        Size none = sizeOfMany(TableSelection.NONE);
        assertThat(none.metrics()).isEqualTo(69);
        assertThat(none.textBytes()).isLessThan(6_000);
    }

    @Test
    void shouldForgetADroppedTable() {
        TableMetrics other = metrics.addTable("ks.t2", 1);
        metrics.removeTable(table);
        assertThat(metrics.values().keySet()).contains("ks.t2.flushes").noneMatch(name -> name.startsWith("ks.t."));
        // Made again under its name.
        metrics.addTable("ks.t", 1);
        assertThat(other.qualifiedName()).isEqualTo("ks.t2");
        assertThat(metrics.values()).containsKey("ks.t.flushes");
    }

    @Test
    void shouldShowMBeansWhenAskedTo() throws JMException {
        String all = DOMAIN + ":*";
        assertThat(beans(all)).isEmpty();
        table.shard(1).readDone(2_000, 1, 0);
        metrics.startJmx();
        metrics.startJmx();
        try (StoreMetrics other = new StoreMetrics("other", TableSelection.ALL, nanos::get)) {
            other.addTable("ks.t", 2);
            other.startJmx();
            ObjectName timer = new ObjectName(DOMAIN
                    + ":type=Shard,store=" + ObjectName.quote("/data/\"store\"")
                    + ",table=ks.t,shard=1,name=read-latency");
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            assertThat(server.getAttribute(timer, "Count")).isEqualTo(1L);
            assertThat(server.getAttribute(timer, "DurationUnit")).isEqualTo("microseconds");
            assertThat((double) server.getAttribute(timer, "50thPercentile")).isBetween(2.0, 2.125);
            assertThat(beans(DOMAIN + ":type=Table,name=flushes,*")).hasSize(2);
            // Tables that come later are seen, dropped ones vanish.
            metrics.addTable("ks.u", 1);
            assertThat(beans(DOMAIN + ":table=ks.u,*")).isNotEmpty();
            metrics.removeTable(table);
            assertThat(beans(DOMAIN + ":table=ks.t,name=flushes,type=Table,*")).hasSize(1);
        } finally {
            metrics.close();
        }
        assertThat(beans(all)).isEmpty();
    }

    @Test
    void shouldTellRates() throws JMException {
        metrics.startJmx();
        try {
            for (int second = 0; second < 600; second++) {
                for (int i = 0; i < 640; i++) {
                    table.shard(0).writeDone(10);
                }
                nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            }
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            for (String bean : beans(DOMAIN + ":table=ks.t,name=write-latency,type=Table,*")) {
                ObjectName name = new ObjectName(bean);
                for (String rate : new String[] {"MeanRate", "OneMinuteRate", "FiveMinuteRate"}) {
                    assertThat((double) server.getAttribute(name, rate))
                            .as(rate)
                            .isBetween(600.0, 680.0);
                }
                assertThat((double) server.getAttribute(name, "FifteenMinuteRate"))
                        .isPositive();
            }
        } finally {
            metrics.close();
        }
    }
}
