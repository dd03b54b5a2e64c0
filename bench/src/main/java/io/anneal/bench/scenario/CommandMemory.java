package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The heap that a command takes of a process of its own, whose maximum is 240 MiB (251 million bytes): a command that
 * needs more fails. The peak is the largest use before a collection, garbage included, as the process's own log has it.
 */
final class CommandMemory {
    private static final String HEAP_MAX = "240m";
    /** {@code Pause Young (Allocation Failure) 62M->1M(230M) 2.5ms}. */
    private static final Pattern BEFORE_COLLECTION = Pattern.compile("([0-9]+)M->[0-9]+M\\([0-9]+M\\)");
    /** {@code PSYoungGen      total 70144K, used 21987K [...}: at the end, a line for each generation. */
    private static final Pattern AT_EXIT = Pattern.compile("(PSYoungGen|ParOldGen) +total [0-9]+K, used ([0-9]+)K");

    private static final long KIBIBYTE = 1024;
    private static final long MEBIBYTE = 1024 * 1024;

    private final OwnCommand command;
    private final LongSupplier nanoTime;

    CommandMemory(OwnCommand command, LongSupplier nanoTime) {
        this.command = command;
        this.nanoTime = nanoTime;
    }

    /** What a command took; its output is thrown away. */
    record Usage(double wallSeconds, long peakHeapBytes) {}

    /** @throws IOException when the command fails, with the first line of what it said */
    Usage measure(List<String> arguments, TemporaryDirectory directory) throws IOException {
        Path log = directory.path().resolve("gc.log");
        Path errors = directory.path().resolve("errors.txt");
        List<String> words = new ArrayList<>(List.of(
                command.java().toString(),
                "-Xmx" + HEAP_MAX,
                "-XX:+UseParallelGC",
                "-Xlog:gc,gc+heap+exit:file=" + log,
                "-cp",
                command.classPath(),
                command.mainClass()));
        words.addAll(arguments);
        long before = nanoTime.getAsLong();
        Process process = new ProcessBuilder(words)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(errors.toFile())
                .start();
        int exitCode = exitCode(process);
        Run run = new Run(0, 0, nanoTime.getAsLong() - before, 0, 0);
        if (exitCode != 0) {
            throw new IOException("command failed, command=" + arguments + ", heap=" + HEAP_MAX + ", exitCode="
                    + exitCode + ", error="
                    + Files.readString(errors, StandardCharsets.UTF_8).strip());
        }
        return new Usage(run.wallSeconds(), peakBytes(Files.readAllLines(log, StandardCharsets.UTF_8)));
    }

    private static int exitCode(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while a command runs");
        } finally {
            process.destroyForcibly();
        }
    }

    static long peakBytes(List<String> logLines) {
        long peakBytes = 0;
        long atExitBytes = 0;
        for (String line : logLines) {
            Matcher collection = BEFORE_COLLECTION.matcher(line);
            if (collection.find()) {
                peakBytes = Math.max(peakBytes, Long.parseLong(collection.group(1)) * MEBIBYTE);
            }
            Matcher atExit = AT_EXIT.matcher(line);
            if (atExit.find()) {
                atExitBytes += Long.parseLong(atExit.group(2)) * KIBIBYTE;
            }
        }
        return Math.max(peakBytes, atExitBytes);
    }
}
