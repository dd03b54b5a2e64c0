package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.repair.hashes.Sketch;

/**
 * What a replica says of a window that was fixed.
 *
 * @param summary its sums
 * @param sketch the first symbols of its rows: as many as were asked for, or as it has rows, whichever is less
 */
public record WindowAnswer(WindowSummary summary, Sketch sketch) {
    public void encode(ByteWriter out) {
        summary.encode(out);
        sketch.encode(out);
    }

    /**
     * @param symbolsMax how many were asked for
     * @throws IllegalArgumentException when there are more
     */
    public static WindowAnswer decode(ByteReader in, int symbolsMax) {
        WindowSummary summary = WindowSummary.decode(in);
        int symbols = in.remainingBytes() / Sketch.SYMBOL_BYTES;
        if (symbols > symbolsMax || in.remainingBytes() % Sketch.SYMBOL_BYTES != 0) {
            throw new IllegalArgumentException("sketch of a window is not what was asked for, symbolsMax=" + symbolsMax
                    + ", lengthBytes=" + in.remainingBytes());
        }
        return new WindowAnswer(summary, Sketch.decode(in, 0, symbols));
    }
}
