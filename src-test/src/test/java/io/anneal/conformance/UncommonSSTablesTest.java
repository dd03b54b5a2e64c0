package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.faults.Commands;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SSTables that nodes have beside those of ordinary tables of a release, made by a real Cassandra, and read as it reads them. */
@WithCassandra
class UncommonSSTablesTest {
    private static final String KEYSPACE = "uncommon";
    private static final String DROP = "DROP KEYSPACE IF EXISTS " + KEYSPACE;
    private static final String CREATE =
            "CREATE KEYSPACE " + KEYSPACE + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final int INDEXED_ROWS = 600;
    private static final List<String> INDEXED = List.of(
            "CREATE TABLE uncommon.t (k int, c text, n int, f double, u timeuuid, m map<text, int>, s text static,"
                    + " PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC)",
            "CREATE INDEX by_n ON uncommon.t (n)",
            "CREATE INDEX by_f ON uncommon.t (f)",
            "CREATE INDEX by_u ON uncommon.t (u)",
            "CREATE INDEX by_m ON uncommon.t (entries(m))",
            "CREATE INDEX by_mk ON uncommon.t (keys(m))",
            "CREATE INDEX by_s ON uncommon.t (s)",
            "CREATE INDEX by_c ON uncommon.t (c)");

    @TempDir
    private Path directory;

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        for (WrittenVersion version : WrittenVersion.values()) {
            peers.of(version.peer()).execute(DROP);
        }
    }

    /** No release writes it: {@code nb} under its name, as Cassandra 5.0 takes it, and a replica may be given it as it is. */
    @Test
    void shouldReadAndHandOutTheVersionOfTheDevelopmentBeforeCassandra50(Peers peers) throws IOException {
        CassandraPeer peer = peers.of(PeerSSTableVersion.OA);
        peer.executeAll(List.of(DROP, CREATE, "CREATE TABLE uncommon.kv (k bigint PRIMARY KEY, v blob)"));
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

    private static List<String> inserts() {
        List<String> inserts = new ArrayList<>();
        for (int i = 0; i < INDEXED_ROWS; i++) {
            int n = (i % 2 == 0 ? 1 : -1) * (i % 5) * 1000;
            inserts.add(("INSERT INTO uncommon.t (k, c, n, f, u, m, s)"
                            + " VALUES (%d, 'c%d', %d, %d.5, now(), {'a%d': %d, 'b': -1}, 's%d')")
                    .formatted(i / 3, i, n, -n, i % 7, n, i / 3));
        }
        inserts.add("UPDATE uncommon.t SET n = 77 WHERE k = 0 AND c = 'c1'");
        inserts.add("DELETE FROM uncommon.t WHERE k = 1 AND c = 'c4'");
        return inserts;
    }

    /** Indexes of types whose order is that of no bytes, with partitions long enough to have an index of their rows. */
    @ParameterizedTest
    @EnumSource(WrittenVersion.class)
    void shouldReadIndexesAsCassandraDoes(WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        peer.executeAll(List.of(DROP, CREATE));
        peer.executeAll(INDEXED);
        peer.executeAll(inserts());
        Path snapshot = peer.snapshot(KEYSPACE, "t", "anneal");
        List<Path> indexes = directories(snapshot);
        assertThat(indexes).hasSize(INDEXED.size() - 1);
        for (Path index : indexes) {
            assertThat(dataFiles(index)).isNotEmpty();
            for (Path data : dataFiles(index)) {
                assertRead(version, peer, data);
            }
            for (List<String> command : List.of(
                    List.of("scan", "--data", index.toString()),
                    List.of("diff", index.toString(), index.toString()),
                    List.of("sstable", "scrub", index.toString(), "--to", directory.toString()),
                    List.of("sstable", "rewrite", index.toString(), "--to", directory.toString()))) {
                Commands.Result refused = Commands.run(command.toArray(String[]::new));
                assertThat(refused.exitCode()).as(command.toString()).isNotZero();
                assertThat(refused.err()).as(command.toString()).contains("ANL-1009", "sstable dump");
            }
        }
        assertThat(Commands.run("sstable", "dump", snapshot.toString()).out())
                .as("no index is a part of its table")
                .contains("REGULAR")
                .doesNotContain("INDEX");
    }

    private static void assertRead(WrittenVersion version, CassandraPeer peer, Path data) throws IOException {
        String dumped = Content.dump(data, System.currentTimeMillis() / 1000);
        assertThat(dumped).contains("\"table kind\" : \"INDEX\"");
        boolean hasTypes = version != WrittenVersion.NB;
        boolean isOfEntries = data.getParent().endsWith(".by_m");
        if (isOfEntries) {
            // For Cassandra's tools these keys are corrupt.
            assertThat(dumped)
                    .contains(
                            hasTypes
                                    ? "\"key\" : [ \"a0\", \"-4000\" ]"
                                    : "\"key\" : [ \"00026130000004fffff06000\" ]");
        } else if (data.getParent().endsWith(".by_s")) {
            // Nor do they print that static columns have no clustering.
            assertThat(dumped)
                    .contains(hasTypes ? "\"clustering\" : [ 0, null ]" : "\"clustering\" : [ \"00000000\", null ]");
        } else if (hasTypes) {
            // In its mode of 4.0 Cassandra writes no types of the table's keys, without which it cannot print them.
            assertThat(dumped).as(data.toString()).isEqualTo(peer.dump(data));
        }
        Commands.Result verified = Commands.run("sstable", "verify", "--extended", data.toString());
        assertThat(verified.exitCode()).as(verified.out()).isZero();
        boolean isUnordered = !hasTypes && (isOfEntries || data.getParent().endsWith(".by_mk"));
        assertThat(verified.out().contains("no order of partitions"))
                .as(verified.out())
                .isEqualTo(isUnordered);
        assertThat(Commands.run("sstable", "metadata", "--scan", data.toString())
                        .out())
                .contains("Partitioner: org.apache.cassandra.dht.LocalPartitioner")
                .contains("PartitionerDefinedOrder(org.apache.cassandra.dht.Murmur3Partitioner");
    }

    private static final List<String> VIEWED = List.of(
            "CREATE TABLE uncommon.base (a int, p int, b int, c int, d text, PRIMARY KEY (a, p))",
            "CREATE MATERIALIZED VIEW uncommon.by_b AS SELECT * FROM uncommon.base"
                    + " WHERE b IS NOT NULL AND a IS NOT NULL AND p IS NOT NULL"
                    + " PRIMARY KEY (b, a, p) WITH CLUSTERING ORDER BY (a DESC, p ASC)",
            "CREATE MATERIALIZED VIEW uncommon.swapped AS SELECT * FROM uncommon.base"
                    + " WHERE a IS NOT NULL AND p IS NOT NULL PRIMARY KEY (p, a)");

    /** Rows that move to another key of the view, that lose it, that no INSERT made, and cells that outlive them. */
    private static List<String> viewedWrites(int round) {
        List<String> writes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String where = " WHERE a = " + i % 7 + " AND p = " + i;
            writes.add(
                    switch ((i + round) % 5) {
                        case 0 ->
                            "INSERT INTO uncommon.base (a, p, b, c) VALUES (%d, %d, %d, %d)"
                                    .formatted(i % 7, i, (i + round) % 3, i);
                        case 1 -> "UPDATE uncommon.base SET b = " + (round + i) % 4 + ", d = 'd" + round + "'" + where;
                        case 2 -> "UPDATE uncommon.base SET c = " + round + where;
                        case 3 ->
                            round % 2 == 0
                                    ? "DELETE b FROM uncommon.base" + where
                                    : "DELETE FROM uncommon.base" + where;
                        default -> "UPDATE uncommon.base SET d = 'x', c = 7" + where;
                    });
        }
        return writes;
    }

    @ParameterizedTest
    @EnumSource(WrittenVersion.class)
    void shouldReadTheRowsOfViewsAsCassandraDoes(WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        peer.executeAll(List.of(DROP, CREATE));
        peer.executeAll(VIEWED);
        for (int round = 0; round < 5; round++) {
            peer.executeAll(viewedWrites(round));
            for (String table : List.of("base", "by_b", "swapped")) {
                peer.flush(KEYSPACE, table);
            }
        }
        peer.snapshot(KEYSPACE, "base", "anneal");
        for (String view : List.of("by_b", "swapped")) {
            Path snapshot = peer.snapshot(KEYSPACE, view, "anneal");
            List<String> expected = JsonRows.ofDocuments(peer.selectJson("SELECT JSON * FROM uncommon." + view));
            assertThat(expected).hasSizeGreaterThan(10);

            Commands.Result scanned = Commands.run("scan", "--data", snapshot.toString());
            assertThat(scanned.err()).doesNotContain("note:");
            Differences.assertSame(
                    view, JsonRows.ofDocuments(scanned.out().lines().toList()), expected);
            // All that a copy of it has, but for what tells of its base.
            Path alone = copy(snapshot, view);
            Commands.Result guessed = Commands.run("scan", "--data", alone.toString());
            assertThat(guessed.err()).contains("note:", "uncommon.base", "--schema");
            if (view.equals("by_b")) {
                assertThat(guessed.out()).isEqualTo(scanned.out());
            }
            Path text = Files.writeString(directory.resolve("base.cql"), VIEWED.get(0) + ";");
            Commands.Result told = Commands.run("scan", "--data", alone.toString(), "--schema", text.toString());
            assertThat(told.err()).isEmpty();
            assertThat(told.out()).isEqualTo(scanned.out());

            assertThat(Commands.run("diff", snapshot.toString(), alone.toString())
                            .exitCode())
                    .isZero();
            Files.delete(dataFiles(alone).get(0));
            assertThat(Commands.run("diff", snapshot.toString(), alone.toString())
                            .exitCode())
                    .as("a snapshot that is not whole")
                    .isEqualTo(5);
            assertRefused(view, snapshot);
        }
    }

    /** Cassandra alone fills a view. */
    private void assertRefused(String view, Path snapshot) throws IOException {
        Path other = copy(snapshot, view + "-other");
        String table = KEYSPACE + "." + view;
        for (Commands.Result refused : List.of(
                Commands.run(
                        "repair",
                        "--full-replicas",
                        "--dry-run",
                        "--table",
                        table,
                        "--dir",
                        snapshot.toString(),
                        "--dir",
                        other.toString()),
                Commands.run(
                        "sstable",
                        "rewrite",
                        other.toString(),
                        "--to",
                        directory.resolve("new").toString()))) {
            assertThat(refused.exitCode()).as(refused.out()).isNotZero();
            assertThat(refused.err()).contains("materialized view", table);
        }
    }

    private Path copy(Path snapshot, String name) throws IOException {
        Path copy = Files.createDirectories(directory.resolve(name));
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static final int TTL_SECONDS = 630_720_000;
    /** What an expiry of 28 January 2038 became. */
    private static final int OVERFLOWED = (int) 2_148_266_895L;
    /** An expiry that fits, instead of which a base is put that makes it the other one. */
    private static final int FITS = 2_042_880_000;

    private static final TableSchema EXPIRING = TableSchema.builder(KEYSPACE, "expiring")
            .options(TableOptions.DEFAULTS)
            .partitionKey("k", "int")
            .column("a", "int")
            .build();

    /** Writes what Cassandra before 3.0.16 and 3.11.2 did: the base of the differences overflows, and the least time. */
    private Path overflowed(Path target, boolean hasMore) throws IOException {
        Path written = directory.resolve("written");
        try (SSTableWriter writer = SSTableWriter.builder(EXPIRING)
                .to(written)
                .format(SSTableVersion.NB)
                .sorted()) {
            writer.row()
                    .key("k", 1)
                    .set("a", 1)
                    .timestampMicros((FITS - TTL_SECONDS) * 1_000_000L)
                    .ttlSeconds(TTL_SECONDS)
                    .localTimeSeconds(FITS - TTL_SECONDS)
                    .insert();
            // Without a row that stays, Cassandra's compactions drop the SSTable by its range of times.
            if (hasMore) {
                writer.row().key("k", 2).set("a", 2).timestampMicros(1).insert();
            }
            writer.finish();
        }
        Path data;
        try (SSTableReader reader =
                Content.open(dataFiles(written.resolve("uncommon/expiring")).get(0))) {
            EncodingBase base = new EncodingBase(EncodingBase.EPOCH.timestampMicros(), FITS, 0);
            data = Content.rewrite(
                    reader,
                    EXPIRING,
                    Files.createDirectories(target),
                    "1",
                    SSTableWriterConfig.like(reader).withBase(base));
        }
        Path statistics = Descriptor.of(data).orElseThrow().file(Component.STATISTICS);
        byte[] bytes = Files.readAllBytes(statistics);
        ByteBuffer parts = ByteBuffer.wrap(bytes);
        int stats = parts.getInt(7 * Integer.BYTES);
        int header = parts.getInt(9 * Integer.BYTES);
        int epoch = EncodingBase.EPOCH.localDeletionTimeSeconds();
        replace(parts, stats, FITS, OVERFLOWED);
        if (!hasMore) {
            // The greatest time, too.
            replace(parts, stats, FITS, OVERFLOWED);
        }
        replace(parts, header, FITS - epoch, OVERFLOWED - epoch);
        putChecksum(parts, stats, header - Integer.BYTES);
        putChecksum(parts, header, bytes.length - Integer.BYTES);
        Files.write(statistics, bytes);
        Files.writeString(target.resolve("schema.cql"), SchemaText.print(EXPIRING));
        return data;
    }

    private static void replace(ByteBuffer bytes, int from, int before, int after) {
        for (int at = from; at <= bytes.capacity() - Integer.BYTES; at++) {
            if (bytes.getInt(at) == before) {
                bytes.putInt(at, after);
                return;
            }
        }
        throw new AssertionError("number is not there, number=" + before);
    }

    private static void putChecksum(ByteBuffer bytes, int from, int to) {
        CRC32 crc = new CRC32();
        crc.update(bytes.array(), from, to - from);
        bytes.putInt(to, (int) crc.getValue());
    }

    private static Commands.Result repair(Path one, Path other, String... options) {
        List<String> arguments = new ArrayList<>(List.of("repair", "--full-replicas", "--allow-empty"));
        arguments.addAll(List.of("--table", EXPIRING.qualifiedName(), "--name", "one", "--name", "other"));
        arguments.addAll(List.of("--dir", one.toString(), "--dir", other.toString()));
        arguments.addAll(List.of(options));
        return Commands.run(arguments.toArray(String[]::new));
    }

    /** Where Cassandra 5 finds 2106; and a repair gives a node of 4.x what its format can hold of it. */
    @Test
    void shouldTakeAnExpiryThatOverflowedForTheTimeThatWasMeant(Peers peers) throws IOException {
        CassandraPeer peer = peers.of(PeerSSTableVersion.OA);
        Path one = directory.resolve("one");
        Path data = overflowed(one, true);
        long now = System.currentTimeMillis() / 1000;

        // Verified, too.
        String dumped = Content.dump(data, now);
        assertThat(dumped).contains("\"expires_at\" : \"2148266895\"").contains("\"expired\" : false");
        assertThat(peer.dump(data)).isEqualTo(dumped.replace("2148266895", "4294967294"));

        Path other = Files.createDirectories(directory.resolve("other"));
        Files.copy(one.resolve("schema.cql"), other.resolve("schema.cql"));
        Path out = directory.resolve("out");
        Commands.Result repaired = repair(one, other, "--apply", "--out", out.toString());
        assertThat(repaired.exitCode()).as(repaired.err()).isZero();
        assertThat(repaired.err() + repaired.out())
                .contains("CASSANDRA-14092", data.getParent().toString());
        Path received;
        try (Stream<Path> files = Files.walk(out)) {
            received = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        assertThat(Content.dump(received, now)).contains("\"expires_at\" : \"2147483646\"");

        // What a node of 5.0 makes of it is the same for a replica whose format ends in 2038.
        peer.executeAll(List.of(DROP, CREATE));
        peer.execute("CREATE TABLE uncommon.expiring (k int PRIMARY KEY, a int)");
        peer.importDirectory(KEYSPACE, "expiring", one);
        peer.compact(KEYSPACE, "expiring");
        Path compacted = directory.resolve("compacted");
        Path node = peer.copySSTables(KEYSPACE, "expiring", compacted).get(0);
        Files.copy(one.resolve("schema.cql"), compacted.resolve("schema.cql"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(Content.dump(node, now)).contains("\"expires_at\" : \"4294967294\"");
        for (Path replica : List.of(received.getParent(), compacted)) {
            Files.writeString(replica.resolve("schema.cql"), SchemaText.print(EXPIRING));
            Commands.Result compared = repair(one, replica, "--dry-run", "--include-recent");
            assertThat(compared.exitCode()).as(compared.out() + compared.err()).isZero();
        }
    }

    @Test
    void shouldVerifyAndCompactAnExpiryThatOverflowed() throws IOException {
        Path data = overflowed(directory.resolve("one"), false);
        assertThat(Commands.run("sstable", "verify", data.toString()).exitCode())
                .isZero();
        try (Store store = Store.open(directory.resolve("store"))) {
            Table table = store.createTable(EXPIRING);
            table.importSSTables(data);
            table.compact();

            assertThat(table.writtenVersion()).isEqualTo(SSTableVersion.OA);
            assertThat(table.row(Map.of("k", 1)).orElseThrow().value("a")).isEqualTo(1);
        }
    }

    private static List<Path> directories(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static List<Path> dataFiles(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(file -> file.toString().endsWith("-Data.db")).toList();
        }
    }
}
