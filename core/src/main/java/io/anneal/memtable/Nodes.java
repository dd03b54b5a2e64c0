package io.anneal.memtable;

/**
 * Layout of what lies in the pages of {@link Slabs}, in ints. Fields without a star never change once the node is published;
 * those with a star are addresses that the owner replaces.
 *
 * <pre>
 *   partition   key slab | key offset | key length | created
 *               deletion* | range deletions* | static row*    (versions)
 *               row tower* | first row* | last row* | token high | token low | next on each level*...
 *   row tower   first row of level 1*, of level 2* ...
 *   row         slab | offset | versions* | previous* | next on each level*...
 *   version     sequence | older | base | slab | offset
 * </pre>
 *
 * A row's slab and offset are those of the first item that was written there, whose clustering gives the place.
 *
 * <p>Versions of a place are chained from the newest to the oldest by {@code older}. A reader takes the first whose sequence is not
 * above its own. That one is merged with its {@code base}, the base of that one and so on; what they replaced lies between.
 */
final class Nodes {
    /** Levels of a skip list with one node in four on the next level. */
    static final int LEVELS = 12;

    static final int KEY_SLAB = 0;
    static final int KEY_OFFSET = 1;
    static final int KEY_LENGTH = 2;
    /** Sequence of the mutation that made the partition. */
    static final int CREATED = 3;

    static final int DELETION = 4;
    static final int RANGE_DELETIONS = 5;
    static final int STATIC_ROW = 6;
    static final int ROW_TOWER = 7;
    static final int FIRST_ROW = 8;
    static final int LAST_ROW = 9;
    /** Beside the links, since a search looks at both. */
    static final int TOKEN_HIGH = 10;

    static final int TOKEN_LOW = 11;
    static final int PARTITION_NEXT = 12;

    static final int ROW_SLAB = 0;
    static final int ROW_OFFSET = 1;
    static final int ROW_VERSIONS = 2;
    static final int ROW_PREVIOUS = 3;
    static final int ROW_NEXT = 4;

    static final int SEQUENCE = 0;
    static final int OLDER = 1;
    static final int BASE = 2;
    static final int VERSION_SLAB = 3;
    static final int VERSION_OFFSET = 4;
    static final int VERSION_INTS = 5;

    private Nodes() {}
}
