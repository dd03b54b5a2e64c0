package io.anneal.simulation;

import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.ArrayList;
import java.util.List;

/**
 * A row as a {@code SELECT} shows it.
 *
 * @param clustering null of a partition that has a static row and no other
 * @param staticRow null where there is none
 * @param row null as the clustering
 * @param place tells it from all others
 * @param staticText what is shown of its static row, with when it was written
 * @param rowText the same of the row
 */
record ShownRow(
        DecoratedKey key,
        Clustering clustering,
        Row staticRow,
        Row row,
        String place,
        String staticText,
        String rowText) {

    /** All that is shown of it. */
    String text() {
        return staticText + rowText;
    }

    /** Rows of what is shown, in its order. */
    static List<ShownRow> of(FragmentList shown) {
        List<ShownRow> rows = new ArrayList<>();
        List<String> lines = shown.lines();
        Row staticRow = null;
        String staticText = "";
        boolean hasRow = false;
        for (int i = 0; i < lines.size(); i++) {
            Fragment fragment = shown.fragments().get(i);
            switch (fragment.kind()) {
                case PARTITION_START -> {
                    staticRow = null;
                    staticText = "";
                    hasRow = false;
                }
                case STATIC_ROW -> {
                    staticRow = fragment.row();
                    staticText = lines.get(i);
                }
                case CLUSTERING_ROW -> {
                    hasRow = true;
                    String line = lines.get(i);
                    Clustering clustering = fragment.row().clustering();
                    String place = fragment.key() + line.substring(0, line.indexOf(')') + 1);
                    rows.add(new ShownRow(
                            fragment.key(), clustering, staticRow, fragment.row(), place, staticText, line));
                }
                case PARTITION_END -> {
                    if (!hasRow && staticRow != null) {
                        rows.add(new ShownRow(
                                fragment.key(), null, staticRow, null, fragment.key() + " static", staticText, ""));
                    }
                }
                case RANGE_TOMBSTONE_CHANGE -> throw new AssertionError("a deletion is shown, " + lines.get(i));
            }
        }
        return rows;
    }

    @Override
    public String toString() {
        return place + ":" + text();
    }
}
