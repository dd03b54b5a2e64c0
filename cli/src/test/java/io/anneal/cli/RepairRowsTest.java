package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code anneal repair --rows}, and what a dry run says of ranges: as somebody reads it who does not know what differs. */
@Timeout(60)
final class RepairRowsTest extends RepairFixture {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static List<String> lines(CommandRun run, String start) {
        return run.out().lines().filter(line -> line.startsWith(start)).toList();
    }

    @Test
    void shouldSayWhatDiffersInEachRow() throws IOException {
        replica("one", table -> {
            row(table, 1, 1, "same", MICROS);
            row(table, 2, 1, "Ada", MICROS);
            row(table, 3, 1, "alone", MICROS);
            table.row()
                    .key("id", 4)
                    .clustering("at", 1)
                    .set("tags", Set.of("a", "b"))
                    .timestampMicros(MICROS)
                    .insert();
            table.row().key("id", 5).set("home", "here").timestampMicros(MICROS).insert();
        });
        replica("two", table -> {
            row(table, 1, 1, "same", MICROS);
            row(table, 2, 1, "Bob", MICROS + 1);
            table.row()
                    .key("id", 4)
                    .clustering("at", 1)
                    .set("tags", Set.of("a", "c"))
                    .timestampMicros(MICROS)
                    .insert();
            table.row()
                    .key("id", 5)
                    .set("home", "there")
                    .timestampMicros(MICROS + 2)
                    .insert();
        });

        CommandRun text = repair("--full-replicas", "--dry-run", "--rows");

        assertThat(text.exitCode()).as(text.err()).isEqualTo(1);
        assertThat(lines(text, "differs: "))
                .hasSize(4)
                .anyMatch(line -> line.startsWith("differs: key=[2] clustering=[1]: ")
                        && line.contains("name: one \"Ada\" written ")
                        && line.contains(", two \"Bob\" written "))
                .anyMatch(line -> line.startsWith("differs: key=[3] clustering=[1]: not in two; in one, last written "))
                .anyMatch(line -> line.startsWith("differs: key=[4] clustering=[1]: ")
                        && line.contains("tags[b]: one ")
                        && line.contains("two nothing")
                        && line.contains("tags[c]: one nothing")
                        && !line.contains("tags[a]"))
                .anyMatch(line -> line.startsWith("differs: key=[5] static: home: one \"here\" "));
        assertThat(text.out())
                .contains("compared 5 rows of the whole ring")
                .contains("two: read 4 rows; has not, or has another version of, 4 rows;")
                .contains("next: the same with --apply instead of --dry-run");

        JsonNode result =
                JSON.readTree(repair("--full-replicas", "--rows", "--json").out());
        assertThat(result.get("rows")).hasSize(4);
        JsonNode changed = row(result, "2");
        assertThat(changed.at("/differences/1/column").asText()).isEqualTo("name");
        assertThat(changed.at("/equal-by-now").asBoolean()).isFalse();
        assertThat(changed.at("/lacking")).hasSize(2);
        assertThat(row(result, "3").at("/without/0").asText()).isEqualTo("two");
        assertThat(row(result, "5").at("/static").asBoolean()).isTrue();
        assertThat(result.at("/tables/0/rows-differing").asInt()).isEqualTo(4);
    }

    private static JsonNode row(JsonNode result, String key) {
        for (JsonNode row : result.get("rows")) {
            if (row.at("/key/0").asText().equals(key)) {
                return row;
            }
        }
        throw new AssertionError(key + " is not in " + result);
    }

    @Test
    void shouldCountByTheRangesThatItWasGiven() throws IOException {
        replica("one", table -> {
            for (int id = 0; id < 40; id++) {
                row(table, id, 1, "same", MICROS);
            }
        });
        replica("two", table -> {
            for (int id = 0; id < 40; id++) {
                row(table, id, 1, id % 4 == 0 ? "other" : "same", MICROS);
            }
        });

        CommandRun text = repair("--range=(-9223372036854775808,0]", "--range=(0,9223372036854775807]");
        JsonNode table = JSON.readTree(
                        repair("--json", "--range=(-9223372036854775808,0]", "--range=(0,9223372036854775807]")
                                .out())
                .at("/tables/0");

        assertThat(lines(text, "  in ("))
                .hasSize(2)
                .allMatch(
                        line -> line.matches(
                                "  in \\(.*] \\d+ of \\d+ rows and 0 deletions differ; one lacks .* bytes; two lacks .* bytes"));
        long rows = 0;
        for (JsonNode range : table.get("ranges-differing")) {
            rows += range.get("rows-differing").asLong();
            assertThat(range.at("/replicas/0/rows-lacking")).isEqualTo(range.get("rows-differing"));
            assertThat(range.at("/replicas/0/bytes-lacking").asLong()).isPositive();
        }
        assertThat(rows).isEqualTo(10);
        assertThat(table.get("rows-compared").asLong()).isEqualTo(40);
        assertThat(repair("--range=(5,5]", "--rows").out()).contains("10 rows and 0 deletions differed");
    }

    @Test
    void shouldReadOnlyTheRowsThatDifferOfAWidePartition() throws IOException {
        for (int i = 0; i < 2; i++) {
            int own = i;
            Path data = directory.resolve("replica-" + own);
            Tables.write(data, writer -> {
                for (int at = 0; at < 100_000; at++) {
                    writer.row()
                            .key("id", 1)
                            .clustering("at", at)
                            .set("name", at % 30_000 == 20_000 ? "of " + own : "same")
                            .insert();
                }
            });
            replicas.addAll(List.of("--dir", data));
        }

        CommandRun run = repair("--full-replicas", "--rows");

        assertThat(lines(run, "differs: "))
                .hasSize(3)
                .allMatch(line -> line.contains("name: replica-0 \"of 0\" written ")
                        && line.contains("replica-1 \"of 1\" written "));
    }

    @Test
    void shouldNameDeletionsAndGhosts() throws IOException {
        replica("one", table -> {
            row(table, 1, 1, "kept", LONG_AGO);
            row(table, 3, 1, "kept", MICROS);
        });
        now = Instant.ofEpochSecond(LONG_AGO / 1_000_000);
        replica("two", table -> {
            table.row()
                    .key("id", 1)
                    .clustering("at", 1)
                    .timestampMicros(LONG_AGO + 1)
                    .deleteRow();
        });
        now = CommandRun.NOW;
        replica("three", table -> {
            row(table, 1, 1, "kept", LONG_AGO);
            table.row().key("id", 3).timestampMicros(MICROS - 5).deletePartition();
            row(table, 3, 1, "kept", MICROS);
        });

        CommandRun run = repair("--full-replicas", "--rows");

        assertThat(lines(run, "differs: key=[3] deletion of the partition written "))
                .singleElement()
                .asString()
                .endsWith(": not in one, two");
        assertThat(lines(run, "differs: key=[1] clustering=[1]: not in two; in one, three, last written "))
                .singleElement()
                .asString()
                .contains("; ghost: ");
    }

    @Test
    void shouldSayOverServersWhatItSaysOfDirectories() throws Exception {
        // More than are asked for at once.
        int differing = 1_100;
        List<Path> directories = new ArrayList<>();
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        List<CommandNode> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                Path data = directory.resolve("data-" + i);
                int own = i;
                Tables.write(data, writer -> {
                    for (int id = 0; id < differing * 3 / 2; id++) {
                        writer.row()
                                .key("id", id)
                                .clustering("at", 1)
                                .set("name", id % 3 == 0 ? "same" : "of " + own)
                                .insert();
                    }
                });
                directories.add(data);
                nodes.add(CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new CassandraReplicas(List.of(data), Optional.empty(), Optional.empty()),
                        CommandNode.config(new UUID(1, i), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system()));
                replicas.addAll(
                        List.of("--replica", PeerAddress.text(nodes.get(i).address())));
            }
            List<Object> args = new ArrayList<>(List.of("repair", "--table", "ks.readings", "--full-replicas"));
            args.addAll(replicas);
            args.addAll(List.of("--dry-run", "--rows", "--token-file", token));

            CommandRun run = CommandRun.inTime(args.toArray());

            assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
            List<String> expected = lines(
                    CommandRun.inTime(
                            "repair",
                            "--table",
                            "ks.readings",
                            "--full-replicas",
                            "--rows",
                            "--dir",
                            directories.get(0),
                            "--dir",
                            directories.get(1)),
                    "differs: ");
            assertThat(expected).hasSize(differing).allMatch(line -> line.contains("name: data-0 \"of 0\" written "));
            assertThat(lines(run, "differs: "))
                    .isEqualTo(expected.stream()
                            .map(line -> line.replace(
                                            "data-0",
                                            PeerAddress.text(nodes.get(0).address()))
                                    .replace(
                                            "data-1",
                                            PeerAddress.text(nodes.get(1).address())))
                            .toList());
            assertThat(run.out()).contains("next: the same without --dry-run");
        } finally {
            nodes.forEach(CommandNode::close);
        }
    }
}
