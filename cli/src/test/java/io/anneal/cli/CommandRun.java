package io.anneal.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/** A command run in this process: its exit code and what it printed. */
record CommandRun(int exitCode, String out, String err) {
    private static final Clock STOPPED = Clock.fixed(Instant.ofEpochSecond(1_795_225_134), ZoneOffset.UTC);

    /** At one moment, which does not pass. */
    static CommandRun of(Object... args) {
        return of(STOPPED, () -> 0, args);
    }

    /** For commands that wait. */
    static CommandRun inTime(Object... args) {
        return of(Clock.systemUTC(), System::nanoTime, args);
    }

    private static CommandRun of(Clock clock, LongSupplier nanoTime, Object... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                clock,
                nanoTime,
                false);
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

    /** Flips one bit in the middle of a file. */
    static void corrupt(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }
}
