package io.anneal.metrics;

import java.util.List;

/**
 * Recorders that are shown as one.
 *
 * @param goneCount values of recorders that are there no more: a count never falls
 */
record RecordedParts(List<ValueRecorder> recorders, long goneCount) {
    long count() {
        return goneCount
                + recorders.stream()
                        .mapToLong(recorder -> recorder.meter().getCount())
                        .sum();
    }
}
