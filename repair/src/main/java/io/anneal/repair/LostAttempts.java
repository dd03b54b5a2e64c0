package io.anneal.repair;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Attempts at one unit that failed in their last step, when replicas may have kept what they received: the next one may find nothing
 * of that, so what these found and left is told with it. One thread.
 */
final class LostAttempts implements Closeable {
    /** Of attempts of this run alone. */
    private final List<DifferenceLog> logs = new ArrayList<>();

    private Optional<RepairReport> report = Optional.empty();
    private Optional<Long> endsAt = Optional.empty();
    /** That of the attempt that found most. */
    private Optional<DifferenceLog> longest = Optional.empty();

    private long longestDiffering = -1;

    static LostAttempts ofEarlierRun(KeptReport kept) {
        LostAttempts lost = new LostAttempts();
        lost.report = Optional.of(kept.report());
        lost.endsAt = kept.endsAt();
        return lost;
    }

    /** @param differences of the attempt, which are closed with this */
    void add(RepairReport found, Optional<Long> end, DifferenceLog differences) {
        report = Optional.of(report.map(found::after).orElse(found));
        endsAt = endsAt.or(() -> end);
        logs.add(differences);
        if (found.differing() > longestDiffering) {
            longest = Optional.of(differences);
            longestDiffering = found.differing();
        }
    }

    /** What they found, and replicas kept or did not keep; of nothing that anybody counts as compared. */
    RepairReport report() {
        return report.orElseThrow();
    }

    /** Where the first of them ended, if that was before the unit's end: the others, and the next one, do exactly its part. */
    Optional<Long> endsAt() {
        return endsAt;
    }

    /** The differences of the one that found most, if that is more than another found. */
    Optional<DifferenceLog> logOfMore(RepairReport other) {
        return longest.filter(found -> longestDiffering > other.differing());
    }

    @Override
    public void close() throws IOException {
        for (DifferenceLog log : logs) {
            log.close();
        }
    }
}
