package io.anneal.simulation;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** What replicas come to by the naive model, and what counts of it now. */
final class ReplicaViews {
    private final TableSchema schema;
    private final ManualClock clock;
    private final boolean counters;
    private final FragmentList nothing;

    /** @param counters whether the model does not know what the table holds, and the merge has to be believed */
    ReplicaViews(TableSchema schema, ManualClock clock, boolean counters) {
        this.schema = schema;
        this.clock = clock;
        this.counters = counters;
        nothing = FragmentList.builder(schema).build();
    }

    FragmentList nothing() {
        return nothing;
    }

    FragmentList merged(FragmentList... sources) throws IOException {
        return merged(Arrays.asList(sources));
    }

    FragmentList merged(List<FragmentList> sources) throws IOException {
        List<FragmentList> filled =
                sources.stream().filter(source -> !source.fragments().isEmpty()).toList();
        if (filled.isEmpty()) {
            return nothing;
        }
        if (counters) {
            try (FragmentCursor cursor = MergeCursor.of(
                    schema, filled.stream().map(FragmentList::cursor).toList())) {
                return FragmentList.copyOf(cursor);
            }
        }
        NaiveTable model = new NaiveTable(schema);
        filled.forEach(model::add);
        return model.content();
    }

    /** The partitions whose tokens lie in ranges. */
    FragmentList within(FragmentList content, List<TokenRange> ranges) {
        if (ranges.equals(List.of(TokenRange.FULL))) {
            return content;
        }
        FragmentList.Builder wanted = FragmentList.builder(schema);
        boolean isWanted = false;
        for (Fragment fragment : content.fragments()) {
            if (fragment.kind() == FragmentKind.PARTITION_START) {
                long token = fragment.key().token();
                isWanted = ranges.stream().anyMatch(range -> range.contains(token));
            }
            if (isWanted) {
                wanted.add(fragment);
            }
        }
        return wanted.build();
    }

    List<String> of(FragmentList content, TokenRange range, long ceilingSeconds) throws IOException {
        return of(content, List.of(range), ceilingSeconds);
    }

    /**
     * What counts in ranges of what is merged already.
     *
     * @param ceilingSeconds to which local deletion times are cut
     */
    List<String> of(FragmentList content, List<TokenRange> ranges, long ceilingSeconds) throws IOException {
        return purged(content, ranges, ceilingSeconds).lines();
    }

    /** The same as fragments. */
    FragmentList purged(FragmentList content, List<TokenRange> ranges, long ceilingSeconds) throws IOException {
        SessionPurgeRule rule = new SessionPurgeRule(
                clock.instant().getEpochSecond(), schema.options().gcGraceSeconds());
        FragmentList cut = MovedFragments.of(
                within(content, ranges), micros -> micros, seconds -> Math.min(seconds, ceilingSeconds));
        // Of two deletions that differed in nothing else, the outer one hides the inner one now.
        FragmentList normal = merged(cut);
        try (FragmentCursor cursor = new PurgeCursor(normal.cursor(), rule)) {
            return FragmentList.copyOf(cursor);
        }
    }
}
