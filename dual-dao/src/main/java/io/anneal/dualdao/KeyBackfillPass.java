package io.anneal.dualdao;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.copy.KeyWork.Outcome;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Takes batch after batch into the journal, and copies it from there to the target. */
final class KeyBackfillPass<K> extends KeyPass<K> {
    private static final String REASON = "back-fill";
    private static final int TURNS_MAX = 10;

    private long left;

    KeyBackfillPass(KeyRun<K> run) {
        super(run);
    }

    @Override
    KeyRunResult run() throws InterruptedException {
        requirePhase();
        begin();
        each();
        return finish(Map.of(Facts.TEXT, identity(), Facts.LEFT, Long.toString(left)));
    }

    @Override
    boolean work(List<K> batch) throws InterruptedException {
        requirePhase();
        List<Outcome<K>> outcomes = copy(batch);
        requireOpen();
        long done = outcomes.stream().filter(Outcome::done).count();
        left += batch.size() - done;
        Optional<Throwable> cause = outcomes.stream()
                .map(Outcome::cause)
                .filter(thrown -> thrown != null)
                .findFirst();
        if (done == 0 && cause.isPresent()) {
            throw new KeyRunException(
                    "keys can't be copied, they stay in the journal, keys=" + batch.size() + ", first=" + batch.get(0)
                            + ", reason=" + cause.get(),
                    cause.get());
        }
        return true;
    }

    /** What was not its turn, since the journal's own work had it just then, is copied again: it may be done by now, or is. */
    private List<Outcome<K>> copy(List<K> batch) throws InterruptedException {
        List<Outcome<K>> outcomes = new ArrayList<>(work.copy(Side.TARGET, batch, REASON, run.parallel));
        for (int turn = 1; turn < TURNS_MAX; turn++) {
            List<K> notTheirTurn = outcomes.stream()
                    .filter(Outcome::wasNotItsTurn)
                    .map(Outcome::key)
                    .toList();
            if (notTheirTurn.isEmpty()) {
                break;
            }
            requireOpen();
            outcomes.removeIf(Outcome::wasNotItsTurn);
            outcomes.addAll(work.copy(Side.TARGET, notTheirTurn, REASON, run.parallel));
        }
        return outcomes;
    }

    /** What is copied must be right, and nobody must read the target while a copy without times passes a newer write by. */
    private void requirePhase() {
        Phase phase = phase();
        boolean fits = run.dual.config.mode == Mode.TEST
                ? phase != Phase.ORIGIN_ONLY
                : phase == Phase.WRITE_BOTH || phase == Phase.READ_TARGET && work.keepsTimes();
        if (!fits) {
            throw KeyRunException.refused(
                    "back-fill is for phase 2, and for 3 with a copy of guarantee SOURCE_TIMESTAMPS, name="
                            + control.name() + ", phase=" + phase.label());
        }
    }

    @Override
    KeyRunResult soFar() {
        return new KeyRunResult(keys(), left, 0, 0, 0, true, List.of());
    }

    @Override
    Optional<Map<String, String>> state() {
        return Optional.of(Map.of(Facts.LEFT, Long.toString(left)));
    }

    @Override
    void goOn(Map<String, String> state) {
        left = Long.parseLong(state.get(Facts.LEFT));
    }
}
