package io.anneal.migrate.bulk;

import io.anneal.dualdao.compare.FieldDiff;
import java.util.List;

/**
 * An entry that is not the same on both sides, after it was read again.
 *
 * @param key as {@link BulkEntry#key()}
 * @param writtenPast whether the origin got it after all instances wrote to both sides, and the target did not: somebody writes
 *     past the dual DAO, or a write failed and waits in a journal
 * @param diffs of an entry that both have
 */
public record BulkMismatch(String key, Kind kind, boolean writtenPast, List<FieldDiff> diffs) {
    /** Where it is. */
    public enum Kind {
        ONLY_ORIGIN,
        ONLY_TARGET,
        DIFFERENT
    }

    public BulkMismatch {
        diffs = List.copyOf(diffs);
    }

    /** The same with the two sides in each other's place. */
    BulkMismatch exchanged() {
        Kind other = switch (kind) {
            case ONLY_ORIGIN -> Kind.ONLY_TARGET;
            case ONLY_TARGET -> Kind.ONLY_ORIGIN;
            case DIFFERENT -> Kind.DIFFERENT;
        };
        return new BulkMismatch(
                key,
                other,
                writtenPast,
                diffs.stream()
                        .map(diff -> new FieldDiff(diff.path(), diff.target(), diff.origin()))
                        .toList());
    }
}
