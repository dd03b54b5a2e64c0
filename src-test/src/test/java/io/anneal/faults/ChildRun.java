package io.anneal.faults;

import io.anneal.faults.StoreCrashChild.Round;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What a child said until it was killed, or had done everything. */
final class ChildRun {
    private final KillPlan plan;
    private final Process process;
    private final List<Long> acknowledged = new ArrayList<>();
    private final List<String> snapshots = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    private long lastStep = Long.MIN_VALUE;
    private int phases;
    private boolean killed;
    private int exitCode;

    private ChildRun(KillPlan plan, Process process) {
        this.plan = plan;
        this.process = process;
    }

    /** Runs one to its end. */
    static ChildRun of(Round round, KillPlan plan, Path log) throws IOException, InterruptedException {
        return of(StoreCrashChild.class, round.arguments(), plan, log);
    }

    /** @param child whose main method speaks as {@link StoreCrashChild} does */
    static ChildRun of(Class<?> child, List<String> arguments, KillPlan plan, Path log)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-ea",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                System.getProperty("java.class.path"),
                child.getName()));
        command.addAll(arguments);
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        ChildRun run = new ChildRun(plan, process);
        try {
            run.listen();
            run.exitCode = process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        if (!run.killed && run.exitCode != 0) {
            run.failures.add("exit " + run.exitCode + ", log: " + Files.readString(log));
        }
        return run;
    }

    /** To the end of the stream: what stood in the pipe when the child died was said by it, too. */
    private void listen() throws IOException {
        InputStream in = process.getInputStream();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            for (int i = 0; i < length; i++) {
                if (buffer[i] != '\n') {
                    line.write(buffer[i]);
                } else {
                    heard(line.toString(StandardCharsets.UTF_8));
                    line.reset();
                }
            }
        }
    }

    private void heard(String line) {
        String rest = line.substring(2);
        switch (line.charAt(0)) {
            case 'A' -> acknowledged.add(Long.parseLong(rest));
            case 'C' -> lastStep = Long.parseLong(rest);
            case 'S' -> snapshots.add(rest);
            case 'P' -> {}
            default -> failures.add(line);
        }
        phases += plan.isPhase(line) ? 1 : 0;
        if (!killed && plan.isDue(phases, acknowledged.size())) {
            killAfter(plan.delayNanos());
        }
    }

    private void killAfter(long delayNanos) {
        long endNanos = System.nanoTime() + delayNanos;
        while (System.nanoTime() < endNanos) {
            Thread.onSpinWait();
        }
        // By its handle: killed through itself, a process loses what it said last.
        killed = process.toHandle().destroyForcibly();
    }

    boolean isKilled() {
        return killed;
    }

    int exitCode() {
        return exitCode;
    }

    /** Numbers of writes. */
    List<Long> acknowledged() {
        return acknowledged;
    }

    /** The highest number acknowledged. */
    OptionalLong last() {
        return acknowledged.stream().mapToLong(Long::longValue).max();
    }

    OptionalLong lastStep() {
        return lastStep == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(lastStep);
    }

    List<String> snapshots() {
        return snapshots;
    }

    List<String> failures() {
        return failures;
    }
}
