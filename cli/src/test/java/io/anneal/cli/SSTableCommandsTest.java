package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SSTableCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private Path table;

    @BeforeEach
    void setUp() throws IOException {
        table = CommandRun.copyTable(directory.resolve("a table"));
    }

    private static void assertError(CommandRun run, int exitCode, String code, String fact) {
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error " + code + ": ")
                .contains(fact);
    }

    private static long files(Path under) throws IOException {
        try (Stream<Path> walk = Files.walk(under)) {
            return walk.filter(Files::isRegularFile).count();
        }
    }

    @Test
    void shouldDumpAsSSTableDumpDoes() throws IOException {
        CommandRun run = CommandRun.of("sstable", "dump", "-t", table.resolve("nb-1-big-Data.db"));
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(JSON.readTree(run.out()))
                .isEqualTo(
                        JSON.readTree(CommandRun.resource("dropped.dump.json").toFile()));
    }

    @Test
    void shouldDumpEveryFileGivenAndOnlyTheKeysWanted() throws IOException {
        CommandRun all = CommandRun.of("sstable", "dump", "-e", table.resolve("nb-1-big-TOC.txt"));
        JsonNode keys = JSON.readTree(all.out());
        assertThat(keys.size()).isPositive();
        String first = JSON.readTree(CommandRun.of("sstable", "dump", table.resolve("nb-1-big-Data.db"))
                        .out())
                .get(0)
                .get("partition")
                .get("key")
                .get(0)
                .asText();
        CommandRun one = CommandRun.of("sstable", "dump", "-l", "-k", first, table.resolve("nb-1-big-Data.db"));
        assertThat(one.out().strip().lines()).hasSize(1);
        CommandRun none =
                CommandRun.of("sstable", "dump", "-l", "-k", first, "-x", first, table.resolve("nb-1-big-Data.db"));
        assertThat(none.out().strip()).isEmpty();
    }

    @Test
    void shouldRefuseInternalTextByName() {
        assertError(CommandRun.of("sstable", "dump", "-d", table), 2, "ANL-4003", "use -l");
    }

    @Test
    void shouldStopDumpAtWrongByte() throws IOException {
        CommandRun.corrupt(table.resolve("nb-1-big-Data.db"));
        CommandRun run = CommandRun.of("sstable", "dump", table.resolve("nb-1-big-Data.db"));
        assertError(run, 1, "ANL-1001", "nb-1-big-Data.db");
    }

    @Test
    void shouldVerifyEverySSTableOfADirectory() {
        CommandRun run = CommandRun.of("sstable", "verify", "--extended", table);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSize(3).allMatch(line -> line.startsWith("ok    "));
    }

    @Test
    void shouldSayWhichSSTableIsWrongAndGoOn() throws IOException {
        CommandRun.corrupt(table.resolve("nb-2-big-Data.db"));
        CommandRun run = CommandRun.of("sstable", "verify", table);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines()).hasSize(3);
        assertThat(run.out().lines().filter(line -> line.startsWith("wrong ")))
                .singleElement()
                .asString()
                .contains("nb-2-big", "ANL-1001", "file=");
    }

    @Test
    void shouldTellAnSSTableThatCouldNotBeLookedAtFromOneThatIsWrong() throws IOException {
        CommandRun.corrupt(table.resolve("nb-2-big-Data.db"));
        Files.writeString(table.resolve("zz-9-big-Data.db"), "");
        CommandRun run = CommandRun.of("sstable", "verify", directory.resolve("absent"), table);
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.out().lines())
                .hasSize(3)
                .filteredOn(line -> line.startsWith("wrong "))
                .hasSize(1);
        assertThat(run.err().lines())
                .hasSize(2)
                .anyMatch(line -> line.contains("ANL-1003") && line.contains("absent"))
                .anyMatch(line -> line.contains("ANL-1002") && line.contains("zz-9-big"));
        CommandRun json = CommandRun.of("sstable", "verify", "--json", table);
        assertThat(json.exitCode()).isEqualTo(5);
        assertThat(JSON.readTree(json.out()).findValuesAsText("wrong"))
                .containsExactlyInAnyOrder("false", "true", "false", "false");
    }

    @Test
    void shouldVerifyAsJson() throws IOException {
        Files.delete(table.resolve("nb-3-big-Statistics.db"));
        CommandRun run = CommandRun.of("sstable", "verify", "--json", table);
        assertThat(run.exitCode()).isEqualTo(1);
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("schema").asInt()).isEqualTo(1);
        assertThat(result.get("sstables").size()).isEqualTo(3);
        assertThat(result.findValuesAsText("code")).containsExactly("ANL-1001");
        assertThat(result.findValuesAsText("reason").get(0)).contains("nb-3-big-Statistics.db");
    }

    /** Other writers leave out what Cassandra does without; the table is compressed, so there is no CRC to leave out. */
    @Test
    void shouldNoteWhatTheTocDoesNotName() throws IOException {
        for (String component : List.of("Digest.crc32", "Filter.db", "Summary.db")) {
            CommandRun.withoutComponent(table.resolve("nb-1-big-Data.db"), component);
        }
        CommandRun run = CommandRun.of("sstable", "verify", table);
        assertThat(run.exitCode()).as(run.out()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("ok    "))).hasSize(3);
        assertThat(run.out().lines().filter(line -> line.startsWith("note  ")))
                .hasSize(3)
                .allMatch(line -> line.contains("nb-1-big: no "));
    }

    @Test
    void shouldReadUncompressedDataWhoseTocNamesNoChecksums() throws IOException {
        Path out = directory.resolve("out");
        assertThat(CommandRun.of("sstable", "rewrite", table, "--to", out, "--compact", "--compression", "none")
                        .exitCode())
                .isZero();
        Path data;
        try (Stream<Path> files = Files.walk(out)) {
            data = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        String dump = CommandRun.of("sstable", "dump", data).out();
        Files.delete(data.resolveSibling(data.getFileName().toString().replace("Data.db", "CRC.db")));
        assertError(CommandRun.of("sstable", "dump", data), 1, "ANL-1001", "CRC.db");
        CommandRun.withoutComponent(data, "CRC.db");

        assertThat(CommandRun.of("sstable", "dump", data).out()).isEqualTo(dump);
        CommandRun verify = CommandRun.of("sstable", "verify", "--json", data);
        assertThat(verify.exitCode()).as(verify.out()).isZero();
        JsonNode sstable = JSON.readTree(verify.out()).get("sstables").get(0);
        assertThat(sstable.get("ok").asBoolean()).isTrue();
        assertThat(sstable.get("notes").get(0).asText()).contains("CRC.db");
        CommandRun.corrupt(data);
        assertThat(CommandRun.of("sstable", "verify", data).out()).contains("wrong", "Digest.crc32");
        // Without checksums of blocks the digest alone keeps a flipped bit from being compared and spread.
        assertError(CommandRun.of("sstable", "dump", data), 1, "ANL-1001", "Digest.crc32");
        assertError(CommandRun.of("sstable", "dump", "-k", "1", data), 1, "ANL-1001", "Digest.crc32");
        assertError(
                CommandRun.of("sstable", "rewrite", data, "--to", directory.resolve("other")),
                1,
                "ANL-1001",
                "Digest.crc32");
        CommandRun scrub = CommandRun.of("sstable", "scrub", data, "--to", directory.resolve("scrubbed"));
        assertThat(scrub.err()).doesNotContain("Digest.crc32");
    }

    @Test
    void shouldNameTheComponentThatIsADirectory() throws IOException {
        Path data = table.resolve("nb-1-big-Data.db");
        Files.delete(data);
        Files.createDirectory(data);

        CommandRun verify = CommandRun.of("sstable", "verify", table);
        assertThat(verify.exitCode()).isEqualTo(1);
        assertThat(verify.out()).contains("ANL-1001", "file=" + data.toRealPath(), "directory");

        Path statistics = table.resolve("nb-2-big-Statistics.db");
        Files.delete(statistics);
        Files.createDirectory(statistics);
        assertThat(CommandRun.of("sstable", "verify", table).out()).contains("file=" + statistics.toRealPath());
    }

    @Test
    void shouldNameWhatIsMissingOrUnknown() throws IOException {
        assertError(CommandRun.of("sstable", "verify", directory.resolve("absent")), 5, "ANL-1003", "absent");
        Path notes = Files.writeString(directory.resolve("notes.txt"), "");
        assertError(CommandRun.of("sstable", "dump", notes), 2, "ANL-4001", "notes.txt");
        Path future = Files.createDirectories(directory.resolve("future"));
        Files.writeString(future.resolve("zz-1-big-Data.db"), "");
        assertError(CommandRun.of("sstable", "dump", future), 1, "ANL-1002", "zz-1-big");
        Path schema = Files.writeString(directory.resolve("wrong.cql"), "CREATE TABLE nonsense");
        assertError(CommandRun.of("sstable", "dump", table, "--schema", schema), 1, "ANL-2001", "wrong.cql");
        Path empty = Files.createDirectories(directory.resolve("empty"));
        assertError(CommandRun.of("sstable", "verify", empty), 5, "ANL-1003", "empty");
    }

    @Test
    void shouldRewriteEachSSTableWithTheSameContent() throws IOException {
        Path target = directory.resolve("out");
        CommandRun run = CommandRun.of("sstable", "rewrite", table, "--to", target, "--compression", "none");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSize(3);
        Path written = target.resolve("corpus/dropped");
        for (int generation = 1; generation <= 3; generation++) {
            String name = "nb-" + generation + "-big-Data.db";
            assertThat(contentOf(written.resolve(name))).isEqualTo(contentOf(table.resolve(name)));
        }
        assertThat(written.resolve("nb-1-big-CompressionInfo.db")).doesNotExist();
    }

    /** The dump without the places in the file, which compression and other headers change. */
    private static String contentOf(Path data) {
        CommandRun run = CommandRun.of("sstable", "dump", "-t", data);
        assertThat(run.exitCode()).isZero();
        return run.out().replaceAll("\"position\" ?: ?\\d+,?", "");
    }

    @Test
    void shouldCompactAllIntoOne() throws IOException {
        Path target = directory.resolve("out");
        CommandRun run = CommandRun.of("sstable", "rewrite", "--compact", "--json", table, "--to", target);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("sstables").size()).isEqualTo(1);
        assertThat(result.get("sstables").get(0).get("rows").asLong()).isPositive();
        assertThat(CommandRun.of("sstable", "verify", "--extended", target.resolve("corpus/dropped"))
                        .exitCode())
                .isZero();
    }

    @Test
    void shouldRefuseOtherFormatsAndCompressionsByName() throws IOException {
        Path target = directory.resolve("out");
        assertError(rewrite(target, "--format", "me"), 2, "ANL-4001", "'me' is none of nb");
        assertError(rewrite(target, "--format", "xx"), 2, "ANL-4001", "'xx' is none of nb");
        assertError(rewrite(target, "--compression", "rar"), 2, "ANL-4001", "'rar' is none of lz4");
        assertThat(target).doesNotExist();
    }

    @Test
    void shouldRescueAllOfWhatIsWhole() throws IOException {
        Path target = directory.resolve("out");
        CommandRun run = CommandRun.of("sstable", "scrub", "--json", table, "--to", target);
        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode sstables = JSON.readTree(run.out()).get("sstables");
        assertThat(sstables.size()).isPositive();
        for (JsonNode sstable : sstables) {
            assertThat(sstable.get("rows").asLong()).isPositive();
            assertThat(sstable.get("lost").size()).isZero();
        }
        assertThat(CommandRun.of("sstable", "verify", target.resolve("corpus/dropped"))
                        .exitCode())
                .isZero();
    }

    /** A repair takes it for as old as that. */
    @Test
    void shouldDateWhatItWritesLikeWhatItReads() throws IOException {
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(20)).truncatedTo(ChronoUnit.SECONDS));
        try (Stream<Path> files = Files.list(table)) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, old);
            }
        }
        for (String[] how : new String[][] {{"scrub"}, {"rewrite"}, {"rewrite", "--compact"}}) {
            Path target = directory.resolve(String.join("", how));
            List<Object> args = new ArrayList<>(List.of("sstable"));
            args.addAll(List.of(how));
            args.addAll(List.of(table, "--to", target));
            assertThat(CommandRun.of(args.toArray()).exitCode()).isZero();
            assertThat(Files.getLastModifiedTime(target.resolve("corpus/dropped/nb-1-big-Data.db")))
                    .as(String.join(" ", how))
                    .isEqualTo(old);
        }
    }

    @Test
    void shouldSayWhatWasLost() throws IOException {
        Path data = table.resolve("nb-1-big-Data.db");
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);
        CommandRun run = CommandRun.of("sstable", "scrub", table, "--to", directory.resolve("out"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("lost   ", "nb-1-big", "checksum", "saved  ");
    }

    @Test
    void shouldRescueTheOthersWhenOneCannotBeOpened() throws IOException {
        Files.write(table.resolve("nb-1-big-Statistics.db"), new byte[] {1, 2, 3});
        CommandRun run = CommandRun.of("sstable", "scrub", table, "--to", directory.resolve("out"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("ANL-1001", "Statistics.db");
    }

    private CommandRun rewrite(Path target, String option, String value) {
        return CommandRun.of("sstable", "rewrite", table, "--to", target, option, value);
    }

    @Test
    void shouldDumpAndVerifyWithoutTheSchemaBesideTheFiles() throws IOException {
        Files.writeString(table.resolve("schema.cql"), "CREATE TABLE nonsense");
        assertThat(CommandRun.of("sstable", "dump", table).exitCode()).isZero();
        assertThat(CommandRun.of("sstable", "verify", "--extended", table).exitCode())
                .isZero();
        assertError(
                CommandRun.of("sstable", "rewrite", table, "--to", directory.resolve("out")),
                1,
                "ANL-2001",
                "schema.cql");
    }

    @Test
    void shouldLeaveNothingOfARewriteThatFails() throws IOException {
        CommandRun.corrupt(table.resolve("nb-3-big-Data.db"));
        Path target = directory.resolve("out");
        assertError(
                CommandRun.of("sstable", "rewrite", "--compact", table, "--to", target),
                1,
                "ANL-1001",
                "nb-3-big-Data.db");
        assertThat(files(target)).isZero();
    }

    @Test
    void shouldNameTargetThatIsNoDirectory() throws IOException {
        Path target = Files.writeString(directory.resolve("file"), "");
        assertError(CommandRun.of("sstable", "rewrite", table, "--to", target), 1, "ANL-1004", target.toString());
    }

    @Test
    void shouldDumpSeveralSSTablesAsOneDocument() throws IOException {
        Path data = table.resolve("nb-1-big-Data.db");
        Path other = table.resolve("nb-2-big-Data.db");
        String one = CommandRun.of("sstable", "dump", data).out();
        String two = CommandRun.of("sstable", "dump", other).out();
        assertThat(one).startsWith("[\n  {").endsWith("\n]\n");

        CommandRun both = CommandRun.of("sstable", "dump", data, other);
        assertThat(both.exitCode()).as(both.err()).isZero();
        assertThat(both.out()).isEqualTo(one.substring(0, one.length() - 3) + "," + two.substring(1));

        String lines = CommandRun.of("sstable", "dump", "-l", data, other).out();
        assertThat(lines)
                .isEqualTo(CommandRun.of("sstable", "dump", "-l", data).out()
                        + CommandRun.of("sstable", "dump", "-l", other).out());
        assertThat(lines).endsWith("}\n");
        assertThat(lines.lines()).hasSize(JSON.readTree(both.out()).size()).allSatisfy(line -> JSON.readTree(line));

        JsonNode keys = JSON.readTree(
                CommandRun.of("sstable", "dump", "-e", data, other).out());
        assertThat(keys).hasSameSizeAs(JSON.readTree(both.out()));
        JsonNode object = JSON.readTree(
                CommandRun.of("sstable", "dump", data, other, "--json").out());
        assertThat(object.get("schema").isInt()).isTrue();
        assertThat(object.get("partitions")).isEqualTo(JSON.readTree(both.out()));
        assertThat(JSON.readTree(CommandRun.of("sstable", "dump", "-e", data, other, "--json")
                                .out())
                        .get("keys"))
                .isEqualTo(keys);
        assertError(CommandRun.of("sstable", "dump", "-l", data, "--json"), 2, "ANL-4001", "-l");
        assertThat(CommandRun.of("sstable", "dump", "-l", "-x", "none", "-k", "none", data)
                        .out())
                .isEmpty();
    }
}
