package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.store.SSTables;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a real Cassandra flushes after random CQL: our dump of each SSTable is its dump, our rows are its rows, and our
 * merge of all SSTables is what its compaction makes of them. {@code -Danneal.seeds=N} tries more.
 */
@WithCassandra
class CassandraWritesTest {
    private static final String KEYSPACE = "conformance_writes";
    private static final String DROP_KEYSPACE = "DROP KEYSPACE IF EXISTS " + KEYSPACE;
    private static final String CREATE_KEYSPACE =
            "CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final int FLUSHES = 3;
    private static final int WRITES_PER_FLUSH = 150;

    @TempDir
    private Path directory;

    static Stream<Arguments> tables() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 2))
                .boxed()
                .flatMap(seed -> Stream.of(CqlOperations.Shape.values()).map(shape -> Arguments.of(seed, shape)));
    }

    @BeforeEach
    void createKeyspace(CassandraPeer peer) {
        peer.executeAll(List.of(DROP_KEYSPACE, CREATE_KEYSPACE));
    }

    @AfterAll
    static void dropKeyspace(CassandraPeer peer) {
        peer.execute(DROP_KEYSPACE);
    }

    @ParameterizedTest(name = "seed={0}, table={1}")
    @MethodSource("tables")
    void shouldReadAndMergeAsCassandraDoes(long seed, CqlOperations.Shape shape, CassandraPeer peer)
            throws IOException {
        CqlOperations operations = new CqlOperations(seed, shape, KEYSPACE);
        peer.executeAll(operations.create());
        for (int i = 0; i < FLUSHES; i++) {
            peer.executeAll(operations.writes(WRITES_PER_FLUSH));
            peer.flush(KEYSPACE, operations.name());
            if (i == 0) {
                peer.executeAll(operations.alter());
            }
        }

        List<Path> flushed = peer.copySSTables(KEYSPACE, operations.name(), directory.resolve("flushed"));
        assertThat(flushed).hasSize(FLUSHES);
        assertSameDumps(peer, flushed);
        long nowSeconds = System.currentTimeMillis() / 1000;
        List<String> cassandras =
                JsonRows.ofDocuments(peer.selectJson("SELECT JSON * FROM " + KEYSPACE + "." + operations.name()));
        FragmentList ours;
        try (SSTables sstables = SSTables.open(directory.resolve("flushed"));
                FragmentCursor merged = sstables.scan(TokenRange.Linear.ALL)) {
            ours = FragmentList.copyOf(merged);
            Differences.assertSame("rows", JsonRows.of(LiveRows.of(ours.cursor(), nowSeconds)), cassandras);
            ours = Content.purged(
                    ours,
                    new SessionPurgeRule(nowSeconds, sstables.schema().options().gcGraceSeconds()));
        }

        peer.compact(KEYSPACE, operations.name());
        List<Path> compacted = peer.copySSTables(KEYSPACE, operations.name(), directory.resolve("compacted"));
        assertThat(compacted).hasSize(1);
        assertSameDumps(peer, compacted);
        FragmentList theirs = Content.merged(ours.schema(), compacted);
        Differences.assertSame("compacted", ours.lines(), theirs.lines());
        assertThat(Content.items(theirs)).isEqualTo(Content.items(ours));
    }

    private static void assertSameDumps(CassandraPeer peer, List<Path> sstables) throws IOException {
        for (Path data : sstables) {
            // Nothing expires between the two dumps: TTLs are of a day and more.
            assertThat(Content.dump(data, System.currentTimeMillis() / 1000)).isEqualTo(peer.dump(data));
        }
    }
}
