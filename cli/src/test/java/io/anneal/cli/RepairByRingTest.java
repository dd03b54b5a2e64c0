package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.environment.HostEnvironment;
import io.anneal.key.DecoratedKey;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair --ring}: three nodes of which each range has two, or of which one is missing. */
final class RepairByRingTest {
    private static final StoreConfig CONFIG = Tables.STORE.withSyncMode(SyncMode.PERIODIC);
    private static final String TABLE = "ks.readings";
    private static final int ROWS = 40;
    /** A quarter of the ring is of the first two, a half of the last two, and a quarter of the first and the last. */
    private static final String RING = """
            TokenRange(start_token:-9223372036854775808, end_token:-4611686018427387904, endpoints:[10.0.0.1:7000, 10.0.0.2:7000], x)
            TokenRange(start_token:-4611686018427387904, end_token:4611686018427387904, endpoints:[10.0.0.2:7000, 10.0.0.3:7000], x)
            TokenRange(start_token:4611686018427387904, end_token:-9223372036854775808, endpoints:[10.0.0.3:7000, 10.0.0.1:7000], x)
            """;

    private static final long CUT = 1L << 62;

    @TempDir
    private Path directory;

    private final List<Path> stores = new ArrayList<>();
    private Path ring;

    @BeforeEach
    void setUp() throws IOException {
        ring = Files.writeString(directory.resolve("ring"), RING);
        for (int node = 1; node <= 3; node++) {
            int turn = node - 1;
            stores.add(Tables.store(directory.resolve("10.0.0." + node), CONFIG, HostEnvironment.system(), table -> {
                for (int id = 0; id < ROWS; id++) {
                    // By turns; the third node has more that it does not own.
                    if (id % 3 == turn || turn == 2 && id % 5 == 0) {
                        table.row()
                                .key("id", id)
                                .clustering("at", 1)
                                .set("name", "a")
                                .timestampMicros(Tables.MICROS)
                                .insert();
                    }
                }
            }));
        }
    }

    private static boolean owns(int node, int id) {
        long token = DecoratedKey.of(ByteBuffer.allocate(4).putInt(id).array()).token();
        return switch (node) {
            case 1 -> token <= -CUT || token > CUT;
            case 2 -> token <= CUT;
            default -> token > -CUT;
        };
    }

    private List<Integer> ids(int node) throws IOException {
        return Tables.ids(stores.get(node - 1), CONFIG);
    }

    private CommandRun repair(Object... args) {
        List<Object> all = new ArrayList<>(List.of("repair", "--table", TABLE, "--ring", ring));
        all.addAll(List.of(args));
        return CommandRun.inTime(all.toArray());
    }

    @Test
    void shouldBringEachRowToTheNodesThatOwnItWhenTheRingSaysWho() throws IOException {
        List<Integer> held = ids(3);
        Object[] all = {"--dir", stores.get(0), "--dir", stores.get(1), "--dir", stores.get(2)};
        CommandRun applied = repair(append(all, "--apply"));
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(applied.err()).contains("every replica of the ring takes part: as with --all-replicas");

        for (int node = 1; node <= 3; node++) {
            int number = node;
            List<Integer> before = IntStream.range(0, ROWS)
                    .filter(id -> number == 3 ? held.contains(id) : id % 3 == number - 1)
                    .boxed()
                    .toList();
            assertThat(ids(node))
                    .as("node %d", node)
                    .containsExactlyElementsOf(IntStream.range(0, ROWS)
                            .filter(id -> owns(number, id) ? isOwnedWhereItIs(id, held) : before.contains(id))
                            .boxed()
                            .toList());
        }
        CommandRun again = repair(append(all, "--json"));
        assertThat(again.exitCode()).as(again.out()).isZero();
        JsonNode json = new ObjectMapper().readTree(again.out());
        assertThat(json.get("notes").get(0).asText()).contains("--all-replicas");
        assertThat(json.get("tables").get(0).get("replicas"))
                .extracting(replica -> replica.get("name").asText())
                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3");
    }

    /** What only a node has that does not own it stays there. */
    private static boolean isOwnedWhereItIs(int id, List<Integer> heldByThird) {
        return owns(id % 3 + 1, id) || owns(3, id) && heldByThird.contains(id);
    }

    private static Object[] append(Object[] args, Object... more) {
        List<Object> all = new ArrayList<>(List.of(args));
        all.addAll(List.of(more));
        return all.toArray();
    }

    private JsonNode json(Object... args) throws IOException {
        CommandRun run = repair(append(args, "--json"));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NO);
        return new ObjectMapper().readTree(run.out());
    }

    @Test
    void shouldSampleWhatOwnersHold() throws IOException {
        Object[] all = {"--dir", stores.get(0), "--dir", stores.get(1), "--dir", stores.get(2)};
        JsonNode table = json(all).get("tables").get(0);
        int differing = table.get("rows-differing").asInt();

        JsonNode whole = json(append(all, "--sample", "100%")).get("tables").get(0);
        assertThat(whole.at("/sample/rows-differing").asInt()).isEqualTo(differing);
        assertThat(whole.at("/sample/rows-differing-of-all").asInt()).isEqualTo(differing);
        assertThat(whole.at("/sample/rows-looked-at").asInt()).isEqualTo(differing);

        JsonNode half = json(append(all, "--sample", "50%", "--seed", "1"));
        assertThat(half.at("/tables/0/sample/rows").asInt()).isBetween(differing / 5, differing * 4 / 5);
        assertThat(half.at("/tables/0/sample/slices").asInt()).isBetween(200, 203);
        assertThat(half.at("/notes/0").asText()).contains("every replica of the ring");
        assertThat(json(append(all, "--sample", "50%", "--seed", "1")).at("/tables/0/sample"))
                .isEqualTo(half.at("/tables/0/sample"));
    }

    /** A node that owns next to nothing. */
    @Test
    void shouldSampleWhereANodeOwnsNoneOfTheSlices() throws IOException {
        Files.writeString(ring, """
                TokenRange(start_token:7, end_token:6, endpoints:[10.0.0.1:7000, 10.0.0.2:7000], x)
                TokenRange(start_token:6, end_token:7, endpoints:[10.0.0.1:7000, 10.0.0.3:7000], x)
                """);
        JsonNode sampled = json(
                "--dir", stores.get(0), "--dir", stores.get(1), "--dir", stores.get(2), "--sample", "50%", "--seed", 1);
        assertThat(sampled.at("/tables/0/sample/rows-differing").asInt()).isPositive();
    }

    @Test
    void shouldSayWhatIsNotComparedWhenANodeIsMissing() {
        CommandRun two = repair("--dir", stores.get(0), "--dir", stores.get(1));
        assertThat(two.exitCode()).as(two.err()).isEqualTo(ExitCode.NO);
        assertThat(two.err())
                .contains("note: 75.0 % of the ring has only one of its replicas here, or none: not compared")
                .doesNotContain("replicas that are not here", "--all-replicas");
        assertThat(repair("--dir", stores.get(0), "--dir", stores.get(1), "--all-replicas"))
                .satisfies(refused -> assertUsage(refused, "--all-replicas contradicts --ring", "10.0.0.3"));
    }

    @Test
    void shouldSayWhatIsComparedWithSomeOfItsReplicas() throws IOException {
        Files.writeString(ring, RING.replace("10.0.0.2:7000]", "10.0.0.2:7000, 10.0.0.4:7000]"));
        CommandRun some = repair("--dir", stores.get(0), "--dir", stores.get(1), "--dir", stores.get(2));
        assertThat(some.exitCode()).as(some.err()).isEqualTo(ExitCode.NO);
        assertThat(some.err())
                .contains("note: 25.0 % of the ring has replicas that are not here: compared among those that are")
                .doesNotContain("not compared\n", "--all-replicas");
    }

    private static void assertUsage(CommandRun refused, String... reasons) {
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains(reasons);
    }

    @Test
    void shouldAskForNamesOfTheRing() throws IOException {
        Object[] renamed = {"--dir", stores.get(0), "--dir", stores.get(1), "--name", "n1", "--name", "10.0.0.2"};
        assertUsage(repair(renamed), "--name", "given=n1", "endpoints=[10.0.0.1, 10.0.0.2, 10.0.0.3]");
        renamed[5] = "10.0.0.1";
        assertThat(repair(renamed).exitCode()).isEqualTo(ExitCode.NO);

        Object[] servers = {"--replica", "127.0.0.1:1", "--replica", "127.0.0.1:2", "--token-file", ring};
        assertUsage(repair(servers), "--name", "given=127.0.0.1:1", "endpoints=[10.0.0.1");
        assertUsage(repair(append(servers, "--name", "10.0.0.1")), "as often as --replica");
        assertUsage(repair(append(servers, "--name", "10.0.0.1", "--name", "10.0.0.1")), "given twice");
        servers[3] = "127.0.0.1:1";
        assertUsage(
                repair(append(servers, "--name", "10.0.0.1", "--name", "10.0.0.2")), "a server is given as two nodes");
        CommandRun full = CommandRun.inTime(append(
                new Object[] {"repair", "--table", TABLE, "--full-replicas"},
                append(servers, "--name", "10.0.0.1", "--name", "10.0.0.2")));
        assertUsage(full, "--name goes with --dir, or with --ring");
    }

    @Test
    void shouldTakeOneWayToSayWhatReplicasOwn() throws IOException {
        Object[] two = {"--dir", stores.get(0), "--dir", stores.get(1)};
        assertUsage(repair(append(two, "--full-replicas")), "--ring excludes");
        assertUsage(repair(append(two, "--range=1:2")), "--ring excludes");
        assertUsage(repair(append(two, "--table", "other.t")), "a ring is of one keyspace", "[ks, other]");
        Files.writeString(ring, RING.replace("10.0.0.1:7000, 10.0.0.2", "10.0.0.1:7000, 10.0.0.3"));
        assertUsage(repair(two), "no range of the ring has two of these replicas");
        Files.writeString(ring, RING.lines().limit(2).reduce("", (one, next) -> one + next + "\n"));
        assertUsage(repair(two), "ring has a hole", "file=" + ring);
    }
}
