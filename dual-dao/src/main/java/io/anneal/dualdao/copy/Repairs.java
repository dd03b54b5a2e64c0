package io.anneal.dualdao.copy;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.phase.HeldView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.OperationStats;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies to the target what a read found in the origin alone: beside the call, each key once at a time, so many in a second, and
 * never while the key is being written or is in the journal, whose re-drive knows better. Any thread may call.
 */
public final class Repairs<D> {
    private static final Logger LOG = LoggerFactory.getLogger(Repairs.class);
    private static final long SECOND_NANOS = 1_000_000_000;

    private final KeyCopies<D> copies;
    private final KeyOrder order;
    private final DirtyKeys dirty;
    private final Background background;
    private final LongSupplier nanoTime;
    private final long intervalNanos;
    private final AtomicLong nextNanos;

    public Repairs(DualConfig<D> config, KeyCopies<D> copies, KeyOrder order, DirtyKeys dirty, Background background) {
        this.copies = copies;
        this.order = order;
        this.dirty = dirty;
        this.background = background;
        nanoTime = config.environment.nanoTime();
        nextNanos = new AtomicLong(nanoTime.getAsLong());
        int copiesPerSecond = config.readRepair.copiesPerSecond();
        boolean safe = copies.keepsTimes() || copies.writesOnlyIfAbsent();
        intervalNanos = copiesPerSecond > 0 && safe ? SECOND_NANOS / copiesPerSecond : 0;
    }

    public boolean on() {
        return intervalNanos > 0;
    }

    /** A read fell back and found these keys. Never throws, never waits. */
    public void afterHit(Keys keys, OperationStats stats, HeldView heldView) {
        if (!on()) {
            return;
        }
        for (int i = 0; i < keys.texts().size(); i++) {
            begin(keys.objects().get(i), keys.texts().get(i), stats, heldView);
        }
    }

    private void begin(Object key, String text, OperationStats stats, HeldView heldView) {
        int stripe = KeyOrder.stripe(text);
        // Held to the end: another repair of the key finds it taken, as it finds a write.
        if (!order.tryLock(stripe, "read-repair")) {
            stats.count(Counter.REPAIRS_SKIPPED);
            return;
        }
        heldView.hold();
        Runnable skipped = () -> over(stripe, stats, heldView, Counter.REPAIRS_SKIPPED);
        boolean due = false;
        try {
            due = !dirty.lacks(Side.ORIGIN, text) && !dirty.lacks(Side.TARGET, text) && admitted();
        } finally {
            if (!due) {
                skipped.run();
            }
        }
        if (due) {
            background.run(
                    () -> copies.copyOnce(key, Side.ORIGIN, KeyCopy.NOTHING).whenComplete((nothing, thrown) -> {
                        if (thrown != null) {
                            LOG.debug("read-repair failed", thrown);
                        }
                        over(stripe, stats, heldView, thrown == null ? Counter.REPAIRED : Counter.REPAIRS_SKIPPED);
                    }),
                    skipped);
        }
    }

    private void over(int stripe, OperationStats stats, HeldView heldView, Counter became) {
        order.unlock(new int[] {stripe});
        heldView.release();
        stats.count(became);
    }

    /** Lets so many through in a second, and as many at once after a second without any. */
    private boolean admitted() {
        long now = nanoTime.getAsLong();
        while (true) {
            long next = nextNanos.get();
            if (next - now > 0) {
                return false;
            }
            long from = now - next > SECOND_NANOS ? now - SECOND_NANOS : next;
            if (nextNanos.compareAndSet(next, from + intervalNanos)) {
                return true;
            }
        }
    }
}
