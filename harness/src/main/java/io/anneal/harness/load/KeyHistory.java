package io.anneal.harness.load;

import io.anneal.harness.load.LoggedOperation.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** All operations on one key that still matter. Guarded by itself. */
final class KeyHistory {
    private final String key;
    private final OperationLog log;
    private final List<LoggedOperation> operations = new ArrayList<>();

    private int unchecked;
    private boolean forgotten;

    KeyHistory(String key, OperationLog log) {
        this.key = key;
        this.log = log;
    }

    String key() {
        return key;
    }

    synchronized LoggedOperation begin(LoggedOperation.Kind kind, Map<String, String> items, long start) {
        LoggedOperation operation = new LoggedOperation(this, kind, items, start);
        operations.add(operation);
        return operation;
    }

    /** Called by an operation that ended, under this lock. */
    void ended() {
        unchecked++;
        log.ended();
    }

    boolean hasUnchecked() {
        return unchecked > 0;
    }

    /** Not to be kept beyond the lock. */
    List<LoggedOperation> operations() {
        return operations;
    }

    /** Whether writes are gone from here, so that a value that nobody here wrote may have been written all the same. */
    boolean forgotten() {
        return forgotten;
    }

    /**
     * Drops what no later check can need: reads that ended, and writes all of whose items were written again by acknowledged
     * writes that began after them and ended before every read still under way began.
     */
    void forget() {
        Superseding superseding = new Superseding(operations);
        for (Iterator<LoggedOperation> each = operations.iterator(); each.hasNext(); ) {
            LoggedOperation operation = each.next();
            if (operation.outcome() == Outcome.PENDING) {
                continue;
            }
            if (operation.isRead()) {
                each.remove();
            } else if (superseding.supersedes(operation)) {
                each.remove();
                forgotten = true;
            }
        }
        unchecked = 0;
    }

    /** When the newest acknowledged write of each item began. */
    private static final class Superseding {
        private final Map<String, Long> newestStarts = new HashMap<>();
        private long newestOfAllItems = Long.MIN_VALUE;

        Superseding(List<LoggedOperation> operations) {
            long oldestRead = operations.stream()
                    .filter(operation -> operation.isRead() && operation.outcome() == Outcome.PENDING)
                    .mapToLong(LoggedOperation::start)
                    .min()
                    .orElse(Long.MAX_VALUE);
            for (LoggedOperation operation : operations) {
                boolean counts = !operation.isRead() && operation.outcome() == Outcome.ACKNOWLEDGED;
                if (counts && operation.end() < oldestRead) {
                    add(operation);
                }
            }
        }

        private void add(LoggedOperation write) {
            if (write.touchesAll()) {
                newestOfAllItems = Math.max(newestOfAllItems, write.start());
            } else {
                write.items().keySet().forEach(item -> newestStarts.merge(item, write.start(), Math::max));
            }
        }

        boolean supersedes(LoggedOperation write) {
            // One that may still take effect explains reads for ever.
            if (write.outcome() == Outcome.UNKNOWN) {
                return false;
            }
            if (write.end() < newestOfAllItems) {
                return true;
            }
            return !write.touchesAll()
                    && write.items().keySet().stream()
                            .allMatch(item -> write.end() < newestStarts.getOrDefault(item, Long.MIN_VALUE));
        }
    }
}
