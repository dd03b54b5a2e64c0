package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.io.ByteBudget;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows that expire in 2060, which only Cassandra 5.0's formats can say: kept where all replicas write such a format, and cut
 * alike on all where one does not.
 */
class LateExpiryTest {
    private static final long WRITTEN_SECONDS = 1_700_000_000L;
    private static final long IN_2060 = Instant.parse("2060-01-01T00:00:00Z").getEpochSecond();
    private static final long CUT = SSTableVersion.NB.localDeletionTimeMaxSeconds();

    @TempDir
    private Path directory;

    /** One row, of the key, in a replica's directory. */
    private Path files(String replica, SSTableVersion version, long k) throws IOException {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(k).array();
        Row row = new Row();
        row.liveness(WRITTEN_SECONDS * 1_000_000, (int) (IN_2060 - WRITTEN_SECONDS), IN_2060);
        row.addCell(0, WRITTEN_SECONDS * 1_000_000, (int) (IN_2060 - WRITTEN_SECONDS), IN_2060);
        row.value(key, 0, key.length);
        FragmentList fragments = FragmentList.builder(ReplicaFiles.SCHEMA)
                .partition(DecoratedKey.of(key))
                .row(row)
                .end()
                .build();
        try (StagingDirectory target = StagingDirectory.open(directory.resolve(replica));
                StagedWriter writer = new StagedWriter(
                        target.target(ReplicaFiles.SCHEMA),
                        SSTableWriterConfig.defaults(1).withVersion(version),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
                FragmentCursor cursor = fragments.cursor()) {
            writer.append(cursor);
            writer.finish();
            Path table = Files.createDirectories(target.tableDirectory(ReplicaFiles.SCHEMA));
            Files.writeString(table.resolve("schema.cql"), ReplicaFiles.SCHEMA_TEXT);
            return table;
        }
    }

    /** What a replica of Cassandra holds after it has imported what was staged for it. */
    private List<String> imported(Path table, String replica, long ceiling) throws IOException {
        Path staged = directory.resolve("staging-" + replica).resolve("ks").resolve("t");
        List<String> lines = new ArrayList<>();
        try (Store merged = Store.open(
                directory.resolve("imported-" + replica + ceiling),
                StoreConfig.defaults().withVersion(SSTableVersion.OA))) {
            Table all = merged.createTable(ReplicaFiles.SCHEMA);
            all.importSSTables(table);
            all.importSSTables(staged);
            try (FragmentCursor cursor = all.scan(TokenRange.Linear.ALL, ceiling)) {
                lines.addAll(FragmentList.copyOf(cursor).lines());
            }
        }
        return lines;
    }

    private RepairReport repair(Store store, Path one, Path two) throws IOException {
        try (StagingArea first = StagingArea.open(
                        directory.resolve("staging-one"),
                        "one",
                        HostEnvironment.system().clock());
                StagingArea second = StagingArea.open(
                        directory.resolve("staging-two"),
                        "two",
                        HostEnvironment.system().clock())) {
            return Repair.of("ks.t")
                    .between(
                            RepairMember.here(
                                    new CassandraReplicas(List.of(one), Optional.empty(), Optional.of(first))),
                            RepairMember.here(new StoreReplicas(store)),
                            RepairMember.here(
                                    new CassandraReplicas(List.of(two), Optional.empty(), Optional.of(second))))
                    .range(TokenRange.FULL)
                    .run(new RepairEnvironment(HostEnvironment.system(), Runnable::run, ByteBudget.of(64 << 20)));
        }
    }

    private Store storeOf(SSTableVersion version, long k) throws IOException {
        Store store = Store.open(
                directory.resolve("store"),
                StoreConfig.defaults().withVersion(version).withShardCount(1));
        store.createTable(ReplicaFiles.SCHEMA).importSSTables(files("of-store", version, k));
        return store;
    }

    private static List<String> lines(Store store, long ceiling) throws IOException {
        try (FragmentCursor cursor = store.table("ks.t").scan(TokenRange.Linear.ALL, ceiling)) {
            return FragmentList.copyOf(cursor).lines();
        }
    }

    private static long count(List<String> lines, long expirySeconds) {
        return lines.stream()
                .filter(line -> line.contains(" live@") && line.contains("expiry=" + expirySeconds + " |"))
                .filter(line -> line.endsWith("expiry=" + expirySeconds + line.substring(line.lastIndexOf('='))))
                .count();
    }

    @Test
    void shouldKeepWhenRowsExpireWhereAllReplicasCanSayIt() throws IOException {
        Path one = files("one", SSTableVersion.OA, 1);
        Path two = files("two", SSTableVersion.DA, 2);
        try (Store store = storeOf(SSTableVersion.OA, 3)) {
            RepairReport report = repair(store, one, two);

            assertThat(report.rowsDiffering()).isEqualTo(3);
            assertThat(report.notes()).noneMatch(note -> note.contains("2038"));
            List<String> lines = lines(store, IN_2060);
            assertThat(count(lines, IN_2060)).isEqualTo(3);
            assertThat(imported(one, "one", IN_2060)).isEqualTo(lines);
            assertThat(imported(two, "two", IN_2060)).isEqualTo(lines);
        }
    }

    /** What a replica holds already is not written again: there the row is cut as it is read among these replicas. */
    @Test
    void shouldCutAlikeOnAllAndSaySoWhereOneReplicaCannotSayIt() throws IOException {
        Path one = files("one", SSTableVersion.OA, 1);
        Path two = ReplicaFiles.write(directory.resolve("two"), 3, 8, k -> k == 2);
        try (Store store = storeOf(SSTableVersion.OA, 3)) {
            RepairReport report = repair(store, one, two);

            assertThat(report.notes())
                    .anyMatch(note -> note.contains("times after 2038-01-19 are cut") && note.contains(two.toString()));
            List<String> lines = lines(store, CUT);
            assertThat(count(lines, CUT)).isEqualTo(2);
            assertThat(imported(one, "one", CUT)).isEqualTo(lines);
            assertThat(imported(two, "two", CUT)).isEqualTo(lines);
            // What was received is cut in the files, too.
            List<String> asWritten = lines(store, IN_2060);
            assertThat(count(asWritten, CUT)).isEqualTo(1);
            assertThat(count(asWritten, IN_2060)).isEqualTo(1);
        }
    }

    @Test
    void shouldBeSaidByTheCommand() throws IOException {
        Path one = files("one", SSTableVersion.OA, 1);
        Path two = ReplicaFiles.write(directory.resolve("two"), 3, 8, k -> k == 2);

        Commands.Result result = Commands.run(
                "repair",
                "--table",
                "ks.t",
                "--full-replicas",
                "--dir",
                one.toString(),
                "--dir",
                two.toString(),
                "--apply",
                "--out",
                directory.resolve("out").toString());

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.err())
                .contains("note: replicas write different formats: times after 2038-01-19 are cut")
                .contains(two.toString());
    }
}
