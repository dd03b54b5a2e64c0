package io.anneal.simulation;

import static io.anneal.testkit.HandMadeTable.clustering;
import static io.anneal.testkit.HandMadeTable.row;
import static io.anneal.testkit.HandMadeTable.staticRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.repair.RepairReport;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data written down by hand on which simpler protocols fail: rules 11 and 12 of the canonical form. */
class CounterExamplesTest {
    private static final long GC_GRACE_SECONDS = 10;
    /** Deletions at 50 are purgeable, those at 95 are not. */
    private static final SessionPurgeRule RULE = new SessionPurgeRule(100, GC_GRACE_SECONDS);

    private static final long PURGEABLE = 50;
    private static final long YOUNG = 95;
    private static final TableSchema SCHEMA = HandMadeTable.schema(GC_GRACE_SECONDS);
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(3);
    private static final DecoratedKey KEY = KEYS.get(1);
    /** From one fragment a window to everything in one. */
    private static final int[] BUFFERS_BYTES = {1, 60, 200, 1 << 20};

    @TempDir
    private Path directory;

    private final List<MemoryReplica> opened = new ArrayList<>();

    @AfterEach
    void closeReplicas() throws IOException {
        for (MemoryReplica replica : opened) {
            replica.closeForGood();
        }
    }

    private MemoryReplica replica(FragmentList... sources) throws IOException {
        int number = opened.size();
        MemoryReplica replica =
                new MemoryReplica("replica " + number, SCHEMA, List.of(sources), directory.resolve("" + number));
        opened.add(replica);
        return replica;
    }

    private static FragmentList.Builder partition() {
        return FragmentList.builder(SCHEMA).partition(KEY);
    }

    private static FragmentList.Builder range(FragmentList.Builder builder, int from, int to, long micros, long local) {
        return builder.change(clustering(from), ClusteringComparator.BEFORE, micros, local)
                .change(
                        clustering(to),
                        ClusteringComparator.AFTER,
                        DeletionTime.NO_TIMESTAMP,
                        DeletionTime.NO_DELETION_TIME);
    }

    /** Repairs, reads back what was received, repairs again: the second one must find nothing. */
    private RepairReport repair(List<MemoryReplica> replicas, int bufferBytes) throws IOException {
        RepairReport report = Repairs.run(replicas, Repairs.config(RULE, bufferBytes, 1));
        for (MemoryReplica replica : replicas) {
            replica.reopen();
        }
        RepairReport again = Repairs.run(replicas, Repairs.config(RULE, bufferBytes, 2));
        assertThat(again.wereEqual()).as("second repair, %s", again).isTrue();
        return report;
    }

    private static void allShouldShow(List<MemoryReplica> replicas, List<String> expected) throws IOException {
        for (MemoryReplica replica : replicas) {
            assertThat(replica.view(RULE).lines()).as(replica.name()).isEqualTo(expected);
        }
    }

    @Test
    void shouldLeaveNoRangeOpenWhenReplicasHoldNestedRangeDeletions() throws IOException {
        for (int bufferBytes : BUFFERS_BYTES) {
            MemoryReplica outer =
                    replica(range(partition(), 1, 9, 10, YOUNG).end().build());
            MemoryReplica inner =
                    replica(range(partition(), 3, 5, 20, YOUNG).end().build());
            MemoryReplica rows = replica(partition()
                    .row(row(2, 0).live(9).build())
                    .row(row(4, 0).live(15).build())
                    .row(row(5, 0).live(21).build())
                    .row(row(7, 0).live(9).cell(0, 11, "x").build())
                    .row(row(12, 0).live(9).build())
                    .end()
                    .build());
            List<MemoryReplica> replicas = List.of(outer, inner, rows);

            repair(replicas, bufferBytes);

            List<String> found = replicas.get(0).view(RULE).lines();
            allShouldShow(replicas, found);
            assertThat(found)
                    .as("bufferBytes=%d", bufferBytes)
                    .hasSize(9)
                    .satisfies(lines -> assertThat(lines.get(1)).contains("change before", "deleted@10"))
                    .satisfies(lines -> assertThat(lines.get(2)).contains("change before", "deleted@20"))
                    .satisfies(lines -> assertThat(lines.get(3)).contains("row", "live@21"))
                    .satisfies(lines -> assertThat(lines.get(4)).contains("change after", "deleted@10"))
                    .satisfies(lines ->
                            assertThat(lines.get(5)).contains("row", "@11=").doesNotContain("live@9"))
                    .satisfies(lines -> assertThat(lines.get(6)).contains("change after", " live"))
                    .satisfies(lines -> assertThat(lines.get(7)).contains("row", "live@9"));
        }
    }

    /** X@5 and what deletes it @10, long ago. */
    private static Map<String, FragmentList[]> deletedLongAgo() {
        FragmentList x =
                partition().row(row(1, 1).cell(0, 5, "x").build()).end().build();
        FragmentList staticX =
                partition().row(staticRow().cell(0, 5, "x").build()).end().build();
        Map<String, FragmentList[]> variants = new TreeMap<>();
        variants.put("cell", new FragmentList[] {
            x,
            partition().row(row(1, 1).tombstone(0, 10, PURGEABLE).build()).end().build()
        });
        variants.put("row", new FragmentList[] {
            x, partition().row(row(1, 1).deleted(10, PURGEABLE).build()).end().build()
        });
        variants.put("range", new FragmentList[] {
            x, range(partition(), 0, 3, 10, PURGEABLE).end().build()
        });
        FragmentList gone =
                FragmentList.builder(SCHEMA).partition(KEY, 10, PURGEABLE).end().build();
        variants.put("partition", new FragmentList[] {x, gone});
        variants.put("static cell", new FragmentList[] {
            staticX,
            partition()
                    .row(staticRow().tombstone(0, 10, PURGEABLE).build())
                    .end()
                    .build()
        });
        variants.put("static, partition", new FragmentList[] {staticX, gone});
        return variants;
    }

    @Test
    void shouldNotBringDeletedDataBackWhenItsDeletionIsPurgeable() throws IOException {
        for (Map.Entry<String, FragmentList[]> variant : deletedLongAgo().entrySet()) {
            FragmentList x = variant.getValue()[0];
            FragmentList deletion = variant.getValue()[1];
            for (int bufferBytes : BUFFERS_BYTES) {
                for (int count = 2; count <= 3; count++) {
                    for (int master = 0; master < count; master++) {
                        List<MemoryReplica> replicas = new ArrayList<>(List.of(replica(x), replica(x, deletion)));
                        if (count == 3) {
                            replicas.add(replica(x));
                        }
                        MemoryReplica deleting = replicas.get(1);
                        Collections.rotate(replicas, -master);
                        String facts = variant.getKey() + ", bufferBytes=" + bufferBytes + ", replicas=" + count
                                + ", master=" + replicas.get(0).name();

                        repair(replicas, bufferBytes);
                        assertThat(replicas)
                                .as(facts)
                                .allSatisfy(replica ->
                                        assertThat(replica.view(RULE).lines()).isEmpty());

                        // The replica with the deletion compacts it away; what it deleted is gone as well.
                        List<MemoryReplica> compacted = new ArrayList<>(replicas);
                        compacted.set(replicas.indexOf(deleting), replica());
                        repair(compacted, bufferBytes);
                        assertThat(compacted)
                                .as("compacted, " + facts)
                                .allSatisfy(replica ->
                                        assertThat(replica.view(RULE).lines()).isEmpty());
                    }
                }
            }
        }
    }

    @Test
    void shouldReachAllWhenTwoFollowersLackRowThatThirdHas() throws IOException {
        FragmentList common = partition().row(row(1, 1).live(5).build()).end().build();
        FragmentList rare = partition().row(row(2, 2).live(5).build()).end().build();
        for (int holder = 0; holder < 4; holder++) {
            List<MemoryReplica> replicas = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                replicas.add(i == holder ? replica(common, rare) : replica(common));
            }

            RepairReport report = repair(replicas, 1 << 20);

            allShouldShow(replicas, replicas.get(holder).view(RULE).lines());
            assertThat(replicas.get(0).view(RULE).lines()).hasSize(4);
            assertThat(report.rowsDiffering()).isEqualTo(1);
            assertThat(report.itemsFetched()).isEqualTo(holder == 0 ? 0 : 1);
            assertThat(report.itemsPushed()).isEqualTo(holder == 0 ? 3 : 2);
            for (int i = 0; i < 4; i++) {
                assertThat(report.replicas().get(i).rowsWritten()).isEqualTo(i == holder ? 0 : 1);
            }
        }
    }

    @Test
    void shouldKeepPartitionDeletionInForceWhenBoundariesFallInsideThePartition() throws IOException {
        for (long local : new long[] {YOUNG, PURGEABLE}) {
            for (int bufferBytes : BUFFERS_BYTES) {
                FragmentList deleted = FragmentList.builder(SCHEMA)
                        .partition(KEY, 10, local)
                        .row(staticRow().cell(0, 11, "new").build())
                        .row(row(2, 0).live(12).build())
                        .end()
                        .build();
                FragmentList.Builder rows =
                        partition().row(staticRow().cell(0, 9, "old").build());
                for (int i = 0; i < 6; i++) {
                    rows.row(row(i, 0).live(9).build());
                }
                FragmentList old = rows.end().build();
                FragmentList other = FragmentList.builder(SCHEMA)
                        .partition(KEYS.get(0))
                        .row(row(0, 0).live(1).build())
                        .end()
                        .partition(KEYS.get(2))
                        .row(row(0, 0).live(1).build())
                        .end()
                        .build();
                for (int master = 0; master < 3; master++) {
                    List<MemoryReplica> replicas =
                            new ArrayList<>(List.of(replica(deleted), replica(old), replica(other)));
                    Collections.rotate(replicas, -master);

                    repair(replicas, bufferBytes);

                    List<String> found = replicas.get(0).view(RULE).lines();
                    allShouldShow(replicas, found);
                    assertThat(found)
                            .as("bufferBytes=%d, master=%d", bufferBytes, master)
                            .hasSize(10)
                            .noneMatch(line -> line.contains("@9"))
                            .anyMatch(line -> line.contains("static") && line.contains("@11"))
                            .anyMatch(line -> line.contains("live@12"));
                }
            }
        }
    }

    @Test
    void shouldWriteNothingWhenReplicasAreEqualButForGhosts() throws IOException {
        FragmentList x = partition().row(row(1, 1).live(20).build()).end().build();
        FragmentList ghost = range(partition(), 0, 9, 10, PURGEABLE).end().build();
        MemoryReplica plain = replica(x);
        MemoryReplica withGhost = replica(x, ghost);

        RepairReport report = repair(List.of(plain, withGhost), 1 << 20);

        assertThat(report.wereEqual()).isTrue();
        assertThat(plain.receivedCount() + withGhost.receivedCount()).isZero();
        assertThat(withGhost
                        .scan(TokenRange.Linear.ALL, SSTableVersion.NB.localDeletionTimeMaxSeconds())
                        .advance())
                .isNotNull();
    }
}
