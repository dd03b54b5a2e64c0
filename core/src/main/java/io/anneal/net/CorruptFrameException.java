package io.anneal.net;

import java.io.IOException;

/**
 * Raised when bytes of an established conversation are wrong: a checksum, a length over its bound, an unknown kind,
 * a frame out of turn. The connection is closed, because the place of the next frame is no longer known.
 */
public final class CorruptFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String peer;
    private final long position;
    private final String reason;

    /**
     * @param peer     address of the other side
     * @param position bytes received on this connection before the frame; for a frame that the peer refused, the
     *                 place the peer named
     * @param reason   constant text, followed by facts as {@code name=value}
     */
    public CorruptFrameException(String peer, long position, String reason) {
        super("corrupt frame: " + reason + ", peer=" + peer + ", position=" + position);
        this.peer = peer;
        this.position = position;
        this.reason = reason;
    }

    public String peer() {
        return peer;
    }

    public long position() {
        return position;
    }

    public String reason() {
        return reason;
    }
}
