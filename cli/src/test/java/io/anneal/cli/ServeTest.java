package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that cannot start says why and what to do. */
class ServeTest {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

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

    /** What goes on until it is stopped prints a document a line: one when it has begun, another if an error ends it. */
    @Test
    void shouldPrintADocumentALine() throws Exception {
        PipedInputStream printed = new PipedInputStream(1 << 16);
        Environment environment = new Environment(
                new PrintStream(new PipedOutputStream(printed), true, StandardCharsets.UTF_8),
                new PrintStream(OutputStream.nullOutputStream()),
                Clock.systemUTC(),
                System::nanoTime,
                false,
                CommandRun.HOME);
        String[] args = {
            "serve", "--data", data.toString(), "--listen", "127.0.0.1:0", "--token-file", token.toString(), "--json"
        };
        FutureTask<Integer> serving = new FutureTask<>(
                () -> AnnealCommand.commandLine(environment, args).execute(args));
        Thread thread = new Thread(serving, "serving");
        thread.start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(printed, StandardCharsets.UTF_8));
        JsonNode begun = JSON.readTree(lines.readLine());
        assertThat(begun.get("command").textValue()).isEqualTo("serve");
        assertThat(begun.get("listening").textValue()).startsWith("127.0.0.1:");
        thread.interrupt();
        assertThat(serving.get(60, TimeUnit.SECONDS)).isEqualTo(ExitCode.UNANSWERED);
        environment.out().close();
        JsonNode ended = JSON.readTree(lines.readLine());
        assertThat(ended.get("schema").intValue()).isEqualTo(1);
        assertThat(ended.get("command").textValue()).isEqualTo("serve");
        assertThat(ended.at("/error/code").textValue()).isEqualTo("ANL-9001");
        assertThat(ended.has("listening")).isFalse();
        assertThat(lines.readLine()).isNull();
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
