package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.TokenFile;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica that lost its data gets SSTables, not rows, and is compared then. */
@Timeout(60)
final class RepairOfEmptyReplicaTest {
    private static final int REPLICAS = 3;
    private static final int ROWS = 3_000;

    @TempDir
    private Path directory;

    private final List<Store> stores = new ArrayList<>();
    private final List<CommandNode> nodes = new ArrayList<>();
    private Path token;

    @BeforeEach
    void start() throws IOException {
        token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        for (int i = 0; i < REPLICAS; i++) {
            Store store = Store.open(
                    directory.resolve("store-" + i),
                    StoreConfig.defaults().withShardCount(1).withCompactionThreads(0));
            store.createTable(Tables.TEXT_WITH_ID);
            stores.add(store);
            nodes.add(CommandNode.serve(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new StoreReplicas(store),
                    CommandNode.config(new UUID(1, i), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                    HostEnvironment.system()));
        }
    }

    @AfterEach
    void stop() throws IOException {
        nodes.forEach(CommandNode::close);
        for (Store store : stores) {
            store.close();
        }
    }

    private Table table(int store) {
        return stores.get(store).table("ks.readings");
    }

    private void fill(int store, int rows) throws IOException {
        Path files = Tables.write(
                directory.resolve("files-" + store),
                Tables.schema(Tables.TEXT_WITH_ID),
                Tables.TEXT_WITH_ID,
                writer -> {
                    for (int id = 0; id < rows; id++) {
                        writer.row()
                                .key("id", id)
                                .clustering("at", 1)
                                .set("name", "a".repeat(500))
                                .insert();
                    }
                });
        table(store).importSSTables(files);
    }

    private int count(int store) throws IOException {
        int count = 0;
        try (TableRows rows = table(store).rows()) {
            while (rows.next() != null) {
                count++;
            }
        }
        return count;
    }

    private CommandRun repair(String... more) {
        List<Object> words = new ArrayList<>(List.of("repair", "--full-replicas", "--table", "ks.readings"));
        for (CommandNode node : nodes) {
            words.addAll(List.of("--replica", "127.0.0.1:" + node.address().getPort()));
        }
        words.addAll(List.of("--token-file", token, "--buffer", "64KiB", "--parallel", "1"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray());
    }

    private void allShouldHoldAll() throws IOException {
        for (int i = 0; i < REPLICAS; i++) {
            assertThat(count(i)).as("replica=%d", i).isEqualTo(ROWS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, REPLICAS - 1})
    void shouldGetSSTablesAndBeComparedThen(int empty) throws IOException {
        for (int i = 0; i < REPLICAS; i++) {
            // One of the others lacks a row, and the empty one has kept a few.
            fill(i, i == empty ? 3 : i == 1 ? ROWS - 1 : ROWS);
        }

        CommandRun run = repair();

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("got SSTables of another one before they were compared");
        assertThat(run.out()).contains("the replicas differed").containsPattern("\\b[1-4] items? moved");
        allShouldHoldAll();
    }

    @Test
    void shouldGetSSTablesOfTheMasterWhenNobodyElseHoldsMuch() throws IOException {
        fill(0, ROWS);
        fill(1, 3);
        fill(2, 2);

        CommandRun run = repair("--rate", "1000000");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err().split("got SSTables of another one")).hasSize(3);
        assertThat(run.out()).contains("the replicas differed").contains(" 0 items moved");
        allShouldHoldAll();
    }

    @Test
    void shouldGetSSTablesOfAnotherDirectory() throws IOException {
        fill(0, 3);
        fill(1, ROWS);
        fill(2, ROWS - 1);
        stop();
        List<Object> words = new ArrayList<>(List.of("repair", "--full-replicas", "--table", "ks.readings", "--apply"));
        for (int i = 0; i < REPLICAS; i++) {
            words.addAll(List.of("--dir", directory.resolve("store-" + i)));
        }
        words.addAll(List.of("--buffer", "64KiB", "--parallel", "1"));

        CommandRun run = CommandRun.of(words.toArray());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("got SSTables of another one", "replica=store-0, source=store-");
        assertThat(run.out()).contains("the replicas differed").containsPattern("\\b[1-4] items? moved");
        stores.clear();
        nodes.clear();
        for (int i = 0; i < REPLICAS; i++) {
            stores.add(Store.open(directory.resolve("store-" + i)));
        }
        allShouldHoldAll();
    }
}
