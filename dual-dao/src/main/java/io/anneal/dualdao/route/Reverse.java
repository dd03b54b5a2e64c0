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
    private static final int KEYS_MAX = 10_000;

    private final Redrive<?> redrive;
    private final DirtyKeys dirty;
    private long copied;
    private final Map<String, Redrive.Result> others = new LinkedHashMap<>();
    private final Map<String, Redrive.Result> samples = new LinkedHashMap<>();

    Reverse(Redrive<?> redrive, DirtyKeys dirty) {
        this.redrive = redrive;
        this.dirty = dirty;
    }

    CompletionStage<ReverseResult> begin() {
        CompletableFuture<ReverseResult> whole = new CompletableFuture<>();
        next(whole);
        return whole;
    }

    /** So many at a time, since all of them may be more than memory holds, and as long as some are copied. */
    private void next(CompletableFuture<ReverseResult> whole) {
        long before = copied();
        redrive.each(Side.ORIGIN, KEYS_MAX, this::told).whenComplete((nothing, thrown) -> {
            if (dirty.size(Side.ORIGIN) > 0 && copied() > before) {
                next(whole);
            } else {
                whole.complete(result());
            }
        });
    }

    private synchronized long copied() {
        return copied;
    }

    private synchronized void told(KeyJournal.Entry entry, Redrive.Result result) {
        if (result == Redrive.Result.DONE) {
            copied++;
            others.remove(entry.key());
            samples.remove(entry.key());
        } else if (others.put(entry.key(), result) == null && samples.size() < SAMPLES_MAX) {
            samples.put(entry.key(), result);
        }
    }

    private long count(Redrive.Result wanted) {
        return others.values().stream().filter(result -> result == wanted).count();
    }

    private synchronized ReverseResult result() {
        return new ReverseResult(
                copied,
                count(Redrive.Result.DIFFERS),
                count(Redrive.Result.FAILED),
                dirty.size(Side.ORIGIN),
                samples.entrySet().stream()
                        .map(sample -> sample.getKey() + ": " + sample.getValue())
                        .toList());
    }
}
