package io.anneal.repair.message;

/** What a master asks in a session; the kind of the question's message and of its answer's. The codes are on the wire. */
public enum SessionStep {
    /** Opens the session: a version and {@link OpenSession}, answered by {@link SessionOpened}. */
    OPEN(1),
    /** Fixes what follows from all replicas' answers to {@link #OPEN}: {@link SessionTerms}; answered by nothing. */
    AGREE(2),
    /** Starts to read ranges of tokens; answered by nothing. */
    START(3),
    /** Fills the row buffer with what comes after the window, if one is open; answered by {@link SyncVote}. */
    READ(4),
    /**
     * Ends the window before and fixes the next one: how many symbols of its rows' sketch are wanted, and the sync boundary, a place
     * on the ring; answered by {@link WindowAnswer}.
     */
    WINDOW(5),
    /** The hashes of one phase; answered by hashes. */
    HASHES(6),
    /** Wanted items. */
    FETCH(7),
    /** Where rows stand: {@link PlacesWanted}, answered by {@link PlacesFound}. */
    PLACES(8),
    /** Items that the replica lacks; answered by {@link PushAnswer}. */
    PUSH(9),
    /** Completes what was received; answered by {@link SessionFinished}. */
    FINISH(10),
    /** All replicas have finished: the ranges, and the seconds at which the repair began; answered by nothing. */
    REPAIRED(11),
    /** The hashes of the window's rows summed by range. */
    SUMS(12),
    /** A slice of the sketch of the window's rows: first and last symbol, and ranges; answered by symbols. */
    SKETCH(13),
    /** What the cut-off leaves out: deletions and places of rows. */
    RECENT(14),
    /** Between {@link #AGREE} and {@link #START}: sums kept of an earlier session; answered by {@code TokenSum}s. */
    KEPT(15);

    private final int code;

    SessionStep(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** @throws IllegalArgumentException when there is no such step */
    public static SessionStep of(int code) {
        if (code < 1 || code > values().length) {
            throw new IllegalArgumentException("step of a repair session is unknown, code=" + code);
        }
        return values()[code - 1];
    }
}
