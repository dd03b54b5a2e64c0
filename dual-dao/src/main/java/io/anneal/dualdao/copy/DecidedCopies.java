package io.anneal.dualdao.copy;

import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Takes what one side decided to the other. What the other has too much may have been taken away by the decision, or be a write through
 * an instance for which the other side is right, which must stay. Where instances one step apart may differ in that, nothing is
 * taken away before all of them were seen to agree. Any thread may call.
 */
public final class DecidedCopies<D> {
    private final KeyCopies<D> copies;
    private final Background background;
    private final Supplier<Agreement> agreement;

    public DecidedCopies(KeyCopies<D> copies, Background background, Supplier<Agreement> agreement) {
        this.copies = copies;
        this.background = background;
        this.agreement = agreement;
    }

    /**
     * Copies a key before something is decided about it that may take away what the side that decides has. What other instances
     * write there reaches this side late, at the time of the write. It loses against a deletion at that time alone, and only
     * what is here can be deleted so.
     */
    public CompletionStage<Void> copyBefore(Object key, Side from) {
        return copies.keepsTimes()
                ? copies.copyOnce(key, from, KeyCopy.NOTHING)
                : CompletableFuture.completedFuture(null);
    }

    /**
     * Copies a key; the stage fails if the sides may differ in it afterwards.
     *
     * @param adds whether nothing was taken away
     */
    public CompletionStage<Void> copy(Object key, Side from, PhaseRecord inForce, boolean adds) {
        if (adds) {
            return copies.copy(key, from, KeyCopy.NOTHING, false);
        }
        boolean disputed = inForce.phase() == Phase.READ_TARGET || inForce.phase() == Phase.TARGET_FIRST;
        if (!disputed || !copies.keepsTimes()) {
            return copies.copy(key, from, Long.MAX_VALUE, false);
        }
        return copies.copyOnce(key, from, KeyCopy.NOTHING)
                .thenCompose(copied -> copies.differences(key))
                .thenCompose(differences ->
                        differences.isEmpty() ? CompletableFuture.completedFuture(null) : takeAway(key, from, inForce));
    }

    private CompletionStage<Void> takeAway(Object key, Side from, PhaseRecord inForce) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        // Not here, where a driver may have told its answer: asking blocks.
        background.run(
                () -> told(takenAway(key, from, inForce), result),
                () -> told(copies.copy(key, from, KeyCopy.NOTHING, true), result));
        return result;
    }

    private static CompletionStage<Void> told(CompletionStage<Void> stage, CompletableFuture<Void> result) {
        return stage.whenComplete((copied, thrown) -> {
            if (thrown == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(thrown);
            }
        });
    }

    private CompletionStage<Void> takenAway(Object key, Side from, PhaseRecord inForce) {
        try {
            Agreement agreed = agreement.get();
            return copies.copy(key, from, agreed.on(inForce) ? agreed.askedMicros() : KeyCopy.NOTHING, true);
        } catch (Throwable thrown) { // the caller's phase store, for which the operation waits
            return Stages.failed(thrown);
        }
    }
}
