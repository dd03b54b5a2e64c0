package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.TokenFile;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.NodeFile;
import io.anneal.repair.RepairRunner;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal serve} over a store, and who a server is after it was started again. */
@Timeout(180)
class ServedStoreTest {
    private static final StoreConfig CONFIG = StoreConfig.defaults().withShardCount(2);
    private static final int ROWS = 60;
    private static final Pattern RUN = Pattern.compile("run ([0-9a-f-]{36})");

    @TempDir
    private Path directory;

    private Path token;
    private Path store;
    private Path data;

    @BeforeEach
    void setUp() throws IOException {
        token = Commands.tokenFile(directory);
        store = directory.resolve("store");
        try (Store open = Store.open(store, CONFIG)) {
            Table table = open.createTable(ReplicaFiles.SCHEMA_TEXT);
            table.importSSTables(ReplicaFiles.write(directory.resolve("of-store"), ROWS, 20, k -> k % 3 != 0));
            // Not in an SSTable when the server finds it.
            table.row().key("k", (long) ROWS).set("v", ByteBuffer.allocate(1)).insert();
        }
        data = directory.resolve("data");
        ReplicaFiles.write(data, ROWS, 20, k -> k % 3 != 1);
    }

    private Commands.Server serve(Object... args) throws IOException {
        Stream<String> all =
                Stream.concat(Stream.of(args).map(Object::toString), Stream.of("--token-file", token.toString()));
        return Commands.Server.start(Files.createTempFile(directory, "server", ".log"), all.toArray(String[]::new));
    }

    private Commands.Result repair(Commands.Server one, Commands.Server other, String... more) {
        Stream<String> args = Stream.of(
                "repair",
                "--replica",
                one.address(),
                "--replica",
                other.address(),
                "--table",
                "ks.t",
                "--full-replicas",
                "--token-file",
                token.toString());
        return Commands.run(Stream.concat(args, Stream.of(more)).toArray(String[]::new));
    }

    private UUID idOf(Commands.Server server) throws IOException {
        NetConfig config = NetConfig.of(
                new NodeIdentity(new UUID(1, 1), "", Map.of()),
                Optional.of(TokenFile.read(token)),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION));
        try (Node node = Node.open(config, 2, new SecureRandom());
                Connection connection = node.client().open(RepairRunner.address(server.address()))) {
            return connection.node().nodeId();
        }
    }

    private long rows() throws IOException {
        try (Store open = Store.open(store, CONFIG);
                TableRows rows = open.table("ks.t").rows()) {
            return rows.stream().count();
        }
    }

    @Test
    void shouldNotBringBackWhatWasDeletedWhileTheStoreWasClosedForLong() throws Exception {
        // The other replica was purged of rows that it deleted: it has less, and knows no more why.
        Instant closed = Instant.now().minus(Duration.ofDays(20));
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(closed));
            }
        }
        Path staging = directory.resolve("staging");
        for (String reason : List.of("first", "opened and closed since", "again")) {
            try (Commands.Server served = serve("--data", store);
                    Commands.Server beside = serve("--data", data, "--staging", staging)) {
                Commands.Result refused = repair(served, beside);
                assertThat(refused.exitCode()).as(reason + refused.out()).isEqualTo(5);
                assertThat(refused.err())
                        .as(reason)
                        .contains("ANL-3003", "older than gc_grace", "--allow-old-snapshots");
            }
        }
        assertThat(staging.resolve("ks")).as("nothing is given to anybody").doesNotExist();
        try (Store open = Store.open(store, CONFIG)) {
            assertThat(open.table("ks.t").staleSince()).contains(closed.truncatedTo(ChronoUnit.SECONDS));
        }
    }

    @Test
    void shouldTakeInWhatItLacksAndBeTheSameNodeAgain() throws Exception {
        Path staging = directory.resolve("staging");
        UUID id;
        try (Commands.Server served = serve("--data", store);
                Commands.Server beside = serve("--data", data, "--staging", staging)) {
            Commands.Result repaired = repair(served, beside);
            assertThat(repaired.exitCode()).as(repaired.err()).isZero();
            assertThat(repaired.out())
                    .contains("received " + ROWS / 3 + " rows", "nodetool import ks t " + staging)
                    .doesNotContain("nodetool import ks t " + store);
            Matcher run = RUN.matcher(repaired.out());
            assertThat(run.find()).isTrue();
            Commands.Result looked = repair(served, beside, "--dry-run", "--staged", run.group(1));
            assertThat(looked.exitCode()).as(looked.out() + looked.err()).isZero();
            id = idOf(served);
            assertThat(idOf(beside))
                    .isEqualTo(NodeFile.idOf(staging, UUID::randomUUID))
                    .isNotEqualTo(id);
        }
        assertThat(data.resolve(NodeFile.FILE)).doesNotExist();
        assertThat(rows()).isEqualTo(ROWS + 1);
        Commands.Result check = Commands.run("store", "check", store.toString(), "--extended");
        assertThat(check.exitCode()).as(check.out()).isZero();
        assertThat(check.out()).doesNotContain(NodeFile.FILE);

        Path copy = directory.resolve("copy");
        try (Store open = Store.open(copy, CONFIG)) {
            open.createTable(ReplicaFiles.SCHEMA_TEXT);
        }
        Files.copy(store.resolve(NodeFile.FILE), copy.resolve(NodeFile.FILE));
        try (Commands.Server served = serve("--data", store);
                Commands.Server copied = serve("--data", copy)) {
            assertThat(idOf(served)).isEqualTo(id);
            Commands.Result refused = repair(served, copied, "--dry-run");
            assertThat(refused.exitCode()).isEqualTo(5);
            assertThat(refused.err())
                    .contains("ANL-3003", "two servers have one id", "node=" + id, "replica=" + copied.address())
                    .contains("remove that file from the copy", "file=" + NodeFile.FILE);
        }
    }
}
