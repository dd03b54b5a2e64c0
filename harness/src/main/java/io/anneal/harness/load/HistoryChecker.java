package io.anneal.harness.load;

import io.anneal.harness.load.LoggedOperation.Outcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Holds the log of all operations against what callers were promised. Each item of each key is a register; a read of one is
 * explained if some write could be the last before it:
 *
 * <pre>
 *   w       |-------|                      what was read was written by w, begun before the read ended,
 *   newer              |------|            and no acknowledged write began after w ended
 *   read                         |----|    and ended before the read began
 * </pre>
 *
 * <p>A delete is a write of nothing, and before all writes there was nothing. Of writes that overlap either may be the last. A write
 * without a known outcome explains a read and forbids none. Knows no clock: times are what the log holds. Owned by one thread;
 * the log may go on meanwhile.
 */
public final class HistoryChecker {
    /** When a write with an unknown outcome may take effect. */
    public enum UnknownWrites {
        /** Until its caller was told so, as stores do that order writes by the time that {@code WriteTime} gives them. */
        IN_ORDER,
        /** At any time later, over newer writes too. */
        AT_ANY_TIME
    }

    private final UnknownWrites unknownWrites;
    private final Predicate<String> foreign;
    private final Map<Violation.Kind, Long> counts = new EnumMap<>(Violation.Kind.class);
    private final List<Violation> samples = new ArrayList<>();

    public HistoryChecker(UnknownWrites unknownWrites) {
        this(unknownWrites, value -> false);
    }

    /**
     * @param foreign whether a value may stem from before the log began; it may be read until something was acknowledged
     */
    public HistoryChecker(UnknownWrites unknownWrites, Predicate<String> foreign) {
        this.unknownWrites = unknownWrites;
        this.foreign = foreign;
    }

    /** Checks all that the log has, and leaves it as it is. */
    public static HistoryVerdict check(OperationLog log, UnknownWrites unknownWrites) {
        HistoryChecker checker = new HistoryChecker(unknownWrites);
        for (KeyHistory history : log.histories()) {
            synchronized (history) {
                checker.check(history);
            }
        }
        return checker.verdict(log);
    }

    /**
     * Checks what was logged since the last call and takes out of the log what later calls don't need, so that a log under
     * steady load stays small. May be called while operations are under way.
     */
    public void sweep(OperationLog log) {
        for (KeyHistory history : log.histories()) {
            synchronized (history) {
                if (history.hasUnchecked()) {
                    check(history);
                    history.forget();
                }
            }
        }
    }

    /** What was found so far. */
    public HistoryVerdict verdict(OperationLog log) {
        return new HistoryVerdict(
                log.operations(),
                count(Violation.Kind.LOST_WRITE),
                count(Violation.Kind.RESURRECTED_DELETE),
                count(Violation.Kind.STALE_READ),
                count(Violation.Kind.NEVER_WRITTEN),
                List.copyOf(samples));
    }

    private long count(Violation.Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    private void check(KeyHistory history) {
        List<LoggedOperation> reads = new ArrayList<>();
        Set<String> items = new TreeSet<>();
        for (LoggedOperation operation : history.operations()) {
            items.addAll(operation.items().keySet());
            if (operation.isRead() && operation.outcome() == Outcome.ACKNOWLEDGED) {
                reads.add(operation);
            }
        }
        if (reads.isEmpty()) {
            return;
        }
        for (String item : items) {
            List<LoggedOperation> writes = history.operations().stream()
                    .filter(operation -> !operation.isRead() && operation.touches(item))
                    .toList();
            for (LoggedOperation read : reads) {
                check(history, item, writes, read);
            }
        }
    }

    private void check(KeyHistory history, String item, List<LoggedOperation> writes, LoggedOperation read) {
        String observed = read.items().get(item);
        LoggedOperation newest = null;
        boolean known = observed == null || foreign.test(observed);
        // Before the log there was nothing, or something foreign; both lie before every write.
        long lastEnd = Long.MIN_VALUE;
        for (LoggedOperation write : writes) {
            if (write.outcome() == Outcome.ACKNOWLEDGED
                    && write.end() < read.start()
                    && (newest == null || write.start() > newest.start())) {
                newest = write;
            }
            if (write.outcome() != Outcome.FAILED
                    && write.start() <= read.end()
                    && Objects.equals(write.leaves(item), observed)) {
                known = true;
                lastEnd = Math.max(lastEnd, effectiveEnd(write));
            }
        }
        if (!known && !history.forgotten()) {
            add(Violation.Kind.NEVER_WRITTEN, history, item, read, describe(writes, observed, item));
        } else if (newest != null && lastEnd < newest.start()) {
            add(
                    kind(observed, newest.leaves(item), read.isLast()),
                    history,
                    item,
                    read,
                    "acknowledged before: " + newest);
        }
    }

    private long effectiveEnd(LoggedOperation write) {
        boolean late = write.outcome() == Outcome.UNKNOWN && unknownWrites == UnknownWrites.AT_ANY_TIME;
        return late ? Long.MAX_VALUE : write.end();
    }

    private static Violation.Kind kind(String observed, String acknowledged, boolean last) {
        if (acknowledged == null) {
            return Violation.Kind.RESURRECTED_DELETE;
        }
        return observed == null || last ? Violation.Kind.LOST_WRITE : Violation.Kind.STALE_READ;
    }

    private static String describe(List<LoggedOperation> writes, String observed, String item) {
        return writes.stream()
                .filter(write -> observed.equals(write.leaves(item)))
                .findFirst()
                .map(write -> "its write: " + write)
                .orElse("nobody wrote it");
    }

    private void add(Violation.Kind kind, KeyHistory history, String item, LoggedOperation read, String explanation) {
        counts.merge(kind, 1L, Long::sum);
        if (samples.size() < HistoryVerdict.SAMPLES_MAX) {
            samples.add(new Violation(kind, history.key(), item, read.items().get(item), read.start(), explanation));
        }
    }
}
