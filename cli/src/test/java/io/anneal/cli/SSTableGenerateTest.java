package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class SSTableGenerateTest {
    private static final String TEXT = """
            CREATE TYPE ks.address (street text, number int, tags frozen<set<int>>);
            CREATE TABLE ks.everything (
                a int, b text, c timestamp, d timeuuid, s text static, ss set<int> static,
                c1 ascii, c2 bigint, c3 blob, c4 boolean, c5 date, c6 decimal, c7 double, c8 duration, c9 float, c10 inet,
                c11 int, c12 smallint, c13 time, c14 tinyint, c15 uuid, c16 varint, c17 vector<float, 3>,
                c18 vector<text, 2>, c19 tuple<int, text>, c20 frozen<map<text, int>>, c21 list<text>, c22 set<timeuuid>,
                c23 map<int, frozen<list<text>>>, c24 address, c25 frozen<address>,
                PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC);
            CREATE TABLE ks.counters (id uuid PRIMARY KEY, hits counter, misses counter);
            CREATE TABLE ks.flags (on boolean, at tinyint, PRIMARY KEY (on, at));
            """;

    @TempDir
    private Path directory;

    private Path schema;

    @BeforeEach
    void setUp() throws IOException {
        schema = Files.writeString(directory.resolve("all.cql"), TEXT);
    }

    private CommandRun generate(String table, Path target, Object... more) {
        Object[] fixed = {"sstable", "generate", "--schema", schema, "--table", table, "--to", target};
        return CommandRun.of(
                Stream.concat(Arrays.stream(fixed), Arrays.stream(more)).toArray());
    }

    private static CommandRun verify(Path table) {
        return CommandRun.of("sstable", "verify", "--extended", table);
    }

    @Test
    void shouldWriteValidRowsOfEveryType() throws IOException {
        Path target = directory.resolve("out");
        CommandRun run = generate("ks.everything", target, "--rows", 500, "--deletions", 5, "--expiring", 20, "--json");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        JsonNode result = new ObjectMapper().readTree(run.out());
        assertThat(result.get("rows").asLong()).isEqualTo(500);
        assertThat(result.get("partitions").asLong()).isEqualTo(50);
        assertThat(result.get("sstables").size()).isEqualTo(1);
        Path table = target.resolve("ks/everything");
        assertThat(verify(table).out()).startsWith("ok");
        String dump = CommandRun.of("sstable", "dump", table).out();
        assertThat(dump).contains("range_tombstone_bound", "deletion_info", "expires_at", "static_block");
    }

    @Test
    @Timeout(120)
    void shouldWriteValuesOfDeepTypesThatStaySmall() throws IOException {
        Files.writeString(
                schema,
                "CREATE TABLE ks.deep (k int PRIMARY KEY, v " + "frozen<list<".repeat(31) + "int" + ">>".repeat(31)
                        + ");");

        CommandRun run = generate("ks.deep", directory.resolve("out"), "--rows", 50);

        assertThat(run.err()).isEmpty();
        assertThat(verify(directory.resolve("out/ks/deep")).out()).startsWith("ok");
    }

    @Test
    void shouldRepeatWhatASeedGave() throws IOException {
        assertThat(generate("ks.everything", directory.resolve("a"), "--rows", 50, "--seed", 7)
                        .exitCode())
                .isZero();
        assertThat(generate("ks.everything", directory.resolve("b"), "--rows", 50, "--seed", 7)
                        .exitCode())
                .isZero();
        assertThat(generate("ks.everything", directory.resolve("c"), "--rows", 50, "--seed", 8)
                        .exitCode())
                .isZero();
        Path data = Path.of("ks/everything/nb-1-big-Data.db");
        assertThat(directory.resolve("a").resolve(data))
                .hasSameBinaryContentAs(directory.resolve("b").resolve(data));
        assertThat(Files.readAllBytes(directory.resolve("a").resolve(data)))
                .isNotEqualTo(Files.readAllBytes(directory.resolve("c").resolve(data)));
    }

    @Test
    void shouldWriteCounters() throws IOException {
        CommandRun run = generate("ks.counters", directory.resolve("out"), "--rows", 20, "--compression", "none");
        assertThat(run.err()).isEmpty();
        Path table = directory.resolve("out/ks/counters");
        assertThat(verify(table).out()).startsWith("ok");
        assertThat(table.resolve("nb-1-big-CompressionInfo.db")).doesNotExist();
    }

    @Test
    void shouldWriteTheVersionAskedFor() {
        CommandRun run = generate("ks.everything", directory.resolve("out"), "--rows", 20, "--format", "oa");
        assertThat(run.err()).isEmpty();
        assertThat(directory.resolve("out/ks/everything/oa-1-big-Data.db")).exists();
        assertThat(verify(directory.resolve("out/ks/everything")).out()).startsWith("ok");
    }

    @Test
    void shouldSayWhenThereAreTooFewKeys() {
        CommandRun run = generate("ks.flags", directory.resolve("out"), "--rows", 4000, "--partitions", 4);
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).contains("too few values");
        assertThat(run.out()).contains(" 2 partitions, ");
        assertThat(verify(directory.resolve("out/ks/flags")).out()).startsWith("ok");
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        Path target = directory.resolve("out");
        assertThat(generate("ks.everything", target, "--rows", 0).err()).contains("ANL-4001", "--rows");
        assertThat(generate("ks.everything", target, "--rows", 9, "--value-bytes", 20_000_000)
                        .err())
                .contains("ANL-4001", "--value-bytes takes a number from 1 to 16777216");
        assertThat(generate("ks.counters", target, "--rows", 9, "--partitions", 3)
                        .err())
                .contains("ANL-4001", "--partitions");
        assertThat(generate("ks.absent", target, "--rows", 9).err()).contains("ANL-2001", "table=ks.absent");
        assertThat(generate("ks.flags", target, "--rows", 9, "--deletions", 101).err())
                .contains("ANL-4001");
        assertThat(generate("ks.flags", target, "--rows", 1L << 40, "--partitions", 1)
                        .err())
                .contains("ANL-4001", "--memory");
        assertThat(CommandRun.of("sstable", "generate", "--schema", schema, "--rows", 9, "--to", target)
                        .err())
                .contains("ANL-4001", "--table", "ks.flags");
        assertThat(target).doesNotExist();
    }
}
