package io.anneal.testkit;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What shall go wrong in a {@link FaultyDirectory}, and when: all operations of some kinds on files of some names, from the
 * {@link #after} on, {@link #times} often. Says at first that all of them fail. Immutable, except for what a predicate holds.
 *
 * <pre>{@code
 * Fault.on(Operation.FORCE).named(name -> name.startsWith("CommitLog")).after(3).times(1)
 * Fault.on(Operation.WRITE).shortening(100)
 * Fault.on(Operation.RENAME, Operation.FORCE).after(n).cuttingPower(seed)
 * }</pre>
 */
public final class Fault {
    /** What is done to a file or a directory. Counted by {@link FaultyDirectory#count}. */
    public enum Operation {
        /** A file or directory that was not there. */
        CREATE,
        READ,
        /** Bytes, or another length. */
        WRITE,
        /** Of a file or a directory. */
        FORCE,
        /** Under either name. */
        RENAME,
        DELETE,
        /** Under either name. */
        LINK
    }

    enum Kind {
        FAILURE,
        SHORT_WRITE,
        POWER_CUT
    }

    private final Set<Operation> operations;
    private final Predicate<String> names;
    private final long skipped;
    private final long times;
    private final Kind kind;
    private final long argument;

    private Fault(
            Set<Operation> operations, Predicate<String> names, long skipped, long times, Kind kind, long argument) {
        this.operations = operations;
        this.names = names;
        this.skipped = skipped;
        this.times = times;
        this.kind = kind;
        this.argument = argument;
    }

    /** Operations of these kinds fail with an {@link java.io.IOException}. A failed force makes its file untrustworthy. */
    public static Fault on(Operation first, Operation... more) {
        return new Fault(EnumSet.of(first, more), name -> true, 0, Long.MAX_VALUE, Kind.FAILURE, 0);
    }

    /** Those on files, or directories, with such a name: the last part of the path that they were opened by. */
    public Fault named(Predicate<String> fileName) {
        return new Fault(operations, fileName, skipped, times, kind, argument);
    }

    /** Lets so many of them pass first. */
    public Fault after(long count) {
        return new Fault(operations, names, count, times, kind, argument);
    }

    /** Lets them pass again after so many. */
    public Fault times(long count) {
        return new Fault(operations, names, skipped, count, kind, argument);
    }

    /**
     * Instead of failing, a write takes at most so many bytes, and the caller has to come again with the rest.
     *
     * @throws IllegalStateException when it is about more than writes
     */
    public Fault shortening(int lengthBytesMax) {
        if (!operations.equals(EnumSet.of(Operation.WRITE))) {
            throw new IllegalStateException("only writes can be short, operations=" + operations);
        }
        if (lengthBytesMax <= 0) {
            throw new IllegalArgumentException("short write takes nothing, lengthBytesMax=" + lengthBytesMax);
        }
        return new Fault(operations, names, skipped, times, Kind.SHORT_WRITE, lengthBytesMax);
    }

    /** The power goes out instead of the operation, as by {@link FaultyDirectory#crash(long)} with this seed. */
    public Fault cuttingPower(long seed) {
        return new Fault(operations, names, skipped, times, Kind.POWER_CUT, seed);
    }

    boolean isAbout(Operation operation, String... fileNames) {
        if (operations.contains(operation)) {
            for (String name : fileNames) {
                if (names.test(name)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** @param before how many matching operations there were already */
    boolean isDue(long before) {
        return before >= skipped && before - skipped < times;
    }

    Kind kind() {
        return kind;
    }

    /** Of a short write its length in bytes, of a power cut its seed. */
    long argument() {
        return argument;
    }
}
