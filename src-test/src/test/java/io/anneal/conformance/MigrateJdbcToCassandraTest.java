package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Two processes of the service of {@code docs/migrate-jdbc.md} are walked to a real Cassandra and finished by commands alone, one killed
 * in the back-fill, the phase store lost and recovered.
 */
@WithCassandra
final class MigrateJdbcToCassandraTest {
    @TempDir
    private Path directory;

    @Test
    @ResourceLock("keyspace shop")
    void shouldWalkTwoProcessesByCommandsAloneThoughOneIsKilledAndThePhaseStoreIsLost(CassandraPeer peer)
            throws Exception {
        peer.execute("DROP KEYSPACE IF EXISTS shop");
        peer.execute("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        peer.execute("CREATE TABLE shop.profiles (id bigint PRIMARY KEY, name text)");
        String[] node = {peer.config().address(), Integer.toString(peer.cqlPort())};
        try (ProfileWalk walk = new ProfileWalk(directory)) {
            walk.done("init");
            ProfileWalk.Service one = walk.start("ProfileService", node);
            ProfileWalk.Service two = walk.start("ProfileService", node);
            one.save(1, "in-1");
            assertThat(two.name(1)).contains("in-1");
            walk.step();
            two.save(2, "in-2");

            CompletableFuture<Commands.Result> filled =
                    CompletableFuture.supplyAsync(() -> walk.command("backfill", "--rate", "100"));
            one.kill();
            one.start();
            assertThat(filled.join().exitCode()).as(filled.join().err()).isZero();
            assertThat(walk.done("verify", "--repair")).contains("300 keys compared, 0 differ");
            walk.step();
            one.remove(3);
            assertThat(two.name(3)).isEqualTo("null");
            walk.settle();

            walk.execute("drop table anneal_phase");
            walk.execute("drop table anneal_phase_lines");
            two.save(4, "while-lost");
            String[] directories = {
                "--directory",
                walk.memory(one).toString(),
                "--directory",
                walk.memory(two).toString()
            };
            assertThat(walk.command("recover", (Object[]) directories).exitCode())
                    .isEqualTo(3);
            walk.done("recover", directories[0], directories[1], directories[2], directories[3], "--yes");
            walk.step("--to-share", "100");
            walk.done("verify");
            walk.step();
            walk.step();
            two.save(5, "in-4");
            assertThat(one.name(5)).contains("in-4");
            walk.step();
            assertThat(walk.finish()).contains("no way back");
            one.end();
            two.end();
            walk.execute("drop table profiles");
        }
        for (long id = 1; id <= ProfileWalk.BEFORE; id++) {
            String name = id == 4 ? "while-lost" : id == 5 ? "in-4" : id <= 2 ? "in-" + id : "name-" + id;
            List<String> rows = peer.selectJson("SELECT JSON name FROM shop.profiles WHERE id = " + id);
            assertThat(String.join("", rows)).isEqualTo(id == 3 ? "" : "{\"name\": \"" + name + "\"}");
        }
        peer.execute("DROP KEYSPACE shop");
    }
}
