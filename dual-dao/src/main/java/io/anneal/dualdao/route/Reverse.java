package io.anneal.dualdao.route;

import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.phase.Side;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Copies back all that the origin lacks, once through the journal as it was when it began. */
final class Reverse {
    private static final int SAMPLES_MAX = 20;

    private final Redrive<?> redrive;
    private final DirtyKeys dirty;
    private final Map<Redrive.Result, Long> counts = new LinkedHashMap<>();
    private final Map<String, Redrive.Result> samples = new LinkedHashMap<>();

    Reverse(Redrive<?> redrive, DirtyKeys dirty) {
        this.redrive = redrive;
        this.dirty = dirty;
    }

    CompletionStage<ReverseResult> begin() {
        CompletableFuture<ReverseResult> whole = new CompletableFuture<>();
        redrive.each(Side.ORIGIN, dirty.size(Side.ORIGIN), this::told)
                .whenComplete((nothing, thrown) -> whole.complete(result()));
        return whole;
    }

    private synchronized void told(KeyJournal.Entry entry, Redrive.Result result) {
        counts.merge(result, 1L, Long::sum);
        if (result != Redrive.Result.DONE && samples.size() < SAMPLES_MAX) {
            samples.put(entry.key(), result);
        }
    }

    private synchronized ReverseResult result() {
        return new ReverseResult(
                counts.getOrDefault(Redrive.Result.DONE, 0L),
                counts.getOrDefault(Redrive.Result.DIFFERS, 0L),
                counts.getOrDefault(Redrive.Result.FAILED, 0L),
                dirty.size(Side.ORIGIN),
                samples.entrySet().stream()
                        .map(sample -> sample.getKey() + ": " + sample.getValue())
                        .toList());
    }
}
