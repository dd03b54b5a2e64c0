package io.anneal.paging;

/** How many of a row's owners a page is read from. What their answers hold is merged; what one of them lacks is left to a repair. */
public enum Consistency {
    /** One: what it lacks is not seen. */
    ONE,
    /** More than half: what was written to more than half of them, and acknowledged, is seen. */
    QUORUM,
    /** Every one: what any of them has is seen, and none may fail. */
    ALL;

    /** How many of so many owners. */
    int of(int owners) {
        return switch (this) {
            case ONE -> 1;
            case QUORUM -> owners / 2 + 1;
            case ALL -> owners;
        };
    }
}
