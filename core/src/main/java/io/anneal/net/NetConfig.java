package io.anneal.net;

import io.anneal.io.ByteBudget;
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
 * @param budget               memory for what peers send; shared by all that are given this configuration
 * @param metrics              counts what is done, on all connections of this configuration; nothing is counted without
 */
public record NetConfig(
        NodeIdentity node,
        Optional<SharedToken> token,
        Optional<TlsConfig> tls,
        VersionRange encodingVersions,
        NetLimits limits,
        NetTimeouts timeouts,
        int compressionFromBytes,
        int eventLoopThreads,
        ByteBudget budget,
        Optional<NetMetrics> metrics) {

    /** Memory of streams unless another is given. */
    public static final long BUDGET_BYTES_DEFAULT = 64 << 20;

    public NetConfig {
        if (compressionFromBytes < 0 || eventLoopThreads < 1) {
            throw new IllegalArgumentException("network setting is out of bounds, compressionFromBytes="
                    + compressionFromBytes + ", eventLoopThreads=" + eventLoopThreads);
        }
    }

    /** Default limits and time limits, one event loop, no compression: loopback is faster than LZ4. */
    public static NetConfig of(NodeIdentity node, Optional<SharedToken> token, VersionRange encodingVersions) {
        return new NetConfig(
                node,
                token,
                Optional.empty(),
                encodingVersions,
                NetLimits.DEFAULT,
                NetTimeouts.DEFAULT,
                0,
                1,
                ByteBudget.of(BUDGET_BYTES_DEFAULT),
                Optional.empty());
    }

    public NetConfig withTls(TlsConfig value) {
        return with(Optional.of(value), limits, timeouts, compressionFromBytes, budget);
    }

    public NetConfig withLimits(NetLimits value) {
        return with(tls, value, timeouts, compressionFromBytes, budget);
    }

    public NetConfig withTimeouts(NetTimeouts value) {
        return with(tls, limits, value, compressionFromBytes, budget);
    }

    public NetConfig withCompressionFromBytes(int value) {
        return with(tls, limits, timeouts, value, budget);
    }

    public NetConfig withBudget(ByteBudget value) {
        return with(tls, limits, timeouts, compressionFromBytes, value);
    }

    public NetConfig withMetrics(NetMetrics value) {
        return with(tls, limits, timeouts, compressionFromBytes, budget, Optional.of(value));
    }

    private NetConfig with(
            Optional<TlsConfig> security, NetLimits bounds, NetTimeouts times, int compression, ByteBudget memory) {
        return with(security, bounds, times, compression, memory, metrics);
    }

    private NetConfig with(
            Optional<TlsConfig> security,
            NetLimits bounds,
            NetTimeouts times,
            int compression,
            ByteBudget memory,
            Optional<NetMetrics> counted) {
        return new NetConfig(
                node, token, security, encodingVersions, bounds, times, compression, eventLoopThreads, memory, counted);
    }
}
