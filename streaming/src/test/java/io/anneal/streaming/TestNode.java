package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.RateLimiter;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.ReplicaSource;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A node that offers one replica to streaming, at a port of its own. */
record TestNode(Node node, StreamService service, InetSocketAddress address) implements Closeable {
    static TestNode of(ReplicaSource replica) throws IOException {
        return of(replica, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    static TestNode of(ReplicaSource replica, InetSocketAddress wanted) throws IOException {
        return of(replica, wanted, HostEnvironment.system());
    }

    static TestNode of(ReplicaSource replica, InetSocketAddress wanted, HostEnvironment environment)
            throws IOException {
        Node node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
        node.replicas().add("data", replica);
        StreamService service = StreamService.of(node, environment);
        service.register(node.handlers());
        StreamRunner.of(node, environment, RateLimiter.UNLIMITED).register(node.handlers());
        return new TestNode(node, service, node.listen(wanted));
    }

    StreamSource source() {
        return StreamSource.at(node.peers(), address);
    }

    StreamTarget target() {
        return StreamTarget.at(node.peers(), address);
    }

    @Override
    public void close() {
        node.close();
    }
}
