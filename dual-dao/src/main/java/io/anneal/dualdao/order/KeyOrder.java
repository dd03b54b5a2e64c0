package io.anneal.dualdao.order;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Lets whoever changes a key wait for who does so already, first come first served. Keys share 1,024 stripes by hash; who
 * changes several keys takes their stripes in ascending order, so that nobody waits in a circle. Holding is not bound to
 * a thread. Any thread may call.
 */
public final class KeyOrder {
    static final int STRIPES = 1024;

    /** Who is granted a stripe goes on inside the call that gave it back; so many of these calls may be inside each other. */
    private static final int DEPTH_MAX = 32;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);
    private final Executor overflow;

    /** @param overflow goes on with who was granted a stripe when too many did so inside each other */
    public KeyOrder(Executor overflow) {
        this.overflow = overflow;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    public static int stripe(String key) {
        return (int) (KeyHash.of(key) & STRIPES - 1);
    }

    /** The stripes of keys, ascending, each once. */
    public static int[] stripes(Collection<String> keys) {
        if (keys.size() == 1) {
            return new int[] {stripe(keys.iterator().next())};
        }
        return keys.stream().mapToInt(KeyOrder::stripe).sorted().distinct().toArray();
    }

    /**
     * Takes stripes.
     *
     * @param wanted ascending, each once
     * @return null if they are taken; else done when they are
     */
    public CompletableFuture<Object> lock(int[] wanted) {
        Waiter waiter = new Waiter(wanted, new CompletableFuture<>());
        return lock(waiter, 0) ? null : waiter.granted;
    }

    private boolean lock(Waiter waiter, int from) {
        for (int i = from; i < waiter.wanted.length; i++) {
            if (!stripes[waiter.wanted[i]].take(waiter, i)) {
                return false;
            }
        }
        return true;
    }

    /** Takes a stripe if nobody holds it. */
    public boolean tryLock(int stripe) {
        return stripes[stripe].tryTake();
    }

    /** Gives stripes back; whoever waits first goes on, before this returns unless it is on a thread of its own. */
    public void unlock(int[] held) {
        for (int stripe : held) {
            Waiter next = stripes[stripe].give();
            if (next != null && lock(next, next.at + 1)) {
                granted(next);
            }
        }
    }

    private void granted(Waiter waiter) {
        int[] inside = depth.get();
        if (inside[0] >= DEPTH_MAX) {
            try {
                overflow.execute(() -> waiter.granted.complete(null));
                return;
            } catch (RejectedExecutionException closed) {
                // it must go on all the same, on this thread
            }
        }
        inside[0]++;
        try {
            waiter.granted.complete(null);
        } finally {
            inside[0]--;
        }
    }

    private static final class Waiter {
        final int[] wanted;
        final CompletableFuture<Object> granted;

        /** Which of the wanted it waits for; written before it is queued there. */
        int at;

        Waiter(int[] wanted, CompletableFuture<Object> granted) {
            this.wanted = wanted;
            this.granted = granted;
        }
    }

    private static final class Stripe {
        private final ArrayDeque<Waiter> waiting = new ArrayDeque<>(0);
        private boolean held;

        synchronized boolean take(Waiter waiter, int at) {
            if (!held) {
                held = true;
                return true;
            }
            waiter.at = at;
            waiting.addLast(waiter);
            return false;
        }

        synchronized boolean tryTake() {
            if (held) {
                return false;
            }
            held = true;
            return true;
        }

        /** Who holds it now, null for nobody. */
        synchronized Waiter give() {
            Waiter next = waiting.pollFirst();
            held = next != null;
            return next;
        }
    }
}
