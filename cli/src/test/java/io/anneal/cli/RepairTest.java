package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code anneal repair --dir}: what it refuses, warns of and prints, and what it exits with. */
final class RepairTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = CommandRun.NOW;
    private static final long GC_GRACE_SECONDS = 864_000;
    private static final String TABLE = "ks.readings";

    @TempDir
    private Path directory;

    private Path one;
    private Path two;

    @BeforeEach
    void setUp() throws IOException {
        one = directory.resolve("one");
        two = directory.resolve("two");
        for (Path replica : List.of(one, two)) {
            Tables.write(replica, writer -> row(writer, 1));
        }
        Tables.write(one, writer -> row(writer, 2));
        dated(one, NOW);
        dated(two, NOW);
    }

    private static void row(SSTableWriter writer, int id) throws IOException {
        writer.row().key("id", id).clustering("at", 1).set("name", "a").insert();
    }

    /** Gives every file this time, as a copy has that keeps times. */
    private static void dated(Path replica, Instant moment) throws IOException {
        try (Stream<Path> files = Files.walk(replica)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(moment));
            }
        }
    }

    /** A manifest as Cassandra writes one since 4.1. */
    private static void snapshotOf(Path replica, Instant moment) throws IOException {
        Files.writeString(
                replica.resolve("ks/readings/manifest.json"),
                "{\n  \"files\" : [ \"nb-1-big-Data.db\" ],\n  \"created_at\" : \"" + moment
                        + "\",\n  \"expires_at\" : null,\n  \"ephemeral\" : false\n}");
    }

    private CommandRun repair(Object... more) {
        return repairAt(Clock.fixed(NOW, ZoneOffset.UTC), more);
    }

    private CommandRun repairAt(Clock clock, Object... more) {
        List<Object> args = new ArrayList<>(List.of("repair", "--full-replicas", "--dir", one, "--dir", two));
        if (!List.of(more).contains("--table")) {
            args.addAll(List.of("--table", TABLE));
        }
        args.addAll(List.of(more));
        return CommandRun.at(clock, args.toArray());
    }

    private CommandRun apply(Object... more) {
        List<Object> args = new ArrayList<>(List.of("--apply", "--out", directory.resolve("out")));
        args.addAll(List.of(more));
        return repair(args.toArray());
    }

    private static JsonNode table(CommandRun run, int index) throws IOException {
        return JSON.readTree(run.out()).get("tables").get(index);
    }

    @Test
    void shouldRefuseWhatProvesItToOthersWhereThereAreNone() {
        for (String option : List.of("--token-file", "--tls-cert", "--tls-key", "--tls-ca")) {
            CommandRun run = repair(option, directory.resolve("nowhere"));
            assertThat(run.exitCode()).as(option).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains(option).contains("go with --replica");
        }
    }

    @Test
    void shouldSayWhatStandsWhereItsOutputShouldGo() throws IOException {
        Path out = Files.createDirectories(directory.resolve("out"));
        Path file = Files.createFile(out.resolve("two"));
        CommandRun run = apply();
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.err()).contains("ANL-1004").contains(file.toString()).contains("no directory");
        Files.delete(file);
        Files.createSymbolicLink(file, directory.resolve("dangling"));
        assertThat(apply().err()).contains("ANL-1004").contains(file.toString());
        Files.delete(file);
        assertThat(apply().exitCode()).isZero();
    }

    @Test
    void shouldNotServeWhatIsNotThere() throws IOException {
        Path file = Files.writeString(directory.resolve("token"), "0123456789abcdef");
        Files.createDirectory(directory.resolve("empty"));
        for (String data : List.of("nope", "token", "empty")) {
            CommandRun run = CommandRun.of(
                    "serve", "--listen", "127.0.0.1:0", "--token-file", file, "--data", directory.resolve(data));
            assertThat(run.exitCode()).as(data).isEqualTo(ExitCode.NO);
            assertThat(run.err()).as(data).contains(directory.resolve(data).toString());
        }
        CommandRun run = CommandRun.of(
                "serve", "--listen", "127.0.0.1:0", "--token-file", file, "--data", one, "--allow-table", "readings");
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void shouldSayWhatItExchangedAndWhereTheTimeWent() throws IOException {
        assertThat(repair("--table", TABLE).out().lines())
                .anyMatch(line ->
                        line.matches("  windows equal \\d+, by deletions 0, .*, list \\d+; exchanged .* hash(es)?"))
                .anyMatch(
                        line -> line.matches(
                                "  time of the master, added up over parts that ran side by side: reading [0-9.]+ s, waiting for replicas [0-9.]+ s, reconciling .*"));

        JsonNode json = table(apply("--json"), 0);
        assertThat(json.get("windows-list").longValue()
                        + json.get("windows-sketch").longValue()
                        + json.get("windows-range-sums").longValue())
                .isPositive();
        assertThat(json.get("read-nanos").longValue()).isPositive();
        assertThat(json.get("replicas").get(0).get("items-sent").longValue()).isEqualTo(1);
        assertThat(json.get("replicas").get(1).get("items-received").longValue())
                .isEqualTo(1);
        assertThat(json.get("replicas").get(1).get("bytes-written").longValue()).isPositive();
    }

    @Test
    void shouldSayThatAReplicaHasNoSSTable() throws IOException {
        Path table = two.resolve("ks/readings");
        try (Stream<Path> files = Files.list(table)) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("nb-"))
                    .toList()) {
                Files.delete(file);
            }
        }
        CommandRun run = repair("--allow-empty");
        assertThat(run.err()).contains("replica has no SSTable of the table", "replica=two");
    }

    @Test
    void shouldRefuseBufferThatMemoryDoesNotHold() throws IOException {
        for (String size : List.of("0", "33MiB", "1GiB", "100GiB")) {
            CommandRun refused = repair("--buffer", size);
            assertThat(refused.exitCode()).as(size).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).as(size).contains("--buffer is out of bounds", "maxBytes=20955136");
        }
        CommandRun small = repair("--buffer", "20MiB", "--memory", "64MiB");
        assertThat(small.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(small.err()).contains("maxBytes=2605056");
        assertThat(repair("--buffer=1").exitCode()).isEqualTo(ExitCode.NO);
    }

    @Test
    void shouldCountRowsByComparisonAndMoveNoneInDryRun() throws IOException {
        CommandRun looked = repair("--json");
        JsonNode report = table(looked, 0);
        assertThat(report.get("rows-differing").asLong()).isEqualTo(1);
        assertThat(report.get("items-fetched").asLong()
                        + report.get("items-pushed").asLong())
                .isZero();
        assertThat(report.at("/replicas/0/rows-lacking-or-differing").asLong()).isZero();
        assertThat(report.at("/replicas/1/rows-lacking-or-differing").asLong()).isEqualTo(1);
        assertThat(repair().out()).contains("0 deletions exchanged to be compared, no rows");
    }

    @Test
    void shouldRefuseSnapshotOlderThanGcGraceUnlessItIsAllowed() throws IOException {
        snapshotOf(one, NOW.minusSeconds(30 * 86_400));

        CommandRun refused = repair();
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.err())
                .contains("ANL-3003", "replica=one", "ageSeconds=2592000", "gcGraceSeconds=864000")
                .contains("--allow-old-snapshots");

        CommandRun allowed = repair("--allow-old-snapshots");
        assertThat(allowed.exitCode()).isEqualTo(1);
        assertThat(allowed.err()).contains("older than gc_grace", "replica=one");
        CommandRun applied = apply("--allow-old-snapshots");
        assertThat(applied.exitCode()).isZero();
        assertThat(applied.out()).contains("nodetool import").doesNotContain("import before");
    }

    @Test
    void shouldRefuseOldSnapshotAlsoWhenItIsTheFollowers() throws IOException {
        snapshotOf(two, NOW.minusSeconds(GC_GRACE_SECONDS + 1));

        assertThat(repair().err()).contains("replica=two", "ageSeconds=864001");
        snapshotOf(two, NOW.minusSeconds(GC_GRACE_SECONDS));
        assertThat(repair().exitCode()).isEqualTo(1);
    }

    @Test
    void shouldTakeTheAgeFromFileTimesWhenNoManifestTellsIt() throws IOException {
        dated(one, NOW.minusSeconds(GC_GRACE_SECONDS + 5));
        assertThat(repair().err()).contains("replica=one", "ageSeconds=864005");

        // A schema text may have been put there at any time.
        Path table = one.resolve("ks/readings");
        Files.setLastModifiedTime(table.resolve("schema.cql"), FileTime.from(NOW.minusSeconds(60)));
        assertThat(repair().err()).contains("replica=one", "ageSeconds=864005");

        // The SSTables of a snapshot, which has a manifest, are older than it is.
        Path manifest = Files.writeString(table.resolve("manifest.json"), "{\"files\":[\"nb-1-big-Data.db\"]}");
        Files.setLastModifiedTime(manifest, FileTime.from(NOW.minusSeconds(60)));
        assertThat(repair().exitCode()).isEqualTo(1);
    }

    @Test
    void shouldWarnByNameWhenSnapshotsAreFarApart() throws IOException {
        snapshotOf(one, NOW.minusSeconds(3_000));
        assertThat(repair().err()).doesNotContain("older than");

        snapshotOf(one, NOW.minusSeconds(5 * 3_600));
        assertThat(repair().err()).contains("oldest=one", "newest=two", "oldestDates=" + NOW.minusSeconds(18_000));
        CommandRun run = repair("--json");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).as("what is in the object").isEmpty();
        assertThat(table(run, 0).get("notes").toString())
                .contains("oldest=one", "newest=two", "oldestDates=" + NOW.minusSeconds(18_000));
    }

    @Test
    void shouldTakeASnapshotFromTheFutureForOneOfNowAndSayIt() throws IOException {
        snapshotOf(one, NOW.plusSeconds(90));

        CommandRun run = apply();
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("future", "replica=one", "dates=" + NOW.plusSeconds(90));
        assertThat(run.out()).contains("import before " + NOW.plusSeconds(GC_GRACE_SECONDS));
    }

    @Test
    void shouldRefuseATableWithoutGcGraceUnlessItIsAllowed() throws IOException {
        String text = Tables.TEXT.replace("864000", "0");
        for (Path replica : List.of(one, two)) {
            Files.writeString(replica.resolve("ks/readings/schema.cql"), text);
            snapshotOf(replica, NOW.minusSeconds(100));
        }

        CommandRun refused = repair();
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.err()).contains("ANL-3003", "gc_grace", TABLE, "--allow-no-gc-grace");
        CommandRun applied = apply("--allow-no-gc-grace");
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(applied.out()).contains("nodetool import").doesNotContain("import before");
    }

    @Test
    void shouldPrintTheImportWithItsDeadline() throws IOException {
        snapshotOf(one, NOW.minusSeconds(200));
        snapshotOf(two, NOW.minusSeconds(100));
        String deadline = NOW.minusSeconds(200).plusSeconds(GC_GRACE_SECONDS).toString();

        CommandRun text = apply();
        assertThat(text.exitCode()).isZero();
        assertThat(text.out())
                .contains("import before " + deadline)
                .contains("nodetool import ks readings " + directory.resolve("out"));
        assertThat(table(repair("--json"), 0).get("import-before").asText()).isEqualTo(deadline);
    }

    @Test
    void shouldPrintNoImportWhenTheDeadlineHasPassedAtTheEnd() throws IOException {
        snapshotOf(one, NOW.minusSeconds(GC_GRACE_SECONDS - 10));
        snapshotOf(two, NOW);
        Object[] args = {"--apply", "--out", directory.resolve("out")};

        CommandRun text = repairAt(new PassingClock(directory.resolve("out")), args);
        assertThat(text.exitCode()).isEqualTo(1);
        assertThat(text.out())
                .doesNotContain("nodetool")
                .contains("too late to import on the node of two", "the deadline was " + NOW.plusSeconds(10))
                .contains("delete what lies in [" + directory.resolve("out/two/ks/readings"));
        Path again = directory.resolve("again");
        CommandRun json = repairAt(new PassingClock(again), "--json", "--apply", "--out", again);
        assertThat(json.exitCode()).isEqualTo(1);
        JsonNode table = table(json, 0);
        assertThat(table.get("too-late-to-import").asBoolean()).isTrue();
        assertThat(table.findValues("import")).allMatch(JsonNode::isEmpty);
    }

    /** An hour passes when the first row is written. */
    private static final class PassingClock extends Clock {
        private final Path written;

        PassingClock(Path out) {
            written = out.resolve("two").resolve("ks");
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Files.exists(written) ? NOW.plusSeconds(3_600) : NOW;
        }
    }

    private static void other(Path replica, String name) throws IOException {
        String text = Tables.TEXT.replace("readings", name);
        Tables.write(replica, Tables.schema(text), text, writer -> row(writer, 1));
        dated(replica, NOW);
    }

    @Test
    void shouldTryEveryTableThatAnyReplicaHas() throws IOException {
        other(one, "first_only");
        other(two, "second_only");
        other(one, "both");
        other(two, "both");

        CommandRun text = repair("--table", "ks.*");
        assertThat(text.exitCode()).isEqualTo(5);
        assertThat(text.out()).contains("ks.readings: the replicas differ", "ks.both: the replicas are equal");
        assertThat(text.err().lines())
                .anyMatch(line -> line.contains("ANL-1003") && line.contains("ks.first_only") && line.contains("two"))
                .anyMatch(line -> line.contains("ANL-1003") && line.contains("ks.second_only") && line.contains("one"));

        CommandRun json = repair("--json", "--table", "ks.*");
        assertThat(json.exitCode()).isEqualTo(5);
        JsonNode tables = JSON.readTree(json.out()).get("tables");
        assertThat(tables)
                .extracting(table -> table.get("table").asText() + " "
                        + table.path("error").path("code").asText())
                .containsExactlyInAnyOrder(
                        "ks.both ", "ks.first_only ANL-1003", "ks.readings ", "ks.second_only ANL-1003");
    }

    @Test
    void shouldTellOfEachTableAndOfAllTogether() throws IOException {
        other(one, "both");
        other(two, "both");
        other(one, "first_only");

        for (int parallel : List.of(1, 3)) {
            CommandRun text = repair("--table", TABLE, "--table", "ks.both", "--parallel", parallel, "--rows");
            assertThat(text.exitCode()).as(text.err()).isEqualTo(1);
            assertThat(text.out().lines())
                    .filteredOn(line -> line.startsWith("differs: "))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "differs: key=[2] clustering=[1]: not in two; in one, last written 2023-11-14T22:13:20Z");
            assertThat(text.out())
                    .contains("ks.readings: the replicas differ", "ks.both: the replicas are equal")
                    .contains("in all 2 tables: 1 row and 0 deletions differed, in 1 of ");
        }
        assertThat(repair("--table", "ks.both").out()).doesNotContain("in all");

        CommandRun json = repair("--json", "--table", "ks.*");
        JsonNode result = JSON.readTree(json.out());
        assertThat(result.get("tables")).hasSize(3);
        assertThat(result.at("/sum/tables").asInt()).isEqualTo(3);
        assertThat(result.at("/sum/tables-failed").asInt()).isEqualTo(1);
        assertThat(result.at("/sum/rows-differing").asInt()).isEqualTo(1);
        assertThat(result.at("/sum/were-equal").isMissingNode()).isTrue();
    }

    @Test
    void shouldNotCallAllEqualWhereATableFailed() throws IOException {
        other(one, "both");
        other(two, "both");

        JsonNode equal = JSON.readTree(repair("--json", "--table", "ks.both").out());
        assertThat(equal.at("/sum/were-equal").asBoolean()).isTrue();

        CommandRun run = repair("--json", "--table", "ks.both", "--table", "ks.nope");
        JsonNode result = JSON.readTree(run.out());
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(result.at("/sum/tables-failed").asInt()).isEqualTo(1);
        assertThat(result.at("/sum/were-equal").isMissingNode()).isTrue();
        assertThat(result.at("/tables/0/were-equal").asBoolean()).isTrue();
    }

    /** Two halves of the ring, and the key that differs in one of them. */
    @Test
    void shouldRepairRangesTogetherThatAreApart() throws IOException {
        CommandRun run = repairOf("--range=(-9223372036854775808,0]", "--range=0:-9223372036854775808", "--json");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(table(run, 0).get("rows-differing").asInt()).isEqualTo(1);
        for (String other : List.of("(0,100]", "0:100", "(99,100]", "(50,-50]")) {
            CommandRun refused = repairOf("--range=(0,100]", "--range=(200,300]", "--range=" + other);
            assertThat(refused.exitCode()).as(other).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err())
                    .contains("--range: ranges overlap", "(0,100]")
                    .contains(other.contains(":") ? "(0,100]" : other);
        }
        assertThat(repairOf("--range=(0,100]", "--full-replicas").exitCode()).isEqualTo(ExitCode.USAGE);
    }

    private CommandRun repairOf(Object... ranges) {
        List<Object> args = new ArrayList<>(List.of("repair", "--dir", one, "--dir", two, "--table", TABLE));
        args.addAll(List.of(ranges));
        return CommandRun.at(Clock.fixed(NOW, ZoneOffset.UTC), args.toArray());
    }

    @Test
    void shouldExitWith2WhenPaceOrParallelismIsNone() {
        for (String parallel : List.of("0", "-1", "257", "10000")) {
            CommandRun refused = repair("--parallel", parallel);
            assertThat(refused.exitCode()).as(parallel).isEqualTo(2);
            assertThat(refused.err()).contains("--parallel takes a number of ranges, 1 to 256, given=" + parallel);
        }
        assertThat(repair("--parallel", "99999999999").exitCode()).isEqualTo(2);
        CommandRun negative = repair("--rate", "-5");
        assertThat(negative.exitCode()).isEqualTo(2);
        assertThat(negative.err()).contains("--rate takes a number of rows a second, at least 0", "given=-5");
        assertThat(CommandRun.of("repair", "--help").out().replaceAll("\\s+", " "))
                .contains("1 to 256, 16 by default", "0, the default, is as fast as it goes");
    }

    @Test
    void shouldExitWith1WhenAllWasComparedAndSomethingDiffers() throws IOException {
        other(one, "both");
        other(two, "both");
        assertThat(repair("--table", "ks.*").exitCode()).isEqualTo(1);
        assertThat(repair("--table", "ks.both").exitCode()).isZero();
    }

    @Test
    void shouldGoOnWithTheNextTableWhenOneIsDamaged() throws IOException {
        other(one, "both");
        other(two, "both");
        CommandRun.corrupt(one.resolve("ks/both/nb-1-big-Data.db"));
        dated(one, NOW);

        CommandRun run = repair("--table", "ks.both", "--table", TABLE);
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).contains("ANL-1001", "nb-1-big-Data.db");
        assertThat(run.out()).contains("ks.readings: the replicas differ");
    }

    @Test
    void shouldSayThatAKeyspaceIsNotThere() {
        CommandRun run = repair("--table", "nowhere.*");
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).contains("ANL-1003", "nowhere.*");
    }

    @Test
    void shouldExitWith2WhenARangeIsNone() throws IOException {
        CommandRun run =
                CommandRun.of("repair", "--range=nonsense", "--dir", one, "--dir", two, "--table", TABLE, "--json");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(JSON.readTree(run.out()).at("/error/facts/range").textValue())
                .isEqualTo("nonsense");
    }

    private void expiring(Path replica, SSTableVersion format, int year) throws IOException {
        int ttl = (int) (Instant.parse(year + "-01-01T00:00:00Z").getEpochSecond() - NOW.getEpochSecond());
        TableSchema schema = Tables.READINGS;
        try (SSTableWriter writer = SSTableWriter.builder(schema)
                .to(replica)
                .format(format)
                .timestampMicros(NOW.getEpochSecond() * 1_000_000)
                .unsorted(1 << 20)) {
            writer.row()
                    .key("id", 9)
                    .clustering("at", 1)
                    .set("name", "late")
                    .ttlSeconds(ttl)
                    .insert();
            writer.finish();
        }
        Path table = Files.createDirectories(replica.resolve("ks/readings"));
        Files.writeString(table.resolve("schema.cql"), Tables.TEXT);
        dated(replica, NOW);
    }

    /** Without rows that expire, so that nothing but the format is told. */
    private void lasting(Path replica, SSTableVersion format) throws IOException {
        try (SSTableWriter writer = SSTableWriter.builder(Tables.READINGS)
                .to(replica)
                .format(format)
                .timestampMicros(Tables.MICROS)
                .unsorted(1 << 20)) {
            row(writer, 1);
            writer.finish();
        }
        Files.writeString(replica.resolve("ks/readings/schema.cql"), Tables.TEXT);
        dated(replica, NOW);
    }

    private void newReplicas() {
        one = directory.resolve("left");
        two = directory.resolve("right");
    }

    /** The two as they are when both have imported what they lacked. */
    private void imported(Path out) throws IOException {
        for (Path replica : List.of(one, two)) {
            Path staged = out.resolve(replica.getFileName()).resolve("ks/readings");
            if (Files.isDirectory(staged)) {
                try (Stream<Path> files = Files.list(staged)) {
                    for (Path file : files.toList()) {
                        String name = file.getFileName().toString().replaceFirst("-(\\d+)-", "-9$1-");
                        Files.copy(file, replica.resolve("ks/readings").resolve(name));
                    }
                }
            }
            dated(replica, NOW);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"OA", "DA"})
    void shouldCopyARowWholeThatExpiresAfter2038WhenEveryReplicaCanHoldIt(SSTableVersion format) throws IOException {
        newReplicas();
        lasting(one, format);
        lasting(two, format);
        expiring(one, format, 2046);

        assertThat(repair().err()).doesNotContain("2038");
        CommandRun applied = apply();
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        Path staged = staged(directory.resolve("out/right/ks/readings"));
        assertThat(staged.getFileName().toString()).startsWith(format.text());
        CommandRun dump = CommandRun.of("sstable", "dump", staged);
        assertThat(dump.out()).contains("2046-01-01T00:00:00Z");

        imported(directory.resolve("out"));
        assertThat(repair().exitCode()).isZero();
        assertThat(diff().exitCode()).isZero();
    }

    private static Path staged(Path tableDirectory) throws IOException {
        try (Stream<Path> files = Files.list(tableDirectory)) {
            return files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private CommandRun diff() {
        return CommandRun.of("diff", one, two);
    }

    @ParameterizedTest
    @EnumSource(names = {"OA", "DA"})
    void shouldTellExpiriesAfter2038Apart(SSTableVersion format) throws IOException {
        newReplicas();
        expiring(one, format, 2046);
        expiring(two, format, 2043);

        CommandRun upTo = repair();
        assertThat(upTo.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(upTo.out())
                .containsPattern(
                        "nothing was compared: all that is there is newer than \\S+; --include-recent takes it")
                .contains("compared 0 rows", "file times are not those of its making")
                .doesNotContain("equal")
                .containsPattern(
                        "left: 1 row and 0 deletions newer than \\S+ were left out, more than half of the rows")
                .contains("--include-recent takes them");
        CommandRun json = repair("--json");
        assertThat(json.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(JSON.readTree(json.out()).findValues("were-equal")).isEmpty();
        assertThat(repair("--include-recent").exitCode()).isEqualTo(1);
        CommandRun diff = diff();
        assertThat(diff.exitCode()).isEqualTo(1);
        assertThat(diff.out()).contains("\"column\":\"name\"");
    }

    @Test
    void shouldClampToWhatTheOldestFormatHoldsAndNameItsReplica() throws IOException {
        newReplicas();
        expiring(one, SSTableVersion.OA, 2046);
        lasting(two, SSTableVersion.NB);

        CommandRun applied = apply("--json");
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(table(applied, 0).get("notes").toString())
                .contains("replicas write different formats", "2038-01-19", "replicas=[" + two.getFileName() + "]");
        imported(directory.resolve("out"));

        // Nothing bounces: what came back from the format that cuts is not given to the other one.
        CommandRun again = repair();
        assertThat(again.exitCode()).as(again.out()).isZero();
        assertThat(diff().exitCode()).isZero();
    }
}
