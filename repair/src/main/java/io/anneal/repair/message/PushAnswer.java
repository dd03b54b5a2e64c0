package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;

/**
 * What a replica says after it received items.
 *
 * @param summary its window's sums as they are now
 * @param ghosts encoded, those that shadow what it received
 */
public record PushAnswer(WindowSummary summary, byte[] ghosts) {
    public void encode(ByteWriter out) {
        summary.encode(out);
        out.writeBytes(ghosts);
    }

    public static PushAnswer decode(ByteReader in) {
        return new PushAnswer(WindowSummary.decode(in), in.readBytes(in.remainingBytes()));
    }
}
