package io.anneal.dualdao.phase;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps a phase view entered for an operation until the last piece of its work is over: the caller's answer, a late answer of
 * the other side, a repair. Begins with one holder. Any thread may call.
 */
public final class HeldView {
    private final PhaseView view;
    private final AtomicInteger holders = new AtomicInteger(1);

    public HeldView(PhaseView view) {
        this.view = view;
    }

    /** One holder more; only whoever holds may call. */
    public void hold() {
        holders.incrementAndGet();
    }

    /** One holder less, exactly once for each; the last one leaves. */
    public void release() {
        int left = holders.decrementAndGet();
        assert left >= 0 : left;
        if (left == 0) {
            view.leave();
        }
    }
}
