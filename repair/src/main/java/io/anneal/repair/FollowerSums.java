package io.anneal.repair;

import io.anneal.repair.message.Phase;
import io.anneal.repair.message.WindowAnswer;
import io.anneal.repair.message.WindowSummary;
import java.util.ArrayList;
import java.util.List;

/** The sums of a window that each follower said last. Belongs to the master's thread. */
final class FollowerSums {
    private final List<Participant> followers;
    private final int bufferBytes;
    /** By follower. */
    private final List<WindowSummary> last = new ArrayList<>();

    FollowerSums(List<Participant> followers, int bufferBytes) {
        this.followers = followers;
        this.bufferBytes = bufferBytes;
    }

    /** Those of the next window. */
    void set(List<WindowAnswer> answers) {
        last.clear();
        for (WindowAnswer answer : answers) {
            last.add(answer.summary());
        }
    }

    /** Those of one follower, after it received something. */
    void set(int follower, WindowSummary summary) {
        last.set(follower, summary);
    }

    /**
     * Of one phase, by follower.
     *
     * @throws RepairException when a follower says that it holds more than its list of hashes would have room for in memory
     */
    List<WindowSummary.Sum> of(Phase phase) throws RepairException {
        List<WindowSummary.Sum> sums = new ArrayList<>();
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum sum = last.get(i).of(phase);
            requireRoom(followers.get(i), phase, sum.count());
            sums.add(sum);
        }
        return sums;
    }

    private void requireRoom(Participant follower, Phase phase, long items) throws RepairException {
        long maxItems = RepairConfig.windowItemsMax(bufferBytes);
        if (items < 0 || items > maxItems) {
            throw new RepairException(
                    "replica says that it holds more in a window than its row buffer has room for, replica="
                            + follower.name() + ", phase=" + phase + ", items=" + items + ", maxItems=" + maxItems);
        }
    }

    /** Whether that of any follower differs from the master's. */
    boolean differ(Phase phase, WindowSummary mine) {
        return last.stream().anyMatch(summary -> !summary.of(phase).equals(mine.of(phase)));
    }

    /** @throws RepairException when that of a follower differs from the master's */
    void requireEqual(Phase phase, WindowSummary mine) throws RepairException {
        for (int i = 0; i < followers.size(); i++) {
            WindowSummary.Sum sum = last.get(i).of(phase);
            if (!sum.equals(mine.of(phase))) {
                throw new RepairException("replica differs after it was given what it lacked, replica="
                        + followers.get(i).name() + ", phase=" + phase + ", items=" + sum.count() + ", itemsOfMaster="
                        + mine.of(phase).count());
            }
        }
    }
}
