package io.anneal.dualdao.copy;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.KeyWait;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.HeldView;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.OperationStats;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works the journal off: copies each key from the other side to the one that may lack it, while nobody writes the key through this
 * instance. One key at a time for each side. Any thread may call.
 */
public final class Redrive<D> {
    /** The name under which copies are counted. */
    public static final String OPERATION = "re-drive";

    private static final Logger LOG = LoggerFactory.getLogger(Redrive.class);

    /** So many keys that could not be copied, one after the other, are a side that is down. */
    private static final int FAILURES_MAX = 16;

    private final Mode mode;
    private final PhaseSource phases;
    private final Supplier<Agreement> agreement;
    private final boolean merged;
    private final boolean remembers;
    private final DirtyKeys dirty;
    private final KeyCopies<D> copies;
    private final KeyOrder order;
    private final Background background;
    private final SerialLanes lanes;
    private final KeyDeadline deadline;
    private final OperationStats stats;
    private final DualStats failures;
    private final Map<Side, CompletableFuture<Integer>> running = new EnumMap<>(Side.class);

    /** @param agreement asked before keys are copied; may block */
    public Redrive(
            DualConfig<D> config,
            PhaseSource phases,
            DirtyKeys dirty,
            KeyCopies<D> copies,
            KeyOrder order,
            Background background,
            SerialLanes lanes,
            KeyDeadline deadline,
            DualStats failures,
            Supplier<Agreement> agreement) {
        this.phases = phases;
        this.agreement = agreement;
        this.dirty = dirty;
        this.copies = copies;
        this.order = order;
        this.background = background;
        this.lanes = lanes;
        this.deadline = deadline;
        this.failures = failures;
        merged = config.partitions.kind() == Partitions.Kind.MERGED;
        remembers = config.rememberWrites;
        mode = config.mode;
        stats = failures.operation(OPERATION);
    }

    /** What became of a key. */
    enum Result {
        /** Copied, or gone from the journal before its turn. */
        DONE,
        /** Not to be copied now. */
        LEFT,
        FAILED,
        DIFFERS
    }

    /** What became of a key, and what it failed with, null if nothing did. */
    record Ended(Result result, Throwable cause) {}

    /** Copies up to that many keys; if that is under way for this side, that is what is waited for. */
    public CompletionStage<Integer> run(Side lacking, int limit) {
        if (!copies.possible() || dirty.lasting(lacking) == 0 || !written(lacking)) {
            return CompletableFuture.completedFuture(0);
        }
        CompletableFuture<Integer> mine = new CompletableFuture<>();
        synchronized (running) {
            CompletableFuture<Integer> other = running.get(lacking);
            if (other != null) {
                return other;
            }
            running.put(lacking, mine);
        }
        each(lacking, limit).whenComplete((done, thrown) -> {
            synchronized (running) {
                running.remove(lacking);
            }
            mine.complete(done);
        });
        return mine;
    }

    /** Whether the phase in force lets anybody copy to that side. */
    private boolean written(Side lacking) {
        try {
            PhaseView view = phases.enter();
            view.leave();
            return view.phase().writes(lacking) || mode == Mode.TEST;
        } catch (IllegalStateException stopped) {
            return false;
        }
    }

    /** Copies up to that many keys one after the other, the oldest first; tells how many. Never fails. */
    private CompletionStage<Integer> each(Side lacking, int limit) {
        CompletableFuture<Integer> all = new CompletableFuture<>();
        Supplier<CompletionStage<?>> round = () -> {
            try {
                if (lacking == Side.ORIGIN) {
                    dirty.recall(limit);
                }
                // Asked after the keys were read, so that no instance took up a later phase before they were there.
                ArrayDeque<KeyJournal.Entry> entries = new ArrayDeque<>(dirty.entries(lacking, limit));
                new Round(entries, agreement.get(), all).goOn();
            } catch (Throwable thrown) { // whoever waits goes on
                LOG.warn("keys can't be copied, lacking={}", lacking, thrown);
                all.complete(0);
            }
            return all;
        };
        background.run(round, () -> all.complete(0));
        return all;
    }

    /** Entries one after the other; a loop, since copies that are over at once would else be inside each other. */
    private final class Round {
        private final ArrayDeque<KeyJournal.Entry> left;
        private final Agreement agreed;
        private final CompletableFuture<Integer> all;
        private int done;
        private int failuresInARow;
        private int renewed;

        Round(ArrayDeque<KeyJournal.Entry> left, Agreement agreed, CompletableFuture<Integer> all) {
            this.left = left;
            this.agreed = agreed;
            this.all = all;
        }

        void goOn() {
            while (!left.isEmpty()) {
                KeyJournal.Entry entry = left.removeFirst();
                Turn turn = new Turn();
                deadline.begin(
                        entry.key(), () -> one(entry, agreed), (ended, thrown) -> over(entry, turn, ended, thrown));
                if (!turn.overAtOnce()) {
                    return;
                }
            }
            all.complete(done);
        }

        private void over(KeyJournal.Entry entry, Turn turn, Ended ended, Throwable thrown) {
            if (thrown instanceof IllegalStateException) { // closed
                left.clear();
            } else if (thrown == null) {
                tell(entry, ended.result());
            } else {
                failures.failed(OPERATION, entry.lacking(), thrown);
                tell(entry, Result.FAILED);
            }
            if (turn.endsHere()) {
                return;
            }
            if (thrown instanceof TimeoutException) {
                // Not on the thread that sees to the time, and the one that began may hang.
                background.run(
                        () -> {
                            goOn();
                            return all;
                        },
                        () -> all.complete(done));
            } else {
                goOn();
            }
        }

        private void tell(KeyJournal.Entry entry, Result result) {
            if (result == Result.DONE) {
                stats.count(Counter.REDRIVEN);
                done++;
            }
            boolean failed = result == Result.FAILED || result == Result.DIFFERS;
            failuresInARow = failed ? failuresInARow + 1 : 0;
            if (failuresInARow == FAILURES_MAX) {
                left.clear();
            }
            if (failed && renewed++ < FAILURES_MAX) {
                // To the end of the journal, so that keys which can't be copied don't keep others from their turn.
                renew(entry);
            }
        }
    }

    /** Of one key of a round: tells whether it was over when whoever began it came back. Else who ends it goes on with the round. */
    private static final class Turn {
        private final Thread beginning = Thread.currentThread();
        private boolean begun;
        private boolean over;

        /** Asked by who ends it. */
        boolean endsHere() {
            if (Thread.currentThread() != beginning || begun) {
                return false;
            }
            over = true;
            return true;
        }

        /** Asked by who began it, then. */
        boolean overAtOnce() {
            begun = true;
            return over;
        }
    }

    private void renew(KeyJournal.Entry entry) {
        try {
            dirty.add(entry.lacking(), List.of(entry.key()), entry.reason());
        } catch (RuntimeException kept) { // where it was
            LOG.debug("a key stays where it is in the journal", kept);
        }
    }

    /** Copies a key that is in the journal; never fails. */
    CompletableFuture<Ended> one(KeyJournal.Entry entry, Agreement agreed) {
        CompletableFuture<Ended> result = new CompletableFuture<>();
        Side lacking = entry.lacking();
        // Before the phase is looked at: an operation of a later phase then either finds this copy under way, or its
        // phase is found here.
        if (entry.key().equals(DirtyKeys.EVERYTHING) || !dirty.beginCopy(lacking, entry.key())) {
            result.complete(new Ended(Result.LEFT, null));
            return result;
        }
        HeldView heldView;
        PhaseRecord inForce;
        try {
            PhaseView view = phases.enter();
            heldView = new HeldView(view);
            inForce = view.record();
        } catch (RuntimeException stopped) {
            dirty.endCopy(lacking, entry.key(), 0);
            result.complete(new Ended(Result.LEFT, null));
            return result;
        }
        new Copying(entry, inForce, agreed.on(inForce) ? agreed : null, heldView, result).begin();
        return result;
    }

    /** One entry on its way. */
    private final class Copying implements SerialLanes.Work {
        private final Side lacking;
        private final KeyJournal.Entry entry;
        private final PhaseRecord inForce;

        /** Null if not all instances act by the record in force. */
        private final Agreement agreed;

        private final HeldView heldView;
        private final CompletableFuture<Ended> result;
        private final int[] stripes;
        private boolean locked;
        private boolean over;

        Copying(
                KeyJournal.Entry entry,
                PhaseRecord inForce,
                Agreement agreed,
                HeldView heldView,
                CompletableFuture<Ended> result) {
            lacking = entry.lacking();
            this.entry = entry;
            this.inForce = inForce;
            this.agreed = agreed;
            this.heldView = heldView;
            this.result = result;
            stripes = new int[] {KeyOrder.stripe(entry.key())};
        }

        void begin() {
            if (!due()) {
                end(Result.LEFT);
            } else if (mode == Mode.TEST) {
                // Among the target's writes, so that no call waits for it.
                if (!lanes.add(stripes, this)) {
                    end(Result.LEFT);
                }
            } else {
                KeyWait wait = order.lock(stripes, this);
                if (wait == null) {
                    locked = true;
                    copy();
                } else {
                    // Not on the thread of the caller whose write ended just now.
                    wait.granted().whenComplete((taken, refused) -> {
                        locked = refused == null;
                        if (locked) {
                            background.run(this::run, this::dropped);
                        } else {
                            dropped();
                        }
                    });
                }
            }
        }

        @Override
        public String toString() {
            return OPERATION + " of " + entry.key();
        }

        /** Whether copying now can't take back what is right. */
        private boolean due() {
            Phase phase = inForce.phase();
            if (mode == Mode.TEST) {
                return lacking == Side.TARGET && phase != Phase.ORIGIN_ONLY;
            }
            // A write of 4 that is still under way brings the target what the origin is going to lack for good.
            boolean atAnyTime = copies.keepsTimes() && lacking == Side.TARGET;
            return phase.writes(lacking) && (atAnyTime || agreed != null);
        }

        /** Whether the side that is right now may lack what the other has, from before it was. */
        private boolean fromBefore() {
            return mode == Mode.MIGRATION && lacking == inForce.phase().authority();
        }

        /** What of the key the side that lacks it has may be taken away, as the key copy takes it. */
        private long takenAwayBeforeMicros() {
            if (mode == Mode.TEST) {
                return Long.MAX_VALUE;
            }
            if (agreed == null || addsOnly()) {
                return KeyCopy.NOTHING;
            }
            return fromBefore() ? agreed.authoritySinceMicros() : agreed.askedMicros();
        }

        /** The target may have a part of the key only, which is no reason to take the rest from the origin. */
        private boolean addsOnly() {
            return merged && lacking == Side.ORIGIN && inForce.phase().authority() == Side.ORIGIN;
        }

        @Override
        public CompletionStage<?> run() {
            copy();
            return result;
        }

        @Override
        public void dropped() {
            end(Result.LEFT);
        }

        private void copy() {
            if (!dirty.lacks(lacking, entry.key())) {
                end(Result.DONE);
                return;
            }
            if (fromBefore() && !copies.keepsTimes()) {
                turnRound();
                return;
            }
            try {
                boolean compared = mode == Mode.MIGRATION && !addsOnly();
                copies.copy(copies.key(entry.key()), lacking.other(), takenAwayBeforeMicros(), compared)
                        .whenComplete((nothing, thrown) -> copied(thrown));
            } catch (Throwable thrown) { // the caller's codec
                copied(thrown);
            }
        }

        /**
         * A copy without times could overwrite what is newer. Nobody was told that the write succeeded, so that the side that is
         * right now is right in this too.
         */
        private void turnRound() {
            try {
                if (remembers || inForce.phase().writes(lacking.other())) {
                    dirty.add(lacking.other(), List.of(entry.key()), entry.reason());
                }
                end(Result.DONE);
            } catch (RuntimeException notKept) { // the journal's, of whatever kind
                end(Result.FAILED, notKept);
            }
        }

        private void copied(Throwable handedOn) {
            if (handedOn == null) {
                end(Result.DONE);
                return;
            }
            Throwable thrown = Stages.thrown(handedOn);
            LOG.debug("a key stays in the journal, lacking={}", lacking, thrown);
            failures.failed(OPERATION, lacking, thrown);
            end(thrown instanceof SidesDifferException ? Result.DIFFERS : Result.FAILED, thrown);
        }

        private void end(Result became) {
            end(became, null);
        }

        private void end(Result became, Throwable cause) {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            try {
                dirty.endCopy(lacking, entry.key(), became == Result.DONE ? entry.stamp() : 0);
            } finally {
                if (locked) {
                    order.unlock(stripes);
                }
                heldView.release();
                result.complete(new Ended(became, cause));
            }
        }
    }
}
