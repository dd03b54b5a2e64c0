package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair} of rows of which the heap holds few, in processes with small heaps. */
@Timeout(240)
class HugeRowsTest {
    private static final String HEAP = "64m";
    private static final String MEMORY = "64MiB";
    private static final int MIB = 1 << 20;
    /** As many times the heap as 30 MB rows are of the default, with room for what a process needs anyway. */
    private static final int LARGE_BYTES = 4 * MIB;

    private static final int LARGEST_BYTES = 12 * MIB;
    private static final int TOO_LARGE_BYTES = 20 * MIB;
    private static final long SECOND_MICROS = 1_700_000_000_000_000L;
    private static final String SCHEMA_TEXT =
            "CREATE TABLE ks.t (k int, c int, v blob, m map<int, text>, PRIMARY KEY (k, c))"
                    + " WITH ID = 11dd66b1-755d-4ebd-9aa5-5a13562e2a63;";
    private static final TableSchema SCHEMA =
            CqlSchema.parse(SCHEMA_TEXT, "test schema").table("ks", "t").orElseThrow();

    @TempDir
    private Path directory;

    private final List<Path> replicas = new ArrayList<>();

    /** How a command ended. */
    private record Ended(int exitCode, String printed) {}

    /** A row of a replica. */
    private interface Rows {
        void write(SSTableWriter writer) throws IOException;
    }

    private void replica(Rows rows) throws IOException {
        try (StagingDirectory target = StagingDirectory.open(directory.resolve("data-" + replicas.size()));
                SSTableWriter writer = SSTableWriter.builder(SCHEMA).to(target).sorted()) {
            rows.write(writer);
            writer.finish();
            Path table = Files.createDirectories(target.tableDirectory(SCHEMA));
            Files.writeString(table.resolve("schema.cql"), SCHEMA_TEXT);
            replicas.add(table);
        }
    }

    private static void row(SSTableWriter writer, int clustering, int valueBytes, long micros) throws IOException {
        row(writer, 1, clustering, valueBytes, micros);
    }

    private static void row(SSTableWriter writer, int key, int clustering, int valueBytes, long micros)
            throws IOException {
        byte[] value = new byte[valueBytes];
        new Random(micros).nextBytes(value);
        writer.row()
                .key("k", key)
                .clustering("c", clustering)
                .set("v", ByteBuffer.wrap(value))
                .timestampMicros(micros)
                .insert();
    }

    private Ended repair(List<String> over) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of("repair", "--json", "--table", "ks.t", "--full-replicas", "--memory", MEMORY));
        arguments.addAll(over);
        Path log = directory.resolve("log");
        Process command =
                Commands.startMeasured(HEAP, directory.resolve("peaks"), log, arguments.toArray(String[]::new));
        try {
            assertThat(command.waitFor(200, TimeUnit.SECONDS)).isTrue();
        } finally {
            command.destroyForcibly();
        }
        return new Ended(command.exitValue(), Files.readString(log));
    }

    private List<String> directories() {
        List<String> over = new ArrayList<>();
        replicas.forEach(replica -> over.addAll(List.of("--dir", replica.toString())));
        return over;
    }

    private Ended repairDirectories() throws IOException, InterruptedException {
        List<String> over = directories();
        over.addAll(List.of("--apply", "--out", directory.resolve("out").toString()));
        return repair(over);
    }

    private Ended repairOverServers() throws IOException, InterruptedException {
        Path token = Commands.tokenFile(directory);
        List<Commands.Server> servers = new ArrayList<>();
        List<String> over = new ArrayList<>(List.of("--token-file", token.toString()));
        try {
            for (int i = 0; i < replicas.size(); i++) {
                servers.add(Commands.Server.startWithHeap(
                        HEAP,
                        directory.resolve("log-server-" + i),
                        "--data",
                        replicas.get(i).toString(),
                        "--staging",
                        directory.resolve("staging-" + i).toString(),
                        "--token-file",
                        token.toString(),
                        "--memory",
                        MEMORY));
                over.addAll(List.of("--replica", servers.get(i).address()));
            }
            return repair(over);
        } finally {
            servers.forEach(Commands.Server::close);
        }
    }

    private static void shouldHaveRepaired(Ended ended, int rows) {
        assertThat(ended.exitCode()).as(ended.printed()).isZero();
        assertThat(ended.printed()).contains("\"rows-differing\":" + rows + ",");
    }

    private static void shouldHaveRefused(Ended ended) {
        assertThat(ended.exitCode()).as(ended.printed()).isNotZero();
        assertThat(ended.printed())
                .contains("ANL-4004", "table=ks.t, key=-4069959284402364209:00000001, lengthBytes=", "--memory")
                .doesNotContain("\tat ", "OutOfMemoryError");
    }

    /** Each replica lacks one of four rows, and of one all have a version of their own. */
    @Test
    void shouldMoveAndMergeManyLargeRows() throws Exception {
        for (int i = 0; i < 3; i++) {
            int replica = i;
            replica(writer -> {
                for (int c = 0; c < 4; c++) {
                    if (c != replica) {
                        row(writer, c, LARGE_BYTES, SECOND_MICROS + (c == 3 ? replica : 0));
                    }
                }
            });
        }

        shouldHaveRepaired(repairDirectories(), 4);
    }

    private void oneLacks(int lacking, int valueBytes) throws IOException {
        for (int i = 0; i < 3; i++) {
            boolean isThere = i != lacking;
            replica(writer -> {
                if (isThere) {
                    row(writer, 1, valueBytes, SECOND_MICROS);
                }
                row(writer, 2, 10, SECOND_MICROS);
            });
        }
    }

    @Test
    void shouldMoveARowOfNearlyAQuarterOfTheHeapToTheMaster() throws Exception {
        oneLacks(0, LARGEST_BYTES);

        shouldHaveRepaired(repairDirectories(), 1);
    }

    @Test
    void shouldMoveARowOfNearlyAQuarterOfTheHeapToAFollower() throws Exception {
        oneLacks(1, LARGEST_BYTES);

        shouldHaveRepaired(repairDirectories(), 1);
    }

    /** Sessions of several parts read and move such rows at once; each replica lacks one of them. */
    @Test
    void shouldMoveRowsOfNearlyAQuarterOfTheHeapOfSeveralPartitions() throws Exception {
        for (int i = 0; i < 3; i++) {
            int replica = i;
            replica(writer -> {
                // In the order of their tokens.
                for (int key : List.of(5, 1, 2, 4)) {
                    if (key != replica) {
                        row(writer, key, 1, LARGEST_BYTES, SECOND_MICROS);
                    }
                }
            });
        }

        shouldHaveRepaired(repairDirectories(), 2);
    }

    private void mapOf(int cells) throws IOException {
        for (int i = 0; i < 3; i++) {
            int replica = i;
            replica(writer -> {
                Map<Integer, String> map = new HashMap<>();
                for (int cell = 0; cell < cells; cell++) {
                    if (cell % 1000 != replica) {
                        map.put(cell, "value");
                    }
                }
                writer.row()
                        .key("k", 1)
                        .clustering("c", 1)
                        .add("m", map)
                        .timestampMicros(SECOND_MICROS)
                        .insert();
            });
        }
    }

    /** Each replica lacks other cells, so that all merge. */
    @Test
    void shouldMergeARowOfManyCells() throws Exception {
        mapOf(90_000);

        shouldHaveRepaired(repairDirectories(), 1);
    }

    @Test
    void shouldRefuseARowOfMoreCellsThanTheHeapMerges() throws Exception {
        mapOf(300_000);

        shouldHaveRefused(repairDirectories());
    }

    @Test
    void shouldMoveARowOfNearlyAQuarterOfTheHeapBetweenServers() throws Exception {
        oneLacks(0, LARGEST_BYTES);

        shouldHaveRepaired(repairOverServers(), 1);
    }

    @Test
    void shouldRefuseALargerRowBeforeItIsReadInADryRunToo() throws Exception {
        oneLacks(0, TOO_LARGE_BYTES);

        shouldHaveRefused(repair(directories()));
    }

    @Test
    void shouldRefuseALargerRowBetweenServersToo() throws Exception {
        oneLacks(0, TOO_LARGE_BYTES);

        shouldHaveRefused(repairOverServers());
    }
}
