package io.anneal.net;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What each side says first. Later versions append fields; what follows the last known one is skipped, though it
 * counts in the proofs.
 *
 * <pre>
 *  offset  bytes
 *       0      2  oldest wire version       these four keep their place in every version
 *       2      2  newest wire version
 *       4      2  oldest encoding version
 *       6      2  newest encoding version
 *       8      1  abilities: bit 0 reads LZ4, bit 1 has a token
 *       9      4  credit of each stream from its start, in bytes
 *      13      4  most streams that the peer may have open
 *      17     32  nonce
 *      49     16  node id
 *      65         cluster name (text), count of attributes (2), then name and value (text) of each
 * </pre>
 */
record Hello(
        VersionRange wireVersions,
        VersionRange encodingVersions,
        boolean readsLz4,
        boolean hasToken,
        int initialCreditBytes,
        int streamsMax,
        byte[] nonce,
        NodeIdentity node) {

    static final int NONCE_LENGTH_BYTES = 32;

    private static final int ABILITY_LZ4 = 1;
    private static final int ABILITY_TOKEN = 2;
    private static final int ATTRIBUTES_MAX = 256;

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX);
        out.putShort((short) wireVersions.oldest()).putShort((short) wireVersions.newest());
        out.putShort((short) encodingVersions.oldest()).putShort((short) encodingVersions.newest());
        out.put((byte) ((readsLz4 ? ABILITY_LZ4 : 0) | (hasToken ? ABILITY_TOKEN : 0)));
        out.putInt(initialCreditBytes).putInt(streamsMax);
        out.put(nonce);
        out.putLong(node.nodeId().getMostSignificantBits());
        out.putLong(node.nodeId().getLeastSignificantBits());
        putText(out, node.clusterName());
        if (node.attributes().size() > ATTRIBUTES_MAX) {
            throw tooLong();
        }
        out.putShort((short) node.attributes().size());
        for (Map.Entry<String, String> attribute : node.attributes().entrySet()) {
            putText(out, attribute.getKey());
            putText(out, attribute.getValue());
        }
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    private static void putText(ByteBuffer out, String text) {
        byte[] bytes = Text.bytes(text);
        // Room for the count of attributes is kept, as it follows a text.
        if (out.remaining() < 2 * Short.BYTES + bytes.length) {
            throw tooLong();
        }
        Text.put(out, bytes);
    }

    private static IllegalArgumentException tooLong() {
        return new IllegalArgumentException("node identity does not fit into a handshake message, maxBytes="
                + FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX + ", maxAttributes=" + ATTRIBUTES_MAX);
    }

    static Hello decode(String peer, Frame frame) throws CorruptFrameException {
        try {
            return decode(ByteBuffer.wrap(frame.bytes()));
        } catch (BufferUnderflowException cut) {
            throw new CorruptFrameException(
                    peer, frame.position(), "hello is cut short, lengthBytes=" + frame.lengthBytes());
        } catch (IllegalArgumentException unfit) {
            throw new CorruptFrameException(peer, frame.position(), "hello is not valid, " + unfit.getMessage());
        }
    }

    private static Hello decode(ByteBuffer in) {
        VersionRange wireVersions = range(in);
        VersionRange encodingVersions = range(in);
        int abilities = in.get();
        int initialCreditBytes = in.getInt();
        int streamsMax = in.getInt();
        if (initialCreditBytes < NetLimits.INITIAL_CREDIT_BYTES_MIN || streamsMax < 1) {
            throw new IllegalArgumentException(
                    "initialCreditBytes=" + initialCreditBytes + ", streamsMax=" + streamsMax);
        }
        byte[] nonce = new byte[NONCE_LENGTH_BYTES];
        in.get(nonce);
        UUID nodeId = new UUID(in.getLong(), in.getLong());
        String clusterName = Text.take(in);
        int attributeCount = Short.toUnsignedInt(in.getShort());
        if (attributeCount > ATTRIBUTES_MAX) {
            throw new IllegalArgumentException("attributeCount=" + attributeCount + ", max=" + ATTRIBUTES_MAX);
        }
        Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < attributeCount; i++) {
            attributes.put(Text.take(in), Text.take(in));
        }
        return new Hello(
                wireVersions,
                encodingVersions,
                (abilities & ABILITY_LZ4) != 0,
                (abilities & ABILITY_TOKEN) != 0,
                initialCreditBytes,
                streamsMax,
                nonce,
                new NodeIdentity(nodeId, clusterName, attributes));
    }

    private static VersionRange range(ByteBuffer in) {
        return new VersionRange(Short.toUnsignedInt(in.getShort()), Short.toUnsignedInt(in.getShort()));
    }
}
