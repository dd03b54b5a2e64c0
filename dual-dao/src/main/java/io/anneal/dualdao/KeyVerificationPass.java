package io.anneal.dualdao;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.copy.KeyWork.Outcome;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.Side;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares batch after batch on both sides. What differs is read again later, all of it at once, and believed if it differs each time.
 */
final class KeyVerificationPass<K> extends KeyPass<K> {
    private static final int REDRIVE_KEYS_MAX = 10_000;
    private static final int SUSPECTS_MAX = 10_000;
    private static final int SUSPECTS_NOTED_MAX = 1_000;
    private static final int SAMPLES_MAX = 20;
    private static final int NOTED_MAX = 5;
    private static final int SAMPLE_FIELDS_MAX = 5;
    private static final Duration WAIT = Duration.ofMillis(200);

    private static final String SUSPECT = "suspect.";

    /** Keys that differed, and when they were written. */
    private final Map<String, Optional<Instant>> suspects = new LinkedHashMap<>();

    private final List<String> samples = new ArrayList<>();

    private long mismatches;
    private long writtenPast;
    private long repaired;
    private boolean complete = true;

    KeyVerificationPass(KeyRun<K> run) {
        super(run);
    }

    @Override
    KeyRunResult run() throws InterruptedException {
        boolean wayBack = control.onTheWayBack();
        begin();
        if (wayBack) {
            awaitJournals();
        }
        complete = each();
        List<Outcome<K>> differing = List.of();
        for (int i = 0; i < run.rereads && !suspects.isEmpty(); i++) {
            time.sleeper().sleep(run.rereadDelay);
            differing = differing(suspects.keySet().stream().map(this::key).toList());
            suspects.keySet()
                    .retainAll(differing.stream()
                            .map(outcome -> text(outcome.key()))
                            .collect(Collectors.toSet()));
        }
        return believe(differing, wayBack);
    }

    @Override
    boolean work(List<K> batch) throws InterruptedException {
        differing(batch).forEach(outcome -> {
            String text = text(outcome.key());
            suspects.put(text, listed.getOrDefault(text, Optional.empty()));
        });
        return suspects.size() <= SUSPECTS_MAX;
    }

    /** Of these keys those of which the sides differ, or could not be read now. */
    private List<Outcome<K>> differing(List<K> batch) throws InterruptedException {
        List<Outcome<K>> compared = work.compare(batch, run.parallel);
        requireOpen();
        return compared.stream()
                .filter(outcome -> !outcome.done() || !outcome.differences().isEmpty())
                .toList();
    }

    private KeyRunResult believe(List<Outcome<K>> found, boolean wayBack) throws InterruptedException {
        for (Outcome<K> outcome : found) {
            if (outcome.cause() != null) {
                throw new KeyRunException(
                        "key can't be compared, key=" + outcome.key() + ", reason=" + outcome.cause(), outcome.cause());
            }
        }
        List<Outcome<K>> still = run.repairs && !found.isEmpty() ? repaired(found) : found;
        Optional<Instant> since = control.writtenBothSince();
        mismatches = still.size();
        writtenPast = still.stream()
                .filter(outcome -> writtenAfter(since, suspects.get(text(outcome.key()))))
                .count();
        repaired = found.size() - still.size();
        samples.addAll(still.stream().limit(SAMPLES_MAX).map(this::words).toList());
        Map<String, String> facts = new HashMap<>();
        facts.put(Facts.MISMATCHES, Long.toString(complete ? mismatches : Math.max(1, mismatches)));
        facts.put(Facts.WRITTEN_PAST, Long.toString(writtenPast));
        facts.put(
                Facts.TEXT,
                Stream.concat(
                                Stream.of(identity()),
                                still.stream().limit(NOTED_MAX).map(Outcome::key))
                        .map(String::valueOf)
                        .collect(Collectors.joining("; ")));
        if (wayBack) {
            add(PhaseNote.Kind.REVERSE_BACKFILL, facts);
        }
        return finish(facts);
    }

    private static boolean writtenAfter(Optional<Instant> since, Optional<Instant> writtenAt) {
        return since.isPresent() && writtenAt.isPresent() && writtenAt.get().isAfter(since.get());
    }

    /** Copies from the side that is right; gives those that differ all the same. */
    private List<Outcome<K>> repaired(List<Outcome<K>> found) throws InterruptedException {
        Phase phase = phase();
        Side lacking = run.dual.config.mode == Mode.TEST
                ? Side.TARGET
                : phase.authority().other();
        if (!phase.writes(lacking)) {
            throw KeyRunException.refused("nothing is made good where one side alone is written, name=" + control.name()
                    + ", phase=" + phase.label());
        }
        List<K> batch = found.stream().map(Outcome::key).toList();
        work.copy(lacking, batch, "verification", run.parallel);
        return differing(batch);
    }

    private String words(Outcome<K> outcome) {
        return outcome.key()
                + outcome.differences().stream()
                        .limit(SAMPLE_FIELDS_MAX)
                        .map(diff -> run.dual.config.redactValues ? diff.redacted() : diff)
                        .map(diff -> "; " + diff.path() + ": " + diff.origin() + " and " + diff.target())
                        .collect(Collectors.joining());
    }

    /** Every instance copies what it wrote since phase 4; of a key that is still in a journal nothing can be said. */
    private void awaitJournals() throws InterruptedException {
        long begunNanos = time.nanoTime().getAsLong();
        while (true) {
            requireOpen();
            run.dual.follower.poll();
            while (redriven() > 0) {
                run.dual.follower.poll();
            }
            List<String> lacking = control.lacking(Side.ORIGIN);
            if (lacking.isEmpty()) {
                return;
            }
            if (time.nanoTime().getAsLong() - begunNanos > run.patience.toNanos()) {
                throw new KeyRunException(
                        "instances have keys left that the origin may lack, name=" + control.name() + ", instances="
                                + lacking,
                        null);
            }
            time.sleeper().sleep(WAIT);
        }
    }

    private int redriven() {
        return run.dual
                .engine
                .redrive(Side.ORIGIN, REDRIVE_KEYS_MAX)
                .toCompletableFuture()
                .join();
    }

    @Override
    KeyRunResult soFar() {
        return new KeyRunResult(keys(), 0, mismatches, writtenPast, repaired, complete, samples);
    }

    @Override
    Optional<Map<String, String>> state() {
        if (suspects.size() > SUSPECTS_NOTED_MAX) {
            return Optional.empty();
        }
        Map<String, String> state = new HashMap<>();
        for (String suspect : suspects.keySet()) {
            state.put(SUSPECT + state.size(), suspect);
        }
        return Optional.of(state);
    }

    @Override
    void goOn(Map<String, String> state) {
        state.forEach((name, text) -> {
            if (name.startsWith(SUSPECT)) {
                suspects.put(text, Optional.empty());
            }
        });
    }
}
