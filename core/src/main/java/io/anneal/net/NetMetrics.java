package io.anneal.net;

import io.anneal.io.ByteBudget;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.metrics.MetricName;
import io.anneal.metrics.MetricsRegistry;
import io.anneal.metrics.OwnedMetrics;
import io.anneal.metrics.ValueRecorder;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import javax.management.ObjectName;

/**
 * What the network of a node does, as a whole, by peer, by verb and by error code. Given to its clients and servers by
 * {@link NetConfig#withMetrics}. {@code docs/metrics.md} has the names. Safe for any thread.
 */
public final class NetMetrics extends OwnedMetrics {
    /** Peers make codes up; those beyond are counted together. */
    private static final int CODES_MAX = 64;

    private static final String OTHER = "other";
    private static final String UNKNOWN = "unknown";
    private static final String TYPE_KEY = "type";
    private static final String PEER_KEY = "peer";
    private static final String BYTES_SENT = "bytes-sent";
    private static final String BYTES_RECEIVED = "bytes-received";
    private static final String CONNECTIONS = "connections";
    private static final String STREAMS = "streams";

    private final TrafficSum traffic = new TrafficSum();
    private final LongAdder streams;
    private final LongAdder corruptFrames;
    /** Of each client and server. */
    private final Map<Object, ByteBudget> budgets = new ConcurrentHashMap<>();

    private final Map<String, VerbMetrics> verbs = new ConcurrentHashMap<>();
    private final Map<String, CodeMetrics> codes = new ConcurrentHashMap<>();
    // Guarded by this.
    private final Map<UUID, PeerMetrics> peers = new HashMap<>();

    /**
     * @param node      tells this node's MBeans from another's of the same process
     * @param nanoClock says which values are recent
     */
    public NetMetrics(String node, LongSupplier nanoClock) {
        super(new MetricsRegistry("node", node, nanoClock));
        streams = registry.addCounter(ofNetwork(STREAMS));
        corruptFrames = registry.addCounter(ofNetwork("frames-corrupt"));
        addTraffic(NetMetrics::ofNetwork, traffic);
        addBudget("budget-bytes", ByteBudget::totalBytes);
        addBudget("budget-reserved-bytes", ByteBudget::reservedBytes);
        addBudget("budget-reserved-bytes-most", ByteBudget::reservedBytesMost);
    }

    private static MetricName ofNetwork(String name) {
        return new MetricName("net", Map.of(TYPE_KEY, "Network"), name);
    }

    private void addTraffic(Function<String, MetricName> named, TrafficSum sum) {
        registry.addGauge(named.apply(CONNECTIONS), sum::count);
        registry.addGauge(named.apply(BYTES_SENT), sum::sentBytes);
        registry.addGauge(named.apply(BYTES_RECEIVED), sum::receivedBytes);
    }

    private void addBudget(String name, ToLongFunction<ByteBudget> number) {
        // A client and a server that are given one configuration share its budget.
        registry.addGauge(
                ofNetwork(name),
                () -> budgets.values().stream().distinct().mapToLong(number).sum());
    }

    // ---- told by clients and servers

    void opened(AutoCloseable owner, ByteBudget budget) {
        budgets.put(owner, budget);
    }

    void closed(AutoCloseable owner) {
        budgets.remove(owner);
    }

    /** An accepted connection ended before its peer had proven itself. */
    void connectionRefused(IOException cause) {
        countCorrupt(cause);
        ofCode(codeOf(cause)).connectionsRefused.increment();
    }

    /** A connection of this side did not come about. */
    void connectFailed(Throwable cause) {
        countCorrupt(cause);
        ofCode(codeOf(cause)).connectsFailed.increment();
    }

    private void countCorrupt(Throwable cause) {
        if (cause instanceof CorruptFrameException) {
            corruptFrames.increment();
        }
    }

    private static String codeOf(Throwable cause) {
        if (cause instanceof PeerException failure) {
            return failure.code();
        }
        if (cause instanceof CorruptFrameException) {
            return Report.CORRUPT_FRAME;
        }
        return cause instanceof UnsupportedVersionException ? Report.UNSUPPORTED_VERSION : OTHER;
    }

    /** A connection to a peer that has proven itself, until it is told that it has ended. */
    SessionMetrics connected(UUID nodeId, Traffic ofConnection) {
        PeerMetrics peer;
        synchronized (this) {
            peer = peers.computeIfAbsent(nodeId, PeerMetrics::new);
            peer.traffic.add(ofConnection);
        }
        traffic.add(ofConnection);
        return new OfSession(peer, ofConnection);
    }

    private synchronized void disconnected(PeerMetrics peer, Traffic ofConnection) {
        traffic.remove(ofConnection);
        peer.traffic.remove(ofConnection);
        if (peer.traffic.count() == 0) {
            String nodeId = peer.nodeId.toString();
            peers.remove(peer.nodeId);
            registry.removeIf(name -> nodeId.equals(name.keys().get(PEER_KEY)));
        }
    }

    private VerbMetrics ofVerb(String name) {
        VerbMetrics known = verbs.get(name);
        return known != null ? known : verbs.computeIfAbsent(name, VerbMetrics::new);
    }

    private CodeMetrics ofCode(String code) {
        CodeMetrics known = codes.get(code);
        return known != null ? known : addCode(code);
    }

    private synchronized CodeMetrics addCode(String code) {
        boolean countsAlone = codes.containsKey(code) || codes.size() < CODES_MAX;
        return codes.computeIfAbsent(countsAlone ? code : OTHER, CodeMetrics::new);
    }

    /** Bytes of connections: of those that are open, and of those that have ended. */
    private static final class TrafficSum {
        private final Map<Traffic, Boolean> open = new HashMap<>();
        private long endedSentBytes;
        private long endedReceivedBytes;

        synchronized void add(Traffic traffic) {
            open.put(traffic, true);
        }

        synchronized void remove(Traffic traffic) {
            open.remove(traffic);
            endedSentBytes += traffic.sentBytes();
            endedReceivedBytes += traffic.receivedBytes();
        }

        synchronized long count() {
            return open.size();
        }

        synchronized long sentBytes() {
            return endedSentBytes
                    + open.keySet().stream().mapToLong(Traffic::sentBytes).sum();
        }

        synchronized long receivedBytes() {
            return endedReceivedBytes
                    + open.keySet().stream().mapToLong(Traffic::receivedBytes).sum();
        }
    }

    private final class PeerMetrics {
        private final UUID nodeId;
        private final TrafficSum traffic = new TrafficSum();
        private final LongAdder streams;

        PeerMetrics(UUID nodeId) {
            this.nodeId = nodeId;
            addTraffic(this::named, traffic);
            streams = registry.addCounter(named(STREAMS));
        }

        private MetricName named(String name) {
            return new MetricName("net.peer." + nodeId, Map.of(TYPE_KEY, "Peer", PEER_KEY, nodeId.toString()), name);
        }
    }

    private final class CodeMetrics {
        private final LongAdder connectionsRefused;
        private final LongAdder connectsFailed;
        private final LongAdder resetsSent;
        private final LongAdder resetsReceived;

        CodeMetrics(String code) {
            connectionsRefused = add(code, "connections-refused");
            connectsFailed = add(code, "connects-failed");
            resetsSent = add(code, "resets-sent");
            resetsReceived = add(code, "resets-received");
        }

        private LongAdder add(String code, String name) {
            return registry.addCounter(
                    new MetricName("net.code." + code, Map.of(TYPE_KEY, "Code", "code", code), name));
        }
    }

    private final class VerbMetrics implements SessionMetrics.OfVerb {
        private final LongAdder streams;
        private final LongAdder sentBytes;
        private final LongAdder receivedBytes;
        private final LongAdder failedRequests;
        private final ValueRecorder requestNanos;
        private final ValueRecorder servingNanos;

        VerbMetrics(String verb) {
            streams = registry.addCounter(named(verb, STREAMS));
            sentBytes = registry.addCounter(named(verb, BYTES_SENT));
            receivedBytes = registry.addCounter(named(verb, BYTES_RECEIVED));
            failedRequests = registry.addCounter(named(verb, "requests-failed"));
            requestNanos = registry.addTimer(named(verb, "request-latency"));
            servingNanos = registry.addTimer(named(verb, "serving-latency"));
        }

        private static MetricName named(String verb, String name) {
            return new MetricName("net.verb." + verb, Map.of(TYPE_KEY, "Verb", "verb", ObjectName.quote(verb)), name);
        }

        @Override
        public void sent(int lengthBytes) {
            sentBytes.add(lengthBytes);
        }

        @Override
        public void received(int lengthBytes) {
            receivedBytes.add(lengthBytes);
        }

        @Override
        public <T> CompletableFuture<T> asked(CompletableFuture<T> answer, LongSupplier nanoTime) {
            long startNanos = nanoTime.getAsLong();
            return answer.whenComplete((content, failure) -> {
                requestNanos.record(nanoTime.getAsLong() - startNanos);
                if (failure != null) {
                    failedRequests.increment();
                }
            });
        }

        @Override
        public void served(long nanos) {
            servingNanos.record(nanos);
        }
    }

    private final class OfSession implements SessionMetrics {
        private final PeerMetrics peer;
        private final Traffic ofConnection;

        OfSession(PeerMetrics peer, Traffic ofConnection) {
            this.peer = peer;
            this.ofConnection = ofConnection;
        }

        @Override
        public OfVerb ofVerb(Verb verb) {
            return NetMetrics.this.ofVerb(verb.name());
        }

        @Override
        public void receivedUnknown(int lengthBytes) {
            NetMetrics.this.ofVerb(UNKNOWN).received(lengthBytes);
        }

        @Override
        public void streamOpened(OfVerb verb) {
            countStreams(verb, 1);
        }

        @Override
        public void streamEnded(OfVerb verb) {
            countStreams(verb, -1);
        }

        private void countStreams(OfVerb verb, int added) {
            ((VerbMetrics) verb).streams.add(added);
            peer.streams.add(added);
            streams.add(added);
        }

        @Override
        public void resetSent(String code) {
            ofCode(code).resetsSent.increment();
        }

        @Override
        public void resetReceived(String code) {
            ofCode(code).resetsReceived.increment();
        }

        @Override
        public void ended(IOException cause) {
            countCorrupt(cause);
            disconnected(peer, ofConnection);
        }
    }
}
