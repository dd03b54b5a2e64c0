package io.anneal.cli.repair;

import io.anneal.cli.command.Entries;
import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** The parts of a row, as cells, in which the versions of several replicas differ. */
final class RowParts {
    /** What a part is. */
    enum Kind {
        LIVENESS("liveness"),
        DELETION("row-deletion"),
        COLLECTION_DELETION("collection-deletion"),
        CELL("cell");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** As JSON has it. */
        String text() {
            return text;
        }
    }

    /** One version's part: its row, and the entry in it; -1 of liveness and of the row's deletion. */
    record Part(Row row, int entry) {}

    /**
     * A part in which versions differ.
     *
     * @param column of a cell, and of the deletion of a collection
     * @param parts of each version, in their order; empty for one that does not have it
     */
    record Difference(Kind kind, Optional<Column> column, List<Optional<Part>> parts) {
        /** One that has it. */
        Part any() {
            return parts.stream().flatMap(Optional::stream).findFirst().orElseThrow();
        }
    }

    private RowParts() {}

    /** In what versions differ; all of them are of one place. */
    static List<Difference> differences(TableSchema schema, List<Row> versions) {
        List<Difference> found = new ArrayList<>();
        add(found, Kind.LIVENESS, versions, Row::hasLiveness, RowParts::haveSameLiveness);
        add(found, Kind.DELETION, versions, Row::hasDeletion, RowParts::haveSameDeletion);
        List<Column> columns = versions.get(0).isStatic() ? schema.staticColumns() : schema.regularColumns();
        int[] next = new int[versions.size()];
        for (Optional<Part> least = least(columns, versions, next);
                least.isPresent();
                least = least(columns, versions, next)) {
            Part first = least.get();
            List<Optional<Part>> parts = new ArrayList<>();
            for (int i = 0; i < next.length; i++) {
                Row row = versions.get(i);
                boolean hasIt = next[i] < row.entryCount()
                        && Entries.compare(columns, row, next[i], first.row(), first.entry()) == 0;
                parts.add(hasIt ? Optional.of(new Part(row, next[i]++)) : Optional.empty());
            }
            boolean areSame = parts.stream()
                    .allMatch(part -> part.isPresent()
                            && Entries.areSame(part.get().row(), part.get().entry(), first.row(), first.entry()));
            if (!areSame) {
                found.add(new Difference(
                        first.row().isComplexDeletion(first.entry()) ? Kind.COLLECTION_DELETION : Kind.CELL,
                        Optional.of(columns.get(first.row().columnIndex(first.entry()))),
                        parts));
            }
        }
        return found;
    }

    /** The first entry of all that are left. */
    private static Optional<Part> least(List<Column> columns, List<Row> versions, int[] next) {
        Optional<Part> least = Optional.empty();
        for (int i = 0; i < next.length; i++) {
            Row row = versions.get(i);
            if (next[i] < row.entryCount()
                    && (least.isEmpty()
                            || Entries.compare(
                                            columns,
                                            row,
                                            next[i],
                                            least.get().row(),
                                            least.get().entry())
                                    < 0)) {
                least = Optional.of(new Part(row, next[i]));
            }
        }
        return least;
    }

    private static void add(
            List<Difference> found, Kind kind, List<Row> versions, Predicate<Row> has, BiPredicate<Row, Row> same) {
        Row first = versions.get(0);
        if (!versions.stream().allMatch(row -> has.test(row) == has.test(first) && same.test(row, first))) {
            found.add(new Difference(
                    kind,
                    Optional.empty(),
                    versions.stream()
                            .map(row -> has.test(row) ? Optional.of(new Part(row, -1)) : Optional.<Part>empty())
                            .toList()));
        }
    }

    private static boolean haveSameLiveness(Row one, Row other) {
        return one.livenessTimestampMicros() == other.livenessTimestampMicros()
                && one.livenessTtlSeconds() == other.livenessTtlSeconds()
                && one.livenessExpirySeconds() == other.livenessExpirySeconds();
    }

    private static boolean haveSameDeletion(Row one, Row other) {
        return one.deletionTimestampMicros() == other.deletionTimestampMicros()
                && one.deletionLocalTimeSeconds() == other.deletionLocalTimeSeconds();
    }
}
