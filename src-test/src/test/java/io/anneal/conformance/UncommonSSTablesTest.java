package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SSTables that nodes have beside those of ordinary tables of a release, made by a real Cassandra, and read as it reads them. */
@WithCassandra
class UncommonSSTablesTest {
    private static final String KEYSPACE = "uncommon";

    @TempDir
    private Path directory;

    private static CassandraPeer peer(Peers peers) {
        return peers.of(PeerSSTableVersion.OA);
    }

    @BeforeAll
    static void createKeyspace(Peers peers) {
        peer(peers)
                .execute("CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    @AfterAll
    static void dropKeyspace(Peers peers) {
        peer(peers).execute("DROP KEYSPACE " + KEYSPACE);
    }

    /** No release writes it: {@code nb} under its name, as Cassandra 5.0 takes it, and a replica may be given it as it is. */
    @Test
    void shouldReadAndHandOutTheVersionOfTheDevelopmentBeforeCassandra50(Peers peers) throws IOException {
        CassandraPeer peer = peer(peers);
        peer.execute("CREATE TABLE uncommon.kv (k bigint PRIMARY KEY, v blob)");
        Path nb = Corpus.ROOT.resolve("nb/kv/nb-1-big-Data.db");
        Descriptor from = Descriptor.of(nb).orElseThrow();
        Descriptor nc = new Descriptor(directory, "nc", "1", "big");
        for (Component component : Component.values()) {
            if (from.has(component)) {
                Files.copy(from.file(component), nc.file(component));
            }
        }
        Path data = nc.file(Component.DATA);
        long now = System.currentTimeMillis() / 1000;

        assertThat(Content.dump(data, now)).isEqualTo(Content.dump(nb, now)).isEqualTo(peer.dump(data));
        assertThat(peer.importDirectory(KEYSPACE, "kv", directory)).isEqualTo(1);
        assertThat(peer.sstables(KEYSPACE, "kv"))
                .singleElement()
                .satisfies(live -> assertThat(live.getFileName().toString()).startsWith("nc-"));
        assertThat(peer.selectJson("SELECT JSON * FROM uncommon.kv")).isNotEmpty();
    }
}
