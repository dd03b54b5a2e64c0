package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongToIntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair} over directories and over servers, each with the heap that the launcher gives it, on data that needs bounds. */
@Timeout(600)
class RepairMemoryTest {
    private static final String HEAP = "512m";
    private static final int MIB = 1 << 20;
    /** Of rows that are not huge: what takes time is their number, and memory their bytes. */
    private static final int VALUE_BYTES = 2_000;

    private static final long SECOND_MICROS = 1_700_000_000_000_000L;
    private static final long TIME_MAX_SECONDS = 280;
    /** Of the sizes below; with twice as much memory grows only where a row is larger. */
    private static final int SCALE = Integer.getInteger("anneal.test.scale", 1);

    /** What is left after a collection, most of it huge rows. */
    private static final long LIVE_MAX_BYTES = 400L * MIB;

    private static final long DIRECT_MAX_BYTES = 64L * MIB;

    @TempDir
    private Path directory;

    private final List<Path> replicas = new ArrayList<>();
    private String testName;

    @BeforeEach
    void start(TestInfo test) {
        testName = test.getDisplayName();
    }

    /** Writes a replica, a row at a time: {@code rows} keys, of which it has the wanted. */
    private void replica(long rows, LongToIntFunction valueBytes, LongPredicate wanted) throws IOException {
        TreeMap<DecoratedKey, Long> keys = new TreeMap<>();
        for (long k = 0; k < rows; k++) {
            if (wanted.test(k)) {
                keys.put(
                        DecoratedKey.of(
                                ByteBuffer.allocate(Long.BYTES).putLong(k).array()),
                        k);
            }
        }
        HandedFragment fragment = new HandedFragment(ReplicaFiles.SCHEMA);
        try (StagingDirectory target = StagingDirectory.open(directory.resolve("data-" + replicas.size()));
                StagedWriter writer = new StagedWriter(
                        target.target(ReplicaFiles.SCHEMA),
                        SSTableWriterConfig.defaults(keys.size()),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES)) {
            for (var key : keys.entrySet()) {
                byte[] value = new byte[valueBytes.applyAsInt(key.getValue())];
                new SplittableRandom(key.getValue()).nextBytes(value);
                Row row = new Row();
                row.liveness(SECOND_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                row.addCell(0, SECOND_MICROS, value, 0, value.length);
                writer.appendCurrent(fragment.start(key.getKey(), DeletionTime.LIVE));
                writer.appendCurrent(fragment.row(row));
                writer.appendCurrent(fragment.end());
            }
            writer.finish();
            Path table = Files.createDirectories(target.tableDirectory(ReplicaFiles.SCHEMA));
            Files.writeString(table.resolve("schema.cql"), ReplicaFiles.SCHEMA_TEXT);
            replicas.add(table);
        }
    }

    /** What the commands printed, over directories and then over servers; they must have ended well. */
    private List<String> repair() throws IOException, InterruptedException {
        List<String> over = new ArrayList<>();
        replicas.forEach(replica -> over.addAll(List.of("--dir", replica.toString())));
        over.addAll(List.of("--apply", "--out", directory.resolve("out").toString()));
        return List.of(repair("directories", over), repairOverServers());
    }

    private String repairOverServers() throws IOException, InterruptedException {
        Path token = Commands.tokenFile(directory);
        List<Commands.Server> servers = new ArrayList<>();
        List<String> over = new ArrayList<>(List.of("--token-file", token.toString()));
        String printed;
        try {
            for (int i = 0; i < replicas.size(); i++) {
                servers.add(Commands.Server.startMeasured(
                        HEAP,
                        directory.resolve("peaks-server-" + i),
                        directory.resolve("log-server-" + i),
                        "--data",
                        replicas.get(i).toString(),
                        "--staging",
                        directory.resolve("staging-" + i).toString(),
                        "--token-file",
                        token.toString()));
                over.addAll(List.of("--replica", servers.get(i).address()));
            }
            printed = repair("servers", over);
        } finally {
            servers.forEach(Commands.Server::close);
        }
        for (int i = 0; i < replicas.size(); i++) {
            shouldBeBounded("server-" + i);
        }
        return printed;
    }

    private String repair(String how, List<String> over) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("repair", "--json", "--table", "ks.t", "--full-replicas"));
        arguments.addAll(over);
        Path log = directory.resolve("log-" + how);
        Process command =
                Commands.startMeasured(HEAP, directory.resolve("peaks-" + how), log, arguments.toArray(String[]::new));
        try {
            assertThat(command.waitFor(TIME_MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            command.destroyForcibly();
        }
        String printed = Files.readString(log);
        assertThat(command.exitValue()).as(printed).isZero();
        shouldBeBounded(how);
        return printed;
    }

    private void shouldBeBounded(String process) throws IOException {
        MeasuredCommand.Peaks peaks = MeasuredCommand.Peaks.read(directory.resolve("peaks-" + process));
        System.out.println("peaks of " + testName + ", process=" + process + ", " + peaks);
        assertThat(peaks.liveBytes()).as(process).isLessThan(LIVE_MAX_BYTES);
        assertThat(peaks.directBytes()).as(process).isLessThan(DIRECT_MAX_BYTES);
    }

    private void shouldSay(String text) throws IOException, InterruptedException {
        assertThat(repair()).allSatisfy(printed -> assertThat(printed).contains(text));
    }

    @Test
    void shouldRepairReplicasThatHaveNothingInCommon() throws Exception {
        int rows = SCALE * 150 * MIB / VALUE_BYTES;
        for (int i = 0; i < 3; i++) {
            int replica = i;
            replica(rows, k -> VALUE_BYTES, k -> k % 3 == replica);
        }

        shouldSay("\"rows-differing\":" + rows + ",");
    }

    @Test
    void shouldRepairFiveReplicasThatEachLackMuch() throws Exception {
        int rows = SCALE * 100 * MIB / VALUE_BYTES;
        for (int i = 0; i < 5; i++) {
            int replica = i;
            replica(rows, k -> VALUE_BYTES, k -> Math.floorMod(k * 31 + replica * 2L, 10) >= 3);
        }

        shouldSay("\"rows-differing\":" + rows + ",");
    }

    @Test
    void shouldCompareAHugeRowThatIsEqual() throws Exception {
        for (int i = 0; i < 3; i++) {
            replica(1, k -> SCALE * 100 * MIB, k -> true);
        }

        shouldSay("\"were-equal\":true");
    }

    /** The master lacks one, and one of the followers another. */
    @Test
    void shouldMoveHugeRowsToTheMasterAndToAFollower() throws Exception {
        for (int i = 0; i < 3; i++) {
            int replica = i;
            replica(3, k -> k != 1 ? SCALE * 50 * MIB : 10, k -> k == 1 || k != replica);
        }

        shouldSay("\"rows-differing\":2,");
    }
}
