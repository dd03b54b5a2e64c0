package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.net.Connector;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The master's side of repair on a server: runs a {@link Repair} on request and tells how it is doing. A repair ends with the
 * stream of whoever asked for it. A server runs as many as its memory holds row buffers for. Safe for any thread.
 */
public final class RepairRunner {
    private static final Logger LOG = LoggerFactory.getLogger(RepairRunner.class);

    private final UUID nodeId;
    private final Replicas replicas;
    private final Connector connector;
    private final Executor runs;
    private final RepairEnvironment environment;
    private final SessionMemory memory;

    /**
     * @param nodeId the identity of this node, which followers must not have
     * @param connector reaches the followers
     * @param runs has a thread for each repair, which waits on it for the followers: none of those that their answers need
     *     here, and one that it does not have is refused
     */
    public RepairRunner(
            UUID nodeId, Replicas replicas, Connector connector, Executor runs, RepairEnvironment environment) {
        this.nodeId = nodeId;
        this.replicas = replicas;
        this.connector = connector;
        this.runs = runs;
        this.environment = environment;
        memory = new SessionMemory(environment.budget(), SessionMemory.SESSIONS_OF_NODE);
    }

    /** For the replicas of a node, with its threads, its memory and its connections to others. */
    public static RepairRunner of(Node node, HostEnvironment host) {
        return new RepairRunner(
                node.identity().nodeId(),
                node.replicas(),
                node.peers(),
                node.waiting(),
                new RepairEnvironment(host, node.executor(), node.budget()));
    }

    /** Registers the verb of a master. */
    public void register(VerbHandlers handlers) {
        handlers.registerStream(RepairVerb.RUN, this::opened);
    }

    private void opened(PeerStream stream) {
        MessageStream messages = stream.messages();
        messages.read().whenComplete((message, failure) -> {
            if (failure != null) {
                return; // It has ended the stream.
            }
            try {
                start(
                        messages,
                        message.orElseThrow(() -> new RequestException(
                                PeerException.MALFORMED, "the stream of a repair ended before it was asked for")));
            } catch (RequestException refused) {
                stream.reset(refused.code(), refused.getMessage());
            } catch (RejectedExecutionException full) {
                stream.reset(PeerException.BUSY, "no thread for another repair, try again later");
            } catch (RuntimeException | Error failed) {
                LOG.error("repair was not begun, peer={}", stream.connection().address(), failed);
                stream.reset(PeerException.INTERNAL, "repair was not begun, error=" + failed);
            }
        });
    }

    private void start(MessageStream messages, Message message) throws RequestException {
        RunRepair wanted;
        try (message) {
            ByteReader in = new ByteReader().wrap(message.content());
            ServedSession.requireVersion(in.readUnsignedByte());
            wanted = RunRepair.decode(in);
            wanted.followers().forEach(follower -> address(follower.address()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new RequestException(
                    PeerException.MALFORMED, "repair request is malformed, cause=" + malformed.getMessage());
        }
        SessionMemory.Place place =
                memory.take(wanted.bufferBytes(), wanted.followers().size() + 1, 1);
        boolean started = false;
        try {
            ServedRun run = new ServedRun(
                    messages,
                    wanted,
                    place,
                    (asked, listener) -> repair(asked, place, listener),
                    environment.host().clock());
            messages.stream().closed().whenComplete((done, failure) -> {
                if (failure != null) {
                    run.abort();
                }
            });
            runs.execute(run);
            started = true;
        } finally {
            if (!started) {
                place.close();
            }
        }
    }

    private RepairReport repair(RunRepair wanted, SessionMemory.Place place, RepairListener listener)
            throws IOException {
        List<RepairMember> members = new ArrayList<>(List.of(RepairMember.here(replicas.get(wanted.replica()))));
        wanted.followers()
                .forEach(follower ->
                        members.add(RepairMember.at(connector, address(follower.address()), follower.replica())));
        Repair repair = Repair.of(wanted.keyspace() + "." + wanted.table())
                .between(members)
                .ownReplica(nodeId, wanted.replica())
                .dryRun(wanted.dryRun())
                .allReplicas(wanted.allReplicas())
                .allow(wanted.waivers())
                .place(place);
        wanted.staged().ifPresent(repair::staged);
        return repair.tryOnce(wanted.keyspace() + "." + wanted.table(), wanted.range(), listener, environment);
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
}
