package io.anneal.paging.message;

import io.anneal.net.Verb;

/** Verbs and kinds of messages of paging; the numbers are on the wire, {@code docs/wire.md} has their layouts. */
public final class PagingWire {
    /** A stream for each page: a {@link PageQuestion}, answered by {@link #ITEMS} and one {@link #END}. */
    public static final Verb PAGE = new Verb(21, "paging.page");

    /** Asks for a table: answered by its schema's text. */
    public static final Verb TABLE = new Verb(22, "paging.table");

    /** Lets go of what is kept for a query. */
    public static final Verb FORGET = new Verb(23, "paging.forget");

    public static final int VERSION = 1;

    /** Question of a page. */
    public static final int QUESTION = 1;

    /** Whole items of the row encoding. */
    public static final int ITEMS = 2;

    /** A {@link PageEnd}. */
    public static final int END = 3;

    /** Code when the replica cannot be read, or its table is another one. */
    public static final String REFUSED = "refused";

    /** Code when others were being read for as long as a page waits: it may be asked for again. */
    public static final String BUSY = "busy";

    /** Components of a prefix at most; no table has so many clustering columns. */
    static final int COMPONENTS_MAX = 2048;

    private PagingWire() {}
}
