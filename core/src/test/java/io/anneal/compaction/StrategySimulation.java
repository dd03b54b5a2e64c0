package io.anneal.compaction;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A store of one shard that is nothing but sizes and tokens: flushes come in, tasks are carried out two at a time and end in
 * any order. An SSTable is a sorted array of tokens, a write each.
 */
final class StrategySimulation {
    /** What a write takes. */
    static final long WRITE_BYTES = 16 << 10;

    private record Table(long[] tokens, int level, long maxMicros, StubSSTable stub, CompactionCandidate candidate) {}

    private final CompactionStrategy strategy;
    private final Random random;
    private final int tasksMax;
    private final Consumer<StrategySimulation> invariant;
    private final Map<Object, Table> tables = new HashMap<>();
    private final List<CompactionTask> running = new ArrayList<>();

    private int made;
    private long flushedBytes;
    private long compactedBytes;
    private long micros;
    private int sstablesMax;
    private int readAmplificationMax;

    /** @param invariant checked whenever a task has ended */
    StrategySimulation(CompactionStrategy strategy, long seed, int tasksMax, Consumer<StrategySimulation> invariant) {
        this.strategy = strategy;
        random = new Random(seed);
        this.tasksMax = tasksMax;
        this.invariant = invariant;
    }

    /** Flushes so many writes, over the whole ring, of this time. */
    void flush(int writes, long timeMicros) {
        long[] tokens = random.longs(writes, Long.MIN_VALUE + 1, Long.MAX_VALUE)
                .sorted()
                .toArray();
        micros = timeMicros;
        add(tokens, 0, timeMicros);
        flushedBytes += writes * WRITE_BYTES;
    }

    private void add(long[] tokens, int level, long maxMicros) {
        StubSSTable stub = StubSSTable.of(Integer.toString(made++))
                .bytes(tokens.length * WRITE_BYTES)
                .level(level)
                .partitions(tokens.length)
                .tokens(tokens[0], tokens[tokens.length - 1])
                .micros(maxMicros, maxMicros);
        tables.put(stub, new Table(tokens, level, maxMicros, stub, stub.candidate()));
    }

    private CompactionView view() {
        List<CompactionCandidate> idle = new ArrayList<>();
        List<CompactionCandidate> busy = new ArrayList<>();
        running.forEach(task -> busy.addAll(task.inputs()));
        for (Table table : tables.values()) {
            if (busy.stream().noneMatch(candidate -> candidate.reader() == table.stub())) {
                idle.add(table.candidate());
            }
        }
        // As a store would have them, in no order that means anything.
        idle.sort((left, right) ->
                left.reader().toString().compareTo(right.reader().toString()));
        return new CompactionView(idle, busy, Long.MAX_VALUE, micros / 1_000_000);
    }

    /** Starts what there is room for and ends one; whether anything ran. */
    boolean step() {
        while (running.size() < tasksMax) {
            Optional<CompactionTask> next = strategy.next(view());
            if (next.isEmpty()) {
                break;
            }
            running.add(next.get());
        }
        if (running.isEmpty()) {
            return false;
        }
        end(running.remove(random.nextInt(running.size())));
        invariant.accept(this);
        return true;
    }

    /** Until nothing is to be done any more. */
    void settle() {
        int steps = 0;
        while (step()) {
            if (++steps > 10_000) {
                throw new AssertionError("compactions never end, seed unknown to the simulation");
            }
        }
        sstablesMax = Math.max(sstablesMax, tables.size());
        readAmplificationMax = Math.max(readAmplificationMax, readAmplification());
    }

    private void end(CompactionTask task) {
        long maxMicros = Long.MIN_VALUE;
        List<long[]> inputs = new ArrayList<>();
        for (CompactionCandidate input : task.inputs()) {
            Table table = tables.remove(input.reader());
            inputs.add(table.tokens());
            maxMicros = Math.max(maxMicros, table.maxMicros());
        }
        if (task.reason() == CompactionTask.Reason.DROP_EXPIRED) {
            return;
        }
        long[] merged = inputs.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        compactedBytes += merged.length * WRITE_BYTES;
        int from = 0;
        for (int i = 0; i < merged.length; i++) {
            boolean last = i + 1 == merged.length;
            if (last
                    || (i + 1 - from) * WRITE_BYTES >= task.outputSizeLimitBytes()
                    || part(merged[i], task) != part(merged[i + 1], task)) {
                add(Arrays.copyOfRange(merged, from, i + 1), task.level(), maxMicros);
                from = i + 1;
            }
        }
    }

    private static long part(long token, CompactionTask task) {
        return Math.multiplyHigh((token ^ Long.MIN_VALUE) >>> 1, (long) task.tokenParts() << 1);
    }

    List<CompactionCandidate> candidates() {
        return tables.values().stream().map(Table::candidate).toList();
    }

    /** How many SSTables a partition may be in at most. */
    private int readAmplification() {
        int max = 0;
        for (Table at : tables.values()) {
            long token = at.candidate().firstToken();
            int count = 0;
            for (Table table : tables.values()) {
                count += token >= table.candidate().firstToken()
                                && token <= table.candidate().lastToken()
                        ? 1
                        : 0;
            }
            max = Math.max(max, count);
        }
        return max;
    }

    long writeCount() {
        return tables.values().stream()
                .mapToLong(table -> table.tokens().length)
                .sum();
    }

    double writeAmplification() {
        return 1 + compactedBytes / (double) flushedBytes;
    }

    int sstablesMax() {
        return sstablesMax;
    }

    int readAmplificationMax() {
        return readAmplificationMax;
    }
}
