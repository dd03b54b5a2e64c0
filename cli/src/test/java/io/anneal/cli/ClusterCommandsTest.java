package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
