package io.anneal.migrate.bulk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/** A store of numbers in memory, source and target at once, in which newer wins and a deletion beats what is as old. */
final class TestSide implements BulkSource<TestEntry>, BulkTarget<TestEntry> {
    private final String name;
    private final ConcurrentSkipListMap<Long, TestEntry> entries = new ConcurrentSkipListMap<>();
    private final Map<Long, Long> deletions = new ConcurrentSkipListMap<>();

    String shape = "numbers";
    /** Called with each entry that is read by a cursor, and may throw. */
    Consumer<TestEntry> reading = entry -> {};
    /** Called before each entry that is read again. */
    Runnable rereading = () -> {};
    /** Called with each entry that is written, and may throw. */
    Consumer<TestEntry> writing = entry -> {};

    TestSide(String name) {
        this.name = name;
    }

    /** What can't be read or written. */
    static final class BrokenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BrokenException(String message) {
            super(message);
        }
    }

    synchronized void put(long position, String value, long micros) {
        TestEntry there = entries.get(position);
        boolean newer = there == null || there.writeTimeMicros() <= micros;
        if (newer && deletions.getOrDefault(position, Long.MIN_VALUE) < micros) {
            entries.put(position, new TestEntry(position, value, micros));
        }
    }

    synchronized void delete(long position, long micros) {
        deletions.merge(position, micros, Math::max);
        TestEntry there = entries.get(position);
        if (there != null && there.writeTimeMicros() <= micros) {
            entries.remove(position);
        }
    }

    /** As if it had never been written. */
    void lose(long position) {
        entries.remove(position);
    }

    /** Positions spread over the whole line. */
    static long position(int i, int count) {
        return Long.MIN_VALUE / count * (count - 2L * i) + 1;
    }

    List<TestEntry> all() {
        return List.copyOf(entries.values());
    }

    TestEntry lastIn(BulkRange range) {
        return entries.subMap(range.after(), false, range.through(), true)
                .lastEntry()
                .getValue();
    }

    @Override
    public String identity() {
        return name;
    }

    @Override
    public String shape() {
        return shape;
    }

    @Override
    public List<BulkRange> ranges(int count) {
        return BulkRange.ALL.split(count);
    }

    @Override
    public BulkCursor<TestEntry> open(BulkRange range) {
        Iterator<TestEntry> inRange = new ArrayList<>(entries.subMap(range.after(), false, range.through(), true)
                        .values())
                .iterator();
        return new BulkCursor<>() {
            @Override
            public TestEntry next() throws IOException {
                if (!inRange.hasNext()) {
                    return null;
                }
                TestEntry entry = inRange.next();
                reading.accept(entry);
                return entry;
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
    }

    @Override
    public Comparator<? super TestEntry> order() {
        return Comparator.comparingLong(TestEntry::position);
    }

    @Override
    public Optional<TestEntry> reread(TestEntry like) {
        rereading.run();
        return Optional.ofNullable(entries.get(like.position()));
    }

    @Override
    public CompletionStage<Void> write(TestEntry entry) {
        try {
            writing.accept(entry);
        } catch (BrokenException e) {
            return CompletableFuture.failedFuture(e);
        }
        put(entry.position(), entry.value(), entry.writeTimeMicros());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> remove(TestEntry there, Optional<TestEntry> kept) {
        if (kept.isEmpty()) {
            delete(there.position(), there.writeTimeMicros());
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void finish(BulkRange range) {
        // Nothing is held back.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
