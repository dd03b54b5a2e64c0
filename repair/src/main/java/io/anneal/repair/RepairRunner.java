package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.RingPosition;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.RequestException;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master's side of repair on a server: runs a {@link RepairMaster} on request and tells how it is doing. A repair
 * ends with the connection of whoever asked for it. Safe for any thread.
 */
public final class RepairRunner {
    private static final Logger LOG = LoggerFactory.getLogger(RepairRunner.class);

    private final UUID nodeId;
    private final ReplicaSource tables;
    private final Connector connector;
    private final ExecutorService executor;
    private final InstantSource clock;
    private final RandomGenerator random;
    private final Map<Connection, Run> runs = new ConcurrentHashMap<>();

    /** One repair; its numbers are written by the repair's thread and read by any. */
    private static final class Run implements RepairListener {
        private volatile RepairStatus status = new RepairStatus(0, 0, 0, Optional.empty(), Optional.empty());
        private volatile Future<?> task;

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, RingPosition boundary) {
            status = new RepairStatus(windows, rowsRead, bytesRead, Optional.empty(), Optional.empty());
        }

        void end(Optional<String> failure, Optional<RepairReport> report) {
            status = new RepairStatus(status.windows(), status.rowsRead(), status.bytesRead(), failure, report);
        }
    }

    /**
     * @param nodeId the identity of this node, which followers must not have
     * @param connector reaches the followers
     * @param executor runs repairs; it belongs to the caller
     * @param random gives hash seeds
     */
    public RepairRunner(
            UUID nodeId,
            ReplicaSource tables,
            Connector connector,
            ExecutorService executor,
            InstantSource clock,
            RandomGenerator random) {
        this.nodeId = nodeId;
        this.tables = tables;
        this.connector = connector;
        this.executor = executor;
        this.clock = clock;
        this.random = random;
    }

    /** Registers the verbs of a master. */
    public void register(VerbHandlers handlers) {
        handlers.register(RepairVerb.RUN, this::start);
        handlers.register(RepairVerb.STATUS, this::status);
    }

    private CompletionStage<ByteBuffer> start(Connection peer, ByteBuffer request) throws RequestException {
        RunRepair wanted;
        try {
            wanted = RunRepair.decode(new ByteReader().wrap(request));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new RequestException(
                    RepairService.MALFORMED, "repair request is malformed, cause=" + malformed.getMessage());
        }
        Run run = new Run();
        if (runs.putIfAbsent(peer, run) != null) {
            throw new RequestException(RepairService.BUSY, "this connection has a repair already");
        }
        run.task = executor.submit(() -> execute(wanted, run));
        peer.onClose(() -> {
            runs.remove(peer);
            run.task.cancel(true);
        });
        return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
    }

    private void execute(RunRepair wanted, Run run) {
        try {
            run.end(Optional.empty(), Optional.of(repair(wanted, run)));
        } catch (IOException | RuntimeException failure) {
            String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
            LOG.warn("repair failed, session={}, cause={}", wanted.sessionId(), reason);
            LOG.debug("repair failed, session={}", wanted.sessionId(), failure);
            run.end(Optional.of(reason), Optional.empty());
        } finally {
            // An Error goes on to the executor; whoever asks for the status must not see it run for ever.
            if (run.status.isRunning()) {
                run.end(Optional.of("repair was stopped by an error, see the log of this server"), Optional.empty());
            }
        }
    }

    private RepairReport repair(RunRepair wanted, RepairListener listener) throws IOException {
        RepairConfig config = new RepairConfig(
                wanted.sessionId(),
                wanted.keyspace(),
                wanted.table(),
                wanted.range(),
                wanted.bufferBytes(),
                clock.instant().getEpochSecond(),
                random.nextLong(),
                wanted.dryRun(),
                wanted.staged(),
                wanted.waivers());
        List<Participant> followers = new ArrayList<>();
        Set<UUID> nodes = new HashSet<>(Set.of(nodeId));
        try (Replica table = tables.open(wanted.keyspace(), wanted.table(), wanted.staged())) {
            int clusteringColumns = table.schema().clustering().size();
            for (String follower : wanted.followers()) {
                Connection connection = connector.open(address(follower));
                followers.add(new RemoteParticipant(connection, clusteringColumns));
                if (!nodes.add(connection.node().nodeId())) {
                    throw new RepairException(
                            "one server is given as two replicas: it would be compared with itself, replica="
                                    + follower);
                }
            }
            try (RepairMaster master = new RepairMaster(config, table, followers, listener)) {
                return master.run();
            }
        } finally {
            followers.forEach(Participant::close);
        }
    }

    /** Reads {@code host:port}. */
    public static InetSocketAddress address(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        try {
            if (colon > 0) {
                return new InetSocketAddress(
                        hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1)));
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("port is not a number from 0 to 65535, address=" + hostAndPort, e);
        }
        throw new IllegalArgumentException("address is not host:port, address=" + hostAndPort);
    }

    private CompletionStage<ByteBuffer> status(Connection peer, ByteBuffer request) throws RequestException {
        Run run = runs.get(peer);
        if (run == null) {
            throw new RequestException(RepairService.NO_SESSION, "no repair was started on this connection");
        }
        ByteWriter out = new ByteWriter(256);
        run.status.encode(out);
        return CompletableFuture.completedFuture(ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
    }
}
