package io.anneal.cli;

import io.anneal.cli.command.Environment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A command run in this process: its exit code and what it printed. */
record CommandRun(int exitCode, String out, String err) {
    static final Instant NOW = Instant.ofEpochSecond(1_795_225_134);
    /** Of all commands of this process. */
    static final Path HOME = home();

    private static final Clock STOPPED = Clock.fixed(NOW, ZoneOffset.UTC);

    private static Path home() {
        try {
            return Files.createTempDirectory(Files.createDirectories(Path.of("target", "homes")), "home");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** At one moment, which does not pass. */
    static CommandRun of(Object... args) {
        return of(STOPPED, () -> 0, args);
    }

    /** At another moment. */
    static CommandRun at(Instant instant, Object... args) {
        return of(Clock.fixed(instant, ZoneOffset.UTC), () -> 0, args);
    }

    /** By a clock of the test's. */
    static CommandRun at(Clock clock, Object... args) {
        return of(clock, () -> 0, args);
    }

    /** For commands that wait. */
    static CommandRun inTime(Object... args) {
        return of(Clock.systemUTC(), System::nanoTime, args);
    }

    /** On a terminal; the given time passes whenever a command looks. */
    static CommandRun onTerminal(Duration step, Object... args) {
        AtomicLong nanos = new AtomicLong();
        return of(STOPPED, () -> nanos.addAndGet(step.toNanos()), true, args);
    }

    private static CommandRun of(Clock clock, LongSupplier nanoTime, Object... args) {
        return of(clock, nanoTime, false, args);
    }

    private static CommandRun of(Clock clock, LongSupplier nanoTime, boolean terminal, Object... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                clock,
                nanoTime,
                terminal,
                HOME);
        String[] texts = new String[args.length];
        for (int i = 0; i < args.length; i++) {
            texts[i] = args[i].toString();
        }
        int exitCode = AnnealCommand.commandLine(environment, texts).execute(texts);
        return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Copies the SSTables of table {@code corpus.dropped}, three flushes that Cassandra wrote, with their schema. */
    static Path copyTable(Path directory) throws IOException {
        Files.createDirectories(directory);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(resource("dropped"))) {
            for (Path file : files) {
                Files.copy(file, directory.resolve(file.getFileName().toString()));
            }
        }
        return directory;
    }

    static Path resource(String name) {
        try {
            return Path.of(CommandRun.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** Makes an SSTable one of a writer that does without a component: neither the file nor the TOC has it. */
    static void withoutComponent(Path data, String component) throws IOException {
        String name = data.getFileName().toString();
        String base = name.substring(0, name.length() - "Data.db".length());
        Files.deleteIfExists(data.resolveSibling(base + component));
        Path toc = data.resolveSibling(base + "TOC.txt");
        Files.writeString(toc, Files.readString(toc).replace(component + "\n", ""));
    }

    /** Flips one bit in the middle of a file. */
    static void corrupt(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }
}
