package io.anneal.dualdao;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.copy.KeyWork;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.WorkMark;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes through all keys that sources list, batch by batch, at the pace that the run was told, and remembers how far it has come.
 * What is done with a batch is up to the two that extend it. One thread.
 */
abstract class KeyPass<K> {
    private static final Logger LOG = LoggerFactory.getLogger(KeyPass.class);
    private static final int BATCH_KEYS_MAX = 256;
    private static final long BEAT_NANOS = 1_000_000_000;

    private static final String LAST = "last";
    private static final String SOURCE = "source";

    final KeyRun<K> run;
    final PhaseControl control;
    final DualEnvironment time;
    final KeyWork<?> work;

    /** When the keys of the batch were written, by text. */
    final Map<String, Optional<Instant>> listed = new HashMap<>();

    private final Optional<WorkMark> mark;

    private WorkStart start;
    private int source;
    private K last;
    private long keys;

    KeyPass(KeyRun<K> run) {
        this.run = run;
        control = run.dual.control();
        time = run.dual.environment();
        work = run.dual.engine.keyWork();
        mark = Optional.ofNullable(run.dual.config.directory)
                .map(directory -> new WorkMark(directory, control.name(), run.kind));
    }

    abstract KeyRunResult run() throws InterruptedException;

    /** Works on a batch; answers whether to go on. */
    abstract boolean work(List<K> batch) throws InterruptedException;

    abstract KeyRunResult soFar();

    /** What the next run needs to go on, beside where it stopped; empty if there is too much of it. */
    abstract Optional<Map<String, String>> state();

    abstract void goOn(Map<String, String> state);

    long keys() {
        return keys;
    }

    Phase phase() {
        return run.dual.phase().phase();
    }

    String text(K key) {
        return run.dual.config.keyCodec.textOf(key);
    }

    @SuppressWarnings("unchecked")
    K key(String text) {
        return (K) run.dual.config.keyCodec.parsed().apply(text);
    }

    String identity() {
        return "keys of " + run.sources.stream().map(KeySource::identity).collect(Collectors.joining(" and of "));
    }

    private String name() {
        return run.dual.instance() + "-" + run.kind.name().toLowerCase(Locale.ROOT);
    }

    /** To be asked after work and before what it came to is told: what a dual DAO that ends did not do is not done. */
    void requireOpen() {
        if (run.dual.closed()) {
            throw KeyRunException.closed(control.name(), null);
        }
    }

    /** Begins, or goes on where an earlier run stopped whose note would still count. */
    void begin() {
        requireOpen();
        // Of a process that was killed, which nobody else takes off.
        control.instances().stream()
                .filter(state -> !state.serves() && state.silent())
                .forEach(gone -> run.dual.config.phases.forget(control.name(), gone.name()));
        start = control.begin();
        if (!start.acknowledged()) {
            // By what the note will say, and no second look: a run that does not count must not go on for days.
            throw KeyRunException.tooEarly(
                    "instances have not acknowledged the phase, what they write would be missed, name=" + control.name()
                            + ", instances=" + control.behind());
        }
        mark.flatMap(WorkMark::read).ifPresent(before -> {
            WorkStart earlier = new WorkStart(before.version(), before.at(), true);
            // What was compared before the data was copied says nothing of the copy.
            boolean copiedSince = run.kind != PhaseNote.Kind.BACKFILL
                    && control.notes().stream()
                            .anyMatch(note -> note.kind() == PhaseNote.Kind.BACKFILL
                                    && note.at().isAfter(before.at()));
            if (before.who().equals(identity()) && control.counts(earlier) && !copiedSince) {
                start = earlier;
                Map<String, String> facts = before.facts();
                source = Integer.parseInt(facts.get(SOURCE));
                keys = Long.parseLong(facts.get(Facts.ROWS));
                last = facts.containsKey(LAST) ? key(facts.get(LAST)) : null;
                goOn(facts);
            }
        });
        beat();
    }

    /** Goes through all keys that are left; answers whether it came to their end. */
    boolean each() throws InterruptedException {
        long begunNanos = time.nanoTime().getAsLong();
        long begunKeys = keys;
        long beatNanos = begunNanos;
        int batchKeys = run.keysPerSecond == 0 ? BATCH_KEYS_MAX : Math.min(BATCH_KEYS_MAX, run.keysPerSecond);
        for (; source < run.sources.size(); source++, last = null) {
            Iterator<KeySource.Listed<K>> each = run.sources.get(source).after(Optional.ofNullable(last));
            try {
                while (each.hasNext()) {
                    boolean goesOn = work(next(each, batchKeys));
                    requireOpen();
                    if (!goesOn) {
                        return false;
                    }
                    long now = time.nanoTime().getAsLong();
                    if (now - beatNanos >= BEAT_NANOS) {
                        beatNanos = now;
                        beat();
                    }
                    pace(keys - begunKeys, now - begunNanos);
                }
            } finally {
                close(each);
            }
        }
        return true;
    }

    private List<K> next(Iterator<KeySource.Listed<K>> each, int count) {
        List<K> batch = new ArrayList<>(count);
        listed.clear();
        while (batch.size() < count && each.hasNext()) {
            KeySource.Listed<K> next = each.next();
            last = next.key();
            batch.add(last);
            listed.put(text(last), next.writtenAt());
        }
        keys += batch.size();
        return batch;
    }

    private static void close(Iterator<?> each) {
        if (each instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new KeyRunException("list of keys can't be closed, reason=" + e, e);
            }
        }
    }

    private void pace(long done, long tookNanos) throws InterruptedException {
        if (run.keysPerSecond > 0) {
            long aheadNanos = done * (BEAT_NANOS / run.keysPerSecond) - tookNanos;
            if (aheadNanos > 0) {
                time.sleeper().sleep(Duration.ofNanos(aheadNanos));
            }
        }
    }

    private Map<String, String> facts() {
        Map<String, String> facts = new HashMap<>();
        facts.put(Facts.ROWS, Long.toString(keys));
        facts.put(Facts.MISMATCHES, Long.toString(soFar().mismatches()));
        return facts;
    }

    /** Shows how far it has come, and keeps that for the next run. */
    private void beat() {
        Map<String, String> facts = facts();
        facts.put(Facts.KIND, run.kind == PhaseNote.Kind.BACKFILL ? "backfill" : "verify");
        if (run.order != null) {
            facts.put(Facts.ORDER, run.order);
        }
        facts.put(Facts.STARTED_MILLIS, Long.toString(start.at().toEpochMilli()));
        tolerant(() -> run.dual.config.phases.heartbeat(
                control.name(),
                new Heartbeat(name(), start.version(), true, time.clock().instant(), facts)));
        run.progress.accept(soFar());
        Optional<Map<String, String>> state = state();
        if (mark.isPresent() && start.acknowledged() && state.isPresent()) {
            Map<String, String> unfinished = facts();
            unfinished.putAll(state.get());
            unfinished.put(SOURCE, Integer.toString(source));
            if (last != null) {
                unfinished.put(LAST, text(last));
            }
            mark.get().write(new PhaseNote(start.at(), start.version(), identity(), run.kind, unfinished));
        }
    }

    /** A phase store that is away for a moment does not end a run of days. */
    private void tolerant(Runnable said) {
        try {
            said.run();
        } catch (PhaseStoreException e) {
            LOG.warn("phase store can't be asked, run={}, reason={}", name(), e.getMessage());
        }
    }

    void add(PhaseNote.Kind noted, Map<String, String> more) {
        requireOpen();
        Map<String, String> facts = facts();
        facts.putAll(more);
        control.finish(start, noted, run.who, facts);
    }

    KeyRunResult finish(Map<String, String> more) {
        Map<String, String> facts = new HashMap<>(more);
        if (run.order != null) {
            facts.put(Facts.ORDER, run.order);
        }
        add(run.kind, facts);
        mark.ifPresent(WorkMark::clear);
        return soFar();
    }

    /** Takes the run off the heartbeats. */
    void forget() {
        tolerant(() -> run.dual.config.phases.forget(control.name(), name()));
    }
}
