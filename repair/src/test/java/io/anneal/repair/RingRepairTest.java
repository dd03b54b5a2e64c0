package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobRefusedException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.node.Replicas;
import io.anneal.node.Ring;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Replicas of which each owns another part of the ring: a row ends where it is owned, and nowhere else. */
@Timeout(60)
class RingRepairTest {
    private static final String TEXT =
            "CREATE TABLE ks.t (id int PRIMARY KEY, v text)" + " WITH id = 11111111-2222-3333-4444-555555555555";
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(1).withCompactionThreads(0).withSyncMode(SyncMode.PERIODIC);

    private static final int TOKENS_EACH = 16;
    private static final int REPLICATION = 3;
    private static final int ROWS = 600;
    /** As many as a replica must not lack altogether. */
    private static final int MUCH = RepairConfig.MUCH_ITEMS;

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final List<String> names = new ArrayList<>();
    private final List<Store> stores = new ArrayList<>();
    private final List<Table> tables = new ArrayList<>();
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void stop() throws IOException {
        executor.shutdownNow();
        for (Store store : stores) {
            store.close();
        }
    }

    private void open(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            names.add("n" + i);
            stores.add(Store.open(directory.resolve("n" + i), CONFIG));
            tables.add(stores.get(i).createTable(TEXT));
        }
    }

    /** Of random tokens, each range with the next distinct nodes as owners, as SimpleStrategy has it. */
    private Ring vnodes() {
        TreeMap<Long, String> tokens = new TreeMap<>();
        for (int i = 0; i < names.size() * TOKENS_EACH; i++) {
            tokens.put(random.nextLong(), names.get(i % names.size()));
        }
        List<Long> ends = List.copyOf(tokens.keySet());
        List<Ring.Part> parts = new ArrayList<>();
        for (int i = 0; i < ends.size(); i++) {
            List<String> owners = IntStream.range(i, i + ends.size())
                    .mapToObj(j -> tokens.get(ends.get(j % ends.size())))
                    .distinct()
                    .limit(REPLICATION)
                    .toList();
            parts.add(new Ring.Part(
                    new TokenRange(ends.get((i + ends.size() - 1) % ends.size()), ends.get(i)), owners));
        }
        return new Ring(parts);
    }

    private Repair repair(Ring ring) {
        List<RepairMember> members = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            members.add(RepairMember.here(names.get(i), new StoreReplicas(stores.get(i))));
        }
        return Repair.of("ks.t").between(members).ring(ring, names);
    }

    private RepairEnvironment environment() {
        return new RepairEnvironment(HostEnvironment.system(), executor, ByteBudget.of(256 << 20));
    }

    private void write(int node, int id, String value, long timestampMicros) throws IOException {
        tables.get(node)
                .row()
                .key("id", id)
                .set("v", value)
                .timestampMicros(timestampMicros)
                .insert();
    }

    private Map<Integer, String> rows(int node) throws IOException {
        Map<Integer, String> rows = new TreeMap<>();
        try (var cursor = tables.get(node).rows()) {
            cursor.forEach(row -> rows.put(row.value("id", Integer.class), row.value("v", String.class)));
        }
        return rows;
    }

    private static long token(int id) {
        return DecoratedKey.of(ByteBuffer.allocate(4).putInt(id).array()).token();
    }

    private List<String> owners(Ring ring, int id) {
        long token = token(id);
        return ring.parts().stream()
                .filter(part -> part.range().contains(token))
                .findFirst()
                .orElseThrow()
                .owners();
    }

    /** Each node also holds rows from before a move, newer than those of the owners: they stay where they are, and go nowhere. */
    @Test
    void shouldBringEachRowToItsOwnersAndNowhereElse() throws IOException {
        open(6);
        Ring ring = vnodes();
        List<Map<Integer, String>> expected = new ArrayList<>();
        names.forEach(name -> expected.add(new TreeMap<>()));
        long[] lacked = new long[names.size()];
        for (int id = 0; id < ROWS; id++) {
            List<String> owners = owners(ring, id);
            int newest = random.nextInt(REPLICATION);
            for (int i = 0; i < names.size(); i++) {
                int place = owners.indexOf(names.get(i));
                if (place < 0 && random.nextInt(4) == 0) {
                    write(i, id, "left", 9);
                    expected.get(i).put(id, "left");
                } else if (place >= 0) {
                    expected.get(i).put(id, "new");
                    if (place == newest) {
                        write(i, id, "new", 3);
                    } else if (random.nextBoolean()) {
                        write(i, id, "old", 2);
                        lacked[i]++;
                    } else {
                        lacked[i]++;
                    }
                }
            }
        }

        RepairReport report = repair(ring).parallel(4).run(environment());

        for (int i = 0; i < names.size(); i++) {
            assertThat(rows(i)).as("node %d, seed %d", i, seed).isEqualTo(expected.get(i));
            assertThat(report.replicas().get(i).name()).endsWith(names.get(i));
            assertThat(report.replicas().get(i).rowsWritten())
                    .as("node %d, seed %d", i, seed)
                    .isEqualTo(lacked[i]);
        }
        assertThat(report.sessionIds()).as("a session for each set of owners").hasSizeLessThanOrEqualTo(20);
        RepairReport again = repair(ring).dryRun(true).run(environment());
        assertThat(again.wereEqual()).as("seed %d", seed).isTrue();
    }

    /** What nodes hold that they do not own is newer here, and no difference. */
    @Test
    void shouldSampleWhatOwnersHold() throws IOException {
        open(6);
        Ring ring = vnodes();
        Set<Integer> differing = new HashSet<>();
        for (int id = 0; id < ROWS; id++) {
            List<String> owners = owners(ring, id);
            boolean isLacked = random.nextInt(5) == 0 && differing.add(id);
            String lacking = isLacked ? owners.get(random.nextInt(REPLICATION)) : "";
            for (int i = 0; i < names.size(); i++) {
                boolean owns = owners.contains(names.get(i));
                if (owns && !names.get(i).equals(lacking)) {
                    write(i, id, "new", 3);
                } else if (!owns && random.nextInt(4) == 0) {
                    write(i, id, "left", 9);
                }
            }
        }
        DriftSample sample = new DriftSample(0.3, seed);
        TokenRanges slices = sample.of(new TokenRanges(ring.byOwners(names).values().stream()
                .flatMap(owned -> owned.ranges().stream())
                .toList()));
        List<Integer> sampled = IntStream.range(0, ROWS)
                .filter(id -> slices.ranges().stream().anyMatch(slice -> slice.contains(token(id))))
                .boxed()
                .toList();

        RepairReport report =
                repair(ring).ranges(slices.ranges()).dryRun(true).parallel(2).run(environment());

        DriftEstimate drift = DriftEstimate.of(sample, slices, report.ranges());
        assertThat(drift.rows()).as("seed %d", seed).isEqualTo(sampled.size());
        assertThat(drift.rowsDiffering())
                .as("seed %d", seed)
                .isEqualTo(sampled.stream().filter(differing::contains).count());
        assertThat(report.ranges())
                .as("seed %d", seed)
                .allMatch(range -> slices.ranges().contains(range.range()))
                .allMatch(range -> range.replicas().size() == REPLICATION);
    }

    /** In the order of the ring a, b, c, each range with its node and the next one. */
    private static Ring ofThree(long second, String... owners) {
        long[] tokens = {-6_000_000_000_000_000_000L, second, 6_000_000_000_000_000_000L};
        return new Ring(IntStream.range(0, 3)
                .mapToObj(i -> new Ring.Part(
                        new TokenRange(tokens[i], tokens[(i + 1) % 3]), List.of(owners[i], owners[(i + 1) % 3])))
                .toList());
    }

    /** The servers of a set have one of their own as the master, which asks no other for anything. */
    @Test
    void shouldHaveServersRepairWhatTheyOwnAmongThemselves() throws IOException {
        open(3);
        Ring ring = ofThree(0, "n0", "n1", "n2");
        for (int id = 0; id < 60; id++) {
            write(id % 3, id, "a", 1);
        }
        List<Nodes> servers = new ArrayList<>();
        try {
            for (Store store : stores) {
                servers.add(new Nodes((handlers, node) -> {
                    Replicas replicas = Nodes.replicas(new StoreReplicas(store));
                    new RepairService(replicas, node.executor(), node.budget()).register(handlers);
                    RepairEnvironment own =
                            new RepairEnvironment(HostEnvironment.system(), node.executor(), node.budget());
                    new RepairRunner(node.id(), replicas, node.client(), node.waiting(), own).register(handlers);
                }));
            }
            try (Nodes client = new Nodes((handlers, node) -> {})) {
                List<RepairMember> members = servers.stream()
                        .map(server -> RepairMember.at(client.client(), RepairRunner.address(server.address())))
                        .toList();
                RepairReport report = Repair.of("ks.t")
                        .between(members)
                        .ring(ring, names)
                        .parallel(3)
                        .run(environment());

                assertThat(report.sessionIds()).hasSize(3);
                for (int i = 0; i < 3; i++) {
                    int node = i;
                    assertThat(rows(i).keySet())
                            .allMatch(id -> id % 3 == node || owners(ring, id).contains("n" + node));
                    assertThat(rows(i).keySet())
                            .containsAll(IntStream.range(0, 60)
                                    .filter(id -> owners(ring, id).containsAll(List.of("n" + id % 3, "n" + node)))
                                    .boxed()
                                    .toList());
                    assertThat(report.replicas().get(i).member()).isEqualTo(i);
                }
            }
        } finally {
            servers.forEach(Nodes::close);
        }
    }

    @Test
    void shouldLeaveOutWhatFewerThanTwoReplicasOwn() throws IOException {
        open(2);
        Ring ring = ofThree(0, "n0", "n1", "n2");
        for (int id = 0; id < 60; id++) {
            write(0, id, "a", 1);
        }

        RepairReport report = repair(ring).run(environment());

        assertThat(rows(1).keySet())
                .isNotEmpty()
                .allMatch(id -> owners(ring, id).containsAll(names));
        assertThat(report.replicas())
                .extracting(RepairReport.ReplicaReport::rowsRead)
                .containsExactly((long) rows(1).size(), 0L);
        Ring apart = new Ring(List.of(
                new Ring.Part(new TokenRange(0, 9), List.of("n0")),
                new Ring.Part(new TokenRange(9, 0), List.of("n1"))));
        assertThatThrownBy(() -> repair(apart).run(environment())).hasMessageContaining("no range of the ring");
        RepairMember twice = RepairMember.here("n0", new StoreReplicas(stores.get(0)));
        assertThatThrownBy(() -> Repair.of("ks.t")
                        .between(twice, twice)
                        .ring(ring, names)
                        .run(environment()))
                .hasMessageContaining("as two nodes of the ring");
        assertThatThrownBy(() -> repair(ring).range(new TokenRange(0, 1)).run(environment()))
                .hasMessageContaining("no range of the ring that is wanted");
    }

    @Test
    void shouldRefuseToGoOnWithAnotherRing() throws IOException {
        open(3);
        Ring ring = ofThree(0, "n0", "n1", "n2");
        for (int id = 0; id < 60; id++) {
            write(id % 3, id, "a", 1);
        }
        Path checkpoint = directory.resolve("checkpoint");
        JobControl control = new JobControl();
        assertThatThrownBy(() -> repair(ring)
                        .checkpoint(checkpoint)
                        .control(control)
                        .reports((unit, report) -> control.abort("enough"))
                        .run(environment()))
                .isInstanceOf(JobAbortedException.class);

        assertThatThrownBy(() -> repair(ofThree(1, "n0", "n1", "n2"))
                        .checkpoint(checkpoint)
                        .run(environment()))
                .isInstanceOf(JobRefusedException.class);
        assertThatThrownBy(() -> repair(ofThree(0, "n1", "n0", "n2"))
                        .checkpoint(checkpoint)
                        .run(environment()))
                .isInstanceOf(JobRefusedException.class);
        repair(ring).checkpoint(checkpoint).run(environment());
        assertThat(repair(ring).dryRun(true).run(environment()).wereEqual()).isTrue();
    }

    /** What a replica holds in one part of what it owns says that it is the right one; of one that holds nothing others say nothing. */
    @Test
    void shouldTellAReplicaThatHoldsNothingFromOneThatHoldsNothingOfARange() throws IOException {
        open(3);
        Ring ring = ofThree(0, "n0", "n1", "n2");
        List<Integer> ofFirstTwo = IntStream.range(0, 8 * MUCH)
                .filter(id -> owners(ring, id).equals(List.of("n0", "n1")))
                .boxed()
                .toList();
        assertThat(ofFirstTwo).hasSizeGreaterThan(MUCH);
        for (int id : ofFirstTwo) {
            write(0, id, "a", 1);
        }
        for (int id = 0; id < 60; id++) {
            write(2, id, "a", 1);
            if (owners(ring, id).contains("n0")) {
                write(0, id, "a", 1);
            }
        }
        assertThatThrownBy(() -> repair(ring).dryRun(true).run(environment()))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("holds nothing")
                .satisfies(refused ->
                        assertThat(((RepairException) refused).waiver()).contains(Waiver.EMPTY_REPLICA));

        int ofLastTwo = IntStream.range(0, ROWS)
                .filter(id -> owners(ring, id).equals(List.of("n1", "n2")))
                .findFirst()
                .orElseThrow();
        write(1, ofLastTwo, "a", 1);
        repair(ring).run(environment());
        assertThat(rows(1).keySet()).containsAll(ofFirstTwo);
    }
}
