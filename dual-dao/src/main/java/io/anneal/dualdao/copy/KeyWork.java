package io.anneal.dualdao.copy;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Copies and compares keys that a caller names, several at once, beside calls. What is copied is in the journal from before the copy
 * until after it: the order of the key, the phase, the other side's newer writes, a crash and a side that fails are its care, as
 * of every key there. One thread at a time.
 */
public final class KeyWork<D> {
    /** So many keys of a batch that hang are a side that hangs. */
    private static final int LATE_MAX = 16;

    private final DirtyKeys dirty;
    private final KeyCopies<D> copies;
    private final Background background;
    private final KeyDeadline deadline;
    private final Redrive<D> redrive;
    private final Supplier<Agreement> agreement;

    public KeyWork(
            DirtyKeys dirty,
            KeyCopies<D> copies,
            Background background,
            KeyDeadline deadline,
            Redrive<D> redrive,
            Supplier<Agreement> agreement) {
        this.dirty = dirty;
        this.copies = copies;
        this.background = background;
        this.deadline = deadline;
        this.redrive = redrive;
        this.agreement = agreement;
    }

    /**
     * What became of a key.
     *
     * @param done whether it was copied, or compared
     * @param differences in what the sides differ, of keys that were compared
     * @param cause that prevented it, null if it was only not its turn
     */
    public record Outcome<K>(K key, boolean done, List<FieldDiff> differences, Throwable cause) {
        /** Whether nothing kept it but other work on the key, or much other work. */
        public boolean wasNotItsTurn() {
            return !done && cause == null;
        }
    }

    /** Whether copies lose against newer writes by themselves. */
    public boolean keepsTimes() {
        return copies.keepsTimes();
    }

    /**
     * Makes a side hold of these keys what the other holds. What could not be copied stays in the journal.
     *
     * @throws io.anneal.dualdao.journal.JournalException if it takes no keys
     */
    public <K> List<Outcome<K>> copy(Side lacking, List<K> keys, String reason, int parallel)
            throws InterruptedException {
        Map<String, K> byText = new LinkedHashMap<>();
        keys.forEach(key -> byText.put(copies.text(key), key));
        List<KeyJournal.Entry> entries = dirty.add(lacking, List.copyOf(byText.keySet()), reason);
        Agreement agreed = agreement.get();
        return each(
                entries,
                entry -> byText.get(entry.key()),
                entry -> redrive.one(entry, agreed)
                        .thenApply(ended -> new Outcome<>(
                                byText.get(entry.key()),
                                ended.result() == Redrive.Result.DONE,
                                List.of(),
                                ended.cause())),
                parallel);
    }

    /** Compares what both sides hold of these keys just now. */
    public <K> List<Outcome<K>> compare(List<K> keys, int parallel) throws InterruptedException {
        return each(
                keys,
                Function.identity(),
                key -> copies.differences(key).thenApply(found -> new Outcome<>(key, true, found, null)),
                parallel);
    }

    private <T, K> List<Outcome<K>> each(
            List<T> all, Function<T, K> key, Function<T, CompletionStage<Outcome<K>>> work, int parallel)
            throws InterruptedException {
        List<Outcome<K>> outcomes = Collections.synchronizedList(new ArrayList<>(all.size()));
        Semaphore room = new Semaphore(parallel);
        AtomicInteger late = new AtomicInteger();
        for (T one : all) {
            room.acquire();
            K its = key.apply(one);
            if (late.get() >= LATE_MAX) {
                outcomes.add(
                        new Outcome<>(its, false, List.of(), new TimeoutException("too many keys before it hang")));
                room.release();
                continue;
            }
            deadline.<Outcome<K>>begin(
                    copies.text(its), () -> beside(its, () -> work.apply(one)), (outcome, thrown) -> {
                        late.addAndGet(thrown instanceof TimeoutException ? 1 : 0);
                        outcomes.add(thrown == null ? outcome : new Outcome<>(its, false, List.of(), thrown));
                        room.release();
                    });
        }
        room.acquire(parallel);
        return List.copyOf(outcomes);
    }

    private <K> CompletionStage<Outcome<K>> beside(K key, Supplier<CompletionStage<Outcome<K>>> work) {
        CompletableFuture<Outcome<K>> outcome = new CompletableFuture<>();
        Supplier<CompletionStage<?>> begun = () -> begin(work).whenComplete((done, thrown) -> {
            if (thrown == null) {
                outcome.complete(done);
            } else {
                outcome.completeExceptionally(thrown);
            }
        });
        background.run(begun, () -> outcome.complete(new Outcome<>(key, false, List.of(), null)));
        return outcome;
    }

    private static <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> work) {
        try {
            return work.get();
        } catch (Throwable thrown) { // the caller's code
            return CompletableFuture.failedFuture(thrown);
        }
    }
}
