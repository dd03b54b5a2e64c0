package io.anneal.streaming;

import java.io.IOException;

/** Told of bytes that have come; may wait. */
@FunctionalInterface
interface PieceCount {
    void came(long lengthBytes) throws IOException;
}
