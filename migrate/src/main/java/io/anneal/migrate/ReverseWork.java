package io.anneal.migrate;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.phase.WorkStart;
import io.anneal.dualdao.route.ReverseResult;
import io.anneal.dualdao.stats.MergedFacts;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * The way back from 4 or 5 between stores that can't be compared as a whole: phase by phase to 3b, where both
 * sides are written again; then every key that was written since 4 is copied to the origin and compared.
 *
 * <p>Each instance has the keys that it wrote. This one copies its own; others copy theirs by themselves, and are waited for.
 */
final class ReverseWork implements WalkWork {
    private static final Duration POLL = Duration.ofMillis(200);

    private final PhaseControl control;
    private final PhaseStore phases;
    private final DualDao<?> dual;
    private final WalkWork verification;
    private final String who;
    private final Duration atMost;
    private final DualEnvironment time;

    /**
     * @param verification of all keys, which the note then stands for; leaves a note itself
     * @param atMost how long instances may take, for each step and for the copying
     */
    ReverseWork(
            PhaseControl control,
            PhaseStore phases,
            DualDao<?> dual,
            WalkWork verification,
            String who,
            Duration atMost,
            DualEnvironment time) {
        this.control = control;
        this.phases = phases;
        this.dual = dual;
        this.verification = verification;
        this.who = who;
        this.atMost = atMost;
        this.time = time;
    }

    @Override
    public String run() throws IOException, InterruptedException {
        PhaseRecord current = control.current();
        awaitAcknowledged(current);
        while (!control.onTheWayBack()) {
            if (current.phase().writes(Side.ORIGIN)) {
                throw new IOException("origin is complete in this phase, phase="
                        + current.phase().label());
            }
            current = control.reverse(who, "the way back");
            awaitAcknowledged(current);
        }
        WorkStart start = control.begin();
        long copied = copyOwn();
        awaitOthers();
        String compared = verification.run();
        requireClean(start);
        control.finish(
                start,
                PhaseNote.Kind.REVERSE_BACKFILL,
                who,
                Map.of(Facts.ROWS, Long.toString(copied), Facts.MISMATCHES, "0"));
        return String.format(Locale.ROOT, "%,d keys copied back to the origin; %s", copied, compared);
    }

    /** What a verification found stands in its note; that it came to its end says nothing. */
    private void requireClean(WorkStart start) throws IOException {
        PhaseNote found = control.notes().stream()
                .filter(note -> note.kind() == PhaseNote.Kind.VERIFICATION
                        && note.version() == start.version()
                        && startedMillis(note) >= start.at().toEpochMilli())
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new IOException("the verification left no note, version=" + start.version()));
        if (!found.clean()) {
            throw new IOException("sides differ, mismatches="
                    + found.facts().getOrDefault(Facts.MISMATCHES, "?") + ", writtenPast="
                    + found.facts().getOrDefault(Facts.WRITTEN_PAST, "0"));
        }
    }

    private static long startedMillis(PhaseNote note) {
        return Long.parseLong(note.facts().getOrDefault(Facts.STARTED_MILLIS, "0"));
    }

    private void awaitAcknowledged(PhaseRecord current) throws IOException, InterruptedException {
        if (!control.awaitAcknowledged(atMost, time.sleeper())) {
            throw new IOException("not every instance acts by it, phase="
                    + current.phase().label() + ", version=" + current.version());
        }
    }

    private long copyOwn() throws IOException {
        ReverseResult result;
        try {
            result = dual.reverse().toCompletableFuture().join();
        } catch (CompletionException e) {
            throw new IOException("copying back failed, reason=" + e.getCause(), e);
        }
        if (!result.complete()) {
            throw new IOException("copying back left something, copied=" + result.copied() + ", mismatches="
                    + result.mismatches() + ", failed=" + result.failed() + ", left=" + result.left() + ", samples="
                    + result.samples());
        }
        return result.copied();
    }

    private void awaitOthers() throws IOException, InterruptedException {
        long startNanos = time.nanoTime().getAsLong();
        while (true) {
            dual.poll();
            long dirty = MergedFacts.of(phases.heartbeats(control.name()))
                    .sum(Facts.DIRTY_ORIGIN)
                    .orElse(0);
            if (dirty == 0) {
                return;
            }
            if (time.nanoTime().getAsLong() - startNanos > atMost.toNanos()) {
                throw new IOException("instances still have keys to copy back, keys=" + dirty);
            }
            time.sleeper().sleep(POLL);
        }
    }
}
