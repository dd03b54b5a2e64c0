package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that cannot start says why and what to do. */
class ServeTest {
    @TempDir
    private Path directory;

    private Path data;
    private Path token;

    @BeforeEach
    void makeFiles() throws IOException {
        data = directory.resolve("data");
        CommandRun.copyTable(data.resolve("corpus/dropped-00000000000000000000000000000001"));
        token = Files.writeString(directory.resolve("token"), "0123456789abcdef");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void shouldNameATokenFileThatCannotBeUsed() throws IOException {
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertRefused("ANL-3006", "mode 0600", serve("127.0.0.1:0"));
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(token, "short");
        assertRefused("ANL-3006", "token is too short", serve("127.0.0.1:0"));
        Files.delete(token);
        assertRefused("ANL-3006", "does not exist", serve("127.0.0.1:0"));
        Files.createDirectory(token);
        assertRefused("ANL-3006", "not a regular file", serve("127.0.0.1:0"));
    }

    @Test
    void shouldSayWhatToDoAboutABusyPort() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = serve("127.0.0.1:" + busy.getLocalPort());

            assertRefused("ANL-3007", "127.0.0.1:" + busy.getLocalPort(), run);
            assertThat(run.err()).contains("choose another address or port");
        }
    }

    @Test
    void shouldWarnOfAnAllowedTableThatIsNotThere() throws IOException {
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = serve(
                    "127.0.0.1:" + busy.getLocalPort(),
                    "--allow-table",
                    "shop.nope",
                    "--allow-table",
                    "corpus.dropped",
                    "--allow-table",
                    "corpus.*");

            assertThat(run.err().lines().filter(line -> line.startsWith("warning: --allow-table")))
                    .singleElement()
                    .asString()
                    .contains("table=shop.nope");
        }
    }

    private CommandRun serve(String listen, Object... more) {
        Object[] args = new Object[7 + more.length];
        System.arraycopy(
                new Object[] {"serve", "--data", data, "--listen", listen, "--token-file", token}, 0, args, 0, 7);
        System.arraycopy(more, 0, args, 7, more.length);
        return CommandRun.inTime(args);
    }

    private static void assertRefused(String code, String reason, CommandRun run) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("anneal: error " + code + ": ").contains(reason);
    }
}
