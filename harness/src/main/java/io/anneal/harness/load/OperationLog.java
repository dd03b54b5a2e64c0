package io.anneal.harness.load;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What clients did and what they were told, kept apart from the stores and from the dual DAO, for {@link HistoryChecker}. A key
 * holds items by name, as a partition holds rows. Any thread may call.
 */
public final class OperationLog {
    private final Map<String, KeyHistory> histories = new ConcurrentHashMap<>();
    private final LongAdder operations = new LongAdder();

    /** Begins a write of some items. */
    public LoggedOperation write(String key, Map<String, String> items, long start) {
        return begin(LoggedOperation.Kind.WRITE, key, Map.copyOf(items), start);
    }

    /** Begins a write of all items: what is not among them is taken away. */
    public LoggedOperation replace(String key, Map<String, String> items, long start) {
        return begin(LoggedOperation.Kind.REPLACE, key, Map.copyOf(items), start);
    }

    /** Begins the removal of one item. */
    public LoggedOperation deleteItem(String key, String item, long start) {
        return begin(LoggedOperation.Kind.DELETE_ITEMS, key, Map.of(item, ""), start);
    }

    /** Begins the removal of all items. */
    public LoggedOperation delete(String key, long start) {
        return begin(LoggedOperation.Kind.DELETE, key, Map.of(), start);
    }

    /** Begins a read; a read that fails may be left as it is, or ended as failed. */
    public LoggedOperation read(String key, long start) {
        return begin(LoggedOperation.Kind.READ, key, Map.of(), start);
    }

    /** Adds what a key holds when everything is over; an acknowledged write that is not there then is lost for good. */
    public void holdsAtLast(String key, Map<String, String> items, long at) {
        begin(LoggedOperation.Kind.READ, key, Map.of(), at).asLast().answered(items, at);
    }

    private LoggedOperation begin(LoggedOperation.Kind kind, String key, Map<String, String> items, long start) {
        return histories
                .computeIfAbsent(key, name -> new KeyHistory(name, this))
                .begin(kind, items, start);
    }

    void ended() {
        operations.increment();
    }

    /** How many ended, since the beginning. */
    public long operations() {
        return operations.sum();
    }

    /** Every key that was ever named. */
    public Collection<String> keys() {
        return histories.keySet();
    }

    Collection<KeyHistory> histories() {
        return histories.values();
    }
}
