package io.anneal.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a loopback address, or with TLS on any, and answers requests. Owns its transport and its connections, which
 * end with it; the executor of the handlers is the caller's.
 */
public final class NetServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NetServer.class);

    private final NetConfig config;
    private final Optional<TlsFiles> tls;
    private final VerbHandlers handlers;
    private final RandomGenerator nonces;
    private final Consumer<IOException> failures;
    private final Transport transport;
    // In the order in which they came, so that a simulated run repeats itself.
    private final Set<Session> sessions = Collections.synchronizedSet(new LinkedHashSet<>());
    private final UnprovenConnections unproven;
    private final ProvenConnections proven;
    private final RefusedConnections refused = new RefusedConnections(this::report);

    private Channel channel;

    private NetServer(
            NetConfig config,
            Optional<TlsFiles> tls,
            VerbHandlers handlers,
            RandomGenerator nonces,
            Consumer<IOException> failures,
            Transport transport) {
        this.config = config;
        this.tls = tls;
        this.handlers = handlers;
        this.nonces = nonces;
        this.failures = failures;
        this.transport = transport;
        this.unproven = new UnprovenConnections(config.limits().unprovenConnectionsMax(), nonces);
        this.proven = new ProvenConnections(config.limits(), config.budget());
    }

    /** As {@link #bind(NetConfig, InetSocketAddress, VerbHandlers, RandomGenerator, Consumer)}, failures logged. */
    public static NetServer bind(
            NetConfig config, InetSocketAddress address, VerbHandlers handlers, RandomGenerator nonces)
            throws IOException {
        return bind(config, address, handlers, nonces, failure -> {});
    }

    /**
     * Starts to listen.
     *
     * @param address  a loopback address, or with TLS any; port 0 takes any free one
     * @param nonces   a {@link java.security.SecureRandom} outside of tests; must be safe for several threads
     * @param failures is told of every connection that ended other than in good order, on the executor of the
     *                 handlers; of those that ended before they proved themselves at most once a second, with a count
     * @throws IllegalArgumentException if there is no TLS, and the address is not loopback or there is no token
     * @throws BindException            if the address cannot be listened on
     * @throws CredentialFileException  if the files for TLS cannot be used
     */
    public static NetServer bind(
            NetConfig config,
            InetSocketAddress address,
            VerbHandlers handlers,
            RandomGenerator nonces,
            Consumer<IOException> failures)
            throws IOException {
        return bind(config, address, handlers, nonces, failures, Transport.sockets(config.eventLoopThreads()));
    }

    /** The same over another way to the peers, which the server closes. */
    public static NetServer bind(
            NetConfig config,
            InetSocketAddress address,
            VerbHandlers handlers,
            RandomGenerator nonces,
            Consumer<IOException> failures,
            Transport transport)
            throws IOException {
        if (config.tls().isEmpty() && TlsLink.isNeeded(address)) {
            throw new IllegalArgumentException(TlsLink.missing(address));
        }
        if (config.tls().isEmpty() && config.token().isEmpty()) {
            throw new IllegalArgumentException(
                    "a server needs a token, or certificates, address=" + PeerAddress.text(address));
        }
        Optional<TlsFiles> tls = config.tls().map(TlsFiles::of);
        if (tls.isPresent()) {
            tls.get().current();
        }
        Handshake.hello(config, new byte[Hello.NONCE_LENGTH_BYTES]).encode();

        NetServer server = new NetServer(config, tls, handlers, nonces, failures, transport);
        ChannelFuture bound = transport.bind(address, server.new Accepted());
        transport.await(bound, config.timeouts().closeMs());
        if (!bound.isSuccess()) {
            transport.close(config.timeouts().closeMs());
            BindException failure = new BindException("cannot listen, address=" + PeerAddress.text(address)
                    + ", reason=" + bound.cause().getMessage());
            failure.initCause(bound.cause());
            throw failure;
        }
        server.channel = bound.channel();
        config.metrics().ifPresent(metrics -> metrics.opened(server, config.budget()));
        server.channel.pipeline().addLast(server.new AcceptFailures());
        return server;
    }

    /** Behind Netty's own handler, which accepts nothing for a second after a failure. */
    private final class AcceptFailures extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            refused.add(
                    new IOException(
                            "connection cannot be accepted, address=" + PeerAddress.text(address()) + ", reason="
                                    + cause.getMessage(),
                            cause),
                    ctx.executor());
        }
    }

    private final class Accepted extends ChannelInitializer<DuplexChannel> {
        @Override
        protected void initChannel(DuplexChannel accepted) {
            shakeHands(accepted);
        }
    }

    private void shakeHands(DuplexChannel accepted) {
        InetSocketAddress address = (InetSocketAddress) accepted.remoteAddress();
        if (address == null) {
            accepted.close(); // Gone between the accept and now.
            return;
        }
        Wire wire = new Wire(transport, accepted, address, config);
        Handshake handshake = new Handshake(Handshake.Role.SERVER, config, nonces, wire.peer());
        tls.ifPresent(files -> accepted.pipeline()
                .addLast(new TlsGate(
                        files, handlers, wire.peer(), config.timeouts().closeMs())));
        wire.install(
                config,
                new HandshakeHandler(
                        Handshake.Role.SERVER,
                        handshake,
                        wire,
                        config,
                        agreement -> new Session(
                                wire,
                                Handshake.Role.SERVER,
                                agreement,
                                configOf(agreement, wire),
                                handlers,
                                this::ended),
                        new HandshakeHandler.Listener() {
                            @Override
                            public void proven(Agreement agreement) throws PeerException {
                                Object peer = peerKey(agreement, wire);
                                proven.add(wire.peer(), peer);
                                unproven.remove(accepted, address.getAddress());
                                accepted.closeFuture().addListener(closed -> proven.remove(peer));
                            }

                            @Override
                            public void established(Session session) {
                                sessions.add(session);
                                accepted.closeFuture().addListener(closed -> sessions.remove(session));
                                LOG.debug("connection established, peer={}", wire.peer());
                            }

                            @Override
                            public void failed(IOException cause) {
                                config.metrics().ifPresent(metrics -> metrics.connectionRefused(cause));
                                refused.add(cause, accepted.eventLoop());
                            }
                        }));
        unproven.add(accepted, address.getAddress());
    }

    private NetConfig configOf(Agreement agreement, Wire wire) {
        return config.withBudget(proven.budgetOf(peerKey(agreement, wire)));
    }

    private Object peerKey(Agreement agreement, Wire wire) {
        return tls.isPresent()
                ? TlsLink.peerKey(
                        wire.channel().pipeline(), agreement.peerNode().nodeId())
                : PeerAddress.source(wire.address().getAddress());
    }

    private void ended(Session session, IOException cause) {
        session.closeCause().ifPresent(this::report);
    }

    private void report(IOException cause) {
        LOG.warn("connection failed: {}", cause.getMessage());
        if (!handlers.offer(() -> failures.accept(cause))) {
            LOG.debug("failure is not reported, the executor takes no work");
        }
    }

    /** Where it listens, with the port that was taken. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    Channel channel() {
        return channel;
    }

    /** Connections now open, those in their handshake included. */
    public int connectionCount() {
        return unproven.count() + proven.count();
    }

    /**
     * Takes no connections and no streams any more, lets the streams that are open come to their end, but not longer than
     * so, and closes: peers are told that the connection was closed in good order.
     */
    public void drain(long timeoutMs) {
        transport.await(channel.close(), config.timeouts().closeMs());
        Session.drainAll(List.copyOf(sessions), transport, timeoutMs);
        close();
    }

    /** Stops listening, closes all connections and waits for the event loops, within the time limit for closing. */
    @Override
    public void close() {
        transport.await(channel.close(), config.timeouts().closeMs());
        Session.closeAll(List.copyOf(sessions), transport, config.timeouts().closeMs());
        transport.close(config.timeouts().closeMs());
        refused.flush();
        config.metrics().ifPresent(metrics -> metrics.closed(this));
    }
}
