package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.key.DecoratedKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiffTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long NOW = Tables.MICROS / 1_000_000 + 100;

    @TempDir
    private Path directory;

    private Path left;
    private Path right;

    @BeforeEach
    void setUp() throws IOException {
        left = directory.resolve("left");
        right = directory.resolve("right");
        for (Path side : List.of(left, right)) {
            Tables.write(side, writer -> {
                writer.row().key("id", 1).clustering("at", 1).set("name", "a").insert();
                writer.row()
                        .key("id", 2)
                        .clustering("at", 1)
                        .set("tags", Set.of("x"))
                        .insert();
                writer.row().key("id", 2).set("home", "h").update();
                writer.rangeDeletion()
                        .key("id", 2)
                        .from("at", 10, true)
                        .to("at", 20, true)
                        .delete();
            });
        }
    }

    private List<JsonNode> diff(Object... more) throws IOException {
        CommandRun run = run(more);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        return run.out().lines().map(DiffTest::parse).toList();
    }

    private CommandRun run(Object... more) {
        Object[] args = new Object[more.length + 5];
        args[0] = "diff";
        args[1] = left;
        args[2] = right;
        args[3] = "--now";
        args[4] = NOW;
        System.arraycopy(more, 0, args, 5, more.length);
        return CommandRun.of(args);
    }

    private static JsonNode parse(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new AssertionError(line, e);
        }
    }

    private JsonNode only() throws IOException {
        List<JsonNode> lines = diff();
        assertThat(lines).hasSize(1);
        return lines.get(0);
    }

    @Test
    void shouldFindEqualWhatIsEqualHoweverItIsSpread() throws IOException {
        CommandRun same = run();
        assertThat(same.exitCode()).isZero();
        assertThat(same.out()).isEmpty();
        assertThat(same.err()).contains("0 rows and 0 deletions differ, of 3 rows");
        // Once more what is there already, in another file, and something older that it shadows.
        Tables.write(right, writer -> {
            writer.row().key("id", 1).clustering("at", 1).set("name", "a").insert();
            writer.row().key("id", 2).clustering("at", 15).set("name", "dead").insert();
            writer.rangeDeletion()
                    .key("id", 2)
                    .from("at", 10, true)
                    .to("at", 15, true)
                    .delete();
        });
        assertThat(run().exitCode()).isZero();
    }

    @Test
    void shouldNameACellWithBothValuesAndWriteTimes() throws IOException {
        Tables.write(
                right,
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "b")
                        .timestampMicros(Tables.MICROS + 1)
                        .ttlSeconds(500)
                        .update());
        JsonNode line = only();
        assertThat(line.get("table").asText()).isEqualTo("ks.readings");
        assertThat(line.get("key")).hasToString("[\"1\"]");
        assertThat(line.get("clustering")).hasToString("[1]");
        assertThat(line.get("kind").asText()).isEqualTo("cell");
        assertThat(line.get("column").asText()).isEqualTo("name");
        assertThat(line.get("left")).hasToString("{\"value\":\"a\",\"writeTimeMicros\":" + Tables.MICROS + "}");
        assertThat(line.get("right"))
                .hasToString("{\"value\":\"b\",\"writeTimeMicros\":" + (Tables.MICROS + 1)
                        + ",\"ttlSeconds\":500,\"expirySeconds\":" + (Tables.MICROS / 1_000_000 + 500) + "}");
    }

    @Test
    void shouldNameRowsThatOnlyOneSideHas() throws IOException {
        Tables.write(left, writer -> {
            writer.row()
                    .key("id", 7)
                    .clustering("at", 3)
                    .set("tags", Set.of("y"))
                    .insert();
            writer.row().key("id", 7).set("home", "x").update();
        });
        List<JsonNode> lines = diff();
        assertThat(lines)
                .allMatch(line -> line.get("right").isNull())
                .allMatch(line -> line.get("left").isObject());
        assertThat(lines)
                .extracting(line -> line.get("kind").asText()
                        + line.path("column").asText()
                        + line.path("path").asText()
                        + line.path("static").asText())
                .containsExactly("cellhometrue", "liveness", "collection-deletiontags", "celltagsy");
    }

    @Test
    void shouldNameDeletions() throws IOException {
        Tables.write(right, writer -> {
            writer.row().key("id", 1).timestampMicros(Tables.MICROS - 5).deletePartition();
            writer.row().key("id", 1).clustering("at", 1).delete("tags").update();
            writer.row().key("id", 1).clustering("at", 2).deleteRow();
            writer.rangeDeletion()
                    .key("id", 2)
                    .from("at", 15, false)
                    .timestampMicros(Tables.MICROS + 1)
                    .delete();
        });
        List<JsonNode> lines = diff();
        assertThat(lines)
                .extracting(line -> line.get("kind").asText())
                .containsExactlyInAnyOrder(
                        "partition-deletion",
                        "collection-deletion",
                        "row-deletion",
                        "range-deletion",
                        "range-deletion");
        List<JsonNode> ranges = lines.stream()
                .filter(line -> line.get("kind").asText().equals("range-deletion"))
                .toList();
        assertThat(ranges.get(0).get("from")).hasToString("[15]");
        assertThat(ranges.get(0).get("fromInclusive").asBoolean()).isFalse();
        assertThat(ranges.get(0).get("to")).hasToString("[20]");
        assertThat(ranges.get(0).get("toInclusive").asBoolean()).isTrue();
        assertThat(ranges.get(0).get("left").get("writeTimeMicros").asLong()).isEqualTo(Tables.MICROS);
        assertThat(ranges.get(0).get("right").get("writeTimeMicros").asLong()).isEqualTo(Tables.MICROS + 1);
        assertThat(ranges.get(1).get("to")).isEmpty();
        assertThat(ranges.get(1).get("left").isNull()).isTrue();
    }

    @Test
    void shouldLeaveOutWhatIsPastGcGrace() throws IOException {
        Tables.write(
                right,
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 9)
                        .localTimeSeconds(NOW - 864_001)
                        .deleteRow());
        assertThat(run().exitCode()).isZero();
        Tables.write(
                right,
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 8)
                        .localTimeSeconds(NOW - 864_000)
                        .deleteRow());
        assertThat(diff()).hasSize(1);
    }

    @Test
    void shouldCompareTheRangeAskedFor() throws IOException {
        Tables.write(right, writer -> {
            writer.row().key("id", 1).clustering("at", 2).insert();
            writer.row().key("id", 2).clustering("at", 2).insert();
        });
        long token = DecoratedKey.of(ByteBuffer.allocate(4).putInt(1).array()).token();
        assertThat(diff()).hasSize(2);
        assertThat(diff("--range=(" + (token - 1) + "," + token + "]")).hasSize(1);
        // Around the ring: all but the one token.
        assertThat(diff("--range=" + token + ":" + (token - 1))).hasSize(1);
    }

    @Test
    void shouldTellAsJson() throws IOException {
        Tables.write(
                right, writer -> writer.row().key("id", 1).clustering("at", 2).insert());
        CommandRun run = run("--json");
        assertThat(run.exitCode()).isEqualTo(1);
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("schema").asInt()).isEqualTo(1);
        assertThat(result.get("differences").size()).isEqualTo(1);
        assertThat(result.get("rowsDiffering").asLong()).isEqualTo(1);
        assertThat(result.get("rowsCompared").asLong()).isEqualTo(4);
    }

    @Test
    void shouldCompareEveryTableThatBothHave() throws IOException {
        String text = "CREATE TABLE ks.other (id int PRIMARY KEY, hits counter);";
        for (Path side : List.of(left, right)) {
            Tables.write(
                    side,
                    Tables.schema(text),
                    text,
                    writer -> writer.row()
                            .key("id", 1)
                            .counterShard("hits", new UUID(1, 1), 1, side.equals(left) ? 5 : 6)
                            .update());
        }
        List<JsonNode> lines = diff();
        assertThat(lines).hasSize(1);
        assertThat(lines.get(0).get("left").get("value").asLong()).isEqualTo(5);
        assertThat(lines.get(0).get("right").get("value").asLong()).isEqualTo(6);
        assertThat(run("--table", "ks.readings").exitCode()).isZero();
        assertThat(run("--table", "ks.*").exitCode()).isEqualTo(1);
        CommandRun missing = run("--table", "ks.absent");
        assertThat(missing.exitCode()).isEqualTo(5);
        assertThat(missing.err()).contains("ANL-1003", "ks.absent");
    }

    @Test
    void shouldTakeTheSchemaOfTheSideThatHasOne() throws IOException {
        Files.delete(right.resolve("ks/readings/schema.cql"));
        assertThat(run().exitCode()).isZero();
        Files.delete(left.resolve("ks/readings/schema.cql"));
        assertThat(run().exitCode()).isZero();
    }

    @Test
    void shouldRefuseSchemasThatDiffer() throws IOException {
        Files.writeString(right.resolve("ks/readings/schema.cql"), Tables.TEXT.replace("864000", "864001"));
        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).contains("ANL-2001", "schemas of the directories differ", "864001");
    }

    /** As a snapshot that was copied incompletely: what is lost of it must not look as if nobody had it. */
    @Test
    void shouldRefuseASnapshotWithoutAnSSTableThatItsManifestLists() throws IOException {
        for (Path side : List.of(left, right)) {
            Files.writeString(
                    side.resolve("ks/readings/manifest.json"),
                    "{\"files\":[\"nb-1-big-Data.db\",\"nb-2-big-Data.db\"]}\n");
        }
        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err())
                .contains(
                        "ANL-1012",
                        "nb-2-big-Data.db",
                        left.resolve("ks/readings/manifest.json").toString())
                .contains("copy the snapshot again")
                .doesNotContain("rows compared");

        CommandRun verify = CommandRun.of("sstable", "verify", left.resolve("ks/readings"));
        assertThat(verify.exitCode()).isEqualTo(5);
        assertThat(verify.err()).contains("ANL-1012", "nb-2-big-Data.db");
    }

    @Test
    void shouldNameAManifestThatWasCutOff() throws IOException {
        Path manifest = Files.createFile(right.resolve("ks/readings/manifest.json"));
        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).contains("ANL-1012", manifest.toString());
    }

    @Test
    void shouldStopAtAWrongByte() throws IOException {
        CommandRun.corrupt(right.resolve("ks/readings/nb-1-big-Data.db"));
        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err())
                .contains("ANL-1001", "nb-1-big-Data.db", "not compared, or not to the end: ks.readings")
                .doesNotContain("rows compared");
    }

    @Test
    void shouldCompareTheOtherTablesWhenOneCannotBeReadAndExitWith5() throws IOException {
        Tables.write(
                left, writer -> writer.row().key("id", 7).clustering("at", 3).insert());
        for (String name : List.of("absent", "damaged")) {
            String text = Tables.TEXT.replace("readings", name);
            for (Path side : name.equals("absent") ? List.of(left) : List.of(left, right)) {
                Tables.write(
                        side,
                        Tables.schema(text),
                        text,
                        writer -> writer.row().key("id", 7).clustering("at", 3).insert());
            }
        }
        CommandRun.corrupt(right.resolve("ks/damaged/nb-1-big-Data.db"));

        CommandRun run = run();
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.out()).contains("\"table\":\"ks.readings\"");
        assertThat(run.err())
                .contains("ANL-1003", "ks.absent", "ANL-1001", "ks/damaged")
                .contains("1 row and 0 deletions differ, of 4 rows compared")
                .containsPattern("not compared, or not to the end: ks.\\w+, ks.\\w+\\R");
        CommandRun json = run("--json");
        assertThat(json.exitCode()).isEqualTo(5);
        JsonNode result = parse(json.out());
        assertThat(result.get("errors").findValuesAsText("table")).containsExactlyInAnyOrder("ks.absent", "ks.damaged");
        assertThat(result.get("rowsDiffering").asInt()).isEqualTo(1);
    }
}
