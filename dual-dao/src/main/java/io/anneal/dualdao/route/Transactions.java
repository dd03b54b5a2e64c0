package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.DecidedCopies;
import io.anneal.dualdao.copy.KeyCopies;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.KeyWait;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.HeldView;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.transaction.CommittedException;
import io.anneal.dualdao.transaction.TransactionHook;
import io.anneal.dualdao.transaction.TransactionOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transactions that callers' threads are in. All calls of one go by the record that was in force at its first. A write goes to
 * the side that is right at once, as part of the transaction; the other side gets a copy of the key when the transaction has
 * ended, made on a thread without one, so of what was committed. Until then the key is in the journal, and no re-drive
 * touches it.
 *
 * <p>No thread waits for a key while its transaction may hold locks of a database: the database would not see the circle. Any
 * thread may call.
 */
final class Transactions<D> implements PhaseSource {
    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);

    private static final int KEYS_SHOWN_MAX = 10;

    /** For so long a database may go on with a commit that it did not answer; nothing that a copy finds before counts. */
    static final long IN_DOUBT_SECONDS = 60;

    private final DualConfig<D> config;
    private final TransactionHook hook;
    private final PhaseSource phases;
    private final DirtyKeys dirty;
    private final KeyOrder order;
    private final KeyCopies<D> copies;
    private final DecidedCopies<D> decided;
    private final ExecutorService handOff;
    private final ScheduledExecutorService scheduler;
    private final Map<Object, Open> open = new ConcurrentHashMap<>();

    Transactions(
            DualConfig<D> config,
            PhaseSource phases,
            DirtyKeys dirty,
            KeyOrder order,
            KeyCopies<D> copies,
            DecidedCopies<D> decided,
            ExecutorService handOff,
            ScheduledExecutorService scheduler) {
        this.config = config;
        this.phases = phases;
        this.dirty = dirty;
        this.order = order;
        this.copies = copies;
        this.decided = decided;
        this.handOff = handOff;
        this.scheduler = scheduler;
        hook = config.transactions;
    }

    /** Where operations take their view from: what never sees a transaction asks for none. */
    PhaseSource views() {
        return hook == TransactionHook.NONE ? phases : this;
    }

    @Override
    public PhaseView enter() {
        Object transaction = hook.current();
        if (transaction == null) {
            return phases.enter();
        }
        Open known = open.get(transaction);
        if (known == null) {
            known = new Open(transaction, phases.enter());
            known.begin();
        }
        known.view.enterAgain();
        return known.view;
    }

    /** The transaction that this thread's calls are part of, null for none. */
    Open current() {
        if (hook == TransactionHook.NONE) {
            return null;
        }
        Object transaction = hook.current();
        return transaction == null ? null : open.get(transaction);
    }

    /**
     * A key that was written.
     *
     * @param adds whether nothing was taken away
     */
    private record Written(Object key, Side lacking, boolean adds) {}

    /** A transaction that has not ended. */
    final class Open implements TransactionHook.Ending {
        private final Object transaction;
        private final PhaseView view;
        private final PhaseRecord inForce;
        private final HeldView heldView;
        private final Map<String, Written> written = new LinkedHashMap<>();
        private final List<Supplier<CompletionStage<?>>> calls = new ArrayList<>(0);
        private boolean over;

        private Open(Object transaction, PhaseView view) {
            this.transaction = transaction;
            this.view = view;
            inForce = view.record();
            heldView = new HeldView(view);
        }

        private void begin() {
            open.put(transaction, this);
            boolean told = false;
            try {
                hook.whenEnded(this);
                told = true;
            } finally {
                if (!told) {
                    open.remove(transaction);
                    heldView.release();
                }
            }
        }

        /** Names keys before they are written. Throws what the journal throws, having named none. */
        synchronized void writes(Side lacking, Keys keys, boolean adds) {
            List<String> fresh = new ArrayList<>(keys.texts());
            fresh.removeIf(written::containsKey);
            dirty.begin(lacking, fresh);
            for (int i = 0; i < keys.texts().size(); i++) {
                Written now = new Written(keys.objects().get(i), lacking, adds);
                written.merge(
                        keys.texts().get(i),
                        now,
                        (before, same) -> new Written(before.key(), lacking, before.adds() && adds));
            }
        }

        /** Keeps a call of the other side that no copy of a key makes up for. */
        synchronized void afterCommit(Supplier<CompletionStage<?>> call) {
            calls.add(call);
        }

        @Override
        public void ended(TransactionOutcome outcome) {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            open.remove(transaction);
            if (written.isEmpty() && calls.isEmpty()) {
                heldView.release();
                return;
            }
            boolean committed = outcome == TransactionOutcome.COMMITTED;
            Throwable failure;
            if (outcome == TransactionOutcome.UNKNOWN) {
                failure = leaveInDoubt();
            } else {
                failure = config.mode == Mode.TEST ? leaveToRedrive() : copied(committed);
            }
            if (failure == null) {
                return;
            }
            List<String> keys = written.keySet().stream().limit(KEYS_SHOWN_MAX).toList();
            if (committed && !WritePlan.tolerates(config.writePolicy, inForce)) {
                CommittedException lacks = new CommittedException(
                        "a transaction was committed, and the " + lacking()
                                + " lacks what it wrote until it is copied, name=" + config.name + ", keys=" + keys,
                        failure);
                Outcomes.attach(lacks, "transaction", lacking(), SideOutcome.UNKNOWN, SideOutcome.OK);
                throw lacks;
            }
            LOG.warn("keys of a transaction stay in the journal, lacking={}, keys={}", lacking(), keys, failure);
        }

        private Side lacking() {
            return inForce.phase().authority().other();
        }

        /** In the journal for good, and out of the re-drive's reach until the database has made up its mind. */
        private Throwable leaveInDoubt() {
            Map<Side, List<String>> named = new EnumMap<>(Side.class);
            Throwable first = null;
            for (Map.Entry<String, Written> key : written.entrySet()) {
                Side lacking = key.getValue().lacking();
                named.computeIfAbsent(lacking, side -> new ArrayList<>()).add(key.getKey());
                try {
                    dirty.add(lacking, List.of(key.getKey()), "a transaction whose outcome nobody knows");
                } catch (RuntimeException notKept) { // the journal's, of whatever kind
                    first = earlier(first, notKept);
                }
            }
            heldView.release();
            Runnable settled = () -> named.forEach(dirty::end);
            try {
                scheduler.schedule(settled, IN_DOUBT_SECONDS, TimeUnit.SECONDS);
            } catch (RejectedExecutionException closed) {
                settled.run();
            }
            return first;
        }

        /** In test mode no call waits for the target. */
        private Throwable leaveToRedrive() {
            Throwable first = null;
            for (Map.Entry<String, Written> key : written.entrySet()) {
                first = earlier(first, keep(key.getKey(), key.getValue(), "written in a transaction"));
            }
            heldView.release();
            return first;
        }

        /** Waits until all is copied; what prevented it, or null. Keys not copied are in the journal for good. */
        private Throwable copied(boolean committed) {
            CompletableFuture<Throwable> result = new CompletableFuture<>();
            Runnable all = () -> {
                Throwable first = null;
                try {
                    first = committed ? call() : null;
                    for (Map.Entry<String, Written> key : written.entrySet()) {
                        first = earlier(first, copy(key.getKey(), key.getValue(), committed));
                    }
                } finally {
                    heldView.release();
                    result.complete(first);
                }
            };
            try {
                // Here the connection may still be bound to this thread.
                handOff.execute(all);
                return result.get();
            } catch (RejectedExecutionException closed) {
                written.forEach((key, about) -> keep(key, about, "written in a transaction"));
                heldView.release();
                return closed;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return interrupted;
            } catch (ExecutionException never) {
                throw new AssertionError("it does not fail", never);
            }
        }

        private Throwable call() {
            Throwable first = null;
            for (Supplier<CompletionStage<?>> call : calls) {
                try {
                    Stages.answer(call.get().toCompletableFuture());
                } catch (Throwable thrown) { // a side's, which the others must not miss their turn for
                    first = earlier(first, thrown);
                }
            }
            return first;
        }

        private Throwable copy(String text, Written about, boolean committed) {
            try {
                if (turned()) {
                    throw new IllegalStateException("the other side became right before the transaction ended");
                }
                int[] stripes = config.orderWrites ? new int[] {KeyOrder.stripe(text)} : new int[0];
                KeyWait wait = order.lock(stripes, "the copy after a transaction, key=" + text);
                if (wait != null) {
                    wait.await(config.keyWait.toNanos());
                }
                try {
                    if (committed || !alike(about.key())) {
                        Side from = about.lacking().other();
                        Stages.answer(decided.copy(about.key(), from, inForce, about.adds())
                                .toCompletableFuture());
                    }
                } finally {
                    order.unlock(stripes);
                }
                dirty.end(about.lacking(), List.of(text));
                return null;
            } catch (Throwable thrown) { // a side's, or the caller's code; the key is left to the re-drive
                Throwable notKept = keep(
                        text, about, "after a transaction: " + thrown.getClass().getName());
                if (notKept != null) {
                    thrown.addSuppressed(notKept);
                }
                return thrown;
            }
        }

        /** Whether a copy without times would overwrite what the side that is right now was given meanwhile. */
        private boolean turned() {
            if (copies.keepsTimes()) {
                return false;
            }
            try {
                PhaseView now = phases.enter();
                now.leave();
                return now.phase().authority() != inForce.phase().authority();
            } catch (IllegalStateException stopped) {
                return false;
            }
        }

        private boolean alike(Object key) throws Throwable {
            return Stages.answer(copies.differences(key).toCompletableFuture()).isEmpty();
        }

        /** Leaves a key in the journal for good; what prevented it, or null. */
        private RuntimeException keep(String text, Written about, String reason) {
            try {
                dirty.add(about.lacking(), List.of(text), reason);
                return null;
            } catch (RuntimeException notKept) { // the journal's, of whatever kind
                return notKept;
            } finally {
                dirty.end(about.lacking(), List.of(text));
            }
        }

        private static Throwable earlier(Throwable first, Throwable next) {
            return first == null ? next : first;
        }
    }
}
