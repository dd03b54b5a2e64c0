package io.anneal.dualdao.config;

import java.util.concurrent.CompletionStage;

/**
 * Makes one side hold for one key what the other holds, the one thing a dual DAO can't know of the caller's DAO by itself:
 * for read-repair, for the journal, for conditional writes and increments, for the way back. May be called by any thread.
 *
 * @param <D> the DAO's interface
 * @param <K> the keys
 */
public interface KeyCopy<D, K> {
    /** How a copy stands against writes that happen at the same time through other instances. */
    enum Guarantee {
        /** The copy has the source's write times (and TTLs), so that it loses against every newer write. */
        SOURCE_TIMESTAMPS,
        /**
         * The copy writes only where there is nothing. Enough for read-repair by one instance, not for the journal; among
         * several, a delete through another one at the same moment may be undone.
         */
        IF_ABSENT,
        /** None: copies are compared afterwards and repeated until both sides agree; no read-repair. */
        NONE
    }

    /** For a copy that takes nothing away. */
    long NOTHING = Long.MIN_VALUE;

    Guarantee guarantee();

    /**
     * Makes {@code to} hold what {@code from} holds, all of it; where {@code from} has nothing, {@code to} ends with nothing,
     * unless the guarantee is {@link Guarantee#IF_ABSENT}. Doing it twice is doing it once.
     *
     * @param takenAwayBeforeMicros what {@code to} has and {@code from} has not may be taken away if it was written before that
     *     time, and must stay otherwise: it may have come by a write that goes to {@code to} first. {@link Long#MAX_VALUE} for all,
     *     {@link #NOTHING} for nothing. Of meaning to {@link Guarantee#SOURCE_TIMESTAMPS} alone; take it away at its own
     *     write time, or at least before this one
     */
    CompletionStage<Void> copy(K key, D from, D to, long takenAwayBeforeMicros);

    /** What a side holds of this key, null or empty for nothing; two sides agree if the comparison says so. */
    CompletionStage<?> read(K key, D dao);
}
