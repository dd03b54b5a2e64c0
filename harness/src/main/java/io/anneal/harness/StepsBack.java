package io.anneal.harness;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import java.io.IOException;
import java.time.Duration;

/**
 * The way back from 4 or 5 as somebody takes it who can't open the stores: the steps, and waiting for an instance that can to copy
 * back and compare ({@code run --work}).
 */
public final class StepsBack {
    private static final Duration POLL = Duration.ofMillis(200);

    private final PhaseControl control;
    private final String who;
    private final Duration patience;
    private final DualEnvironment time;

    /** @param patience how long instances may take, for each step and for the copying */
    public StepsBack(PhaseControl control, String who, Duration patience, DualEnvironment time) {
        this.control = control;
        this.who = who;
        this.patience = patience;
        this.time = time;
    }

    /**
     * Steps back and waits.
     *
     * @throws IOException if nobody copied back and compared in time
     * @throws io.anneal.dualdao.control.GateException if a step is refused, or instances don't act by one in time
     */
    public PhaseRecord run() throws IOException, InterruptedException {
        PhaseRecord current = control.reverseToBoth(who, "the way back", patience, time.sleeper());
        long startNanos = time.nanoTime().getAsLong();
        while (!isCopied(current)) {
            if (time.nanoTime().getAsLong() - startNanos > patience.toNanos()) {
                throw new IOException("nobody copied back and compared, start an instance with 'run --work', waited="
                        + DurationText.of(patience));
            }
            time.sleeper().sleep(POLL);
        }
        return current;
    }

    private boolean isCopied(PhaseRecord at) {
        return control.notes().stream()
                .anyMatch(note -> note.kind() == PhaseNote.Kind.REVERSE_BACKFILL
                        && note.version() == at.version()
                        && "0".equals(note.facts().get(Facts.MISMATCHES)));
    }
}
