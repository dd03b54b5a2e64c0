package io.anneal.net;

import java.util.Optional;

/**
 * What a client or a server needs to know, given once.
 *
 * @param node                 this side's identity
 * @param token                the shared token; without TLS a server must have one, and a client without one is refused;
 *                             with TLS it is proven if both sides have one
 * @param tls                  the files for mutual TLS; without it only loopback is spoken to and listened on
 * @param encodingVersions     row encodings that this side reads and writes
 * @param limits               bounds on sizes and counts
 * @param timeouts             bounds on time
 * @param compressionFromBytes payloads at least this long are compressed with LZ4, if the peer can read it; 0 turns
 *                             compression off for both directions
 * @param eventLoopThreads     threads that move the bytes of all connections
 */
public record NetConfig(
        NodeIdentity node,
        Optional<SharedToken> token,
        Optional<TlsConfig> tls,
        VersionRange encodingVersions,
        NetLimits limits,
        NetTimeouts timeouts,
        int compressionFromBytes,
        int eventLoopThreads) {

    public NetConfig {
        if (compressionFromBytes < 0 || eventLoopThreads < 1) {
            throw new IllegalArgumentException("network setting is out of bounds, compressionFromBytes="
                    + compressionFromBytes + ", eventLoopThreads=" + eventLoopThreads);
        }
    }

    /** Default limits and time limits, one event loop, no compression: loopback is faster than LZ4. */
    public static NetConfig of(NodeIdentity node, Optional<SharedToken> token, VersionRange encodingVersions) {
        return new NetConfig(
                node, token, Optional.empty(), encodingVersions, NetLimits.DEFAULT, NetTimeouts.DEFAULT, 0, 1);
    }

    public NetConfig withTls(TlsConfig value) {
        return new NetConfig(
                node,
                token,
                Optional.of(value),
                encodingVersions,
                limits,
                timeouts,
                compressionFromBytes,
                eventLoopThreads);
    }

    public NetConfig withLimits(NetLimits value) {
        return new NetConfig(
                node, token, tls, encodingVersions, value, timeouts, compressionFromBytes, eventLoopThreads);
    }

    public NetConfig withTimeouts(NetTimeouts value) {
        return new NetConfig(node, token, tls, encodingVersions, limits, value, compressionFromBytes, eventLoopThreads);
    }

    public NetConfig withCompressionFromBytes(int value) {
        return new NetConfig(node, token, tls, encodingVersions, limits, timeouts, value, eventLoopThreads);
    }
}
