package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.agent.ClusterHold;
import io.anneal.agent.GuardedTables;
import io.anneal.agent.StagedContent;
import io.anneal.bench.peer.BoundStatement;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.io.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a repair stages for a real node where deletions have outlived gc_grace: what the node itself deletes is not among it, even if
 * the node forgets that meanwhile; and what may be back from the dead is counted before anything is imported.
 */
@WithCassandra
final class StagedDeletionsTest {
    private static final String KEYSPACE = "staged_deletions";
    private static final String TABLE = KEYSPACE + ".t";
    private static final int GC_GRACE_SECONDS = 864_000;
    private static final int SESSIONS = 5;
    private static final int ROWS = 100;

    private final long nowSeconds = Instant.now().getEpochSecond();
    private final long oldMicros = (nowSeconds - GC_GRACE_SECONDS - 3_600) * 1_000_000;
    private final long newMicros = (nowSeconds - 3_600) * 1_000_000;

    /** On the file system of the node's data. */
    private Path directory;

    private CassandraPeer peer;
    private AgentBeside agent;

    @BeforeEach
    void open(CassandraPeer given) throws IOException {
        peer = given;
        directory = Files.createTempDirectory(Path.of("target"), "staged");
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE " + TABLE + " (k int PRIMARY KEY, v text, w text) WITH gc_grace_seconds = "
                        + GC_GRACE_SECONDS
                        + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"));
        agent = new AgentBeside(peer, directory);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
        Directories.deleteTree(directory);
    }

    /** Moves all that the node has to another replica. */
    private Path moveAway() throws IOException {
        Path other = Files.createDirectories(directory.resolve("other"));
        peer.copySSTables(KEYSPACE, "t", other);
        peer.truncate(KEYSPACE, "t");
        return other;
    }

    private void insert(long micros, int key, String column, String value) {
        peer.execute("INSERT INTO " + TABLE + " (k, " + column + ") VALUES (" + key + ", '" + value
                + "') USING TIMESTAMP " + micros);
    }

    private void deleteLongAgo(int key) {
        peer.executeBound(
                oldMicros / 1_000_000,
                List.of(new BoundStatement(
                        "DELETE FROM " + TABLE + " USING TIMESTAMP " + (oldMicros + 1) + " WHERE k = " + key,
                        List.of())));
    }

    private StagedContent look(ClusterHold hold) throws IOException {
        return hold.look().get(0).tables().get(0);
    }

    private List<String> keys() {
        return peer.execute("SELECT k FROM " + TABLE).column("k").stream()
                .sorted()
                .toList();
    }

    @Test
    void shouldKeepOutWhatTheNodeDeletedThoughItForgetsThatMeanwhile() throws IOException {
        insert(oldMicros, 1, "v", "deleted");
        insert(newMicros, 2, "v", "lives");
        Path other = moveAway();
        deleteLongAgo(1);
        peer.flush(KEYSPACE, "t");
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.NONE, TABLE)) {
            hold.takeSnapshots();
            peer.compact(KEYSPACE, "t");
            assertThat(peer.sstables(KEYSPACE, "t")).as("deletions are purged").isEmpty();

            agent.repair(TABLE, other);

            assertThat(hold.importAll()).allMatch(imported -> imported.failure().isEmpty());
            assertThat(keys()).containsExactly("2");
        }
    }

    @Test
    void shouldCountWhatIsOlderThanGcGraceAndNotInTheNode() throws IOException {
        insert(oldMicros, 1, "v", "row");
        insert(newMicros, 2, "v", "recent row");
        insert(newMicros, 3, "v", "recent cell");
        insert(oldMicros + 1_000_000, 3, "w", "old cell");
        insert(newMicros, 4, "v", "recent cell");
        insert(oldMicros, 4, "w", "old cell in both");
        Path other = moveAway();
        insert(newMicros - 1, 3, "v", "before");
        insert(oldMicros, 4, "w", "old cell in both");
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE)) {
            hold.takeSnapshots();
            assertThat(hold.look().get(0).tables()).as("nothing is staged").isEmpty();

            agent.repair(TABLE, other);

            StagedContent content = look(hold);
            assertThat(content.table()).isEqualTo(TABLE);
            assertThat(content.suspects()).isEqualTo(2);
            assertThat(content.oldestSuspect()).contains(Instant.ofEpochSecond(oldMicros / 1_000_000));
            assertThat(content.named())
                    .containsExactlyInAnyOrder(
                            "key=[1] clustering=[], written " + Instant.ofEpochSecond(oldMicros / 1_000_000),
                            "key=[3] clustering=[], written " + Instant.ofEpochSecond(oldMicros / 1_000_000 + 1));
            assertThat(content.ghosts()).isZero();
            assertThat(hold.importAll(Set.of(TABLE)).get(0).sstables())
                    .as("left out")
                    .isZero();
            assertThat(keys()).containsExactly("3", "4");
            assertThat(hold.importAll().get(0).sstables()).isEqualTo(1);
            assertThat(keys()).containsExactly("1", "2", "3", "4");
        }
    }

    @Test
    void shouldCountDeletionsThatTheNodeMayPurgeAtOnce() throws IOException {
        deleteLongAgo(1);
        insert(newMicros, 2, "v", "lives");
        Path other = moveAway();
        insert(oldMicros, 1, "v", "deleted elsewhere");
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE)) {
            hold.takeSnapshots();

            agent.repair(TABLE, other);

            StagedContent content = look(hold);
            assertThat(content.ghosts()).isEqualTo(1);
            assertThat(content.suspects()).isZero();
            assertThat(hold.importAll().get(0).failure()).isEmpty();
            assertThat(keys()).containsExactly("2");
        }
    }

    private List<Path> staged() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("agent").resolve("runs"))) {
            return files.filter(file -> file.toString().endsWith("-Data.db"))
                    .sorted()
                    .toList();
        }
    }

    private void insertSome() {
        for (int k = 0; k < ROWS; k++) {
            insert(newMicros, k, "v", "row " + k);
        }
    }

    /** What the node's own snapshot lacks of what is staged is the same to the byte, and as few files as one session writes. */
    @Test
    void shouldImportOneSSTableOfManySessions() throws IOException {
        insertSome();
        deleteLongAgo(ROWS);
        peer.execute("DELETE FROM " + TABLE + " USING TIMESTAMP " + newMicros + " WHERE k = " + (ROWS + 1));
        peer.execute("UPDATE " + TABLE + " USING TTL 100000 AND TIMESTAMP " + newMicros + " SET w = 'w' WHERE k = 1");
        Path other = moveAway();
        insert(newMicros - 1, ROWS + 1, "v", "deleted elsewhere");
        insert(oldMicros, ROWS, "v", "deleted elsewhere");
        peer.flush(KEYSPACE, "t");
        int before = peer.sstables(KEYSPACE, "t").size();
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE)) {
            hold.takeSnapshots();
            agent.repairInSessions(SESSIONS, TABLE, other);
            assertThat(staged()).hasSize(SESSIONS);

            StagedContent content = look(hold);

            assertThat(content.ghosts()).isEqualTo(1);
            assertThat(staged()).hasSize(1);
            assertThat(hold.importAll().get(0).sstables()).isEqualTo(1);
            assertThat(peer.sstables(KEYSPACE, "t")).hasSize(before + 1);
            assertThat(keys()).hasSize(ROWS).doesNotContain(ROWS + "", ROWS + 1 + "");
        }
    }

    /** It may go on at the node, which nobody waits for any more. */
    @Test
    void shouldNotTouchWhatTheNodeHasBegunToImport() throws IOException {
        insertSome();
        Path other = moveAway();
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE)) {
            hold.takeSnapshots();
            agent.repairInSessions(SESSIONS, TABLE, other);
            List<Path> before = staged();
            byte[] whole = Files.readAllBytes(before.get(0));
            byte[] damaged = whole.clone();
            damaged[damaged.length - 1]++;
            Files.write(before.get(0), damaged);
            assertThat(hold.importAll().get(0).failure()).isPresent();
            Files.write(before.get(0), whole);

            hold.look();

            assertThat(staged()).isEqualTo(before);
            assertThat(hold.importAll().get(0).sstables()).isEqualTo(SESSIONS);
            assertThat(keys()).hasSize(ROWS);
        }
    }

    @Test
    void shouldImportNothingWhereAnotherTableOfTheRunHasChanged() throws IOException {
        insert(newMicros, 1, "v", "row");
        Path other = moveAway();
        peer.execute("CREATE TABLE " + KEYSPACE + ".unstaged (k int PRIMARY KEY)");
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE, KEYSPACE + ".unstaged")) {
            hold.takeSnapshots();
            agent.repair(TABLE, other);
            peer.truncate(KEYSPACE, "unstaged");

            assertThat(hold.importAll().get(0).failure().orElseThrow())
                    .hasMessageContaining("table was truncated, table=" + KEYSPACE + ".unstaged");

            assertThat(keys()).isEmpty();
        }
    }

    @Test
    void shouldImportNothingOfWhatCouldNotBeLookedAt() throws IOException {
        insert(newMicros, 1, "v", "row");
        Path other = moveAway();
        try (ClusterHold hold = agent.hold(GuardedTables.Fence.HELD, TABLE)) {
            hold.takeSnapshots();
            agent.repair(TABLE, other);
            for (Path file : staged()) {
                Files.write(file, new byte[1]);
            }

            ClusterHold.Looked looked = hold.look().get(0);

            assertThat(looked.tables()).isEmpty();
            assertThat(looked.failure()).isPresent();
            assertThat(hold.importAll().get(0).failure()).isEqualTo(looked.failure());
            assertThat(keys()).isEmpty();
        }
    }
}
