package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the commands over agents say where no agent answers. */
@Timeout(60)
final class ClusterCommandsTest {
    /** Nothing listens there. */
    private static final String NOBODY = "127.0.0.1:1";

    @TempDir
    private Path directory;

    private Path token;

    @BeforeEach
    void makeToken() throws IOException {
        token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret of more than sixteen bytes\n");
    }

    private CommandRun agent(Object... more) {
        List<Object> words = new ArrayList<>(List.of("agent", "--token-file", token));
        words.addAll(List.of(more));
        return CommandRun.inTime(words.toArray());
    }

    private void assertUsage(String message, Object... more) {
        CommandRun run = agent(more);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
        assertThat(directory.resolve("agent")).doesNotExist();
    }

    /** Values at the edges of what they may be: no node is asked, and nothing is made. */
    @Test
    void shouldStartNoAgentWhereAnOptionSaysNothing() {
        Path own = directory.resolve("agent");
        Object[] right = {"--jmx", NOBODY, "--listen", "127.0.0.1:0", "--directory", own};
        for (String option : List.of("--jmx", "--cql", "--listen")) {
            for (String address : List.of("", ":1", "127.0.0.1", "127.0.0.1:-1", "127.0.0.1:65536", "::1:1")) {
                List<Object> words = new ArrayList<>(List.of(right));
                if (words.contains(option)) {
                    words.set(words.indexOf(option) + 1, address);
                } else {
                    words.addAll(List.of(option, address));
                }
                assertUsage(option + ": ", words.toArray());
            }
        }
        assertUsage("--jmx: nobody listens at port 0", "--jmx", "[::1]:0", "--listen", NOBODY, "--directory", own);
        assertUsage("--jmx", "--listen", NOBODY, "--directory", own);
        assertUsage("--listen", "--jmx", NOBODY, "--directory", own);
        assertUsage("--directory", "--jmx", NOBODY, "--listen", NOBODY);
        assertUsage("path is empty", "--jmx", NOBODY, "--listen", NOBODY, "--directory", "");
        assertUsage("'--jmx'", with(right, "--jmx", NOBODY));
        assertUsage("go together", with(right, "--jmx-user", "anneal"));
        assertUsage("go together", with(right, "--cql-password-file", token));
        assertUsage("--cql-user is empty", with(right, "--cql-user", "", "--cql-password-file", token));
        assertUsage("needs --tls-cert", "--jmx", NOBODY, "--listen", "0.0.0.0:0", "--directory", own);
        assertUsage("needs --tls-cert", "--jmx", NOBODY, "--listen", "[2001:db8::1]:0", "--directory", own);
    }

    private static Object[] with(Object[] words, Object... more) {
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of(more));
        return all.toArray();
    }

    @Test
    void shouldSayThatNoNodeAnswersTheAgent() {
        CommandRun run =
                agent("--jmx", "[::1]:1", "--listen", "[::1]:0", "--directory", directory.resolve("agent"), "--check");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NO);
        assertThat(run.err()).contains("JMX can't be reached, address=[::1]:1");
        assertThat(directory.resolve("agent")).doesNotExist();
    }

    @Test
    void shouldSayWhichAgentDoesNotAnswerAndGoOnWithTheOthers() {
        CommandRun run = CommandRun.inTime(
                "cluster", "status", "--agent", NOBODY, "--agent", "127.0.0.2:1", "--token-file", token);

        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.out())
                .contains(
                        NOBODY + ": not known what it holds, it did not answer",
                        "127.0.0.2:1: not known what it holds, it did not answer");
        assertThat(run.err()).contains("connect-failed");
        CommandRun json = CommandRun.inTime("--json", "cluster", "status", "--agent", NOBODY, "--token-file", token);
        assertThat(json.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(json.out()).contains("\"agent\":\"" + NOBODY + "\",\"error\":\"");
    }
}
