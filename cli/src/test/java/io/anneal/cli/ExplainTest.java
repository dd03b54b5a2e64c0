package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.repair.CommandNode;
import io.anneal.cli.rows.KeyParser;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.KeyText;
import io.anneal.key.KeyView;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String AT = "2023-11-14T22:13:20Z (" + Tables.MICROS + ")";

    @TempDir
    private Path directory;

    private Path one;
    private Path two;

    @BeforeEach
    void setUp() throws IOException {
        one = directory.resolve("one");
        two = directory.resolve("two");
        Tables.write(one, writer -> {
            writer.row().key("id", 7).clustering("at", 1).set("name", "old").insert();
            writer.row().key("id", 8).clustering("at", 1).insert();
        });
        Tables.write(
                one,
                writer -> writer.row()
                        .key("id", 7)
                        .clustering("at", 1)
                        .set("name", "new")
                        .timestampMicros(Tables.MICROS + 1)
                        .update());
        Tables.write(two, writer -> {
            writer.row().key("id", 7).set("home", "h").ttlSeconds(10).update();
            writer.row()
                    .key("id", 7)
                    .clustering("at", 1)
                    .set("tags", Set.of("x"))
                    .insert();
            writer.rangeDeletion()
                    .key("id", 7)
                    .from("at", 2, true)
                    .to("at", 3, false)
                    .delete();
            writer.row().key("id", 7).clustering("at", 2).set("name", "gone").insert();
        });
    }

    private CommandRun explain(Object... more) {
        Object[] args = new Object[more.length + 2];
        args[0] = "explain";
        args[1] = "ks.readings";
        System.arraycopy(more, 0, args, 2, more.length);
        return CommandRun.of(args);
    }

    @Test
    void shouldPrintEveryVersionOfEveryCell() {
        CommandRun run = explain("7", "--dir", one, "--dir", two);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .startsWith(
                        "ks.readings [7], token 1634052884888577606",
                        "  static row",
                        "    home",
                        "      * two nb-1-big  \"h\"   written " + AT + ", TTL 10 s, expired 2023-11-14T22:13:30Z",
                        "  row [1]",
                        "    inserted",
                        "      * one nb-1-big  written " + AT,
                        "      * two nb-1-big  written " + AT,
                        "    name",
                        "        one nb-1-big  \"old\"   written " + AT,
                        "      * one nb-2-big  \"new\"   written 2023-11-14T22:13:20.000001Z (" + (Tables.MICROS + 1)
                                + ")",
                        "    tags, all of it")
                .contains(
                        "    tags[x]",
                        "  from here on, before [2]",
                        "      * two nb-1-big  deleted   written " + AT + ", made 2023-11-14T22:13:20Z",
                        "  from here on, before [3]",
                        "        two nb-1-big  nothing deleted");
        // Shadowed by the range deletion when it was written, so that the file does not have it.
        assertThat(run.out()).doesNotContain("gone");
    }

    @Test
    void shouldTellAsJson() throws IOException {
        CommandRun run = explain("7", "--dir", one, "--json");
        assertThat(run.exitCode()).isZero();
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("schema").asInt()).isEqualTo(1);
        assertThat(result.get("key")).hasToString("[\"7\"]");
        JsonNode row = result.get("places").get(0);
        assertThat(row.get("kind").asText()).isEqualTo("row");
        assertThat(row.get("clustering")).hasToString("[1]");
        JsonNode name = row.get("cells").get(1);
        assertThat(name.get("column").asText()).isEqualTo("name");
        assertThat(name.get("versions").findValuesAsText("value")).containsExactly("old", "new");
        assertThat(name.get("versions").findValuesAsText("wins")).containsExactly("false", "true");
    }

    @Test
    void shouldShowWhatShadowedDataLostTo() throws IOException {
        Path three = directory.resolve("three");
        Tables.write(
                three,
                writer -> writer.row()
                        .key("id", 7)
                        .timestampMicros(Tables.MICROS + 9)
                        .deletePartition());
        CommandRun run = explain("7", "--dir", one, "--dir", three);
        assertThat(run.out().lines())
                .contains("  partition", "    deletion", "  row [1], of which nothing is left")
                .filteredOn(line -> line.startsWith("      * "))
                .singleElement()
                .asString()
                .contains("three nb-1-big", "deleted");
    }

    @Test
    void shouldAddUpCounters() throws IOException {
        String text = "CREATE TABLE ks.counters (id text PRIMARY KEY, hits counter);";
        for (Path side : List.of(one, two)) {
            Tables.write(
                    side,
                    Tables.schema(text),
                    text,
                    writer -> writer.row()
                            .key("id", "a:b")
                            .counterShard("hits", new UUID(1, side.equals(one) ? 1 : 2), 1, side.equals(one) ? 5 : 7)
                            .update());
        }
        CommandRun run = CommandRun.of("explain", "ks.counters", "a:b", "--dir", one, "--dir", two);
        assertThat(run.out())
                .contains("  5   written", "  7   written", "  12   written")
                .contains(" together");
    }

    @Test
    void shouldSayWhenNobodyHasTheKey() {
        CommandRun run = explain("9", "--dir", one);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("nobody has the key");
    }

    @Test
    void shouldTakeKeysAsBytes() {
        assertThat(explain("0x00000007", "--dir", one).exitCode()).isZero();
        CommandRun run = explain("seven", "--dir", one);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("ANL-4001", "column=id", "type=int", "text=seven");
    }

    @Test
    void shouldAskServers() throws IOException {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        Path schema = one.resolve("ks/readings/schema.cql");
        try (CommandNode server = CommandNode.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new CassandraReplicas(List.of(two), Optional.empty(), Optional.empty()),
                CommandNode.config(new UUID(1, 2), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                HostEnvironment.system())) {
            String address = "127.0.0.1:" + server.address().getPort();
            CommandRun run =
                    explain("7", "--dir", one, "--replica", address, "--schema", schema, "--token-file", token);
            assertThat(run.err()).isEmpty();
            assertThat(run.exitCode()).isZero();
            assertThat(run.out())
                    .contains(address + " merged  \"h\"", "one nb-2-big", "from here on, before [2]", "tags[x]");
            assertThat(explain("9", "--replica", address, "--schema", schema, "--token-file", token)
                            .exitCode())
                    .isEqualTo(1);
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThat(explain("7").err()).contains("ANL-4001", "--dir");
        assertThat(explain("7", "--replica", "127.0.0.1:1").err()).contains("ANL-4001", "--schema");
        CommandRun missing = CommandRun.of("explain", "ks.absent", "7", "--dir", one);
        assertThat(missing.err()).contains("ANL-1003", "ks.absent");
    }

    @Test
    void shouldParseKeysOfEveryType() {
        var schema = Tables.schema("CREATE TABLE ks.k (a text, b timestamp, c uuid, d inet, e boolean, f date, g time,"
                + " h decimal, i blob, PRIMARY KEY ((a, b, c, d, e, f, g, h, i)));");
        String text =
                "x\\:y:1700000000000:50554d6e-29bb-11e5-b345-feff819cdc9f:127.0.0.1:true:2020-01-02:03\\:04\\:05:1.50:0xff";
        assertThat(KeyText.of(schema, new KeyView().wrap(KeyParser.parse(schema, text))))
                .containsExactly(
                        "x:y",
                        "2023-11-14T22:13:20.000Z",
                        "50554d6e-29bb-11e5-b345-feff819cdc9f",
                        "127.0.0.1",
                        "true",
                        "2020-01-02",
                        "03:04:05.000000000",
                        "1.50",
                        "ff");
    }
}
