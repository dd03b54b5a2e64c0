package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StagingArea;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Cassandra node that lost its data is staged SSTables of another one, which are compared before they may be imported. */
@Timeout(60)
final class RepairOfEmptyNodeTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    private static final int ROWS = 3_000;

    @TempDir
    private Path directory;

    /** A snapshot of a node with the rows from one id up to another. */
    private Path snapshot(String node, int first, int end) throws IOException {
        Random random = new Random(1);
        Path snapshot = Tables.write(
                directory.resolve(node), Tables.schema(Tables.TEXT_WITH_ID), Tables.TEXT_WITH_ID, writer -> {
                    for (int id = 0; id < end; id++) {
                        // Of which a chunk is no less than what is in it.
                        String name = random.ints(300, 'a', 'z')
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString();
                        if (id >= first) {
                            writer.row()
                                    .key("id", id)
                                    .clustering("at", 1)
                                    .set("name", name)
                                    .insert();
                        }
                    }
                });
        return snapshot;
    }

    private Path out() {
        return directory.resolve("out");
    }

    private static CommandRun repair(Instant at, List<Path> replicas, Object... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("repair", "--table", "ks.readings", "--json"));
        for (Path replica : replicas) {
            try (Stream<Path> files = Files.walk(replica)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.setLastModifiedTime(file, FileTime.from(at));
                }
            }
            words.addAll(List.of("--dir", replica));
        }
        words.addAll(Arrays.asList(more));
        return CommandRun.at(at, words.toArray());
    }

    private CommandRun apply(List<Path> replicas, Object... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("--apply", "--out", out(), "--buffer", "64KiB"));
        words.addAll(Arrays.asList(more));
        return repair(NOW, replicas, words.toArray());
    }

    private static List<Path> files(Path root) throws IOException {
        try (Stream<Path> files = Files.exists(root) ? Files.walk(root) : Stream.of()) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static List<String> staged(Path root) throws IOException {
        return files(root).stream()
                .map(Path::toString)
                .filter(file -> file.endsWith("-Data.db"))
                .sorted()
                .toList();
    }

    private static long rows(Path table, TokenRange.Linear range) throws IOException {
        long rows = 0;
        try (SSTables sstables = SSTables.open(table);
                FragmentCursor cursor = sstables.scan(range)) {
            for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                rows += kind == FragmentKind.CLUSTERING_ROW ? 1 : 0;
            }
        }
        return rows;
    }

    private static List<String> told(JsonNode table) {
        List<String> told = new ArrayList<>();
        table.get("replicas")
                .forEach(replica -> replica.get("sstables").forEach(sstable -> told.add(sstable.asText())));
        told.sort(null);
        return told;
    }

    @Test
    void shouldStageSSTablesWithTheRowsOfItsSession() throws IOException {
        List<Path> replicas =
                List.of(snapshot("n1", 0, 3), snapshot("n2", 0, ROWS - 1), snapshot("n3", ROWS / 2, ROWS));

        CommandRun run = apply(replicas, "--full-replicas");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("got SSTables of another one before they were compared");
        JsonNode table = JSON.readTree(run.out()).at("/tables/0");
        assertThat(table.get("were-equal").asBoolean()).isFalse();
        // What came in SSTables is not sent once more.
        assertThat(table.at("/replicas/0/rows-received").asLong()).isBetween(1L, 10L);
        // Each is told where it waits, and is of the one run.
        List<String> staged = staged(out());
        assertThat(told(table)).hasSameSizeAs(staged);
        assertThat(staged)
                .allSatisfy(file -> assertThat(told(table))
                        .anySatisfy(sstable -> assertThat(file).startsWith(sstable.replaceFirst("-big$|-bti$", ""))));
        assertThat(rows(out().resolve("n1/ks/readings"), TokenRange.Linear.ALL)).isGreaterThanOrEqualTo(ROWS - 3);
        CommandRun again = repair(
                NOW.plusSeconds(60),
                replicas,
                "--full-replicas",
                "--dry-run",
                "--include-recent",
                "--out",
                out(),
                "--staged",
                table.at("/run").asText());
        assertThat(again.exitCode()).as(again.out() + again.err()).isZero();
    }

    @Test
    void shouldStageNothingOfWhatTheReplicaDoesNotOwn() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", 0, 3), snapshot("n2", 0, ROWS));

        CommandRun run = apply(replicas, "--range=0:" + Long.MAX_VALUE);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("got SSTables of another one before they were compared");
        Path staged = out().resolve("n1/ks/readings");
        assertThat(rows(staged, new TokenRange.Linear(Long.MIN_VALUE, 0))).isZero();
        assertThat(rows(staged, TokenRange.Linear.ALL)).isGreaterThan(ROWS / 3);
    }

    @Test
    void shouldLeaveNothingWhenTheSessionFails() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", 0, 3), snapshot("n2", 0, ROWS), snapshot("n3", 0, ROWS / 2));
        Path data = files(replicas.get(2)).stream()
                .filter(file -> file.toString().endsWith("-Data.db"))
                .findFirst()
                .orElseThrow();
        try (RandomAccessFile damaged = new RandomAccessFile(data.toFile(), "rw")) {
            damaged.seek(damaged.length() - 5_000);
            damaged.write(new byte[100]);
        }

        CommandRun run = apply(replicas, "--full-replicas");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(5);
        assertThat(run.err() + run.out()).contains("-Data.db");
        assertThat(files(out()).stream().filter(file -> file.toString().endsWith(".db")))
                .isEmpty();
    }

    @Test
    void shouldStageWhatItsServerFetchesFromTheMaster() throws IOException {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        List<Path> replicas = List.of(snapshot("n1", 0, ROWS), snapshot("n2", 0, 3));
        List<CommandNode> nodes = new ArrayList<>();
        List<StagingArea> areas = new ArrayList<>();
        List<Object> words = new ArrayList<>(List.of("repair", "--full-replicas", "--table", "ks.readings"));
        try {
            for (int i = 0; i < replicas.size(); i++) {
                areas.add(StagingArea.open(directory.resolve("staging-" + i), "n" + i, Clock.systemUTC()));
                nodes.add(CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new CassandraReplicas(List.of(replicas.get(i)), Optional.empty(), Optional.of(areas.get(i))),
                        CommandNode.config(new UUID(1, i), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system()));
                words.addAll(List.of(
                        "--replica", "127.0.0.1:" + nodes.get(i).address().getPort()));
            }
            words.addAll(List.of("--token-file", token, "--buffer", "64KiB"));

            CommandRun run = CommandRun.of(words.toArray());

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.err()).contains("got SSTables of another one before they were compared");
            assertThat(run.out()).contains("staging-1/ks/readings");
        } finally {
            nodes.forEach(CommandNode::close);
            for (StagingArea area : areas) {
                area.close();
            }
        }
        Path staging = directory.resolve("staging-1");
        assertThat(rows(staging.resolve("ks/readings"), TokenRange.Linear.ALL)).isGreaterThanOrEqualTo(ROWS - 3);
        assertThat(staged(staging)).allSatisfy(file -> assertThat(file).contains("staging-1/ks/readings/"));
    }
}
