package io.anneal.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the bytes of a stream piece by piece. */
@FunctionalInterface
public interface PieceConsumer {
    /**
     * May block: this stream alone waits then. A failure resets the stream.
     *
     * @param piece belongs to the stream again when the call returns
     */
    void accept(ByteBuffer piece) throws IOException;
}
