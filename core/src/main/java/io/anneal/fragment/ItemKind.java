package io.anneal.fragment;

/** What an item of the canonical encoding is. The codes are part of the layout and never change meaning. */
public enum ItemKind {
    PARTITION_DELETION(1),
    STATIC_ROW(2),
    CLUSTERING_ROW(3),
    RANGE_DELETION(4);

    private static final ItemKind[] BY_CODE = {null, PARTITION_DELETION, STATIC_ROW, CLUSTERING_ROW, RANGE_DELETION};

    private final int code;

    ItemKind(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** The kind of a code, or null when there is none. */
    static ItemKind ofCode(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
