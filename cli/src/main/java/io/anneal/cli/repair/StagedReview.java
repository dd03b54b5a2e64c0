package io.anneal.cli.repair;

import io.anneal.agent.ClusterHold;
import io.anneal.agent.StagedContent;
import io.anneal.cli.command.Counted;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is decided before an import of what agents have staged: of which tables nothing is imported on any node, since deleted rows
 * might come back with it.
 *
 * @param refused by qualified name
 * @param lines of what there is, and why tables are refused
 */
record StagedReview(Set<String> refused, List<String> lines) {
    /** Of a dry run: nothing is staged. */
    static final StagedReview NONE = new StagedReview(Set.of(), List.of());

    /** What becomes of tables with rows that are older than gc_grace, and that not all replicas hold. */
    enum OldRows {
        /** Nothing of the table is imported. */
        REFUSE,
        /** They are counted, and imported. */
        REPORT,
        /** They are imported. */
        COPY
    }

    StagedReview {
        refused = Set.copyOf(refused);
        lines = List.copyOf(lines);
    }

    /** @param ghostsMax of a table of a node */
    static StagedReview of(List<ClusterHold.Looked> looked, OldRows oldRows, long ghostsMax) {
        Set<String> refused = new TreeSet<>();
        List<String> lines = new ArrayList<>();
        for (ClusterHold.Looked node : looked) {
            for (StagedContent content : node.tables()) {
                String where = node.agent().name() + ": " + content.table() + ": ";
                if (content.suspects() > 0 && oldRows != OldRows.COPY) {
                    lines.add(where
                            + Counted.of(
                                    content.suspects(),
                                    "row that the node lacks, or cells of it, is",
                                    "rows that the node lacks, or cells of them, are")
                            + " older than gc_grace, the oldest written "
                            + content.oldestSuspect().orElseThrow()
                            + ": lost writes, or deleted ones");
                    content.named().forEach(row -> lines.add("  " + row));
                    if (content.suspects() > content.named().size()) {
                        lines.add("  ...");
                    }
                }
                if (content.ghosts() > 0) {
                    lines.add(where
                            + Counted.of(content.ghosts(), "deletion that it lacks is", "deletions that it lacks are")
                            + " older than gc_grace");
                }
                if (content.suspects() > 0 && oldRows == OldRows.REFUSE) {
                    refused.add(content.table());
                    lines.add(content.table()
                            + ": refused: no node imports it, for those rows. A dry run with --rows names"
                            + " them; with --older-than-gc-grace report they are copied");
                }
                if (content.ghosts() > ghostsMax) {
                    refused.add(content.table());
                    lines.add(content.table() + ": refused: no node imports it, for so many deletions; --ghosts-max "
                            + content.ghosts() + " lets it");
                }
            }
        }
        return new StagedReview(refused, lines);
    }
}
