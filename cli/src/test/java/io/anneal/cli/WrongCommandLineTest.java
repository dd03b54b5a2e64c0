package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Of a wrong command line the first thing that is wrong from the left is told: first what is not known or can't be read, then what a command
 * always needs, then what contradicts or can't be, then what lacks. All of that before a file is opened or a peer is asked.
 */
final class WrongCommandLineTest {
    private static final String ABSENT = "/absent/from/this/machine";
    private static final String TOKEN = "--token-file=" + ABSENT;

    /** All commands that have options which may be wrong, with what they need else: files that are not there, peers that do not listen. */
    private static final Map<String, String> NEEDED = new TreeMap<>(Map.ofEntries(
            Map.entry("demo", ""),
            Map.entry("sstable dump", ABSENT),
            Map.entry("sstable generate", "--schema=" + ABSENT + " --rows=1 --to=" + ABSENT),
            Map.entry("diff", ABSENT + "/1 " + ABSENT + "/2"),
            Map.entry("explain", "ks.t 1 --dir=" + ABSENT),
            Map.entry("scan", "--data=" + ABSENT),
            Map.entry("serve", "--data=" + ABSENT + " --listen=127.0.0.1:0 " + TOKEN),
            Map.entry("repair", "--dir=" + ABSENT + "/1 --dir=" + ABSENT + "/2 --table=ks.t --full-replicas"),
            Map.entry("agent", "--jmx=127.0.0.1:1 --listen=127.0.0.1:0 --directory=" + ABSENT + " " + TOKEN),
            Map.entry("cluster repair", "ks --agent=127.0.0.1:1 " + TOKEN),
            Map.entry("cluster status", "--agent=127.0.0.1:1 " + TOKEN),
            Map.entry("cluster history", "--state=" + ABSENT),
            Map.entry("stream transfer", streaming()),
            Map.entry("stream rebuild", streaming()),
            Map.entry("stream add-node", streaming()),
            Map.entry("stream decommission", streaming()),
            Map.entry("migrate run", ""),
            Map.entry("migrate advance", migration()),
            Map.entry("migrate backfill", migration()),
            Map.entry("migrate verify", migration()),
            Map.entry("migrate page", migration()),
            Map.entry("migrate init", "--name=m"),
            Map.entry("migrate status", "--name=m"),
            Map.entry("migrate finish", "--name=m"),
            Map.entry("migrate history", "--name=m"),
            Map.entry("migrate rollback", "--name=m"),
            Map.entry("migrate recover", "--name=m"),
            Map.entry("migrate note", "--name=m word"),
            Map.entry("migrate dead", "--name=m one"),
            Map.entry("bench", "limits")));

    /** What may be wrong of each, whatever else is. */
    private static final Map<String, List<String>> WRONG = new TreeMap<>(Map.ofEntries(
            Map.entry("demo", List.of("--rows=0")),
            Map.entry("sstable dump", List.of("-d")),
            Map.entry(
                    "sstable generate",
                    List.of("--partitions=0", "--value-bytes=0", "--deletions=101", "--expiring=-1")),
            Map.entry("diff", List.of("--range=x")),
            Map.entry("explain", List.of("--replica=nonsense", "--tls-cert=x")),
            Map.entry(
                    "scan",
                    List.of(
                            "--range=x",
                            "--where=item =",
                            "--page-size=0",
                            "--limit=0",
                            "--ring=" + ABSENT,
                            "--token-file=x")),
            Map.entry("serve", List.of("--metrics=nonsense", "--disk-boundaries=x", "--tls-cert=x")),
            Map.entry(
                    "repair",
                    List.of(
                            "--parallel=0",
                            "--rate=-1",
                            "--buffer=0",
                            "--range=x",
                            "--ring=" + ABSENT,
                            "--name=a",
                            "--sample=0",
                            "--staged=x",
                            "--token-file=x")),
            Map.entry(
                    "agent", List.of("--cql=nonsense", "--jmx-user=a", "--cql-user=a", "--tls-name=a", "--tls-cert=x")),
            Map.entry(
                    "cluster repair",
                    List.of("--parallel=0", "--rate=-1", "--window=x", "--lease=1", "--ghosts-max=-1", "--tls-cert=x")),
            Map.entry("cluster status", List.of("--agent=nonsense", "--tls-cert=x")),
            Map.entry("cluster history", List.of("a.b.c")),
            Map.entry("stream transfer", wrongOfStreaming()),
            Map.entry("stream rebuild", wrongOfStreaming()),
            Map.entry("stream add-node", wrongOfStreaming()),
            Map.entry(
                    "stream decommission",
                    Stream.concat(wrongOfStreaming().stream(), Stream.of("--ring-after=" + ABSENT))
                            .toList()),
            Map.entry(
                    "migrate run",
                    List.of(
                            "--phase-store=nonsense",
                            "--rate=0",
                            "--keys=0",
                            "--skew=-1",
                            "--multi-get=0",
                            "--bake=0s",
                            "--gate-timeout=0s",
                            "--verified-within=0s",
                            "--duration=0s",
                            "--report=x.txt",
                            "--dashboard=70000",
                            "--origin-conf=" + ABSENT)),
            Map.entry("migrate advance", List.of("--to-share=101", "--verified-within=0s")),
            Map.entry("migrate backfill", List.of("--rate=0", "--checkpoint=" + ABSENT, "--origin-conf=" + ABSENT)),
            Map.entry("migrate verify", List.of("--rate=0", "--checkpoint=" + ABSENT, "--origin-conf=" + ABSENT)),
            Map.entry("migrate page", List.of("--port=70000")),
            Map.entry("migrate init", List.of("--phase-store=nonsense")),
            Map.entry("migrate status", List.of("--phase-store=nonsense")),
            Map.entry("migrate finish", List.of("--phase-store=nonsense")),
            Map.entry("migrate history", List.of("--phase-store=nonsense")),
            Map.entry("migrate rollback", List.of("--phase-store=nonsense")),
            Map.entry("migrate recover", List.of("--phase-store=nonsense")),
            Map.entry("migrate note", List.of("--phase-store=nonsense")),
            Map.entry("migrate dead", List.of("--phase-store=nonsense")),
            Map.entry(
                    "bench",
                    List.of(
                            "--rows=0",
                            "--runs=0",
                            "--warm-up=-1",
                            "--seconds=0",
                            "--sstable-size=1",
                            "--parallel=0",
                            "--limit=0",
                            "--session-ms=-1",
                            "--case=x",
                            "--system=x"))));

    /** Whose options are files and names alone, of which nothing is known before they are opened. */
    private static final Set<String> WITHOUT = Set.of(
            "sstable metadata",
            "sstable verify",
            "sstable scrub",
            "sstable rewrite",
            "store acknowledge",
            "store info",
            "store check",
            "store snapshot");

    private static String streaming() {
        return "--from=a=127.0.0.1:1 --to=b=127.0.0.1:2 --table=ks.t --full-replicas " + TOKEN;
    }

    private static List<String> wrongOfStreaming() {
        return List.of("--parallel=0", "--range=x", "--table=ks.*", "--tls-cert=x");
    }

    private static String migration() {
        return "--name=m --phase-store=file:" + ABSENT;
    }

    private static Stream<String> names() {
        return Stream.concat(JsonOutputTest.names(), Stream.of("bench"));
    }

    private static void assertTold(String what, String command, Object... more) {
        Object[] words =
                Stream.concat(Stream.of(command.split(" ")), Stream.of(more)).toArray();
        CommandRun run = CommandRun.of(words);
        assertThat(run.exitCode()).as(List.of(words) + run.err()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err().lines())
                .as(List.of(words) + run.err())
                .singleElement()
                .asString()
                .contains(what);
    }

    @Test
    void shouldKnowAllCommands() {
        assertThat(Stream.concat(WRONG.keySet().stream(), WITHOUT.stream()))
                .containsExactlyInAnyOrderElementsOf(names().toList());
    }

    @ParameterizedTest
    @MethodSource("names")
    void shouldTellWhatIsNotKnownFirst(String command) {
        // Whatever the command needs is lacking, too.
        assertTold("Unknown option: '--no-such'", command, "--no-such");
        assertTold("Unknown option: '--no-such'", command, "--no-such", "--memory=lots");
        assertTold("--memory", command, "--memory=lots", "--no-such");
        assertTold("Unknown option: '--no-such'", "--no-such " + command);
        for (OptionSpec option : JsonOutputTest.leaf(command).getCommandSpec().options()) {
            if (Number.class.isAssignableFrom(boxed(option.type()))) {
                assertTold("'" + option.longestName() + "'", command, option.longestName() + "=x", "--no-such");
                assertTold("'--no-such'", command, "--no-such", option.longestName() + "=x");
            }
        }
    }

    private static Class<?> boxed(Class<?> type) {
        return type.isPrimitive() && type != boolean.class ? Number.class : type;
    }

    static Stream<Arguments> wrong() {
        return WRONG.entrySet().stream()
                .flatMap(command -> command.getValue().stream().map(option -> Arguments.of(command.getKey(), option)));
    }

    private static String name(String option) {
        return switch (option) {
            case "--case=x" -> "unknown case";
            case "--system=x" -> "unknown system";
            case "a.b.c" -> "given=a.b.c";
            default -> option.replaceFirst("=.*", "");
        };
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void shouldTellTheFirstWrongOptionBeforeAnyFileIsOpened(String command, String option) {
        List<String> needed = Stream.of(NEEDED.get(command).split(" "))
                .filter(word -> !word.isEmpty())
                .toList();
        assertTold(name(option), command, with(needed, option));
        for (String other : WRONG.get(command)) {
            if (!other.equals(option)) {
                assertTold(name(option), command, with(needed, option, other));
            }
        }
    }

    private static Object[] with(List<String> needed, String... more) {
        return Stream.concat(needed.stream(), Stream.of(more)).toArray();
    }

    @Test
    void shouldTellAContradictionWhereItIsRead() {
        String dry = "repair --dir=" + ABSENT + "/1 --dir=" + ABSENT + "/2 --table=ks.t --full-replicas --dry-run";
        assertTold("--parallel", dry, "--parallel=0", "--apply");
        assertTold("--apply and --dry-run contradict each other", dry, "--apply", "--parallel=0");
        assertTold("--replica excludes --data", "scan --data=" + ABSENT + " --replica=127.0.0.1:1", "--limit=0");
        assertTold("--limit", "scan --data=" + ABSENT, "--limit=0", "--replica=127.0.0.1:1");
        assertTold("--replica: address is not host:port", "repair --replica=nonsense --replica=127.0.0.1:1");
    }

    @Test
    void shouldTellWhatLacksLast() {
        assertTold("--parallel", "repair --parallel=0");
        assertTold("say what to repair", "repair --parallel=1");
        assertTold("--window", "cluster repair --window=x");
        assertTold("say what to repair", "cluster repair --window=22:00-06:00");
        assertTold("--limit", "scan --limit=0");
        assertTold("give the rows' place", "scan --limit=1");
        assertTold("--rate", "migrate run --phase-store=file:" + ABSENT, "--rate=0");
        assertTold("--directory is needed", "migrate run --phase-store=file:" + ABSENT);
        assertTold("'--listen", "serve --metrics=nonsense --data=" + ABSENT);
    }
}
