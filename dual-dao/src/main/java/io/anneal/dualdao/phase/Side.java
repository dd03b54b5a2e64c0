package io.anneal.dualdao.phase;

/** One of the two implementations that a dual DAO holds. */
public enum Side {
    /** The store in production when the migration begins. */
    ORIGIN,
    /** The store that the data moves to, or that is tested. */
    TARGET;

    public Side other() {
        return this == ORIGIN ? TARGET : ORIGIN;
    }
}
