package io.anneal.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final Optional<Runnable> pause;
    private final ConcurrentLinkedQueue<M> messages = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final List<M> batch = new ArrayList<>();

    Mailbox(Executor executor, Receiver<M> receiver) {
        this(executor, receiver, Optional.empty());
    }

    /** @param pause taken by several messages for others that are about to come, as long as some do; none when empty */
    Mailbox(Executor executor, Receiver<M> receiver, Optional<Runnable> pause) {
        this.executor = executor;
        this.receiver = receiver;
        this.pause = pause;
    }

    /** Whether this thread works on messages, of any mailbox: it must not wait for others to be worked on. */
    static boolean isReceiving() {
        return RECEIVING.get();
    }

    void send(M message) {
        messages.add(message);
        schedule();
    }

    private void takeAll() {
        M next;
        while (batch.size() < BATCH_MAX && (next = messages.poll()) != null) {
            batch.add(next);
        }
    }

    private void schedule() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            executor.execute(this::run);
        }
    }

    private void run() {
        takeAll();
        if (pause.isPresent()) {
            // As long as others come: what one sync serves is better served by one. Who comes alone waits for nobody.
            int before = 1;
            while (batch.size() > before && batch.size() < BATCH_MAX) {
                before = batch.size();
                pause.get().run();
                takeAll();
            }
        }
        RECEIVING.set(true);
        try {
            if (!batch.isEmpty()) {
                receiver.receive(batch);
            }
        } finally {
            RECEIVING.set(false);
            batch.clear();
            scheduled.set(false);
            if (!messages.isEmpty()) {
                schedule();
            }
        }
    }
}
