package io.anneal.dualdao;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.phase.WorkMark;
import io.anneal.dualdao.phase.WorkStart;
import io.anneal.dualdao.route.KeyWork;
import io.anneal.dualdao.route.KeyWork.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies to the target, or compares on both sides, all keys that sources list, by the key copy of the dual DAO. It shows itself
 * among the heartbeats, goes on where an earlier run in the same directory stopped, and leaves the note that gates look for. The
 * service goes on meanwhile. One thread makes it and runs it.
 *
 * <pre>
 *   back-fill      a batch of keys into the journal, copied from there, until no source lists more
 *   verification   a batch compared; what differs is read again later, all of it at once, and believed if it differs each time
 *   note           that all of it was done, and since when
 * </pre>
 *
 * @param <K> the keys
 */
public final class KeyRun<K> {
    private static final Logger LOG = LoggerFactory.getLogger(KeyRun.class);
    private static final int BATCH_KEYS_MAX = 256;
    private static final int SUSPECTS_MAX = 10_000;
    private static final int SUSPECTS_NOTED_MAX = 1_000;
    private static final int SAMPLES_MAX = 20;
    private static final int NOTED_MAX = 5;
    private static final int SAMPLE_FIELDS_MAX = 5;
    private static final long BEAT_NANOS = 1_000_000_000;
    private static final Duration WAIT = Duration.ofMillis(200);

    private static final String LAST = "last";
    private static final String SOURCE = "source";
    private static final String LEFT = "left";
    private static final String SUSPECT = "suspect.";

    private final DualDaoDraft<?> draft;
    private final DualDaoParts<?> parts;
    private final PhaseControl control;
    private final String instance;
    private final AtomicBoolean running;
    private final PhaseNote.Kind kind;
    private final List<KeySource<K>> sources;
    private final DualEnvironment time;
    private final KeyWork<?> work;
    private final Optional<WorkMark> mark;

    /** When the keys of the batch were written, by text. */
    private final Map<String, Optional<Instant>> listed = new HashMap<>();

    /** Keys that differed, and when they were written. */
    private final Map<String, Optional<Instant>> suspects = new LinkedHashMap<>();

    private final List<String> samples = new ArrayList<>();

    private int keysPerSecond;
    private int parallel = 4;
    private int rereads = 3;
    private Duration rereadDelay = Duration.ofSeconds(2);
    private Duration patience = Duration.ofMinutes(10);
    private boolean repairs;
    private String who;
    private Consumer<KeyRunResult> progress = soFar -> {};

    private WorkStart start;
    private int source;
    private K last;
    private long keys;
    private long left;
    private long mismatches;
    private long writtenPast;
    private long repaired;
    private boolean complete = true;

    /** @param running whether another one runs in the same dual DAO */
    KeyRun(
            DualDaoDraft<?> draft,
            DualDaoParts<?> parts,
            String instance,
            AtomicBoolean running,
            PhaseNote.Kind kind,
            List<KeySource<K>> sources) {
        this.draft = draft;
        this.parts = parts;
        this.instance = instance;
        this.running = running;
        this.kind = kind;
        this.sources = sources;
        control = parts.control();
        time = draft.environment;
        work = parts.engine().keyWork();
        who = instance;
        mark = Optional.ofNullable(draft.directory).map(directory -> new WorkMark(directory, control.name(), kind));
    }

    /** Keys a second, as many as go by default. */
    public KeyRun<K> keysPerSecond(int keysPerSecond) {
        this.keysPerSecond = positive("keysPerSecond", keysPerSecond);
        return this;
    }

    /** How many keys are copied or compared at once, 4 by default; not more than {@code shadow(...)} has threads. */
    public KeyRun<K> parallel(int keys) {
        parallel = positive("parallel", keys);
        return this;
    }

    /** How often a key that differs is read again before it is believed, and after how long each time; 3 times after 2 s by default. */
    public KeyRun<K> rereads(int count, Duration delay) {
        rereads = positive("rereads", count);
        rereadDelay = delay;
        return this;
    }

    /** Makes good what differs, on the side that is not right in the phase. */
    public KeyRun<K> repair() {
        return repair(true);
    }

    /** Whether it does. */
    public KeyRun<K> repair(boolean makesGood) {
        repairs = makesGood;
        return this;
    }

    /** How long instances may take for their journals on the way back; 10 minutes by default. */
    public KeyRun<K> patience(Duration longest) {
        patience = longest;
        return this;
    }

    /** Stands in the note; the name of the instance by default. */
    public KeyRun<K> who(String name) {
        who = name;
        return this;
    }

    /** Is told about once a second how far the run has come, on its thread. */
    public KeyRun<K> progress(Consumer<KeyRunResult> told) {
        progress = told;
        return this;
    }

    private static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be positive, " + name + "=" + value);
        }
        return value;
    }

    /**
     * Does it, and returns at the end of all keys.
     *
     * @throws KeyRunException when the phase is not one for it, when instances have not acknowledged the phase, when the sources can't
     *     be listed, or a whole batch of keys failed
     * @throws InterruptedException when this thread was interrupted; the next run goes on
     */
    public KeyRunResult run() throws InterruptedException {
        if (draft.copy == null) {
            throw new KeyRunException("keys can't be copied or compared without .copy(codec, copy)", null);
        }
        if (!running.compareAndSet(false, true)) {
            throw new KeyRunException("a run of this instance is under way, instance=" + instance, null);
        }
        try {
            return kind == PhaseNote.Kind.BACKFILL ? backfill() : verification();
        } finally {
            running.set(false);
            tolerant(() -> draft.phases.forget(control.name(), name()));
        }
    }

    private KeyRunResult backfill() throws InterruptedException {
        requireBackfill();
        begin();
        each(batch -> {
            requireBackfill();
            List<Outcome<K>> outcomes = work.copy(Side.TARGET, batch, "back-fill", parallel);
            long done = outcomes.stream().filter(Outcome::done).count();
            left += batch.size() - done;
            Optional<Throwable> cause = outcomes.stream()
                    .map(Outcome::cause)
                    .filter(thrown -> thrown != null)
                    .findFirst();
            if (done == 0 && cause.isPresent()) {
                throw new KeyRunException(
                        "keys can't be copied, they stay in the journal, keys=" + batch.size() + ", first="
                                + batch.get(0) + ", reason=" + cause.get(),
                        cause.get());
            }
        });
        return finish(Map.of(Facts.TEXT, identity()));
    }

    /** What is copied must be right, and nobody must read the target while a copy without times passes a newer write by. */
    private void requireBackfill() {
        Phase phase = parts.follower().current().phase();
        boolean fits = draft.mode == Mode.TEST
                ? phase != Phase.ORIGIN_ONLY
                : phase == Phase.WRITE_BOTH || phase == Phase.READ_TARGET && work.keepsTimes();
        if (!fits) {
            throw new KeyRunException(
                    "back-fill is for phase 2, and for 3 with a copy of guarantee SOURCE_TIMESTAMPS, name="
                            + control.name() + ", phase=" + phase.label(),
                    null);
        }
    }

    private KeyRunResult verification() throws InterruptedException {
        boolean wayBack = control.onTheWayBack();
        begin();
        if (wayBack) {
            awaitJournals();
        }
        each(batch -> differing(batch).forEach(outcome -> {
            String text = text(outcome.key());
            suspects.put(text, listed.getOrDefault(text, Optional.empty()));
        }));
        List<Outcome<K>> differing = List.of();
        for (int i = 0; i < rereads && !suspects.isEmpty(); i++) {
            time.sleeper().sleep(rereadDelay);
            differing = differing(suspects.keySet().stream().map(this::key).toList());
            suspects.keySet()
                    .retainAll(differing.stream()
                            .map(outcome -> text(outcome.key()))
                            .collect(Collectors.toSet()));
        }
        return believe(differing, wayBack);
    }

    /** Of these keys those of which the sides differ, or could not be read now. */
    private List<Outcome<K>> differing(List<K> batch) throws InterruptedException {
        return work.compare(batch, parallel).stream()
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
        List<Outcome<K>> still = repairs && !found.isEmpty() ? repaired(found) : found;
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
        Phase phase = parts.follower().current().phase();
        Side lacking = draft.mode == Mode.TEST ? Side.TARGET : phase.authority().other();
        if (!phase.writes(lacking)) {
            throw new KeyRunException(
                    "nothing is made good where one side alone is written, name=" + control.name() + ", phase="
                            + phase.label(),
                    null);
        }
        List<K> batch = found.stream().map(Outcome::key).toList();
        work.copy(lacking, batch, "verification", parallel);
        return differing(batch);
    }

    private String words(Outcome<K> outcome) {
        return outcome.key()
                + outcome.differences().stream()
                        .limit(SAMPLE_FIELDS_MAX)
                        .map(diff -> draft.redactValues ? diff.redacted() : diff)
                        .map(diff -> "; " + diff.path() + ": " + diff.origin() + " and " + diff.target())
                        .collect(Collectors.joining());
    }

    /** Every instance copies what it wrote since phase 4; of a key that is still in a journal nothing can be said. */
    private void awaitJournals() throws InterruptedException {
        long begunNanos = time.nanoTime().getAsLong();
        while (true) {
            parts.follower().poll();
            parts.engine()
                    .redrive(Side.ORIGIN, BATCH_KEYS_MAX)
                    .toCompletableFuture()
                    .join();
            List<String> lacking = control.lacking(Side.ORIGIN);
            if (lacking.isEmpty()) {
                return;
            }
            if (time.nanoTime().getAsLong() - begunNanos > patience.toNanos()) {
                throw new KeyRunException(
                        "instances have keys left that the origin may lack, name=" + control.name() + ", instances="
                                + lacking,
                        null);
            }
            time.sleeper().sleep(WAIT);
        }
    }

    /** Work on a batch of keys. */
    private interface Batch<K> {
        void work(List<K> keys) throws InterruptedException;
    }

    /** Goes through all keys that are left. */
    private void each(Batch<K> batch) throws InterruptedException {
        long begunNanos = time.nanoTime().getAsLong();
        long begunKeys = keys;
        long beatNanos = begunNanos;
        int batchKeys = keysPerSecond == 0 ? BATCH_KEYS_MAX : Math.min(BATCH_KEYS_MAX, keysPerSecond);
        for (; source < sources.size() && complete; source++, last = null) {
            Iterator<KeySource.Listed<K>> each = sources.get(source).after(Optional.ofNullable(last));
            try {
                while (each.hasNext() && complete) {
                    batch.work(next(each, batchKeys));
                    complete = suspects.size() <= SUSPECTS_MAX;
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
        if (keysPerSecond > 0) {
            long aheadNanos = done * (BEAT_NANOS / keysPerSecond) - tookNanos;
            if (aheadNanos > 0) {
                time.sleeper().sleep(Duration.ofNanos(aheadNanos));
            }
        }
    }

    private String text(K key) {
        return draft.keyCodec.textOf(key);
    }

    @SuppressWarnings("unchecked")
    private K key(String text) {
        return (K) draft.keyCodec.parsed().apply(text);
    }

    private String identity() {
        return "keys of " + sources.stream().map(KeySource::identity).collect(Collectors.joining(" and of "));
    }

    private String name() {
        return instance + "-" + kind.name().toLowerCase(Locale.ROOT);
    }

    /** Begins, or goes on where an earlier run stopped whose note would still count. */
    private void begin() {
        List<String> behind = control.behind();
        if (!behind.isEmpty()) {
            throw new KeyRunException(
                    "instances have not acknowledged the phase, what they write would be missed, name=" + control.name()
                            + ", instances=" + behind,
                    null);
        }
        start = control.begin();
        mark.flatMap(WorkMark::read).ifPresent(before -> {
            WorkStart earlier = new WorkStart(before.version(), before.at(), true);
            boolean copiedSince = kind != PhaseNote.Kind.BACKFILL
                    && control.notes().stream()
                            .anyMatch(note -> note.kind() == PhaseNote.Kind.BACKFILL
                                    && note.at().isAfter(before.at()));
            if (before.who().equals(identity()) && control.counts(earlier) && !copiedSince) {
                start = earlier;
                goOn(before.facts());
            }
        });
        beat();
    }

    private void goOn(Map<String, String> facts) {
        source = Integer.parseInt(facts.get(SOURCE));
        keys = Long.parseLong(facts.get(Facts.ROWS));
        left = Long.parseLong(facts.get(LEFT));
        last = facts.containsKey(LAST) ? key(facts.get(LAST)) : null;
        facts.forEach((name, text) -> {
            if (name.startsWith(SUSPECT)) {
                suspects.put(text, Optional.empty());
            }
        });
    }

    private Map<String, String> facts() {
        Map<String, String> facts = new HashMap<>();
        facts.put(Facts.ROWS, Long.toString(keys));
        facts.put(Facts.MISMATCHES, Long.toString(mismatches));
        return facts;
    }

    /** Shows how far it has come, and keeps that for the next run. */
    private void beat() {
        Map<String, String> facts = facts();
        facts.put(Facts.KIND, kind == PhaseNote.Kind.BACKFILL ? "backfill" : "verify");
        facts.put(Facts.STARTED_MILLIS, Long.toString(start.at().toEpochMilli()));
        tolerant(() -> draft.phases.heartbeat(
                control.name(),
                new Heartbeat(name(), start.version(), true, time.clock().instant(), facts)));
        progress.accept(soFar());
        if (mark.isPresent() && start.acknowledged() && suspects.size() <= SUSPECTS_NOTED_MAX) {
            Map<String, String> unfinished = facts();
            unfinished.put(SOURCE, Integer.toString(source));
            unfinished.put(LEFT, Long.toString(left));
            if (last != null) {
                unfinished.put(LAST, text(last));
            }
            int count = 0;
            for (String suspect : suspects.keySet()) {
                unfinished.put(SUSPECT + count++, suspect);
            }
            mark.get().write(new PhaseNote(start.at(), start.version(), identity(), kind, unfinished));
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

    private void add(PhaseNote.Kind noted, Map<String, String> more) {
        Map<String, String> facts = facts();
        facts.putAll(more);
        control.finish(start, noted, who, facts);
    }

    private KeyRunResult finish(Map<String, String> more) {
        add(kind, more);
        mark.ifPresent(WorkMark::clear);
        return soFar();
    }

    private KeyRunResult soFar() {
        return new KeyRunResult(keys, left, mismatches, writtenPast, repaired, complete, samples);
    }
}
