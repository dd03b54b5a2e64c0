package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal stream} over nodes of this process. */
@Timeout(60)
final class StreamTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final int KEYS = 200;

    @TempDir
    private Path directory;

    private Path token;
    private final Store[] stores = new Store[3];
    private final CommandNode[] nodes = new CommandNode[3];

    @BeforeEach
    void start() throws IOException {
        token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        for (int i = 0; i < stores.length; i++) {
            stores[i] = Store.open(directory.resolve("store" + i));
            stores[i].createTable(SCHEMA);
            nodes[i] = CommandNode.serve(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new StoreReplicas(stores[i]),
                    CommandNode.config(new UUID(1, i), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                    HostEnvironment.system());
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (int i = 0; i < stores.length; i++) {
            nodes[i].close();
            stores[i].close();
        }
    }

    private static void fill(Store store) throws IOException {
        Table table = store.table("ks.t");
        for (int k = 0; k < KEYS; k++) {
            table.row().key("k", k).set("v", "v" + k).insert();
        }
        table.flush();
    }

    private String node(int number) {
        return "n" + number + "=" + PeerAddress.text(nodes[number].address());
    }

    private int keys(int store) throws IOException {
        int keys = 0;
        for (int k = 0; k < KEYS; k++) {
            keys += stores[store].table("ks.t").row(Map.of("k", k)).isPresent() ? 1 : 0;
        }
        return keys;
    }

    private CommandRun stream(String command, Object... more) {
        Object[] args = new Object[6 + more.length];
        System.arraycopy(new Object[] {"stream", command, "--table", "ks.t", "--token-file", token}, 0, args, 0, 6);
        System.arraycopy(more, 0, args, 6, more.length);
        return CommandRun.inTime(args);
    }

    private Path ring(String name, String... parts) throws IOException {
        StringBuilder text = new StringBuilder("TokenRange: \n");
        for (String part : parts) {
            text.append("\tTokenRange(").append(part).append(", rpc_endpoints:[])\n");
        }
        return Files.writeString(directory.resolve(name), text);
    }

    @Test
    void shouldTransferAllOfATable() throws IOException {
        fill(stores[0]);

        CommandRun run = stream("transfer", "--from", node(0), "--to", node(1), "--full-replicas");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("streamed ")
                .contains("SSTables as they are, 0 in part, and 0 rows", "ks.t from 127.0.0.1:");
        assertThat(keys(1)).isEqualTo(KEYS);
    }

    @Test
    void shouldTransferTheRangesThatAreGiven() throws IOException {
        fill(stores[0]);

        CommandRun run =
                stream("transfer", "--from", node(0), "--to", node(1), "--range=(-9223372036854775808,0]", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("{\"schema\":1,\"command\":\"stream transfer\",\"sstables\":");
        assertThat(keys(1)).isBetween(1, KEYS - 1);
    }

    @Test
    void shouldRebuildALostNodeFromTwoOthers() throws IOException {
        fill(stores[0]);
        fill(stores[1]);
        Path ring = ring(
                "ring",
                "start_token:0, end_token:4000000000000000000, endpoints:[n0, n2]",
                "start_token:4000000000000000000, end_token:0, endpoints:[n1, n2]");

        CommandRun run = stream("rebuild", "--from", node(0), "--from", node(1), "--to", node(2), "--ring", ring);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(keys(2)).isEqualTo(KEYS);
    }

    @Test
    void shouldRebuildFromTwoNodesThatOwnEverything() throws IOException {
        fill(stores[0]);
        fill(stores[1]);

        CommandRun run =
                stream("rebuild", "--from", node(0), "--from", node(1), "--to", node(2), "--full-replicas", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(keys(2)).isEqualTo(KEYS);
        // What each of them has comes half.
        assertThat(run.out()).doesNotContain("\"bytes\":0");
        assertThat(stores[2].table("ks.t").sstableCount()).isGreaterThan(1);
    }

    @Test
    void shouldGiveANewNodeOnlyWhatItWillOwn() throws IOException {
        fill(stores[0]);
        Path ring = ring(
                "ring",
                "start_token:0, end_token:4000000000000000000, endpoints:[n2]",
                "start_token:4000000000000000000, end_token:0, endpoints:[n0]");
        assertThat(stream("add-node", "--from", node(0), "--to", node(2), "--ring", ring)
                        .err())
                .contains("no source owns a range that the target is to have");
        ring = ring(
                "ring",
                "start_token:0, end_token:4000000000000000000, endpoints:[n2, n0]",
                "start_token:4000000000000000000, end_token:0, endpoints:[n0]");

        CommandRun run = stream("add-node", "--from", node(0), "--to", node(2), "--ring", ring);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(keys(2)).isBetween(1, KEYS / 2);
    }

    @Test
    void shouldGiveWhatALeavingNodeHasToThoseThatTakeOver() throws IOException {
        fill(stores[0]);
        Path before = ring("before", "start_token:0, end_token:0, endpoints:[n0]");
        Path after = ring(
                "after",
                "start_token:0, end_token:4000000000000000000, endpoints:[n1]",
                "start_token:4000000000000000000, end_token:0, endpoints:[n2]");

        CommandRun run = stream(
                "decommission",
                "--from",
                node(0),
                "--to",
                node(1),
                "--to",
                node(2),
                "--ring",
                before,
                "--ring-after",
                after);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(keys(1)).isPositive();
        assertThat(keys(1) + keys(2)).isEqualTo(KEYS);
    }

    @Test
    void shouldSayUntilWhenACassandraNodeMustImport() throws IOException {
        fill(stores[0]);
        Path data = directory.resolve("data/ks/t-11111111222233334444555555555555");
        Files.createDirectories(data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        try (StagingArea staging = StagingArea.open(directory.resolve("staging"), "n9", InstantSource.system());
                CommandNode node = CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new CassandraReplicas(
                                List.of(directory.resolve("data")), Optional.empty(), Optional.of(staging)),
                        CommandNode.config(new UUID(1, 9), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system())) {
            CommandRun run = stream(
                    "transfer", "--from", node(0), "--to", "n9=" + PeerAddress.text(node.address()), "--full-replicas");

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out())
                    .containsPattern("import on the node of .* before 20.*: nodetool import ks t "
                            + directory.resolve("staging/ks/t"));
            assertThat(directory.resolve("staging/ks/t")).isNotEmptyDirectory();
        }
    }

    /** A bit in the middle of the data of each SSTable of a table. */
    private static void damage(Store store, String table) throws IOException {
        try (LiveFiles files = store.table(table).liveFiles()) {
            for (LiveFiles.PinnedSSTable sstable : files.sstables()) {
                CommandRun.corrupt(sstable.descriptor().file(Component.DATA));
            }
        }
    }

    @Test
    void shouldTakeFromAnotherNodeWhatIsDamaged() throws IOException {
        fill(stores[0]);
        fill(stores[1]);
        damage(stores[0], "ks.t");
        Path ring = ring(
                "ring",
                "start_token:0, end_token:4000000000000000000, endpoints:[n0, n1, n2]",
                "start_token:4000000000000000000, end_token:0, endpoints:[n0, n1, n2]");

        CommandRun run =
                stream("rebuild", "--from", node(0), "--from", node(1), "--to", node(2), "--ring", ring, "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(keys(2)).isEqualTo(KEYS);
        assertThat(run.out()).contains("\"damaged\":[{\"node\":\"n0\",\"table\":\"ks.t\",\"reason\":");
        assertThat(run.err().lines())
                .filteredOn(line -> line.contains("damaged"))
                .singleElement()
                .asString()
                .contains("node=n0", "table=ks.t", "-Data.db");
    }

    @Test
    void shouldNameTheDamagedSSTableAndGoOnWithOtherTables() throws IOException {
        String other = SCHEMA.replace("ks.t", "ks.other").replace("11111111", "99999999");
        for (int i = 0; i < 2; i++) {
            stores[i].createTable(other);
        }
        fill(stores[0]);
        stores[0].table("ks.other").row().key("k", 1).set("v", "v").insert();
        stores[0].table("ks.other").flush();
        damage(stores[0], "ks.t");

        CommandRun run =
                stream("transfer", "--table", "ks.other", "--from", node(0), "--to", node(1), "--full-replicas");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error ANL-3001: SSTable of the source came wrong, and wrong again, table=ks.t,")
                .contains(
                        "sstable=",
                        "-big",
                        "peer=127.0.0.1:" + nodes[0].address().getPort(),
                        "anneal sstable verify");
        assertThat(keys(1)).isZero();
        assertThat(stores[1].table("ks.other").row(Map.of("k", 1))).isPresent();
    }

    @Test
    void shouldTellWhatANodeRefuses() throws IOException {
        stores[1].dropTable("ks.t");

        CommandRun run = stream("transfer", "--from", node(0), "--to", node(1), "--full-replicas");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("anneal: error ANL-3008: store has no such table, table=ks.t")
                .contains("target=");
    }

    @Test
    void shouldSayWhatLetsItGoOnWhereASourceHasNothing() throws IOException {
        CommandRun run = stream("rebuild", "--from", node(0), "--to", node(1), "--full-replicas");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("ANL-3008", "source has no SSTable of the table", "--allow-empty");
        assertThat(stream("rebuild", "--from", node(0), "--to", node(1), "--full-replicas", "--allow-empty")
                        .exitCode())
                .isZero();
    }

    @Test
    void shouldRefuseATableOfWhichNothingMustBeDeletedUntilThatIsMeant() throws IOException {
        for (Store store : stores) {
            store.alterTable("ALTER TABLE ks.t WITH gc_grace_seconds = 0");
        }
        fill(stores[0]);

        CommandRun run = stream("transfer", "--from", node(0), "--to", node(1), "--full-replicas");

        assertThat(run.err()).contains("gc_grace of 0", "--allow-no-gc-grace");
        assertThat(stream("transfer", "--from", node(0), "--to", node(1), "--full-replicas", "--allow-no-gc-grace")
                        .exitCode())
                .isZero();
        assertThat(keys(1)).isEqualTo(KEYS);
    }
}
