package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.BoundStatement;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The corpus rewritten in every version that we write: our dump and Cassandra's are those of the original, and a real
 * Cassandra imports it after an extended verification and reads the rows that the node of the original read.
 */
@WithCassandra
class CorpusRewriteTest {
    private static final String KEYSPACE = "corpus";
    private static final String DROP_KEYSPACE = "DROP KEYSPACE IF EXISTS " + KEYSPACE;
    private static final String CREATE_KEYSPACE = "CREATE KEYSPACE IF NOT EXISTS " + KEYSPACE
            + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final String DROP_TABLE = "DROP TABLE IF EXISTS " + KEYSPACE + ".";
    private static final Pattern TABLE_ID = Pattern.compile("ID = [0-9a-f-]+\\s+AND ");

    private static final Pattern LEGACY = Pattern.compile("legacy_.._(simple|clust)(_counter)?");
    private static final String LEGACY_TABLE =
            "CREATE TABLE " + KEYSPACE + ".%1$s (pk text, %3$sval %2$s, PRIMARY KEY (pk%4$s))";

    @TempDir
    private Path directory;

    /** Each table in each version; {@code -Danneal.all=true}: in each version rewritten to each. */
    static Stream<Arguments> tables() throws IOException {
        List<Path> tables =
                Corpus.sstables().stream().map(Path::getParent).distinct().toList();
        WrittenVersion[] versions = WrittenVersion.values();
        List<Arguments> all = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            for (int j = 0; j < (Boolean.getBoolean("anneal.all") ? versions.length : 1); j++) {
                // Versions of one table follow each other at different distances, so each is rewritten to each
                // somewhere.
                int target = (i + tables.get(i).getParent().hashCode() + j) % versions.length;
                all.add(Arguments.of(tables.get(i), versions[Math.abs(target)]));
            }
        }
        return all.stream();
    }

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        for (WrittenVersion version : WrittenVersion.values()) {
            peers.of(version.peer()).execute(DROP_KEYSPACE);
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldBeTheSameInAnotherVersion(Path table, WrittenVersion target, Peers peers) throws IOException {
        boolean legacy = Corpus.isLegacy(table);
        CassandraPeer peer = legacy ? peers.ordered() : peers.of(target.peer());
        List<Path> rewritten = new ArrayList<>();
        for (Path data : Corpus.sstables()) {
            if (data.getParent().equals(table)) {
                Path copy = rewrite(data, target, Integer.toString(rewritten.size() + 1));
                long atSeconds = Corpus.atSeconds(table);
                List<String> original = Content.withoutPositions(List.of(Corpus.cassandrasDump(data)));
                assertThat(Content.withoutPositions(List.of(Content.dump(copy, atSeconds))))
                        .isEqualTo(original);
                assertThat(peer.dump(copy)).isEqualTo(Content.dump(copy, System.currentTimeMillis() / 1000));
                rewritten.add(copy);
            }
        }
        // A compact table cannot be created any more, so that there is nothing to import it into.
        String name = table.getFileName().toString();
        Matcher legacyName = LEGACY.matcher(name);
        if (legacyName.matches()) {
            boolean clustered = legacyName.group(1).equals("clust");
            create(
                    peer,
                    name,
                    LEGACY_TABLE.formatted(
                            name,
                            legacyName.group(2) == null ? "text" : "counter",
                            clustered ? "ck text, " : "",
                            clustered ? ", ck" : ""));
            assertThat(peer.importDirectory(KEYSPACE, name, directory)).isEqualTo(rewritten.size());
            assertThat(select(peer, table)).hasSize(rowCount(table));
        } else if (!legacy && !name.startsWith("compact_")) {
            create(
                    peer,
                    name,
                    TABLE_ID.matcher(Files.readString(Corpus.schemaText(table))).replaceAll(""));
            assertThat(peer.importDirectory(KEYSPACE, name, directory)).isEqualTo(rewritten.size());
            Differences.assertSame(
                    table.toString(),
                    JsonRows.sorted(JsonRows.ofDocuments(select(peer, table))),
                    JsonRows.sorted(JsonRows.ofDocuments(Corpus.rows(table))));
        }
    }

    /** Those of its one SSTable, in which nothing is deleted. */
    private static int rowCount(Path table) throws IOException {
        for (Path data : Corpus.sstables()) {
            if (data.getParent().equals(table)) {
                return Corpus.cassandrasDump(data).split("\"type\" : \"row\"").length - 1;
            }
        }
        throw new IllegalArgumentException("no such table, table=" + table);
    }

    private static List<String> select(CassandraPeer peer, Path table) throws IOException {
        String select = "SELECT JSON * FROM " + KEYSPACE + "." + table.getFileName();
        return peer.executeBound(Corpus.atSeconds(table), List.of(BoundStatement.of(select)))
                .column("[json]");
    }

    /** The keyspace stays, and what other tables left in it: to drop it takes longer than all else. User types are those of all. */
    private static void create(CassandraPeer peer, String name, String text) {
        peer.executeAll(List.of(CREATE_KEYSPACE, DROP_TABLE + name));
        peer.executeAll(Arrays.stream(text.split(";\\s*\n"))
                .filter(statement -> !statement.isBlank())
                .toList());
    }

    private Path rewrite(Path data, WrittenVersion target, String generation) throws IOException {
        SplittableRandom random = new SplittableRandom(data.hashCode());
        try (SSTableReader reader = Corpus.open(data)) {
            return Content.rewrite(
                    reader,
                    reader.headerSchema(),
                    directory,
                    generation,
                    target.config(random, 100).withPartitioner(reader.partitioner()));
        }
    }
}
