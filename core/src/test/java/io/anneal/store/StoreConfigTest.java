package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.SSTableVersion;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each option at its edges: refused at once and clearly, or a store works with it. */
final class StoreConfigTest {
    private static final StoreConfig BASE = StoreConfig.defaults().withShardCount(1);
    private static final Duration LONGEST = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration NANO = Duration.ofNanos(1);

    @TempDir
    private Path directory;

    private static Arguments of(String description, UnaryOperator<StoreConfig> change) {
        return Arguments.of(description, change);
    }

    private static Stream<Arguments> refused() {
        return Stream.of(
                of("shardCount", config -> config.withShardCount(0)),
                of("shardCount", config -> config.withShardCount(1025)),
                of("shardCount", config -> config.withShardCount(Integer.MIN_VALUE)),
                of("memtableBudgetBytes", config -> config.withMemtableBudgetBytes((1 << 20) - 1)),
                of("memtableBudgetBytes", config -> config.withMemtableBudgetBytes(Long.MIN_VALUE)),
                of("mutationMaxBytes", config -> config.withMutationMaxBytes(-1)),
                of("mutationMaxBytes", config -> config.withMutationMaxBytes((256 << 20) + 1)),
                of("syncPeriod", config -> config.withSyncPeriod(Duration.ZERO)),
                of("syncPeriod", config -> config.withSyncPeriod(NANO)),
                of(
                        "syncPeriod",
                        config -> config.withSyncPeriod(Duration.ofHours(1).plus(NANO))),
                of("syncPeriod", config -> config.withSyncPeriod(LONGEST)),
                of("syncPeriod", config -> config.withSyncPeriod(LONGEST.negated())),
                of("groupWindow", config -> config.withGroupWindow(Duration.ZERO)),
                of(
                        "groupWindow",
                        config -> config.withGroupWindow(Duration.ofMinutes(1).plus(NANO))),
                of("groupWindow", config -> config.withGroupWindow(LONGEST)),
                of("commitLogSegmentBytes", config -> config.withCommitLogSegmentBytes((64 << 10) - 1)),
                of("commitLogSegmentBytes", config -> config.withCommitLogSegmentBytes((1 << 30) + 1)),
                of("commitLogSegmentBytes", config -> config.withCommitLogSegmentBytes(Integer.MAX_VALUE)),
                of("commitLogSegmentBytes", config -> config.withCommitLogSegmentBytes(Integer.MIN_VALUE)),
                of("commitLogBudgetBytes", config -> config.withCommitLogBudgetBytes((32 << 20) - 1)),
                of("commitLogBudgetBytes", config -> config.withCommitLogBudgetBytes(Long.MIN_VALUE)),
                of("version", config -> config.withVersion(SSTableVersion.ME)),
                of("readThreads", config -> config.withReadThreads(0)),
                of("readThreads", config -> config.withReadThreads(1025)),
                of("compactionThreads", config -> config.withCompactionThreads(-1)),
                of("compactionThreads", config -> config.withCompactionThreads(1025)),
                of("compactionThreads", config -> config.withCompactionThreads(Integer.MAX_VALUE)),
                of("compactionBytesPerSecond", config -> config.withCompactionBytesPerSecond(-1)),
                of("compactionBytesPerSecond", config -> config.withCompactionBytesPerSecond((1L << 40) + 1)),
                of("compactionBytesPerSecond", config -> config.withCompactionBytesPerSecond(Long.MAX_VALUE)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldRefuseWhatNoStoreWorksWith(String option, UnaryOperator<StoreConfig> change) {
        assertThatThrownBy(() -> change.apply(BASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(option + "=")
                .hasMessageNotContaining("overflow");
    }

    private static Stream<Arguments> accepted() {
        return Stream.of(
                of("1024 shards", config -> config.withShardCount(1024)),
                of("least memory", config -> config.withMemtableBudgetBytes(1 << 20)),
                of("most memory", config -> config.withMemtableBudgetBytes(Long.MAX_VALUE)),
                of("smallest mutations", config -> config.withMutationMaxBytes(1000)),
                of("largest mutations", config -> config.withMutationMaxBytes(256 << 20)),
                of(
                        "shortest period",
                        config -> config.withSyncMode(SyncMode.PERIODIC).withSyncPeriod(Duration.ofMillis(1))),
                of(
                        "longest period",
                        config -> config.withSyncMode(SyncMode.PERIODIC).withSyncPeriod(Duration.ofHours(1))),
                of(
                        "shortest window",
                        config -> config.withSyncMode(SyncMode.GROUP).withGroupWindow(NANO)),
                // Nobody writes one at a time with it; the test of closing has a longer one.
                of(
                        "longer window",
                        config -> config.withSyncMode(SyncMode.GROUP).withGroupWindow(Duration.ofMillis(100))),
                of(
                        "smallest segments",
                        config -> config.withCommitLogSegmentBytes(64 << 10).withCommitLogBudgetBytes(64 << 10)),
                of("largest segments", config -> config.withCommitLogSegmentBytes(1 << 30)),
                of("largest log", config -> config.withCommitLogBudgetBytes(Long.MAX_VALUE)),
                of("compression", config -> config.withCommitLogCompression(true)),
                of("skipping", config -> config.withSkipCorruptCommitLog(true)),
                of("nb", config -> config.withVersion(SSTableVersion.NB)),
                of("oa", config -> config.withVersion(SSTableVersion.OA)),
                of("da", config -> config.withVersion(SSTableVersion.DA)),
                of("no compactions", config -> config.withCompactionThreads(0)),
                of("many compactions", config -> config.withCompactionThreads(1024)),
                of("no limit", config -> config.withCompactionBytesPerSecond(0)),
                of("highest limit", config -> config.withCompactionBytesPerSecond(1L << 40)),
                of("one read thread", config -> config.withReadThreads(1)),
                of("many read threads", config -> config.withReadThreads(1024)),
                of("JMX", config -> config.withJmx(true)));
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void shouldWorkWithWhatItAccepts(String description, UnaryOperator<StoreConfig> change) throws Exception {
        StoreConfig config = change.apply(BASE);
        try (Store store = Store.open(directory.resolve("store"), config)) {
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
            for (int k = 0; k < 2; k++) {
                table.row().key("k", k).insert();
                table.flush();
            }
            table.compact();
            table.row().key("k", 2).insert();
        }
        try (Store store = Store.open(directory.resolve("store"), config);
                TableRows rows = store.table("ks.t").rows()) {
            assertThat(rows.stream().count()).isEqualTo(3);
        }
    }
}
