package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.RepairCount;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a repair did is told by its report and by the metrics of each node, with the same numbers. */
@Timeout(60)
class RepairMetricsTest {
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");

    @TempDir
    private Path directory;

    /** Each look at the clock takes a nanosecond. */
    private final AtomicLong nanos = new AtomicLong();

    private final RepairMetrics ofMaster = new RepairMetrics("master", nanos::incrementAndGet);
    private final RepairMetrics ofFollower = new RepairMetrics("follower", nanos::incrementAndGet);

    private StagingArea masterStaging;
    private StagingArea followerStaging;
    private TestTable own;
    private TestTable followed;
    private Nodes node;

    @BeforeEach
    void start() throws IOException {
        masterStaging = Sessions.staging(directory.resolve("master"));
        followerStaging = Sessions.staging(directory.resolve("follower"));
        own = new TestTable("master", rows(0, 10, 3), Optional.of(masterStaging));
        followed = new TestTable("follower", rows(2, 12, 3), Optional.of(followerStaging));
        node = new Nodes((handlers, its) -> new RepairService(
                        Nodes.replicas(followed.opener()), its.executor(), its.budget(), ofFollower)
                .register(handlers));
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        masterStaging.close();
        followerStaging.close();
        ofMaster.close();
        ofFollower.close();
    }

    /** Those from one number to another, in one partition. */
    private static FragmentList rows(int first, int end, int timestamp) {
        FragmentList.Builder rows = FragmentList.builder(Sessions.SCHEMA).partition(KEYS.get(0));
        for (int i = first; i < end; i++) {
            rows.row(HandMadeTable.row(i, 1).live(timestamp).build());
        }
        return rows.end().build();
    }

    private RepairReport repair() throws IOException {
        RepairEnvironment environment =
                new RepairEnvironment(HostEnvironment.system(), Runnable::run, ByteBudget.of(64 << 20), ofMaster);
        return Repair.of("ks.t")
                .between(
                        RepairMember.here(own.opener()),
                        RepairMember.at(node.client(), RepairRunner.address(node.address())))
                .range(TokenRange.FULL)
                .allow(EnumSet.allOf(Waiver.class))
                .run(environment);
    }

    private static long value(RepairMetrics metrics, RepairCount count) {
        return metrics.values().get("repair." + count.text()).longValue();
    }

    private static long value(RepairMetrics metrics, String name) {
        return metrics.values().get("repair." + name).longValue();
    }

    @Test
    void shouldTellBothNodesAndTheReportWhatWasReadMovedAndWritten() throws IOException {
        RepairReport report = repair();

        for (RepairMetrics metrics : Set.of(ofMaster, ofFollower)) {
            assertThat(value(metrics, RepairCount.ROWS_READ)).isEqualTo(10);
            assertThat(value(metrics, RepairCount.BYTES_READ)).isPositive();
            assertThat(value(metrics, RepairCount.ITEMS_SENT)).isEqualTo(2);
            assertThat(value(metrics, RepairCount.ITEMS_RECEIVED)).isEqualTo(2);
            assertThat(value(metrics, RepairCount.ITEM_BYTES_SENT)).isPositive();
            assertThat(value(metrics, RepairCount.ROWS_WRITTEN)).isEqualTo(2);
            assertThat(value(metrics, RepairCount.BYTES_WRITTEN)).isPositive();
            assertThat(value(metrics, RepairCount.READ_NANOS)).isPositive();
            assertThat(value(metrics, RepairCount.WRITE_NANOS)).isPositive();
            assertThat(value(metrics, "sessions-finished")).isEqualTo(1);
            assertThat(value(metrics, "sessions")).isZero();
        }
        assertThat(value(ofMaster, RepairCount.ITEM_BYTES_RECEIVED))
                .isEqualTo(value(ofFollower, RepairCount.ITEM_BYTES_SENT));
        for (RepairCount count : RepairCount.values()) {
            assertThat(report.counts().of(count)).as(count.text()).isEqualTo(value(ofMaster, count));
        }
        assertThat(report.replicas().get(1).counts().of(RepairCount.BYTES_WRITTEN))
                .isEqualTo(value(ofFollower, RepairCount.BYTES_WRITTEN));
        assertThat(value(ofMaster, RepairCount.WAIT_NANOS)).isPositive();
        assertThat(value(ofMaster, RepairCount.RECONCILE_NANOS)).isPositive();
        assertThat(value(ofMaster, RepairCount.WINDOWS_DIFFERING)).isEqualTo(1);
        assertThat(value(ofMaster, RepairCount.NETWORK_BYTES)).isPositive();
    }

    @Test
    void shouldMoveNoHashesWhereReplicasAreEqual() throws IOException {
        followed.rows = own.rows;

        RepairReport report = repair();

        assertThat(report.windows()).isPositive();
        for (RepairCount none : Set.of(
                RepairCount.WINDOWS_DIFFERING,
                RepairCount.WINDOWS_DELETIONS,
                RepairCount.WINDOWS_RANGE_SUMS,
                RepairCount.WINDOWS_SKETCH,
                RepairCount.WINDOWS_LIST,
                RepairCount.RANGE_SUMS,
                RepairCount.SYMBOLS,
                RepairCount.HASHES,
                RepairCount.ITEMS_SENT,
                RepairCount.ITEMS_RECEIVED,
                RepairCount.BYTES_WRITTEN)) {
            assertThat(report.counts().of(none)).as(none.text()).isZero();
            assertThat(value(ofFollower, none)).as(none.text()).isZero();
        }
    }

    @Test
    void shouldCountASessionThatFailed() {
        followed.beforeFragment = fragment -> {
            throw new IOException("disk is broken");
        };

        assertThatThrownBy(this::repair).isInstanceOf(IOException.class);

        node.close();
        for (RepairMetrics metrics : Set.of(ofMaster, ofFollower)) {
            assertThat(value(metrics, "sessions-failed")).isEqualTo(1);
            assertThat(value(metrics, "sessions")).isZero();
            assertThat(value(metrics, "sessions-finished")).isZero();
        }
    }

    @Test
    void shouldExplainEveryNameOnThePage() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(ofMaster.values().keySet())
                .allSatisfy(name -> assertThat(page).contains("`" + name.substring("repair.".length()) + "`"));
    }
}
