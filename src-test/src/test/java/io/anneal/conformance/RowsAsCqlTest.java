package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.store.RowBuilder;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same writes twice: as CQL statements to a real Cassandra, and by the writer of rows, shuffled, into SSTables that it
 * imports into a table beside. It must read the same rows from both. {@code -Danneal.seeds=N} tries more.
 */
@WithCassandra
class RowsAsCqlTest {
    private static final int WRITES = 150;
    private static final int KEYS = 4;
    private static final int CLUSTERINGS = 6;
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final String KEYSPACE = "as_cql";
    private static final String COLUMNS = " (k int, c int, s text static, v text, tags set<text>, l list<int>,"
            + " m map<text, int>, home address, PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC)";
    private static final String TYPE = "CREATE TYPE as_cql.address (street text, number int)";

    @TempDir
    private Path directory;

    /** One write in both languages. */
    private record Twice(String cql, Ours ours) {}

    private interface Ours {
        void to(SSTableWriter writer) throws IOException;
    }

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Math.min(100, Long.getLong("anneal.seeds", 5)));
    }

    @BeforeEach
    void createTables(CassandraPeer peer) {
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                TYPE,
                "CREATE TABLE as_cql.theirs" + COLUMNS,
                "CREATE TABLE as_cql.ours" + COLUMNS));
    }

    @AfterAll
    static void dropKeyspace(CassandraPeer peer) {
        peer.execute("DROP KEYSPACE IF EXISTS " + KEYSPACE);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldWriteWhatCqlWrites(long seed, CassandraPeer peer) throws IOException {
        Random random = new Random(seed);
        List<Twice> writes = new ArrayList<>();
        for (int i = 0; i < WRITES; i++) {
            writes.add(write(random, MICROS + i));
        }
        writes.forEach(write -> peer.execute(write.cql()));

        Collections.shuffle(writes, random);
        TableSchema schema = CqlSchema.parse(TYPE + ";\nCREATE TABLE as_cql.ours" + COLUMNS + ";", "test.cql")
                .table(KEYSPACE, "ours")
                .orElseThrow();
        List<Descriptor> written;
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory).unsorted(SSTableWriter.Builder.MEMORY_MIN_BYTES)) {
            for (Twice write : writes) {
                write.ours().to(writer);
            }
            written = writer.finish();
        }
        int imported = peer.importDirectory(KEYSPACE, "ours", written.get(0).directory());

        assertThat(imported).isEqualTo(written.size());
        assertThat(select(peer, "theirs")).isNotEmpty();
        Differences.assertSame("seed=" + seed, select(peer, "ours"), select(peer, "theirs"));
    }

    private static List<String> select(CassandraPeer peer, String table) {
        return JsonRows.ofDocuments(
                peer.execute("SELECT JSON * FROM as_cql." + table).column("[json]"));
    }

    private static Twice write(Random random, long micros) {
        int k = random.nextInt(KEYS);
        int c = random.nextInt(CLUSTERINGS);
        int n = random.nextInt(10);
        String where = " WHERE k = " + k + " AND c = " + c;
        String update = "UPDATE as_cql.theirs USING TIMESTAMP " + micros + " SET ";
        String delete = " FROM as_cql.theirs USING TIMESTAMP " + micros;
        return switch (random.nextInt(16)) {
            case 0, 1 ->
                new Twice(
                        "INSERT INTO as_cql.theirs (k, c, v, tags) VALUES (" + k + ", " + c + ", 'v" + n + "', {'a', 't"
                                + n + "'}) USING TIMESTAMP " + micros,
                        writer -> row(writer, k, c, micros)
                                .set("v", "v" + n)
                                .set("tags", Set.of("a", "t" + n))
                                .insert());
            case 2 ->
                new Twice(
                        "INSERT INTO as_cql.theirs (k, c, v) VALUES (" + k + ", " + c + ", null) USING TIMESTAMP "
                                + micros + " AND TTL 200000000",
                        writer -> row(writer, k, c, micros)
                                .set("v", null)
                                .ttlSeconds(200_000_000)
                                .insert());
            case 3 ->
                new Twice(
                        update + "v = 'u" + n + "'" + where,
                        writer -> row(writer, k, c, micros).set("v", "u" + n).update());
            case 4 ->
                new Twice(
                        update + "tags = tags + {'p" + n + "'}" + where,
                        writer -> row(writer, k, c, micros)
                                .add("tags", Set.of("p" + n))
                                .update());
            case 5 ->
                new Twice(
                        update + "tags = tags - {'a'}" + where,
                        writer -> row(writer, k, c, micros).remove("tags", "a").update());
            case 6 ->
                new Twice(
                        update + "l = [" + n + ", 1]" + where,
                        writer -> row(writer, k, c, micros)
                                .set("l", List.of(n, 1))
                                .update());
            case 7 ->
                new Twice(
                        update + "l = l + [" + n + ", 2]" + where,
                        writer -> row(writer, k, c, micros)
                                .add("l", List.of(n, 2))
                                .update());
            case 8 ->
                new Twice(
                        update + "m = {'x': " + n + "}, home = {street: 'h" + n + "'}" + where,
                        writer -> row(writer, k, c, micros)
                                .set("m", Map.of("x", n))
                                .set("home", Map.of("street", "h" + n))
                                .update());
            case 9 ->
                new Twice(
                        update + "m['y'] = " + n + ", home.number = " + n + where,
                        writer -> row(writer, k, c, micros)
                                .add("m", Map.of("y", n))
                                .add("home", Map.of("number", n))
                                .update());
            case 10 ->
                new Twice(
                        update + "s = 's" + n + "' WHERE k = " + k,
                        writer -> writer.row()
                                .key("k", k)
                                .set("s", "s" + n)
                                .timestampMicros(micros)
                                .update());
            case 11 ->
                new Twice(
                        "DELETE m['x'], home.street, l" + delete + where,
                        writer -> row(writer, k, c, micros)
                                .remove("m", "x")
                                .remove("home", "street")
                                .delete("l")
                                .update());
            case 12 ->
                new Twice(
                        "DELETE v" + delete + where,
                        writer -> row(writer, k, c, micros).delete("v").update());
            case 13 ->
                new Twice(
                        "DELETE" + delete + where,
                        writer -> row(writer, k, c, micros).deleteRow());
            case 14 ->
                // Rows descend, so the range begins at the greater value.
                new Twice(
                        "DELETE" + delete + " WHERE k = " + k + " AND c >= " + c + " AND c < " + (c + 2),
                        writer -> writer.rangeDeletion()
                                .key("k", k)
                                .from("c", c + 2, false)
                                .to("c", c, true)
                                .timestampMicros(micros)
                                .delete());
            default ->
                n < 8
                        ? new Twice(
                                "DELETE" + delete + " WHERE k = " + k + " AND c > " + c,
                                writer -> writer.rangeDeletion()
                                        .key("k", k)
                                        .to("c", c, false)
                                        .timestampMicros(micros)
                                        .delete())
                        : new Twice(
                                "DELETE" + delete + " WHERE k = " + k,
                                writer -> writer.row()
                                        .key("k", k)
                                        .timestampMicros(micros)
                                        .deletePartition());
        };
    }

    private static RowBuilder row(SSTableWriter writer, int k, int c, long micros) {
        return writer.row().key("k", k).clustering("c", c).timestampMicros(micros);
    }
}
