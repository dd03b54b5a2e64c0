package io.anneal.table;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Something that lives as long as somebody holds it: born with one holder, released for good by the last. Any thread. What
 * {@link #retain} refuses is gone, and its successor is to be asked for.
 */
abstract class Counted {
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Becomes a holder, unless there is none any more. */
    final boolean retain() {
        while (true) {
            int count = holders.get();
            if (count == 0) {
                return false;
            }
            if (holders.compareAndSet(count, count + 1)) {
                return true;
            }
        }
    }

    /** Becomes a holder of what the caller knows to be held. */
    final void retainHeld() {
        boolean retained = retain();
        assert retained : this;
    }

    final void release() {
        int left = holders.decrementAndGet();
        assert left >= 0 : this;
        if (left == 0) {
            released();
        }
    }

    /** Called once, by the last holder. */
    protected abstract void released();
}
