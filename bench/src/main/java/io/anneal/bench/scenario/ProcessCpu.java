package io.anneal.bench.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Processor time that processes take while something runs, to a hundredth of a second, and what all others of this machine take
 * meanwhile. One thread.
 */
final class ProcessCpu {
    private static final Path MACHINE = Path.of("/proc/stat");

    private static final Path SELF = Path.of("/proc/self/stat");
    /** After the name: {@code state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime}. */
    private static final int CHILDREN_USER = 13;

    private static final int CHILDREN_SYSTEM = 14;
    /** Ticks of a second, which Linux has told every program for decades. */
    private static final long TICKS = 100;
    /** {@code cpu user nice system idle iowait irq softirq steal}. */
    private static final int IDLE = 4;

    private static final int IO_WAIT = 5;
    private static final int STEAL = 8;

    private final List<Long> working;
    private final List<Long> idle;
    private final long workingBefore;
    private final long idleBefore;
    private final Optional<Long> machineBefore;

    /**
     * Counts from now on.
     *
     * @param working whose time is wanted, by their numbers
     * @param idle further processes that are none of the others
     */
    ProcessCpu(List<Long> working, List<Long> idle) throws IOException {
        this.working = List.copyOf(working);
        this.idle = new ArrayList<>(idle);
        this.idle.removeAll(working);
        workingBefore = nanos(this.working);
        idleBefore = nanos(this.idle);
        machineBefore = machineNanos();
    }

    long nanos() {
        return nanos(working) - workingBefore;
    }

    /** Empty where the machine does not tell. */
    Optional<Long> othersNanos() throws IOException {
        Optional<Long> now = machineNanos();
        if (now.isEmpty() || machineBefore.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Math.max(0, now.get() - machineBefore.get() - nanos() - (nanos(idle) - idleBefore)));
    }

    /** What this process's own children have taken that have ended, and their children, since it began. */
    static long endedChildrenNanos() throws IOException {
        String stat = Files.readString(SELF);
        // Whatever its name has, nothing after it has a bracket.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        long ticks = Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_SYSTEM]);
        return ticks * TimeUnit.SECONDS.toNanos(1) / TICKS;
    }

    private static long nanos(List<Long> processes) {
        return processes.stream().mapToLong(ProcessCpu::nanos).sum();
    }

    private static long nanos(long process) {
        return ProcessHandle.of(process)
                .flatMap(handle -> handle.info().totalCpuDuration())
                .map(Duration::toNanos)
                .orElseThrow(() -> new IllegalStateException("process of the benchmark has ended, pid=" + process));
    }

    private static Optional<Long> machineNanos() throws IOException {
        if (!Files.isReadable(MACHINE)) {
            return Optional.empty();
        }
        String[] fields = Files.readAllLines(MACHINE).get(0).split(" +");
        long ticks = 0;
        // What guests take is in the user's time already.
        for (int i = 1; i <= STEAL; i++) {
            ticks += i == IDLE || i == IO_WAIT ? 0 : Long.parseLong(fields[i]);
        }
        return Optional.of(ticks * TimeUnit.SECONDS.toNanos(1) / TICKS);
    }
}
