package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runnable jar and the launcher, each in a process of its own, as a user starts them. */
final class RunnableJarTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAR = ROOT.resolve("cli/target/anneal.jar");
    private static final Path SSTABLES =
            Path.of("src/test/resources/corpus/nb/kv").toAbsolutePath();
    private static final int TIMEOUT_SECONDS = 120;

    private record Run(int exitCode, String out, String err) {}

    @TempDir
    private Path directory;

    private Run run(Map<String, String> environment, List<String> command) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Run(
                process.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }

    private Run runJar(String... args) throws IOException, InterruptedException {
        // The jar is made by the package phase of cli: there under verify, not under test.
        assumeThat(JAR).exists();
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(List.of(args));
        return run(Map.of(), command);
    }

    @Test
    void shouldVerifySSTables() throws Exception {
        Run run = runJar("sstable", "verify", "--extended", SSTABLES.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).isNotEmpty().allMatch(line -> line.startsWith("ok "));
    }

    @Test
    void shouldRewriteSSTables() throws Exception {
        Run run = runJar(
                "sstable",
                "rewrite",
                "--compact",
                SSTABLES.toString(),
                "--to",
                directory.resolve("to").toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
    }

    /** The driver of Cassandra needs more of the jar than its classes: its settings, and libraries that it alone uses. */
    @Test
    @WithCassandra
    void shouldKeepPhasesInCassandra(CassandraPeer peer) throws Exception {
        peer.execute("CREATE KEYSPACE phases_of_jar"
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        try {
            String url = "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/phases_of_jar";
            Run run = runJar("migrate", "init", "--name", "users", "--phase-store", url);
            // The driver may warn of what takes long.
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("phase 1");
        } finally {
            peer.execute("DROP KEYSPACE phases_of_jar");
        }
    }

    @Test
    void shouldHaveNoPartWithAKnownAdvisory() throws Exception {
        assumeThat(JAR).exists();
        Path script = ROOT.resolve(".ci/advisories");
        Path old = directory.resolve("advisories.txt");
        Files.writeString(old, "io.netty:netty-handler 999.1 CVE-0000-1 what a later release mends\n");

        Map<String, String> java = Map.of("JAVA_HOME", System.getProperty("java.home"));
        Run clean = run(java, List.of(script.toString(), JAR.toString()));
        Run listed = run(java, List.of(script.toString(), "--list", JAR.toString()));
        Run found = run(java, List.of(script.toString(), JAR.toString(), old.toString()));

        assertThat(clean.exitCode()).as(clean.out() + clean.err()).isZero();
        assertThat(listed.out())
                .contains("org.eclipse.jetty:jetty-http ", "io.netty:netty-handler ", "io.anneal:anneal-core ");
        assertThat(found.exitCode()).isEqualTo(1);
        assertThat(found.out())
                .startsWith("io.netty:netty-handler ")
                .endsWith("has CVE-0000-1 (what a later release mends); mended in 999.1\n");
    }

    @Test
    void shouldEndWithTwoWhenCommandLineIsWrong() throws Exception {
        Run run = runJar("sstable", "nonsense");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().startsWith("anneal: error ANL-4001");
    }

    @Test
    void shouldNameJavaHomeWithoutJava() throws Exception {
        Run run = run(
                Map.of("JAVA_HOME", "/nowhere at all"),
                List.of(ROOT.resolve("anneal").toString(), "--version"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("ANL-9101", "/nowhere at all/bin/java");
    }

    @Test
    void shouldNameJavaThatIsTooOld() throws Exception {
        Path java = Files.createDirectories(directory.resolve("jdk 8/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Run run = run(
                Map.of("JAVA_HOME", directory.resolve("jdk 8").toString()),
                List.of(ROOT.resolve("anneal").toString(), "--version"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("ANL-9102", "found=8");
    }

    @Test
    void shouldNameJavaThatIsTooOldByItsReleaseFile() throws Exception {
        Path home = directory.resolve("jdk 8");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'was started' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"1.8.0_392\"\n");
        Run run = run(
                Map.of("JAVA_HOME", home.toString()),
                List.of(ROOT.resolve("anneal").toString(), "--version"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("ANL-9102", "found=8");
    }

    /** A directory with these commands of the machine, for a PATH that has no others. */
    private Path pathOf(String... commands) throws IOException {
        Path path = Files.createDirectories(directory.resolve("path"));
        for (String command : commands) {
            Path found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .map(part -> Path.of(part, command))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow();
            Files.createSymbolicLink(path.resolve(command), found);
        }
        return path;
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void assertJsonError(Run run, String command, String code) throws IOException {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out().lines()).as(run.err()).hasSize(1);
        JsonNode result = new ObjectMapper()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .readTree(run.out());
        JsonNode error = result.get("error");
        assertThat(result.get("schema").intValue()).isEqualTo(1);
        assertThat(result.get("command").textValue()).isEqualTo(command);
        assertThat(error.get("code").textValue()).isEqualTo(code);
        assertThat(run.err())
                .endsWith("anneal: error " + code + ": " + error.get("message").textValue() + "; "
                        + error.get("advice").textValue() + "\n");
        error.get("facts")
                .properties()
                .forEach(fact -> assertThat(error.get("message").textValue())
                        .contains(", " + fact.getKey() + "=" + fact.getValue().textValue()));
    }

    @Test
    void shouldTellItsOwnErrorsInJsonWhereThatIsWanted() throws Exception {
        String launcher = ROOT.resolve("anneal").toString();
        Map<String, String> withoutJava =
                Map.of("JAVA_HOME", "", "PATH", pathOf("bash").toString());
        assertJsonError(
                run(withoutJava, List.of(launcher, "--memory", "1GiB", "sstable", "--json", "verify", "x")),
                "sstable verify",
                "ANL-9101");
        assertJsonError(run(withoutJava, List.of(launcher, "--json")), "anneal", "ANL-9101");
        for (List<String> noJson :
                List.of(List.of("scan"), List.of("scan", "--", "--json"), List.of("bench", "net", "--json", "f"))) {
            List<String> command = new ArrayList<>(List.of(launcher));
            command.addAll(noJson);
            assertThat(run(withoutJava, command).out()).isEmpty();
        }
        Path home = Files.createDirectories(directory.resolve("a \\ \"jdk\"/bin"));
        Run noJava = run(Map.of("JAVA_HOME", home.getParent().toString()), List.of(launcher, "scan", "--json"));
        assertJsonError(noJava, "scan", "ANL-9101");
        script(home.resolve("java"), "echo 'openjdk version \"1.8.0_392\"' >&2");
        Run oldJava = run(Map.of("JAVA_HOME", home.getParent().toString()), List.of(launcher, "scan", "--json"));
        assertJsonError(oldJava, "scan", "ANL-9102");
        assertThat(new ObjectMapper()
                        .readTree(oldJava.out())
                        .at("/error/facts/path")
                        .textValue())
                .isEqualTo(home.resolve("java").toString());
    }

    @Test
    void shouldTellInJsonThatItCouldNotBeBuilt() throws Exception {
        Path checkout = Files.createDirectories(directory.resolve("checkout"));
        Path bin = Files.createDirectories(checkout.resolve("cli/src/main/dist/bin"));
        Files.copy(ROOT.resolve("anneal"), checkout.resolve("anneal"));
        Files.copy(ROOT.resolve("cli/src/main/dist/bin/anneal"), bin.resolve("anneal"));
        Path path = pathOf("bash", "mktemp", "cat", "rm", "readlink", "sed");
        script(path.resolve("java"), "echo 'openjdk version \"17.0.9\"' >&2");
        Map<String, String> environment = Map.of("JAVA_HOME", "", "PATH", path.toString());
        List<String> command = List.of("bash", checkout.resolve("anneal").toString(), "store", "info", "x", "--json");
        assertJsonError(run(environment, command), "store info", "ANL-9103");
        script(path.resolve("mvn"), "echo 'no such \"plugin\"'; exit 1");
        Run failed = run(environment, command);
        assertJsonError(failed, "store info", "ANL-9104");
        assertThat(failed.err()).contains("no such \"plugin\"");
    }

    @Test
    void shouldStartQuietlyWhateverTheArchiveOfClassesIs() throws Exception {
        Path installation = install();
        shouldTellVersion(installation);
        List<Path> archives = archives(installation);
        assertThat(archives).hasSizeLessThanOrEqualTo(1);
        shouldTellVersion(installation);
        for (Path archive : archives) {
            assertThat(archive).isNotEmptyFile();
            Files.delete(archive);
            Files.writeString(archive, "of another JVM");
        }
        shouldTellVersion(installation);
        for (Path archive : archives) {
            assertThat(archive).hasContent("of another JVM");
        }
        Path link = Files.createSymbolicLink(directory.resolve("link"), installation.resolve("bin/anneal"));
        assertThat(run(Map.of(), List.of(link.toString(), "--version")).out()).startsWith("anneal ");
    }

    @Test
    void shouldHaveTheClassesOfAClustersRepairInTheArchive() throws Exception {
        // Of a jar whose path has a space the JVM archives none.
        Path installation = Files.move(install(), directory.resolve("anneal"));
        shouldTellVersion(installation);
        List<Path> archives = archives(installation);
        assumeThat(archives).hasSize(1);
        Path token = Commands.tokenFile(directory);
        Run run = run(
                Map.of(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:SharedArchiveFile=" + archives.get(0),
                        "-Xlog:class+load",
                        "-jar",
                        installation.resolve("lib/anneal.jar").toString(),
                        "cluster",
                        "repair",
                        "--agent",
                        "127.0.0.1:1",
                        "--token-file",
                        token.toString(),
                        "shop"));
        assertThat(run.err()).contains("127.0.0.1:1");
        assertThat(run.out()
                        .lines()
                        .filter(line -> line.contains(" io.anneal.cli.repair.ClusterRepairCommand source: ")))
                .singleElement()
                .asString()
                .endsWith("shared objects file (top)");
    }

    @Test
    void shouldStartQuietlyWhenMovedElsewhere() throws Exception {
        Path installation = install();
        shouldTellVersion(installation);
        Path moved = Files.move(installation, directory.resolve("moved"));
        shouldTellVersion(moved);
    }

    @Test
    void shouldStartQuietlyWhereNothingCanBeWritten() throws Exception {
        Path installation = install();
        assertThat(installation.resolve("lib").toFile().setWritable(false)).isTrue();
        try {
            shouldTellVersion(installation);
        } finally {
            assertThat(installation.resolve("lib").toFile().setWritable(true)).isTrue();
        }
    }

    /** As {@code head} does it, and a disk that is full. */
    @Test
    void shouldTellAReaderThatHasEndedFromAFullDisk() throws Exception {
        String launcher = install().resolve("bin/anneal").toString();
        for (String what : List.of("--help", "--version", "sstable verify absent 2>&1 >/dev/null")) {
            Run closed = run(
                    Map.of("LAUNCHER", launcher),
                    List.of("bash", "-c", "\"$LAUNCHER\" " + what + " | true; exit ${PIPESTATUS[0]}"));
            assertThat(closed.exitCode()).as(what + closed.err()).isEqualTo(141);
            assertThat(closed.err()).isEmpty();
        }
        assumeThat(Path.of("/dev/full")).exists();
        // The reason is the system's, in the language of its user.
        Run full = run(
                Map.of("LAUNCHER", launcher, "LC_ALL", "C"), List.of("bash", "-c", "\"$LAUNCHER\" --help >/dev/full"));
        assertThat(full.exitCode()).isEqualTo(1);
        assertThat(full.err()).contains("ANL-1008", "No space left on device", "make room");
    }

    /** As the tarball is unpacked. */
    private Path install() throws IOException {
        assumeThat(JAR).exists();
        Path installation = directory.resolve("anneal 1");
        Files.createDirectories(installation.resolve("bin"));
        Files.createDirectories(installation.resolve("lib"));
        Files.copy(JAR, installation.resolve("lib/anneal.jar"));
        Path launcher = installation.resolve("bin/anneal");
        Files.copy(ROOT.resolve("cli/src/main/dist/bin/anneal"), launcher);
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        return installation;
    }

    private void shouldTellVersion(Path installation) throws IOException, InterruptedException {
        Run run = run(Map.of(), List.of(installation.resolve("bin/anneal").toString(), "--version"));
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).singleElement().asString().startsWith("anneal ");
    }

    private static List<Path> archives(Path installation) throws IOException {
        List<Path> archives = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(installation.resolve("lib"), "*.jsa*")) {
            files.forEach(archives::add);
        }
        return archives;
    }
}
