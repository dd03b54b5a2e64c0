package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.Environment;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page as the command serves it. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class MigratePageTest {
    @TempDir
    private Path directory;

    private final List<Thread> started = new ArrayList<>();
    private String phaseStore;

    @BeforeEach
    void begin() {
        phaseStore = "file:" + directory.resolve("phases");
        assertThat(CommandRun.inTime("migrate", "init", "--name", "m", "--phase-store", phaseStore)
                        .exitCode())
                .isZero();
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Thread page : started) {
            page.interrupt();
            page.join();
        }
    }

    /** Starts the command, and comes back with the address that it prints. */
    private URI serve(String... more) throws IOException {
        PipedInputStream printed = new PipedInputStream();
        PrintStream out = new PrintStream(new PipedOutputStream(printed), true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Environment environment =
                new Environment(out, err, Clock.systemUTC(), System::nanoTime, false, CommandRun.HOME);
        List<String> args = new ArrayList<>(List.of("migrate", "page", "--name", "m", "--phase-store", phaseStore));
        args.addAll(List.of(more));
        Thread page = new Thread(() -> {
            AnnealCommand.commandLine(environment).execute(args.toArray(String[]::new));
            out.close();
        });
        started.add(page);
        page.start();
        String line = new BufferedReader(new InputStreamReader(printed, StandardCharsets.UTF_8)).readLine();
        assertThat(line).startsWith("page: http://");
        return URI.create(line.substring("page: ".length()));
    }

    private static String status(int port, String host) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            return line.split(" ")[1];
        }
    }

    @Test
    void shouldAnswerUnderTheNamesThatItWasTold() throws IOException {
        int port = serve("--allow-host", "walk.example.org", "--allow-host", "10.0.0.7")
                .getPort();
        assertThat(status(port, "walk.example.org")).isEqualTo("200");
        assertThat(status(port, "10.0.0.7:" + port)).isEqualTo("200");
        assertThat(status(port, "localhost:" + port)).isEqualTo("200");
        assertThat(status(port, "elsewhere.example.org")).isEqualTo("403");
    }

    @Test
    void shouldSayWhichAddressIsTaken() throws IOException {
        int port = serve().getPort();
        CommandRun second = CommandRun.inTime(
                "migrate", "page", "--name", "m", "--phase-store", phaseStore, "--port", String.valueOf(port));
        CommandRun run = CommandRun.inTime("migrate", "run", "--duration", "1m", "--dashboard", String.valueOf(port));
        for (CommandRun refused : List.of(second, run)) {
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(1);
            assertThat(refused.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("anneal: error ANL-5006: ")
                    .contains("127.0.0.1:" + port);
        }
    }

    @Test
    void shouldRefuseAnAddressThatIsNone() {
        CommandRun run = CommandRun.inTime(
                "migrate", "page", "--name", "m", "--phase-store", phaseStore, "--host", "no such host");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error ANL-5006: ")
                .contains("no such host");
    }
}
