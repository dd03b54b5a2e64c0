package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code anneal scan} prints, and how it goes on by a cookie. */
final class ScanCommandTest {
    private static final int PARTITIONS = 10;
    private static final int ROWS = 9;
    private static final Pattern COOKIE = Pattern.compile("--resume (\\S+)");

    @TempDir
    private static Path directory;

    private static Path store;

    /** Partitions of nine rows, and one of a static value alone. */
    @BeforeAll
    static void setUp() throws IOException {
        store = directory.resolve("store");
        try (Store open = Store.open(store, StoreConfig.defaults().withShardCount(2))) {
            Table table =
                    open.createTable("CREATE TABLE ks.t (p int, c int, \"Name\" text, tags set<text>, at timestamp,"
                            + " s text static, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)");
            for (int p = 0; p < PARTITIONS; p++) {
                for (int c = 0; c < ROWS; c++) {
                    table.row()
                            .key("p", p)
                            .clustering("c", c)
                            .set("Name", "n, \"" + c)
                            .insert();
                }
            }
            table.row().key("p", 99).set("s", "alone").update();
            table.row()
                    .key("p", 98)
                    .clustering("c", 1)
                    .set("tags", Set.of("b", "a"))
                    .set("at", Instant.EPOCH)
                    .set("Name", "")
                    .insert();
            table.flush();
        }
    }

    private static CommandRun scan(Object... args) {
        List<Object> all = new ArrayList<>(List.of("scan", "--data", store, "--table", "ks.t"));
        all.addAll(List.of(args));
        return CommandRun.of(all.toArray());
    }

    private static CommandRun done(Object... args) {
        CommandRun run = scan(args);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    private static String cookie(CommandRun run) {
        Matcher matcher = COOKIE.matcher(run.err());
        assertThat(matcher.find()).as(run.err()).isTrue();
        return matcher.group(1);
    }

    /** Clusterings by partition, each in the order of printing. */
    private static Map<Integer, List<Integer>> rows(String lines) throws IOException {
        Map<Integer, List<Integer>> rows = new TreeMap<>();
        for (String line : lines.lines().toList()) {
            JsonNode row = new ObjectMapper().readTree(line);
            rows.computeIfAbsent(row.get("p").asInt(), p -> new ArrayList<>())
                    .add(row.get("c").asInt(-1));
        }
        return rows;
    }

    @Test
    void shouldPrintEachRowAsAnObjectWithAllColumns() {
        assertThat(done("--where", "p = 98").out())
                .isEqualTo(
                        "{\"p\":98,\"c\":1,\"s\":null,\"Name\":\"\",\"at\":\"1970-01-01 00:00:00.000Z\",\"tags\":[\"a\", \"b\"]}\n");
        assertThat(done("--where", "p=99").out())
                .isEqualTo("{\"p\":99,\"c\":null,\"s\":\"alone\",\"Name\":null,\"at\":null,\"tags\":null}\n");
        assertThat(done().out().lines()).hasSize(PARTITIONS * ROWS + 2);
    }

    @Test
    void shouldPrintCsvInWhichNothingAndAnEmptyTextDiffer() {
        assertThat(done("--where", "p IN (98, 99)", "--format", "csv").out())
                .startsWith("p,c,s,Name,at,tags\r\n")
                .contains("98,1,,\"\",1970-01-01 00:00:00.000Z,\"[\"\"a\"\", \"\"b\"\"]\"\r\n", "99,,alone,,,\r\n")
                .hasLineCount(3);
        assertThat(done("--where", "p = 3", "--where", "c = 2", "--format", "csv")
                        .out())
                .endsWith("3,2,,\"n, \"\"2\",,\r\n");
    }

    @Test
    void shouldCountWhatItWouldPrint() {
        assertThat(done("--format", "count").out()).isEqualTo(PARTITIONS * ROWS + 2 + "\n");
        assertThat(done("--format", "count", "--page-size", 7, "--where", "c < 3")
                        .out())
                .isEqualTo(PARTITIONS * 3 + 1 + "\n");
    }

    @Test
    void shouldPrintTheSameRowsHoweverLongThePagesAre() {
        String whole = done().out();
        assertThat(done("--page-size", 1).out()).isEqualTo(whole);
        assertThat(done("--page-size", 4, "--stateless").out()).isEqualTo(whole);
        assertThat(List.of(
                        done("--range=(-9223372036854775808,0]").out(),
                        done("--range=0:-9223372036854775808").out()))
                .allSatisfy(half -> assertThat(half).isNotEmpty())
                .satisfies(halves -> assertThat(String.join("", halves)).isEqualTo(whole));
    }

    @Test
    void shouldGoOnByTheCookieThatALimitLeaves() {
        String whole = done().out();
        StringBuilder parts = new StringBuilder();
        CommandRun run = done("--limit", 40, "--page-size", 30);
        parts.append(run.out());
        assertThat(run.out().lines()).hasSize(40);
        while (run.err().contains("--resume")) {
            run = done("--limit", 40, "--page-size", 30, "--resume", cookie(run));
            parts.append(run.out());
        }
        assertThat(parts).hasToString(whole);
        CommandRun counted = done("--limit", 40, "--format", "count");
        assertThat(done("--format", "count", "--resume", cookie(counted)).out())
                .isEqualTo(PARTITIONS * ROWS + 2 + "\n");
        CommandRun csv = done("--limit", 40, "--format", "csv");
        assertThat(csv.out() + done("--format", "csv", "--resume", cookie(csv)).out())
                .isEqualTo(done("--format", "csv").out());
    }

    @Test
    void shouldReadNamedPartitionsAgainstTheirOrder() throws IOException {
        assertThat(rows(done("--where", "p IN (1,2)", "--reversed", "--page-size", 2)
                        .out()))
                .isEqualTo(Map.of(1, List.of(0, 1, 2, 3, 4, 5, 6, 7, 8), 2, List.of(0, 1, 2, 3, 4, 5, 6, 7, 8)));
        assertThat(rows(done(
                                "--where",
                                "p = 1",
                                "--where",
                                "c >= 3",
                                "--where",
                                "c != 5",
                                "--where",
                                "\"Name\" > 'n, \"3'")
                        .out()))
                .isEqualTo(Map.of(1, List.of(8, 7, 6, 4)));
        CommandRun unnamed = scan("--reversed");
        assertThat(unnamed.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(unnamed.err()).contains("ANL-4001", "partition key");
    }

    @Test
    void shouldPrintOneDocumentWhereJsonIsWanted() throws IOException {
        JsonNode part = new ObjectMapper()
                .readTree(done("--json", "--limit", 5, "--page-size", 2).out());
        JsonNode rest = new ObjectMapper()
                .readTree(
                        done("--json", "--resume", part.get("cookie").asText()).out());

        assertThat(part.get("schema").asInt()).isEqualTo(1);
        assertThat(part.get("rows")).hasSize(5);
        assertThat(rest.get("rows")).hasSize(PARTITIONS * ROWS + 2 - 5);
        assertThat(rest.get("rowCount").asInt()).isEqualTo(PARTITIONS * ROWS + 2 - 5);
        assertThat(rest.get("cookie").isNull()).isTrue();
        assertThat(new ObjectMapper()
                        .readTree(done("--json", "--format", "count").out())
                        .get("rowCount")
                        .asInt())
                .isEqualTo(PARTITIONS * ROWS + 2);
        assertThat(scan("--json", "--format", "csv").exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void shouldRefuseCookiesThatAreNotItsOwn() throws IOException {
        Path key = Files.writeString(directory.resolve("key"), "sixteen bytes or more");
        Path other = Files.writeString(directory.resolve("other"), "sixteen bytes or less");
        String plain = cookie(done("--limit", 5));
        String signed = cookie(done("--limit", 5, "--cookie-key", key));

        assertThat(done("--cookie-key", key, "--resume", signed).out().lines()).hasSize(PARTITIONS * ROWS + 2 - 5);
        for (CommandRun run : List.of(
                scan("--resume", plain.substring(1)),
                scan("--resume", plain, "--where", "c = 1"),
                scan("--resume", plain, "--cookie-key", key),
                scan("--resume", signed, "--cookie-key", other),
                scan("--resume", signed),
                scan("--resume", "nonsense"))) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("ANL-4005", "cookie");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void shouldRefuseConditionsThatDoNotFit() {
        for (List<String> refused : List.of(
                List.of("nobody = 1", "nobody"),
                List.of("p = one", "column=p"),
                List.of("p ~ 1", "condition"),
                List.of("p IN 1", "parentheses"),
                List.of("p IN (1,'2)", "IN"),
                List.of("tags = x", "tags"))) {
            CommandRun run = scan("--where", refused.get(0));
            assertThat(run.exitCode()).as(refused.get(0)).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("ANL-4001", refused.get(1));
        }
        for (List<String> cut : List.of(
                List.of("p =", "value is missing", "4"),
                List.of("p = ", "value is missing", "5"),
                List.of("", "no column", "1"),
                List.of("= 1", "no column", "1"),
                List.of("p", "no operator", "2"),
                List.of("p LIKE 'x'", "no operator", "3"),
                List.of("p INN (1)", "no operator", "3"),
                List.of("p == 1", "operator is unknown", "4"),
                List.of("p <> 1", "operator is unknown", "4"),
                List.of("p =! 1", "operator is unknown", "4"),
                List.of("p = 1 AND c = 2", "more follows", "7"),
                List.of("p = 1;", "no value", ""),
                List.of("p = '1' x", "more follows", "9"),
                List.of("p = '1", "not closed", "5"),
                List.of("\"p = 1", "not closed", "1"),
                List.of("p = (1)", "value is missing", "5"),
                List.of("p = 1)", "more follows", "6"),
                List.of("p IN", "parentheses", "5"),
                List.of("p IN ()", "value is missing", "7"),
                List.of("p IN (1,)", "value is missing", "9"),
                List.of("p IN (,1)", "value is missing", "7"),
                List.of("p IN (1 2)", "commas", "9"),
                List.of("p IN (1, 2", "parenthesis", "11"),
                List.of("p IN (1) x", "more follows", "10"))) {
            CommandRun run = scan("--where", cut.get(0));
            assertThat(run.exitCode()).as(cut.get(0)).isEqualTo(ExitCode.USAGE);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .contains("ANL-4001", "--where: ", cut.get(1))
                    .contains(
                            cut.get(2).isEmpty() ? "text=1;" : "condition=" + cut.get(0) + ", character=" + cut.get(2));
        }
        for (String option : List.of("--limit", "--page-size")) {
            CommandRun run = scan(option, 0);
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("ANL-4001", option);
        }
    }

    @Test
    void shouldReadWhatCassandraWroteAndTellTheCookieBeforeADamagedPlace() throws IOException {
        Path table = CommandRun.copyTable(directory.resolve("dropped"));
        CommandRun whole = CommandRun.of("scan", "--data", table);
        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(whole.out().lines().map(line -> line.substring(0, 2)).collect(Collectors.toSet()))
                .containsExactly("{\"");

        CommandRun.corrupt(table.resolve("nb-1-big-Data.db"));
        CommandRun stopped = CommandRun.of("scan", "--data", table, "--page-size", 1);
        assertThat(stopped.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(stopped.err()).contains("ANL-1001", "stopped ");
        assertThat(whole.out()).startsWith(stopped.out());
    }

    @Test
    void shouldReadAServersReplicaAsItsDirectory() throws IOException {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        try (Store open = Store.open(store);
                CommandNode server = CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new StoreReplicas(open),
                        CommandNode.config(new UUID(1, 2), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system())) {
            List<Object> asked = List.of(
                    "scan", "--replica", PeerAddress.text(server.address()), "--table", "ks.t", "--token-file", token);
            CommandRun part = there(asked, "--limit", 40, "--page-size", 7);
            CommandRun rest = there(asked, "--resume", cookie(part));
            CommandRun found = there(asked, "--where", "p = 3", "--where", "c < 4", "--reversed");
            CommandRun absent = there(asked.stream()
                    .map(word -> word.equals("ks.t") ? "ks.absent" : word)
                    .toList());

            assertThat(part.out() + rest.out()).hasLineCount(PARTITIONS * ROWS + 2);
            assertThat(rows(part.out() + rest.out())).hasSize(PARTITIONS + 2).containsEntry(98, List.of(1));
            assertThat(rows(found.out())).isEqualTo(Map.of(3, List.of(0, 1, 2, 3)));
            assertThat(absent.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(absent.err()).contains("ks.absent");
        }
    }

    /** One replica knows of a deletion, the other of a row; a third one is down. */
    @Test
    void shouldMergeReplicas() throws IOException {
        Path token = Files.createFile(
                directory.resolve("token-of-two"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        Path other = directory.resolve("two");
        try (Store one = Store.open(directory.resolve("one"));
                Store two = Store.open(other);
                CommandNode first = serve(one, token, 1);
                CommandNode second = serve(two, token, 2)) {
            for (Store replica : List.of(one, two)) {
                Table table = replica.createTable("CREATE TABLE ks.m (p int, c int, PRIMARY KEY (p, c))");
                table.row().key("p", 1).clustering("c", 1).timestampMicros(1).insert();
            }
            one.table("ks.m")
                    .row()
                    .key("p", 1)
                    .clustering("c", 1)
                    .timestampMicros(2)
                    .deleteRow();
            two.table("ks.m")
                    .row()
                    .key("p", 1)
                    .clustering("c", 2)
                    .timestampMicros(1)
                    .insert();
            String down = "127.0.0.1:1";
            List<Object> asked = new ArrayList<>(List.of("scan", "--table", "ks.m", "--token-file", token));
            for (String replica : List.of(PeerAddress.text(first.address()), PeerAddress.text(second.address()))) {
                asked.addAll(List.of("--replica", replica));
            }
            Path ring = Files.writeString(
                    directory.resolve("ring"),
                    "TokenRange: \n\tTokenRange(start_token:0, end_token:0, endpoints:[a, b], rpc_endpoints:[])\n");
            CommandRun alone = there(asked);
            CommandRun quorum = there(asked, "--consistency", "quorum");
            CommandRun withDown = there(asked, "--consistency", "QUORUM", "--replica", down);
            CommandRun byRing = there(
                    List.of("scan", "--table", "ks.m", "--token-file", token, "--ring", ring),
                    "--replica",
                    "b=" + PeerAddress.text(first.address()),
                    "--replica",
                    "a=" + PeerAddress.text(second.address()),
                    "--consistency",
                    "all");
            CommandRun unknown = there(
                    List.of("scan", "--table", "ks.m", "--token-file", token, "--ring", ring),
                    "--replica",
                    "c=" + down);
            CommandRun all = there(asked, "--consistency", "all", "--replica", down);
            CommandRun twice = there(
                    asked,
                    "--consistency",
                    "all",
                    "--replica",
                    "localhost:" + first.address().getPort());

            assertThat(twice.exitCode()).as(twice.err()).isEqualTo(ExitCode.USAGE);
            assertThat(twice.err()).contains("one server is given as two replicas");
            assertThat(twice.out()).isEmpty();

            assertThat(rows(quorum.out())).as(quorum.err()).isEqualTo(Map.of(1, List.of(2)));
            assertThat(rows(alone.out())).as(alone.err()).isIn(Map.of(), Map.of(1, List.of(1, 2)));
            assertThat(withDown.out()).isEqualTo(quorum.out());
            assertThat(withDown.err()).contains("replica is left out", down);
            assertThat(all.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(all.err()).contains("ANL-3001", "needed=3", "notGiven=[" + down + "]");
            assertThat(byRing.out()).as(byRing.err()).isEqualTo(quorum.out());
            assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(unknown.err()).contains("ring has no such node", "node=c", "nodes=[a, b]");
        }
    }

    private static CommandNode serve(Store store, Path token, long id) throws IOException {
        return CommandNode.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new StoreReplicas(store),
                CommandNode.config(new UUID(1, id), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                HostEnvironment.system());
    }

    private static CommandRun there(List<Object> asked, Object... more) {
        List<Object> all = new ArrayList<>(asked);
        all.addAll(List.of(more));
        return CommandRun.inTime(all.toArray());
    }

    @Test
    void shouldRefuseReplicasThatAreNotNamedRight() {
        for (List<String> refused : List.of(
                List.of("--data"),
                List.of("--table", "--replica", "127.0.0.1:1"),
                List.of("--ring", "--data", store.toString(), "--consistency", "all"),
                List.of("twice", "--replica", "127.0.0.1:1", "--replica", "127.0.0.1:1", "--table", "ks.t"),
                List.of("--tls-cert", "--replica", "127.0.0.1:1", "--table", "ks.t"),
                List.of("excludes", "--replica", "127.0.0.1:1", "--data", store.toString()))) {
            List<Object> args = new ArrayList<>(refused);
            args.set(0, "scan");
            CommandRun run = CommandRun.of(args.toArray());
            assertThat(run.exitCode()).as(refused.get(0)).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("ANL-4001", refused.get(0));
        }
    }

    /** Whoever reads the line goes from left to right. */
    @Test
    void shouldTellTheFirstWrongOption() {
        List<List<String>> wrong = List.of(
                List.of("--limit", "0"),
                List.of("--where", "p ="),
                List.of("--range=nonsense"),
                List.of("--page-size", "0"),
                List.of("--ring", "absent"));
        for (List<String> first : wrong) {
            for (List<String> second : wrong) {
                List<Object> words = new ArrayList<>(List.of("scan", "--data", directory.resolve("absent")));
                words.addAll(first);
                words.addAll(second.equals(first) ? List.of() : second);
                CommandRun run = CommandRun.of(words.toArray());
                assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
                assertThat(run.err()).contains(first.get(0).split("=")[0]).containsOnlyOnce("ANL-");
            }
        }
    }
}
