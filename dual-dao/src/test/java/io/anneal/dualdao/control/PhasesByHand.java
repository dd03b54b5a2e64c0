package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A phase that tests switch, and that knows whether everybody left. */
public final class PhasesByHand implements PhaseSource {
    private final List<PhaseView> all = new ArrayList<>();
    private volatile PhaseView inForce;

    public PhasesByHand(Phase phase) {
        inForce = new PhaseView(new PhaseRecord(1, phase, 100, Phase.TARGET_ONLY, "test", Instant.EPOCH, ""));
        all.add(inForce);
    }

    public Phase phase() {
        return inForce.phase();
    }

    public void change(Phase phase) {
        change(phase, 100);
    }

    public synchronized void change(Phase phase, int readSharePercent) {
        inForce = new PhaseView(inForce.record().changed(phase, readSharePercent, "test", Instant.EPOCH, ""));
        all.add(inForce);
    }

    @Override
    public PhaseView enter() {
        PhaseView view = inForce;
        view.enter();
        return view;
    }

    /** Whether every view was left as often as it was entered. */
    public synchronized boolean drained() {
        return all.stream().allMatch(PhaseView::drained);
    }
}
