package io.anneal.dualdao;

import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.phase.PhaseNote;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Copies to the target, or compares on both sides, all keys that sources list, by the key copy of the dual DAO. It shows itself
 * among the heartbeats, goes on where an earlier run in the same directory stopped, and leaves the note that gates look for. The
 * service goes on meanwhile. One thread makes it and runs it.
 *
 * @param <K> the keys
 */
public final class KeyRun<K> {
    final DualDao<?> dual;
    final PhaseNote.Kind kind;
    final List<KeySource<K>> sources;

    int keysPerSecond;
    int parallel = 4;
    int rereads = 3;
    Duration rereadDelay = Duration.ofSeconds(2);
    Duration patience = Duration.ofMinutes(10);
    boolean repairs;
    String who;

    /** The order that it is done for; null without one. */
    String order;

    Consumer<KeyRunResult> progress = soFar -> {};

    KeyRun(DualDao<?> dual, PhaseNote.Kind kind, List<KeySource<K>> sources) {
        this.dual = dual;
        this.kind = kind;
        this.sources = sources;
        who = dual.instance();
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
        Objects.requireNonNull(delay, "delay");
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
        patience = Objects.requireNonNull(longest, "longest");
        return this;
    }

    /** Stands in the note; the name of the instance by default. */
    public KeyRun<K> who(String name) {
        who = Objects.requireNonNull(name, "name");
        return this;
    }

    /** Is told about once a second how far the run has come, on its thread. */
    public KeyRun<K> progress(Consumer<KeyRunResult> told) {
        progress = Objects.requireNonNull(told, "told");
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
     * @throws KeyRunException when the dual DAO is closed, or is closed meanwhile; when the phase is not one for it, when instances have not acknowledged the phase, when the sources can't
     *     be listed, or a whole batch of keys failed
     * @throws InterruptedException when this thread was interrupted; the next run goes on
     */
    public KeyRunResult run() throws InterruptedException {
        if (dual.config.copy == null) {
            throw new KeyRunException("keys can't be copied or compared without .copy(codec, copy)", null);
        }
        if (!dual.keyRunning.compareAndSet(false, true)) {
            throw KeyRunException.tooEarly("a run of this instance is under way, instance=" + dual.instance());
        }
        KeyPass<K> pass =
                kind == PhaseNote.Kind.BACKFILL ? new KeyBackfillPass<>(this) : new KeyVerificationPass<>(this);
        try {
            return pass.run();
        } catch (KeyRunException told) {
            throw told;
        } catch (RuntimeException e) {
            // Of a journal or a phase that is gone, or of a source whose connections its owner closed, too.
            throw dual.closed() ? KeyRunException.closed(dual.name(), e) : e;
        } finally {
            dual.keyRunning.set(false);
            pass.forget();
        }
    }
}
