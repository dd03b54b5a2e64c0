package io.anneal.net;

/**
 * One frame as it came in, checksums verified.
 *
 * @param payload  as on the wire, so perhaps compressed; read into this array once and never copied again
 * @param position bytes received on the connection before this frame
 */
record Frame(FrameKind kind, int flags, int verb, long streamId, byte[] payload, long position) {
    boolean compressed() {
        return (flags & FrameDescriptor.FLAG_LZ4) != 0;
    }
}
