package io.anneal.harness.load;

import java.util.Map;

/**
 * An operation as its caller saw it. Begins without an outcome; whoever began it says, once, how it ended. Times are any numbers
 * that grow: nanoseconds or steps of a simulation.
 *
 * <p>Several threads may hold operations of one key: everything that changes is guarded by the {@link KeyHistory}.
 */
public final class LoggedOperation {
    /** What it does to the items of its key. */
    public enum Kind {
        /** Writes some items and leaves the others. */
        WRITE,
        /** Writes some items and takes all others away. */
        REPLACE,
        /** Takes some items away. */
        DELETE_ITEMS,
        /** Takes all items away. */
        DELETE,
        READ
    }

    /** What the caller was told. */
    public enum Outcome {
        /** Nothing yet. */
        PENDING,
        /** That it was done. */
        ACKNOWLEDGED,
        /** That it was not done, and never will be. */
        FAILED,
        /** Nothing that says whether it was done. */
        UNKNOWN
    }

    private static final long NOT_ENDED = Long.MAX_VALUE;

    private final KeyHistory history;
    private final Kind kind;
    private final long start;

    private Map<String, String> items;
    private Outcome outcome = Outcome.PENDING;
    private long end = NOT_ENDED;
    private boolean last;

    LoggedOperation(KeyHistory history, Kind kind, Map<String, String> items, long start) {
        this.history = history;
        this.kind = kind;
        this.items = items;
        this.start = start;
    }

    /** A write or delete was done. */
    public void acknowledged(long at) {
        end(Outcome.ACKNOWLEDGED, items, at);
    }

    /** It was not done and will not be: of a write nobody may ever read anything. */
    public void failed(long at) {
        end(Outcome.FAILED, items, at);
    }

    /** It was done or not, or will be. */
    public void unknown(long at) {
        end(Outcome.UNKNOWN, items, at);
    }

    /** A read was answered with these items and no others. */
    public void answered(Map<String, String> observed, long at) {
        end(Outcome.ACKNOWLEDGED, Map.copyOf(observed), at);
    }

    private void end(Outcome how, Map<String, String> what, long at) {
        synchronized (history) {
            if (outcome != Outcome.PENDING || at < start) {
                throw new IllegalStateException("operation ended before, or before it began, key=" + history.key()
                        + ", outcome=" + outcome + ", start=" + start + ", end=" + at);
            }
            outcome = how;
            items = what;
            end = at;
            history.ended();
        }
    }

    /** Makes it the read that is made when everything is over. */
    LoggedOperation asLast() {
        last = true;
        return this;
    }

    boolean isLast() {
        return last;
    }

    Kind kind() {
        return kind;
    }

    boolean isRead() {
        return kind == Kind.READ;
    }

    Outcome outcome() {
        return outcome;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    Map<String, String> items() {
        return items;
    }

    /** Whether it says anything of that item. */
    boolean touches(String item) {
        return touchesAll() || items.containsKey(item);
    }

    /** Whether it says something of all items, named or not. */
    boolean touchesAll() {
        return kind == Kind.REPLACE || kind == Kind.DELETE;
    }

    /** What it leaves of that item, which it touches; null for nothing. */
    String leaves(String item) {
        return kind == Kind.DELETE || kind == Kind.DELETE_ITEMS ? null : items.get(item);
    }

    @Override
    public String toString() {
        return kind + items.toString() + " " + outcome + " [" + start + ", " + (end == NOT_ENDED ? "..." : end) + "]";
    }
}
