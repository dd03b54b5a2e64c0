package io.anneal.fragment;

import io.anneal.key.KeyView;
import java.io.IOException;

/** Is asked before a cursor reads a row into memory that is larger than most: it may wait, or refuse. */
public interface LargeRows {
    LargeRows ALL = (key, lengthBytes) -> {};

    /** Rows up to this length are read without a question. */
    int UNASKED_BYTES_MAX = 1 << 20;

    /** @param key of the row's partition; good until this returns */
    void enter(KeyView key, long lengthBytes) throws IOException;
}
