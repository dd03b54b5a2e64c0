package io.anneal.dualdao.copy;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Makes one side hold for a key what the other holds, by the caller's {@link KeyCopy}. Any thread may call. */
public final class KeyCopies<D> {
    private static final int ROUNDS_MAX = 10;

    private final D origin;
    private final D target;
    private final KeyCopy<D, Object> copy;
    private final KeyCodec<Object> codec;
    private final Comparison comparison;

    public KeyCopies(DualConfig<D> config) {
        origin = config.origin;
        target = config.target;
        copy = config.copy;
        codec = config.keyCodec;
        comparison = config.comparison;
    }

    /** Whether the caller said how to copy. */
    public boolean possible() {
        return copy != null && codec != null;
    }

    public boolean keepsTimes() {
        return possible() && copy.guarantee() == KeyCopy.Guarantee.SOURCE_TIMESTAMPS;
    }

    public boolean writesOnlyIfAbsent() {
        return possible() && copy.guarantee() == KeyCopy.Guarantee.IF_ABSENT;
    }

    /** The key of a text from the journal. Throws what the caller's codec throws. */
    public Object key(String text) {
        return codec.parsed().apply(text);
    }

    /** The text of a key, as the journal knows it. */
    public String text(Object key) {
        return codec.textOf(key);
    }

    /** Copies once, without looking. Never throws; the stage may fail. */
    public CompletionStage<Void> copyOnce(Object key, Side from, long takenAwayBeforeMicros) {
        try {
            CompletionStage<Void> copied = copy.copy(key, dao(from), dao(from.other()), takenAwayBeforeMicros);
            return copied == null ? Stages.failed(new NullPointerException("a key copy returned no stage")) : copied;
        } catch (Throwable thrown) { // the caller's code, which others wait for
            return Stages.failed(thrown);
        }
    }

    /**
     * Copies; where the copy can't be trusted to lose against newer writes, compares both sides and repeats until they agree.
     *
     * @param takenAwayBeforeMicros as of {@link KeyCopy#copy}
     * @param compared whether to compare in any case
     * @return fails with {@link SidesDifferException} if they don't agree in the end
     */
    public CompletionStage<Void> copy(Object key, Side from, long takenAwayBeforeMicros, boolean compared) {
        return compared || !keepsTimes()
                ? copyUntilEqual(key, from, takenAwayBeforeMicros, 1)
                : copyOnce(key, from, takenAwayBeforeMicros);
    }

    private CompletionStage<Void> copyUntilEqual(Object key, Side from, long takenAwayBeforeMicros, int round) {
        return copyOnce(key, from, takenAwayBeforeMicros)
                .thenCompose(copied -> differences(key))
                .thenCompose(differences -> {
                    if (differences.isEmpty()) {
                        return CompletableFuture.completedFuture(null);
                    }
                    if (round == ROUNDS_MAX) {
                        return Stages.failed(new SidesDifferException(differences));
                    }
                    return copyUntilEqual(key, from, takenAwayBeforeMicros, round + 1);
                });
    }

    /** In what the sides differ about a key. */
    public CompletionStage<List<FieldDiff>> differences(Object key) {
        CompletionStage<?> ofOrigin = copy.read(key, origin);
        CompletionStage<?> ofTarget = copy.read(key, target);
        return ofOrigin.thenCombine(ofTarget, (left, right) -> {
            boolean bothNothing = Missing.DEFAULT.test(left) && Missing.DEFAULT.test(right);
            return bothNothing ? List.<FieldDiff>of() : comparison.differences(left, right);
        });
    }

    private D dao(Side side) {
        return side == Side.ORIGIN ? origin : target;
    }
}
