package io.anneal.paging.message;

import io.anneal.net.Verb;

/** Verbs and kinds of messages of paging; the numbers are on the wire, {@code docs/wire.md} has their layouts. */
public final class PagingWire {
    /**
     * A {@link PageQuestion}, answered by pages, as many as are wanted or as the replica likes: {@link #ITEMS} that are more than a
     * message should have, and a {@link #PAGE}.
     */
    public static final Verb PAGES = new Verb(21, "paging.pages");

    /** Asks for a table: answered by its schema's text. */
    public static final Verb TABLE = new Verb(22, "paging.table");

    /** Lets go of what is kept for a query. */
    public static final Verb FORGET = new Verb(23, "paging.forget");

    public static final int VERSION = 2;

    /** Question of pages. */
    public static final int QUESTION = 1;

    /** Whole items of the row encoding, which more of their page follows. */
    public static final int ITEMS = 2;

    /** A {@link PageEnd}, and the last items of its page. */
    public static final int PAGE = 3;

    /** Code when the replica cannot be read, or its table is another one. */
    public static final String REFUSED = "refused";

    /** Code when the peer has not taken what was sent to it for too long. */
    public static final String IDLE = "idle";

    /** Code when others were being read for as long as a page waits: it may be asked for again. */
    public static final String BUSY = "busy";

    /** Components of a prefix at most; no table has so many clustering columns. */
    static final int COMPONENTS_MAX = 2048;

    private PagingWire() {}
}
