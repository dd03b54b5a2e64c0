package io.anneal.fragment;

import io.anneal.key.KeyView;
import java.io.IOException;

/** Is asked before a cursor reads a row into memory that is larger than most, or has more cells: it may wait, or refuse. */
public interface LargeRows {
    LargeRows ALL = (key, lengthBytes, cells) -> {};

    /** Rows up to this length are read without a question. */
    int UNASKED_BYTES_MAX = 1 << 20;

    /** The same of its cells, each of which takes several times its length. */
    int UNASKED_CELLS_MAX = 16 << 10;

    /**
     * Of a row with many cells once more, before they are decoded.
     *
     * @param key of the row's partition; good until this returns
     * @param lengthBytes as the row lies in the file
     * @param cells how many of them are known of
     */
    void enter(KeyView key, long lengthBytes, long cells) throws IOException;
}
