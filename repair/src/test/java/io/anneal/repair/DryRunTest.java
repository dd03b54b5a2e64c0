package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.Row;
import io.anneal.io.ByteBudget;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a dry run tells of ranges, replicas and rows, beside a naive count; in this process and over servers. */
@Timeout(60)
class DryRunTest {
    private static final TableSchema SCHEMA = Sessions.SCHEMA;
    private static final List<DecoratedKey> KEYS = HandMadeTable.keys(12);
    private static final int ROWS = 60;
    private static final int REPLICAS = 3;
    private static final int ABSENT = 0;

    private final long seed =
            Long.getLong("anneal.seed", ThreadLocalRandom.current().nextLong());
    private final Random random = new Random(seed);
    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<Nodes> nodes = new ArrayList<>();
    /** By replica, key and clustering: which version it has. */
    private final int[][][] versions = new int[REPLICAS][KEYS.size()][ROWS];

    @AfterEach
    void stop() {
        nodes.forEach(Nodes::close);
        executor.shutdownNow();
    }

    /** @param share of the rows that are not the same everywhere */
    private void draw(double share) {
        for (int key = 0; key < KEYS.size(); key++) {
            for (int row = 0; row < ROWS; row++) {
                boolean isEqual = random.nextDouble() >= share;
                for (int replica = 0; replica < REPLICAS; replica++) {
                    versions[replica][key][row] = isEqual ? 1 : random.nextInt(4);
                }
            }
        }
    }

    private static Row row(int clustering, int version) {
        return HandMadeTable.row(clustering, 0)
                .cell(0, version, "v".repeat(10 * version))
                .build();
    }

    private TestTable table(int replica) {
        FragmentList.Builder rows = FragmentList.builder(SCHEMA);
        for (int key = 0; key < KEYS.size(); key++) {
            rows.partition(KEYS.get(key));
            for (int row = 0; row < ROWS; row++) {
                if (versions[replica][key][row] != ABSENT) {
                    rows.row(row(row, versions[replica][key][row]));
                }
            }
            rows.end();
        }
        return new TestTable("replica-" + (replica + 1), rows.build(), Optional.empty());
    }

    private RepairEnvironment environment() {
        return new RepairEnvironment(
                HostEnvironment.system()
                        .withClock(() -> Instant.ofEpochSecond(100))
                        .withRandom(new Random(seed)),
                executor,
                ByteBudget.of(64 << 20));
    }

    private List<RepairMember> here() {
        List<RepairMember> members = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            TestTable table = table(i);
            members.add(RepairMember.here(table.name(), table.opener()));
        }
        return members;
    }

    private List<RepairMember> overServers() throws IOException {
        Nodes command = new Nodes((handlers, node) -> {});
        nodes.add(command);
        List<RepairMember> members = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            Nodes server = Nodes.repairing(
                    Nodes.replicas(table(i).opener()), environment().host());
            nodes.add(server);
            members.add(RepairMember.at(command.client().keepAll(5_000), RepairRunner.address(server.address())));
        }
        return members;
    }

    /** Ranges of which none has the last key, so that something is left out. */
    private List<TokenRange> ranges() {
        long first = KEYS.get(3).token();
        long second = KEYS.get(7).token();
        return List.of(
                new TokenRange(KEYS.get(0).token() - 1, first),
                new TokenRange(first, second),
                new TokenRange(KEYS.get(7).token() + 1, KEYS.get(10).token()));
    }

    private Repair dryRun(List<RepairMember> members, int bufferBytes) {
        return Repair.of("ks.t")
                .between(members)
                .ranges(ranges())
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(bufferBytes)
                .dryRun(true);
    }

    /** Rows compared and differing, then of each replica rows and bytes that it lacks. */
    private Map<TokenRange, List<Long>> expected(Map<String, List<Integer>> places) {
        Map<TokenRange, List<Long>> expected = new LinkedHashMap<>();
        for (TokenRange range : ranges()) {
            long[] counts = new long[2 + 2 * REPLICAS];
            for (int key = 0; key < KEYS.size(); key++) {
                for (int row = 0; range.contains(KEYS.get(key).token()) && row < ROWS; row++) {
                    Set<Integer> held = new LinkedHashSet<>();
                    for (int replica = 0; replica < REPLICAS; replica++) {
                        held.add(versions[replica][key][row]);
                    }
                    boolean isAnywhere = !held.equals(Set.of(ABSENT));
                    counts[0] += isAnywhere ? 1 : 0;
                    if (held.size() == 1) {
                        continue;
                    }
                    counts[1]++;
                    held.remove(ABSENT);
                    List<Integer> lacking = new ArrayList<>();
                    for (int replica = 0; replica < REPLICAS; replica++) {
                        Set<Integer> lacked = new LinkedHashSet<>(held);
                        lacked.remove(versions[replica][key][row]);
                        if (!lacked.isEmpty()) {
                            lacking.add(replica);
                            counts[2 + 2 * replica]++;
                        }
                        for (int version : lacked) {
                            counts[3 + 2 * replica] += encodedBytes(key, row, version);
                        }
                    }
                    places.put(key + " " + row, lacking);
                }
            }
            if (counts[0] > 0) {
                expected.put(range, boxed(counts));
            }
        }
        return expected;
    }

    private static List<Long> boxed(long[] counts) {
        List<Long> boxed = new ArrayList<>();
        for (long count : counts) {
            boxed.add(count);
        }
        return boxed;
    }

    private static int encodedBytes(int key, int row, int version) {
        return new CanonicalEncoder(SCHEMA, CanonicalEncoder.UNCLAMPED)
                .row(new KeyView().wrap(KEYS.get(key)), row(row, version), new ByteWriter(64));
    }

    private static Map<TokenRange, List<Long>> told(RepairReport report) {
        Map<TokenRange, List<Long>> told = new HashMap<>();
        for (RangeReport range : report.ranges()) {
            assertThat(range.table()).isEqualTo("ks.t");
            List<Long> counts = new ArrayList<>(List.of(range.rowsCompared(), range.rowsDiffering()));
            range.replicas().forEach(replica -> counts.addAll(List.of(replica.rows(), replica.bytes())));
            told.put(range.range(), counts);
        }
        return told;
    }

    private void shouldCount(RepairReport report) {
        Map<String, List<Integer>> places = new TreeMap<>();
        assertThat(told(report)).as("seed=%d", seed).isEqualTo(expected(places));
        assertThat(report.rowsDiffering()).as("seed=%d", seed).isEqualTo(places.size());
        for (int i = 0; i < REPLICAS; i++) {
            int replica = i;
            assertThat(report.replicas().get(i).rowsWritten())
                    .isEqualTo(places.values().stream()
                            .filter(lacking -> lacking.contains(replica))
                            .count());
        }
    }

    private static void shouldName(Map<String, List<Integer>> heard, Map<String, List<Integer>> places) {
        assertThat(heard).isEqualTo(places);
    }

    private static final class Heard implements DifferenceListener {
        private final Map<String, List<Integer>> places = new TreeMap<>();
        private final List<String> begun = new CopyOnWriteArrayList<>();

        @Override
        public void begins(TableSchema schema, List<String> replicas) {
            begun.add(schema.qualifiedName() + " " + replicas.size());
        }

        @Override
        public void rowDiffers(RowDifference difference) {
            int key = KEYS.indexOf(difference.place().key().orElseThrow());
            byte[] clustering = difference.place().position().prefix().buffer();
            int offset = difference.place().position().prefix().offset(0);
            List<Integer> before = places.put(key + " " + clustering[offset + 3], difference.lacking());
            assertThat(before).as("told twice").isNull();
        }
    }

    @Test
    void shouldCountWhatDiffersByRangeAndReplica() throws IOException {
        for (double share : new double[] {0, 0.02, 0.3, 1}) {
            draw(share);
            for (int bufferBytes : new int[] {1, 4_000, 1 << 20}) {
                shouldCount(dryRun(here(), bufferBytes).run(environment()));
            }
            shouldCount(dryRun(here(), 4_000).units(5).parallel(3).run(environment()));
        }
    }

    @Test
    void shouldNameWhatDiffersOverServersAsInOneProcess() throws IOException {
        draw(0.2);
        Map<String, List<Integer>> places = new TreeMap<>();
        expected(places);
        for (List<RepairMember> members : List.of(here(), overServers())) {
            Heard heard = new Heard();
            shouldCount(dryRun(members, 4_000).differences(heard).run(environment()));
            shouldName(heard.places, places);
            assertThat(heard.begun).containsExactly("ks.t 3");
        }
        shouldCount(dryRun(overServers(), 1 << 20).run(environment()));
    }
}
