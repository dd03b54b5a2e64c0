package io.anneal.compaction;

import io.anneal.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Decides what is compacted next: a pure function of what there is. Asked again and again, with what it named last among the
 * busy ones, until it names nothing. Immutable; any thread.
 */
public interface CompactionStrategy {
    /** What is most worth doing now; empty when nothing is. */
    Optional<CompactionTask> next(CompactionView view);

    /** About how many tasks there are to do, were all SSTables idle. */
    int pending(CompactionView view);

    /** Tasks that together compact everything idle, as few outputs as the strategy likes. */
    List<CompactionTask> major(CompactionView view);

    /**
     * The strategy that a table's {@code compaction} option names, with its options; size-tiered when it names none.
     *
     * @throws IllegalArgumentException when the class is not known, or an option is not or has a bad value: names it
     */
    static CompactionStrategy of(TableSchema schema) {
        return CompactionStrategies.of(schema.options(), schema.hasCounters());
    }

    /** The time window that a timestamp in microseconds lies in, where the table's strategy keeps windows apart. */
    static Optional<LongUnaryOperator> windowOf(TableSchema schema) {
        return CompactionStrategies.windowOf(schema.options());
    }
}
