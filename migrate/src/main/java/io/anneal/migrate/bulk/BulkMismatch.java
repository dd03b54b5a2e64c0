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

    /** A line for people: where it is, which, and in what it differs. */
    @Override
    public String toString() {
        String where = switch (kind) {
            case ONLY_ORIGIN -> "only in the origin";
            case ONLY_TARGET -> "only in the target";
            case DIFFERENT -> "different";
        };
        StringBuilder text = new StringBuilder(where)
                .append(writtenPast ? ", written past the dual DAO: " : ": ")
                .append(key);
        diffs.forEach(diff -> text.append("; ")
                .append(diff.path())
                .append(": ")
                .append(diff.origin())
                .append(" and ")
                .append(diff.target()));
        return text.toString();
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
