package io.anneal.repair.message;

/** What a master asks in a session; the kind of the question's message and of its answer's. The codes are on the wire. */
public enum SessionStep {
    /** Opens the session: a version and {@link OpenSession}, answered by {@link SessionOpened}. */
    OPEN(1),
    /** Fixes what follows from all replicas' answers to {@link #OPEN}: {@link SessionTerms}; answered by nothing. */
    AGREE(2),
    /** Starts a part of the range, the first and last token of it; answered by nothing. */
    PART(3),
    /** Ends the last window and fills the row buffer; answered by {@link SyncVote}. */
    FILL(4),
    /** Fixes the sync boundary, a place on the ring; answered by {@link WindowSummary}. */
    WINDOW(5),
    /** Sums the window's rows again after deletions were exchanged; answered by a {@link WindowSummary}. */
    SUMMARY(6),
    /** The hashes of one phase; answered by hashes. */
    HASHES(7),
    /** Items by hash. */
    FETCH(8),
    /** Where rows of these hashes stand. */
    PLACES(9),
    /** Items that the replica lacks; answered by its ghosts. */
    PUSH(10),
    /** Completes what was received; answered by {@link SessionFinished}. */
    FINISH(11),
    /** All replicas have finished: the range, and the seconds at which the repair began; answered by nothing. */
    REPAIRED(12);

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
