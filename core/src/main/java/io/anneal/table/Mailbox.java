package io.anneal.table;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Messages to something that one thread at a time works on: handed over in order, as many at once as have come. Any thread
 * sends; the executor's runs the receiver. Not bounded: who sends asks for room first ({@link MemoryGate}).
 */
final class Mailbox<M> {
    /** What works on messages. */
    interface Receiver<M> {
        /** Must not throw; the list is the mailbox's again afterwards. */
        void receive(List<M> messages);
    }

    /** More at once would only make the first wait longer. */
    private static final int BATCH_MAX = 4096;

    private static final ThreadLocal<Boolean> RECEIVING = ThreadLocal.withInitial(() -> false);

    private final Executor executor;
    private final Receiver<M> receiver;
    private final int gatheringPolls;
    private final ConcurrentLinkedQueue<M> messages = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** Never grows, since what it could not take for want of memory would be lost. */
    private final List<M> batch = new ArrayList<>(BATCH_MAX);
    /** How many were received the last time. */
    private int lastCount;

    Mailbox(Executor executor, Receiver<M> receiver) {
        this(executor, receiver, 0);
    }

    /**
     * @param gatheringPolls how often the queue is looked at, at most, until as many messages as the last time have come: a count
     *     and no time, so that nothing depends on a clock
     */
    Mailbox(Executor executor, Receiver<M> receiver, int gatheringPolls) {
        this.executor = executor;
        this.receiver = receiver;
        this.gatheringPolls = gatheringPolls;
    }

    /** Whether this thread works on messages, of any mailbox: it must not wait for others to be worked on. */
    static boolean isReceiving() {
        return RECEIVING.get();
    }

    /** An error that this throws says that the message was not taken. */
    void send(M message) {
        messages.add(message);
        schedule();
    }

    /** The same, but the receiver runs on this thread if nobody is at it. */
    void sendHere(M message) {
        messages.add(message);
        if (takeTurn()) {
            run();
        }
    }

    private void takeAll() {
        M next;
        while (batch.size() < BATCH_MAX && (next = messages.poll()) != null) {
            batch.add(next);
        }
    }

    private void schedule() {
        if (takeTurn()) {
            ScarceMemory.insist(() -> {
                executor.execute(this::run);
                return null;
            });
        }
    }

    private boolean takeTurn() {
        return !scheduled.get() && scheduled.compareAndSet(false, true);
    }

    /** Those answered the last time are about to come again, and are better served together; one alone waits for nobody. */
    private void gather() {
        for (int i = 0; i < gatheringPolls && batch.size() < lastCount; i++) {
            Thread.onSpinWait();
            takeAll();
        }
        lastCount = batch.size();
    }

    private void run() {
        takeAll();
        gather();
        boolean isNested = RECEIVING.get();
        RECEIVING.set(true);
        try {
            if (!batch.isEmpty()) {
                receiver.receive(batch);
            }
        } finally {
            RECEIVING.set(isNested);
            batch.clear();
            scheduled.set(false);
            if (!messages.isEmpty()) {
                schedule();
            }
        }
    }
}
