package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
import io.anneal.bench.peer.CassandraPeerException;
import io.anneal.bench.peer.CqlRows;
import io.anneal.bench.peer.ImportResult;
import io.anneal.bench.peer.PeerSSTableVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithCassandra
class CassandraPeerTest {
    private static final String KEYSPACE = "peer_test";
    private static final String TABLE = "events";
    private static final String SELECT = "SELECT JSON * FROM peer_test.events";
    private static final String CREATE_KEYSPACE =
            "CREATE KEYSPACE peer_test WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";
    private static final String CREATE_TABLE =
            "CREATE TABLE peer_test.events (id int, seq int, note text, tags set<text>, owner text static, "
                    + "PRIMARY KEY (id, seq)) WITH compaction = "
                    + "{'class': 'SizeTieredCompactionStrategy', 'enabled': false}";
    private static final int PARTITIONS = 20;
    private static final int ROWS_PER_PARTITION = 5;

    @TempDir
    private Path temporary;

    @BeforeAll
    static void createTable(CassandraPeer peer) {
        peer.executeAll(List.of(CREATE_KEYSPACE, CREATE_TABLE));
    }

    @BeforeEach
    void writeRows(CassandraPeer peer) {
        peer.truncate(KEYSPACE, TABLE);
        peer.executeAll(IntStream.range(0, PARTITIONS * ROWS_PER_PARTITION)
                .mapToObj(i -> "INSERT INTO peer_test.events (id, seq, note, tags, owner) VALUES ("
                        + i / ROWS_PER_PARTITION + ", " + i % ROWS_PER_PARTITION + ", 'n" + i + "', {'a', 'b'}, 'o')"
                        + " USING TIMESTAMP " + (1_000_000L + i))
                .toList());
        peer.flush(KEYSPACE, TABLE);
    }

    @Test
    void shouldReadBackTheSameRowsWhenItsSSTablesAreCopiedOutAndImported(CassandraPeer peer) {
        List<String> before = peer.selectJson(SELECT);
        assertThat(before).hasSize(PARTITIONS * ROWS_PER_PARTITION);

        List<Path> copies = peer.copySSTables(KEYSPACE, TABLE, temporary);
        peer.truncate(KEYSPACE, TABLE);
        assertThat(peer.selectJson(SELECT)).isEmpty();
        int imported = peer.importDirectory(KEYSPACE, TABLE, temporary);

        assertThat(copies).hasSize(1).allSatisfy(copy -> assertThat(copy).exists());
        assertThat(copies.get(0).getFileName().toString()).startsWith("nb-");
        assertThat(temporary.resolve("schema.cql")).content().contains("CREATE TABLE", "peer_test.events");
        assertThat(imported).isEqualTo(1);
        assertThat(peer.sstables(KEYSPACE, TABLE)).hasSize(1);
        assertThat(peer.selectJson(SELECT)).isEqualTo(before);
    }

    @Test
    void shouldImportEverySSTableOfADirectoryAndCompactThem(CassandraPeer peer) {
        peer.execute("DELETE FROM peer_test.events USING TIMESTAMP 2000000 WHERE id = 3");
        List<String> before = peer.selectJson(SELECT);
        List<Path> copies = peer.copySSTables(KEYSPACE, TABLE, temporary);
        peer.truncate(KEYSPACE, TABLE);

        int imported = peer.importDirectory(KEYSPACE, TABLE, temporary);
        peer.compact(KEYSPACE, TABLE);

        assertThat(copies).hasSize(2);
        assertThat(imported).isEqualTo(2);
        assertThat(peer.sstables(KEYSPACE, TABLE)).hasSize(1);
        assertThat(peer.selectJson(SELECT)).isEqualTo(before).hasSize((PARTITIONS - 1) * ROWS_PER_PARTITION);
    }

    @Test
    void shouldForgetWhatIsInOtherSSTablesThanThoseThatStay(CassandraPeer peer) {
        List<Path> first = peer.sstables(KEYSPACE, TABLE);
        List<String> before = peer.selectJson(SELECT);
        peer.execute("DELETE FROM peer_test.events USING TIMESTAMP 2000000 WHERE id = 3");
        peer.execute("INSERT INTO peer_test.events (id, seq, note) VALUES (99, 0, 'since')");
        peer.flush(KEYSPACE, TABLE);
        Path since = peer.sstables(KEYSPACE, TABLE).stream()
                .filter(sstable -> !first.contains(sstable))
                .findFirst()
                .orElseThrow();
        assertThat(peer.selectJson(SELECT)).isNotEqualTo(before);

        peer.retainSSTables(KEYSPACE, TABLE, first);

        assertThat(peer.sstables(KEYSPACE, TABLE)).isEqualTo(first);
        assertThat(peer.selectJson(SELECT)).isEqualTo(before);
        assertThatThrownBy(() -> peer.retainSSTables(KEYSPACE, TABLE, List.of(since)))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("not all of these are live");
        assertThat(peer.sstables(KEYSPACE, TABLE)).isEqualTo(first);
    }

    @Test
    void shouldDumpAndVerifyAnSSTableInsideAndOutsideOfItsDataDirectory(CassandraPeer peer) throws IOException {
        Path live = peer.sstables(KEYSPACE, TABLE).get(0);
        Path copy = peer.copySSTables(KEYSPACE, TABLE, temporary).get(0);

        String dump = peer.dump(live);
        peer.verify(KEYSPACE, TABLE, live);
        peer.verify(KEYSPACE, TABLE, copy);

        JsonNode partitions = new ObjectMapper().readTree(dump);
        assertThat(partitions).hasSize(PARTITIONS);
        assertThat(partitions.get(0).at("/rows/1/liveness_info/tstamp").asText())
                .as("timestamps are raw")
                .matches("10000\\d\\d");
        assertThat(peer.dump(copy)).isEqualTo(dump);
    }

    @Test
    void shouldAnswerValuesAsTextAndNullAsNull(CassandraPeer peer) {
        peer.execute("INSERT INTO peer_test.events (id, seq) VALUES (0, 7)");

        CqlRows rows = peer.execute("SELECT seq, note, tags FROM peer_test.events WHERE id = 0 AND seq IN (4, 7)");

        assertThat(rows.columns()).containsExactly("seq", "note", "tags");
        assertThat(rows.column("seq")).containsExactly("4", "7");
        assertThat(rows.column("note")).containsExactly("n4", null);
        assertThat(rows.column("tags")).containsExactly("{'a', 'b'}", null);
    }

    @Test
    void shouldJudgeTimeToLiveAsOfTheSecondAskedFor(CassandraPeer peer) {
        peer.execute("INSERT INTO peer_test.events (id, seq, note) VALUES (99, 0, 'short') USING TTL 1000");
        String query = "SELECT note FROM peer_test.events WHERE id = 99";

        CqlRows now = peer.execute(query);
        CqlRows inTheYear2100 = peer.executeAt(4_102_444_800L, query);

        assertThat(now.rows()).hasSize(1);
        assertThat(inTheYear2100.rows()).isEmpty();
    }

    @Test
    void shouldDescribeATableAndKnowItsTokens(CassandraPeer peer) {
        String description = peer.describe(KEYSPACE, TABLE);
        long token = peer.token(
                KEYSPACE, TABLE, ByteBuffer.allocate(Integer.BYTES).putInt(5).array());

        assertThat(description).startsWith("CREATE TABLE peer_test.events").contains("owner text static");
        assertThat(peer.execute("SELECT DISTINCT token(id) FROM peer_test.events WHERE id = 5")
                        .column("system.token(id)"))
                .containsExactly(Long.toString(token));
    }

    @Test
    void shouldBeReachableByNodetoolAndByTheNativeProtocol(CassandraPeer peer) throws IOException {
        byte[] optionsRequest = {5, 0, 0, 0, 5, 0, 0, 0, 0};
        try (Socket socket = new Socket(InetAddress.getByName(peer.config().address()), peer.cqlPort())) {
            socket.getOutputStream().write(optionsRequest);
            byte[] header = socket.getInputStream().readNBytes(9);

            assertThat(header[4]).as("opcode SUPPORTED").isEqualTo((byte) 6);
        }
        assertThat(peer.nodetool("version")).contains("5.0.9");
    }

    @Test
    void shouldNameTheReasonWhenAStatementFails(CassandraPeer peer) {
        assertThatThrownBy(() -> peer.execute("SELECT nothing FROM peer_test.events"))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("Undefined column name nothing");
        assertThatThrownBy(() -> peer.executeAll(
                        List.of("UPDATE peer_test.events SET note = 'x' WHERE id = 1 AND seq = 1", "?")))
                .hasMessageContaining("index=1")
                .hasMessageContaining("SyntaxException");
        assertThatThrownBy(() -> peer.flush(KEYSPACE, "missing")).hasMessageContaining("table=missing");
    }

    @Test
    void shouldRefuseToImportWhenAByteOfTheDataIsWrong(CassandraPeer peer) throws IOException {
        Path data = peer.copySSTables(KEYSPACE, TABLE, temporary).get(0);
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 0x40;
        Files.write(data, bytes);
        peer.truncate(KEYSPACE, TABLE);

        ImportResult result = peer.tryImportDirectory(KEYSPACE, TABLE, temporary);

        assertThat(result.found()).isEqualTo(1);
        assertThat(result.imported()).isZero();
        assertThat(peer.sstables(KEYSPACE, TABLE)).isEmpty();
        assertThatThrownBy(() -> peer.importDirectory(KEYSPACE, TABLE, temporary))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("found=1, imported=0")
                .hasMessageContaining("integrity check (digest) failed");
        assertThatThrownBy(() -> peer.verify(KEYSPACE, TABLE, data)).hasMessageContaining("Corrupted file");
    }

    @Test
    void shouldRefuseToImportWhenTheVersionIsUnknown(CassandraPeer peer) throws IOException {
        peer.copySSTables(KEYSPACE, TABLE, temporary);
        Path unknown = renamed("nb-", "zz-");

        assertThatThrownBy(() -> peer.importDirectory(KEYSPACE, TABLE, unknown))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("found=1, imported=0")
                .hasMessageContaining("zz");
    }

    @Test
    void shouldRefuseToImportWhenThereIsNoSSTable(CassandraPeer peer) {
        assertThatThrownBy(() -> peer.importDirectory(KEYSPACE, TABLE, temporary))
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("found=0");
    }

    @Test
    void shouldThrowWithTheEndOfTheLogWhenTheNodeDoesNotStart() {
        CassandraPeerConfig config = CassandraPeerConfig.in(temporary.resolve("node"))
                .withSettings(List.of("no_such_setting: 1"), List.of())
                .withTimeouts(Duration.ofMinutes(1), Duration.ofMinutes(1));

        assertThatThrownBy(() -> CassandraPeer.start(config).close())
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("peer ended")
                .hasMessageContaining("no_such_setting");
    }

    @Test
    void shouldThrowWhenTheNodeDoesNotStartInTime() {
        CassandraPeerConfig config = CassandraPeerConfig.in(temporary.resolve("node"))
                .withTimeouts(Duration.ofMillis(1), Duration.ofMinutes(1));

        assertThatThrownBy(() -> CassandraPeer.start(config).close())
                .isInstanceOf(CassandraPeerException.class)
                .hasMessageContaining("peer did not answer in time, operation=START");
    }

    @Test
    void shouldWriteTheVersionConfiguredAndSayWhenItsProcessIsGone(CassandraPeer peer) {
        CassandraPeerConfig config = Peers.shortLived(temporary.resolve("node"))
                .withVersion(PeerSSTableVersion.OA)
                .withColumnIndexSizeKiB(1);
        Path copies = temporary.resolve("copies");

        try (CassandraPeer other = CassandraPeer.start(config)) {
            other.executeAll(List.of(CREATE_KEYSPACE, CREATE_TABLE));
            other.execute("INSERT INTO peer_test.events (id, seq, note) VALUES (1, 1, 'newer')");
            Path copy = other.copySSTables(KEYSPACE, TABLE, copies).get(0);
            assertThat(copy.getFileName().toString()).startsWith("oa-");

            assertThat(ProcessHandle.of(other.pid()).orElseThrow().destroyForcibly())
                    .isTrue();
            assertThatThrownBy(() -> other.execute("SELECT * FROM peer_test.events"))
                    .isInstanceOf(CassandraPeerException.class)
                    .hasMessageMatching("(?s)peer (ended|is gone), operation=EXECUTE.*Startup complete.*");
        }

        assertThatThrownBy(() -> peer.importDirectory(KEYSPACE, TABLE, copies))
                .as("a node which still writes nb cannot read oa, and would leave it out without a word")
                .hasMessageContaining("found=1, imported=0")
                .hasMessageContaining("incompatible sstable version (oa)");
    }

    @Test
    void shouldRefuseADirectoryInUse() throws IOException {
        Files.writeString(temporary.resolve("something"), "of others", StandardCharsets.UTF_8);

        assertThatThrownBy(() ->
                        CassandraPeer.start(CassandraPeerConfig.in(temporary)).close())
                .hasMessageContaining("not empty");
    }

    private Path renamed(String prefix, String newPrefix) throws IOException {
        Path target = Files.createDirectory(temporary.resolve("renamed"));
        try (Stream<Path> files = Files.list(temporary)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                Files.copy(file, target.resolve(name.replaceFirst("^" + prefix, newPrefix)));
            }
        }
        return target;
    }
}
