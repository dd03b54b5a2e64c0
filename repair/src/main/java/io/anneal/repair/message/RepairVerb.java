package io.anneal.repair.message;

import io.anneal.net.Verb;

/** The verbs of repair. The numbers are on the wire and never change their meaning. */
public final class RepairVerb {
    /** Opens a session on a replica: {@link OpenSession}, answered by {@link SessionOpened}. */
    public static final Verb OPEN = new Verb(16, "repair.open");
    /** Fixes what follows from all replicas' answers to {@link #OPEN}: {@link SessionTerms}; answered by nothing. */
    public static final Verb AGREE = new Verb(26, "repair.agree");
    /** Starts a part of the range, the first and last token of it; answered by nothing. */
    public static final Verb PART = new Verb(17, "repair.part");
    /** Ends the last window and fills the row buffer; answered by {@link SyncVote}. */
    public static final Verb FILL = new Verb(18, "repair.fill");
    /** Fixes the sync boundary, a place on the ring; answered by {@link WindowSummary}. */
    public static final Verb WINDOW = new Verb(19, "repair.window");
    /** Sums the window's rows again after deletions were exchanged; answered by a {@link WindowSummary}. */
    public static final Verb SUMMARY = new Verb(20, "repair.summary");
    /** The hashes of one phase; answered by hashes. */
    public static final Verb HASHES = new Verb(21, "repair.hashes");
    /** Items by hash, as many as there is room for. */
    public static final Verb FETCH = new Verb(22, "repair.fetch");
    /** Where rows of these hashes stand. */
    public static final Verb PLACES = new Verb(27, "repair.places");
    /** Items that the replica lacks; answered by its ghosts. */
    public static final Verb PUSH = new Verb(23, "repair.push");
    /** Ends the session and completes what was received; answered by {@link SessionFinished}. */
    public static final Verb FINISH = new Verb(24, "repair.finish");
    /** Asks a node to be the master of a repair: {@link RunRepair}, answered when it is started. */
    public static final Verb RUN = new Verb(32, "repair.run");
    /** How a repair that was started here is doing; answered by windows, rows and bytes so far, and by its report in the end. */
    public static final Verb STATUS = new Verb(33, "repair.status");

    private RepairVerb() {}
}
