package io.anneal.net;

/** Which fields each kind of frame of an established connection has. */
final class FrameShape {
    private FrameShape() {}

    /** What a kind has no use for must be zero: later versions may give it a meaning. */
    static void check(String peer, Frame frame) throws CorruptFrameException {
        boolean hasPieces = frame.kind() == FrameKind.OPEN || frame.kind() == FrameKind.DATA;
        boolean hasArgument = hasPieces
                || frame.kind() == FrameKind.CREDIT
                || frame.kind() == FrameKind.DRAIN && frame.argument() == SessionStreams.DRAINED;
        boolean hasStream = hasPieces || frame.kind() == FrameKind.CREDIT || frame.kind() == FrameKind.RESET;
        boolean hasPayload = hasPieces || frame.kind() == FrameKind.RESET || frame.kind() == FrameKind.GOODBYE;
        boolean right = (hasPieces || frame.flags() == 0)
                && (hasArgument || frame.argument() == 0)
                && (frame.kind() != FrameKind.CREDIT || frame.argument() != 0)
                && (hasStream ? frame.streamId() > 0 : frame.streamId() == 0)
                && (hasPayload || frame.lengthBytes() == 0);
        // A frame of the handshake is out of turn, whatever its shape.
        if (!right && frame.kind() != FrameKind.HELLO && frame.kind() != FrameKind.PROOF) {
            int lengthBytes = frame.lengthBytes();
            frame.release();
            throw new CorruptFrameException(
                    peer,
                    frame.position(),
                    "frame has another shape, kind=" + frame.kind() + ", flags=" + frame.flags() + ", argument="
                            + frame.argument() + ", lengthBytes=" + lengthBytes + ", streamId=" + frame.streamId());
        }
    }
}
