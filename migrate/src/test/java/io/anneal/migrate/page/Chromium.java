package io.anneal.migrate.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A headless browser of the machine, in a process of its own with a profile of its own; both are gone after closing. */
final class Chromium implements AutoCloseable {
    private static final List<String> PLACES =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
    private static final long START_SECONDS_MAX = 60;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Process process;
    private final Path profile;
    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();

    private Chromium(Process process, Path profile, int port) {
        this.process = process;
        this.profile = profile;
        this.port = port;
    }

    /** Where the browser is on this machine; empty if it has none. */
    static Optional<Path> installed() {
        return PLACES.stream().map(Path::of).filter(Files::isExecutable).findFirst();
    }

    static Chromium start(Path program) throws IOException {
        Path profile = Files.createTempDirectory("anneal-chromium");
        Process process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--user-data-dir=" + profile,
                        "--remote-debugging-port=0",
                        "about:blank")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(profile.resolve("chromium.log").toFile())
                .start();
        try {
            return new Chromium(process, profile, portOf(process, profile));
        } catch (IOException e) {
            end(process, profile);
            throw e;
        }
    }

    private static int portOf(Process process, Path profile) throws IOException {
        Path file = profile.resolve("DevToolsActivePort");
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (System.nanoTime() < deadlineNanos && process.isAlive()) {
            if (Files.exists(file)) {
                List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
                if (lines.size() >= 2) {
                    return Integer.parseInt(lines.get(0).strip());
                }
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        throw new IOException("the browser did not start, alive=" + process.isAlive() + ", log="
                + Files.readString(profile.resolve("chromium.log"), StandardCharsets.UTF_8));
    }

    /** A new tab, empty. */
    BrowserTab open() throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                        .PUT(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        JsonNode tab = new ObjectMapper().readTree(answer.body());
        return BrowserTab.connect(
                http, URI.create(tab.get("webSocketDebuggerUrl").asText()));
    }

    @Override
    public void close() {
        end(process, profile);
    }

    /** Late children may write to the profile still: what can't be taken away is left to the machine. */
    private static void end(Process process, Path profile) {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
        children.forEach(child ->
                child.onExit().completeOnTimeout(child, 10, TimeUnit.SECONDS).join());
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            profile.toFile().deleteOnExit();
        }
    }
}
