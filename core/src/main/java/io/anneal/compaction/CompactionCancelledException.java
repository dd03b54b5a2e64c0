package io.anneal.compaction;

import java.io.IOException;

/** A compaction was cancelled: nothing of it is left, its inputs are as they were. */
public final class CompactionCancelledException extends IOException {
    private static final long serialVersionUID = 1L;

    CompactionCancelledException(CompactionTask task) {
        super("compaction was cancelled, reason=" + task.reason() + ", inputs="
                + task.inputs().size() + ", first="
                + task.inputs().get(0).reader().descriptor());
    }
}
