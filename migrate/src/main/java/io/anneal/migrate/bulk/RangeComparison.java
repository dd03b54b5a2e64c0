package io.anneal.migrate.bulk;

import java.util.ArrayList;
import java.util.List;

/** What the comparison of one range has found so far. One thread at a time. */
final class RangeComparison<E extends BulkEntry> {
    /** Suspects held of a range before they are read again at once, and their bytes on both sides. */
    private static final int SUSPECTS_MAX = 1_000;

    private static final long SUSPECT_BYTES_MAX = 8 << 20;

    /**
     * An entry that was seen to differ.
     *
     * @param origin null if only the target has it
     * @param target null if only the origin has it
     */
    record Suspect<E>(E origin, E target) {
        E either() {
            return origin == null ? target : origin;
        }
    }

    private final List<BulkMismatch> samples = new ArrayList<>();
    private List<Suspect<E>> suspects = new ArrayList<>();
    private long suspectBytes;
    private long seenNanos;
    private long cleared;
    private long onlyOrigin;
    private long onlyTarget;
    private long different;
    private long writtenPast;
    private long repaired;

    void suspect(E origin, E target) {
        suspects.add(new Suspect<>(origin, target));
        suspectBytes += (origin == null ? 0 : origin.lengthBytes()) + (target == null ? 0 : target.lengthBytes());
    }

    boolean hasSuspects() {
        return !suspects.isEmpty();
    }

    boolean isFull() {
        return suspects.size() >= SUSPECTS_MAX || suspectBytes >= SUSPECT_BYTES_MAX;
    }

    /** Of those that were found since the last were believed. */
    long suspectBytes() {
        return suspectBytes;
    }

    List<Suspect<E>> suspects() {
        return suspects;
    }

    /** These still differ; the others are cleared. */
    void stillSuspects(List<Suspect<E>> still) {
        cleared += suspects.size() - still.size();
        suspects = new ArrayList<>(still);
    }

    void seen(long nanos) {
        seenNanos = nanos;
    }

    long seenNanos() {
        return seenNanos;
    }

    /** Suspects that turned out to be mismatches, all of them. */
    void believed(List<Believed> mismatches, int samplesMax) {
        suspects = new ArrayList<>();
        suspectBytes = 0;
        for (Believed believed : mismatches) {
            switch (believed.mismatch().kind()) {
                case ONLY_ORIGIN -> onlyOrigin++;
                case ONLY_TARGET -> onlyTarget++;
                case DIFFERENT -> different++;
            }
            writtenPast += believed.mismatch().writtenPast() ? 1 : 0;
            repaired += believed.repaired() ? 1 : 0;
            sample(believed.mismatch(), samplesMax);
        }
    }

    /** Of what was written past the dual DAO, names are what is wanted most: it comes first. */
    private void sample(BulkMismatch mismatch, int samplesMax) {
        samples.add(mismatch.writtenPast() ? 0 : samples.size(), mismatch);
        if (samples.size() > samplesMax) {
            samples.remove(samples.size() - 1);
        }
    }

    /** A mismatch, and whether it was made good. */
    record Believed(BulkMismatch mismatch, boolean repaired) {}

    long mismatches() {
        return onlyOrigin + onlyTarget + different;
    }

    /** Of the mismatches those that are still there. */
    long unrepaired() {
        return mismatches() - repaired;
    }

    List<BulkMismatch> samples() {
        return samples;
    }

    long cleared() {
        return cleared;
    }

    long onlyOrigin() {
        return onlyOrigin;
    }

    long onlyTarget() {
        return onlyTarget;
    }

    long different() {
        return different;
    }

    long writtenPast() {
        return writtenPast;
    }

    long repaired() {
        return repaired;
    }
}
