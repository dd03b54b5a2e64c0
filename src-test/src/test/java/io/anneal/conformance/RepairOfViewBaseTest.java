package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots that a real Cassandra made of a table with a materialized view; their schema text names no view. */
@WithCassandra
class RepairOfViewBaseTest {
    private static final int COPIES_MAX = 20;

    private static final String KEYSPACE = "repair_views";

    private static Path base;
    private static Path plain;

    @TempDir
    private Path directory;

    @BeforeAll
    static void snapshot(CassandraPeer cassandra) throws IOException {
        cassandra.executeAll(List.of(
                "CREATE KEYSPACE repair_views WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE repair_views.base (id int PRIMARY KEY, owner text)",
                "CREATE TABLE repair_views.plain (id int PRIMARY KEY, owner text)",
                "CREATE MATERIALIZED VIEW repair_views.by_owner AS SELECT * FROM repair_views.base"
                        + " WHERE owner IS NOT NULL AND id IS NOT NULL PRIMARY KEY (owner, id)",
                "INSERT INTO repair_views.base (id, owner) VALUES (1, 'a')",
                "INSERT INTO repair_views.plain (id, owner) VALUES (1, 'a')"));
        base = cassandra.snapshot(KEYSPACE, "base", "anneal");
        plain = cassandra.snapshot(KEYSPACE, "plain", "anneal");
        assertThat(base.resolve("schema.cql")).content().doesNotContainIgnoringCase("view ");
        // A node flushes these with every change; the test's node spares itself that.
        cassandra.nodetool("flush", "system_schema");
    }

    private static Commands.Result repair(String table, Path... replicas) {
        // The rows have just been written: a dry run would leave out all of them.
        List<String> arguments = new ArrayList<>(
                List.of("repair", "--json", "--full-replicas", "--include-recent", "--table", KEYSPACE + "." + table));
        for (Path replica : replicas) {
            arguments.addAll(List.of("--dir", replica.toString()));
        }
        return Commands.run(arguments.toArray(String[]::new));
    }

    /** The node's data directory. */
    private static Path data() {
        return plain.getParent().getParent().getParent().getParent();
    }

    /** The data directory of a node that holds the same. The node runs: what it has compacted meanwhile is copied again. */
    private Path anotherNode() throws IOException {
        for (int attempt = 1; ; attempt++) {
            Path copy = directory.resolve("another-" + attempt);
            try {
                for (String keyspace : List.of(KEYSPACE, "system_schema")) {
                    copyTree(data().resolve(keyspace), copy.resolve(keyspace));
                }
                return copy;
            } catch (NoSuchFileException gone) {
                if (attempt == COPIES_MAX) {
                    throw gone;
                }
            }
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.walk(from)) {
            files = found.filter(Files::isRegularFile).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path file : files) {
            Path target = to.resolve(from.relativize(file));
            Files.createDirectories(target.getParent());
            Files.copy(file, target);
        }
    }

    private Path copiedAlone(Path snapshot, String name) throws IOException {
        Path copy = Files.createDirectories(directory.resolve(name));
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    @Test
    void shouldRefuseTheBaseOfAViewByTheNodesOwnSchemaTables() throws IOException {
        Path copy = copiedAlone(base, "copy");

        for (Path given : List.of(base, base.getParent().getParent().getParent())) {
            Commands.Result refused = repair("base", given, copy);
            assertThat(refused.exitCode()).as(refused.out()).isEqualTo(5);
            assertThat(refused.err()).contains("ANL-3003", "materialized views", "by_owner", "repair_views.base");
            assertThat(repair("base", copy, given).err()).contains("by_owner");
        }
    }

    @Test
    void shouldRefuseTheBaseOfAViewByTheViewsOwnSnapshotBesideIt(CassandraPeer cassandra) throws IOException {
        Path view = cassandra.snapshot(KEYSPACE, "by_owner", "anneal");
        // The keyspace's directory, without those of the system.
        Path keyspace = directory.resolve(KEYSPACE);
        for (Path snapshot : List.of(base, view)) {
            Path table = snapshot.getParent().getParent().getFileName();
            copiedAlone(snapshot, KEYSPACE + "/" + table + "/snapshots/anneal");
        }
        Path given =
                keyspace.resolve(base.getParent().getParent().getFileName()).resolve("snapshots/anneal");

        Commands.Result refused = repair("base", given, copiedAlone(base, "copy"));
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.err()).contains("materialized views", "by_owner");
    }

    @Test
    void shouldNoteThatViewsWereNotLookedForWhenASnapshotWasCopiedAlone() throws IOException {
        Commands.Result done = repair("base", copiedAlone(base, "one"), copiedAlone(base, "two"));

        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(done.out()).contains("materialized views", "not checked", "one", "two");
        assertThat(new ObjectMapper().readTree(done.out()).get("tables").get(0).get("notes"))
                .hasSize(2);
    }

    @Test
    void shouldRepairTheOtherTablesOfAKeyspaceThatHasAView() throws IOException {
        Path keyspace = base.getParent().getParent().getParent();

        Commands.Result done = repair("*", keyspace, anotherNode().resolve(KEYSPACE));
        assertThat(done.exitCode()).isEqualTo(5);
        assertThat(new ObjectMapper().readTree(done.out()).get("tables"))
                .extracting(table -> table.get("table").asText() + " " + table.has("error"))
                .containsExactly("repair_views.base true", "repair_views.by_owner true", "repair_views.plain false");
    }

    @Test
    void shouldRefuseNothingAndNoteNothingOfATableWithoutViews() throws IOException {
        Commands.Result done = repair("plain", plain, anotherNode().resolve(data().relativize(plain)));

        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(done.err()).doesNotContain("view");
    }
}
