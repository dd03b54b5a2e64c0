package io.anneal.harness;

import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.io.IOException;
import java.util.List;

/**
 * Does what the gates of the next step ask for, in a run that follows phases which others switch: the stores may be open to its
 * process alone. Each piece of work is tried once in each version of the phase record. Owned by the run's thread.
 */
final class FollowedWork {
    private final PhaseControl control;
    private final RunWorks works;
    private final WalkListener listener;

    private long version;
    private boolean filled;
    private boolean verified;
    private boolean reversed;

    FollowedWork(PhaseControl control, RunWorks works, WalkListener listener) {
        this.control = control;
        this.works = works;
        this.listener = listener;
    }

    /** Does what there is to do now, if anything. */
    void look() throws InterruptedException {
        try {
            PhaseRecord current = control.current();
            if (current.version() != version) {
                version = current.version();
                filled = false;
                verified = false;
                reversed = false;
            }
            if (control.acknowledged()) {
                work(current);
            }
        } catch (PhaseStoreException e) {
            // The next look asks again; the instance itself says that it lost the store.
        }
    }

    private void work(PhaseRecord current) throws InterruptedException {
        if (control.onTheWayBack()) {
            if (!reversed && !control.originIsWhole()) {
                reversed = true;
                run("reverse back-fill", works.reverse());
            }
            return;
        }
        List<String> missing =
                control.readiness().missing().stream().map(Gate::name).toList();
        if (missing.contains(Walk.BACKFILL_GATE) && !filled) {
            filled = true;
            run("back-fill", works.backfill());
        } else if (missing.contains(Walk.VERIFICATION_GATE) && !missing.contains(Walk.SHARE_GATE) && !verified) {
            verified = true;
            run("verification", works.verification());
        }
    }

    private void run(String name, WalkWork work) throws InterruptedException {
        listener.working(name);
        try {
            listener.worked(name, work.run());
        } catch (IOException | RuntimeException e) {
            // Work is code of others too, and its steps may meet a gate or a store that is shut for a moment.
            listener.worked(name, "failed: " + e.getMessage());
        }
    }
}
