package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** With {@code --json} every command prints one JSON object with a schema number, whether it comes to its end or an error stops it. */
final class JsonOutputTest {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** What works without any arguments, or works long: what keeps it from that. */
    private static final Map<String, String> STOPPED =
            Map.of("demo", "--rows=0", "migrate run", "--origin=nowhere:", "cluster history", "--state=absent/runs");

    /** What needs a peer, a live node or a service that migrates to come to its end; tests of their own read their JSON. */
    private static final Set<String> OF_OTHERS = Set.of("serve", "agent", "cluster repair", "cluster status");

    @TempDir
    private Path directory;

    private static Map<String, CommandLine> leaves() {
        Map<String, CommandLine> leaves = leavesAndBench();
        // It writes its records to the file that its option names.
        leaves.remove("bench");
        return leaves;
    }

    private static Map<String, CommandLine> leavesAndBench() {
        Map<String, CommandLine> leaves = new TreeMap<>();
        addLeaves(
                AnnealCommand.commandLine(
                        new Environment(System.out, System.err, null, () -> 0, false, CommandRun.HOME)),
                "",
                leaves);
        return leaves;
    }

    private static void addLeaves(CommandLine command, String name, Map<String, CommandLine> leaves) {
        if (command.getSubcommands().isEmpty()) {
            leaves.put(name, command);
        }
        command.getSubcommands()
                .forEach(
                        (part, subcommand) -> addLeaves(subcommand, name.isEmpty() ? part : name + " " + part, leaves));
    }

    /** One of them, or the benchmarks. */
    static CommandLine leaf(String name) {
        return leavesAndBench().get(name);
    }

    static Stream<String> names() {
        return leaves().keySet().stream();
    }

    private static JsonNode result(CommandRun run, String command) throws IOException {
        assertThat(run.out()).as(run.err()).endsWith("}" + System.lineSeparator());
        JsonNode result = JSON.readTree(run.out());
        assertThat(result.get("schema").isInt()).isTrue();
        assertThat(result.get("command").textValue()).isEqualTo(command);
        return result;
    }

    private static void assertError(CommandRun run, String command) throws IOException {
        JsonNode error = result(run, command).get("error");
        assertThat(error).as(run.out()).isNotNull();
        assertThat(run.err())
                .contains("anneal: error " + error.get("code").textValue() + ": "
                        + error.get("message").textValue() + "; "
                        + error.get("advice").textValue());
        error.get("facts")
                .properties()
                .forEach(fact -> assertThat(error.get("message").textValue())
                        .contains(", " + fact.getKey() + "=" + fact.getValue().textValue()));
    }

    private static CommandRun run(String command, Object... arguments) {
        List<Object> words = new ArrayList<>(List.of((Object[]) command.split(" ")));
        words.addAll(List.of(arguments));
        return CommandRun.of(words.toArray());
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldTellUsageErrors(String command) throws IOException {
        for (Object[] arguments :
                List.of(new Object[] {"--json", "--no-such-option"}, new Object[] {"--memory=lots", "--json"})) {
            CommandRun run = run(command, arguments);
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
            assertError(run, command);
        }
        assertThat(run(command, "--no-such-option").out()).isEmpty();
    }

    @Test
    void shouldTellWhenNoCommandIsGiven() throws IOException {
        assertError(CommandRun.of("--json"), "anneal");
        assertError(CommandRun.of("sstable", "--json"), "sstable");
        assertError(CommandRun.of("--json", "nonsense"), "anneal");
    }

    /** What a command needs, of a kind that is right and a place where nothing is. */
    private String absent(ArgSpec argument) {
        String label = argument.paramLabel();
        if (argument.typeInfo().getType() == Path.class || argument.auxiliaryTypes()[0] == Path.class) {
            return directory.resolve("absent").toString();
        }
        if (label.contains("HOST:PORT")) {
            return "127.0.0.1:1";
        }
        return label.contains("KS") ? "ks.absent" : "1";
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldTellWhatIsNotThere(String command) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of("--json"));
        for (ArgSpec argument : leaves().get(command).getCommandSpec().args()) {
            for (int i = 0;
                    argument.required() && i < Math.max(1, argument.arity().min());
                    i++) {
                arguments.add(
                        argument instanceof OptionSpec option
                                ? option.longestName() + "=" + absent(argument)
                                : absent(argument));
            }
        }
        if (STOPPED.containsKey(command)) {
            arguments.add(STOPPED.get(command));
        }
        CommandRun run = run(command, arguments.toArray());
        assertThat(run.exitCode()).as(run.out()).isNotZero();
        JsonNode result = result(run, command);
        if (run.err().contains("anneal: error ")) {
            String code = run.err().replaceAll("(?s).*anneal: error (ANL-\\d+): .*", "$1");
            assertThat(result.toString()).as(run.err()).contains(code);
        }
    }

    /** By which arguments each command comes to its end. */
    private Map<String, List<Object>> working() throws IOException {
        Path table = Tables.write(
                directory.resolve("one"),
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "a")
                        .insert());
        Tables.write(
                directory.resolve("two"),
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "b")
                        .insert());
        Path store = Tables.store(
                directory.resolve("store"),
                Tables.STORE,
                HostEnvironment.system(),
                rows -> rows.row().key("id", 1).clustering("at", 1).insert());
        Path schema = Files.writeString(directory.resolve("schema.cql"), Tables.TEXT);
        Path out = directory.resolve("out");
        Map<String, List<Object>> working = new TreeMap<>();
        working.put("demo", List.of("--rows", 100));
        working.put("sstable dump", List.of(table));
        working.put("sstable metadata", List.of(table));
        working.put("sstable verify", List.of(table));
        working.put("sstable scrub", List.of(table, "--to", out.resolve("1")));
        working.put("sstable rewrite", List.of(table, "--to", out.resolve("2")));
        working.put("sstable generate", List.of("--schema", schema, "--rows", 3, "--to", out.resolve("3")));
        working.put("diff", List.of(directory.resolve("one"), directory.resolve("two")));
        working.put("explain", List.of("ks.readings", "1", "--dir", directory.resolve("one")));
        working.put("scan", List.of("--data", directory.resolve("one")));
        working.put("store info", List.of(store));
        working.put("store check", List.of(store));
        working.put("store snapshot", List.of(store, "--name", "n"));
        working.put("store acknowledge", List.of(store));
        working.put(
                "repair",
                List.of(
                        "--dir",
                        directory.resolve("one"),
                        "--dir",
                        directory.resolve("two"),
                        "--table=ks.readings",
                        "--full-replicas",
                        "--include-recent",
                        "--rows"));
        working.put("cluster history", List.of());
        return working;
    }

    @Test
    void shouldPrintResults() throws IOException {
        Map<String, List<Object>> working = working();
        for (Map.Entry<String, List<Object>> command : working.entrySet()) {
            List<Object> arguments = new ArrayList<>(command.getValue());
            arguments.add("--json");
            CommandRun run = run(command.getKey(), arguments.toArray());
            assertThat(run.exitCode()).as(command + run.err()).isIn(ExitCode.YES, ExitCode.NO);
            assertThat(result(run, command.getKey()).get("error")).isNull();
        }
        for (String option : List.of("--status", "--history")) {
            assertThat(result(run("repair", option, "--json"), "repair").has("runs"))
                    .isTrue();
        }
        // A command that is new stands here, too, or in one of the sets above.
        assertThat(leaves().keySet())
                .filteredOn(name -> !name.startsWith("migrate ") && !name.startsWith("stream "))
                .filteredOn(name -> !OF_OTHERS.contains(name))
                .allMatch(working::containsKey);
    }

    @Test
    void shouldEndWhatAnErrorCutsShort() throws IOException {
        Path table = CommandRun.copyTable(directory.resolve("dropped"));
        CommandRun.corrupt(table.resolve("nb-1-big-Data.db"));
        for (CommandRun run : List.of(
                CommandRun.of("sstable", "dump", table, "--json"),
                CommandRun.of("scan", "--data", table, "--page-size", 1, "--json"))) {
            assertThat(run.exitCode()).isEqualTo(ExitCode.NO);
            JsonNode result = JSON.readTree(run.out());
            assertThat(result.at("/error/code").textValue()).isEqualTo("ANL-1001");
            assertThat(result.at("/error/facts").has("position")).isTrue();
            assertThat(result.has("partitions") || result.has("rows")).isTrue();
        }
    }
}
