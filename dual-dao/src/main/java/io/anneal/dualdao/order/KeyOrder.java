package io.anneal.dualdao.order;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Lets whoever changes a key wait for who does so already, first come first served. Keys share 1,024 stripes by hash; who
 * changes several keys takes their stripes in ascending order, so that nobody waits in a circle. Who waits may give up, and of
 * those who wait for one stripe there is a limit. Holding is not bound to a thread. Any thread may call.
 */
public final class KeyOrder {
    static final int STRIPES = 1024;

    /** Who is granted a stripe goes on inside the call that gave it back; so many of these calls may be inside each other. */
    private static final int DEPTH_MAX = 32;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final ThreadLocal<int[]> depth = ThreadLocal.withInitial(() -> new int[1]);
    private final Executor overflow;
    private final int waitingMax;

    /**
     * @param overflow goes on with who was granted a stripe when too many did so inside each other
     * @param waitingMax how many may wait for one stripe
     */
    public KeyOrder(Executor overflow, int waitingMax) {
        this.overflow = overflow;
        this.waitingMax = waitingMax;
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
     * @param holder named by its text where others wait for it, and where it waits itself
     * @return null if they are taken; else the wait for them
     */
    public KeyWait lock(int[] wanted, Object holder) {
        Waiter waiter = new Waiter(wanted, holder);
        return lock(waiter, 0) ? null : waiter;
    }

    private boolean lock(Waiter waiter, int from) {
        for (int i = from; i < waiter.wanted.length; i++) {
            waiter.at = i;
            Stripe stripe = stripes[waiter.wanted[i]];
            switch (stripe.take(waiter, waitingMax)) {
                case TAKEN -> {}
                case FULL -> {
                    waiter.refused(i, "too many wait for a key");
                    return false;
                }
                case QUEUED -> {
                    // Whoever gave up before it was queued here did not find it.
                    if (waiter.state.get() == State.GIVEN_UP && stripe.remove(waiter)) {
                        unlock(waiter.wanted, i);
                    }
                    return false;
                }
                default -> throw new AssertionError();
            }
        }
        return true;
    }

    /** Takes a stripe if nobody holds it. */
    public boolean tryLock(int stripe, Object holder) {
        return stripes[stripe].tryTake(holder);
    }

    /** Gives stripes back; whoever waits first goes on, before this returns unless it is on a thread of its own. */
    public void unlock(int[] held) {
        unlock(held, held.length);
    }

    private void unlock(int[] held, int count) {
        for (int i = 0; i < count; i++) {
            Waiter next = stripes[held[i]].give();
            if (next != null && lock(next, next.at + 1)) {
                granted(next);
            }
        }
    }

    private void granted(Waiter waiter) {
        if (!waiter.state.compareAndSet(State.WAITING, State.OVER)) {
            unlock(waiter.wanted);
            return;
        }
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

    private enum State {
        WAITING,
        GIVEN_UP,
        /** Granted or refused. */
        OVER
    }

    private enum Taking {
        TAKEN,
        QUEUED,
        FULL
    }

    private final class Waiter implements KeyWait {
        final int[] wanted;
        final Object holder;
        final CompletableFuture<Object> granted = new CompletableFuture<>();
        final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

        /** Which of the wanted it waits for, or takes just now; those before are its own. */
        volatile int at;

        Waiter(int[] wanted, Object holder) {
            this.wanted = wanted;
            this.holder = holder;
        }

        @Override
        public CompletableFuture<Object> granted() {
            return granted;
        }

        @Override
        public boolean giveUp(String reason) {
            KeyWaitException failure = failure(reason);
            if (!state.compareAndSet(State.WAITING, State.GIVEN_UP)) {
                return false;
            }
            int now = at;
            if (stripes[wanted[now]].remove(this)) {
                unlock(wanted, now);
            }
            granted.completeExceptionally(failure);
            return true;
        }

        /** Nobody grants any more: it is in no queue, and gives back what it has. */
        void refused(int own, String reason) {
            KeyWaitException failure = failure(reason);
            unlock(wanted, own);
            if (state.compareAndSet(State.WAITING, State.OVER)) {
                granted.completeExceptionally(failure);
            }
        }

        private KeyWaitException failure(String reason) {
            return new KeyWaitException(reason + ", waiting=" + holder + ", for=" + stripes[wanted[at]].holder());
        }
    }

    private static final class Stripe {
        private final ArrayDeque<Waiter> waiting = new ArrayDeque<>(0);

        /** Null if nobody holds it. */
        private Object holder;

        synchronized Taking take(Waiter waiter, int waitingMax) {
            if (holder == null) {
                holder = waiter.holder;
                return Taking.TAKEN;
            }
            if (waiting.size() >= waitingMax) {
                return Taking.FULL;
            }
            waiting.addLast(waiter);
            return Taking.QUEUED;
        }

        synchronized boolean tryTake(Object taker) {
            if (holder != null) {
                return false;
            }
            holder = taker;
            return true;
        }

        synchronized boolean remove(Waiter waiter) {
            return waiting.remove(waiter);
        }

        synchronized Object holder() {
            return holder;
        }

        /** Who holds it now, null for nobody. */
        synchronized Waiter give() {
            Waiter next = waiting.pollFirst();
            holder = next == null ? null : next.holder;
            return next;
        }
    }
}
