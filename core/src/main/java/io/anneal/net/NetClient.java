package io.anneal.net;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * Opens connections. Safe for any thread; owns its transport and its connections, which end with it.
 */
public final class NetClient implements Connector, AutoCloseable {
    private static final String STEP = "connect";

    private final NetConfig config;
    private final VerbHandlers handlers;
    private final RandomGenerator nonces;
    private final Transport transport;
    private final Optional<TlsFiles> tls;
    // In the order in which they came, so that a simulated run repeats itself.
    private final Set<Session> sessions = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Set<CompletableFuture<Connection>> connecting = Collections.synchronizedSet(new LinkedHashSet<>());

    private volatile boolean closed;

    private NetClient(NetConfig config, VerbHandlers handlers, RandomGenerator nonces, Transport transport) {
        this.config = config;
        this.handlers = handlers;
        this.nonces = nonces;
        this.transport = transport;
        this.tls = config.tls().map(TlsFiles::of);
    }

    /**
     * @param handlers what this side answers when peers ask over the same connections; its executor completes futures,
     *                 belongs to the caller and outlives the client
     * @param nonces   a {@link java.security.SecureRandom} outside of tests; must be safe for several threads
     */
    public static NetClient open(NetConfig config, VerbHandlers handlers, RandomGenerator nonces) {
        return open(config, handlers, nonces, Transport.sockets(config.eventLoopThreads()));
    }

    /** The same over another way to the peers, which the client closes. */
    public static NetClient open(NetConfig config, VerbHandlers handlers, RandomGenerator nonces, Transport transport) {
        Handshake.hello(config, new byte[Hello.NONCE_LENGTH_BYTES]).encode();
        NetClient client = new NetClient(config, handlers, nonces, transport);
        config.metrics().ifPresent(metrics -> metrics.opened(client, config.budget()));
        return client;
    }

    @Override
    public CompletableFuture<Connection> connect(InetSocketAddress address) {
        String peer = PeerAddress.text(address);
        CompletableFuture<Connection> result = transport.newFuture();
        config.metrics()
                .ifPresent(metrics -> result.whenComplete((connection, failure) -> {
                    if (failure != null) {
                        metrics.connectFailed(failure);
                    }
                }));
        if (address.isUnresolved()) {
            result.completeExceptionally(new PeerException(
                    peer, STEP, PeerException.CONNECT_FAILED, "host name of the peer cannot be resolved"));
            return result;
        }
        connecting.add(result);
        result.whenComplete((connection, failure) -> connecting.remove(result));
        // After the add: then either this sees that the client is closed, or the close sees this future.
        if (closed) {
            result.completeExceptionally(clientClosed(peer));
            return result;
        }
        if (config.tls().isPresent()) {
            // Off the caller's thread, which may be an event loop: it looks at files.
            handlers.run(() -> loadAndConnect(address, result));
        } else if (TlsLink.isNeeded(address)) {
            result.completeExceptionally(
                    new PeerException(peer, STEP, PeerException.TLS_MISSING, TlsLink.missing(address)));
        } else {
            connect(address, Optional.empty(), result);
        }
        return result;
    }

    /** What it connects with now, of which another is never equal; empty without TLS. */
    Optional<TlsMaterial> credentials() throws IOException {
        return tls.isPresent() ? Optional.of(tls.get().current()) : Optional.empty();
    }

    /** A connection that is made when it is needed, and anew after it has ended. */
    public KeptConnection keep(InetSocketAddress address) {
        return new KeptConnection(this, address, new KeptHost(), nonces);
    }

    /**
     * Connections that are kept, one for each address, and shared by all who ask; nobody but the client closes them.
     *
     * @param patienceMs how long to try for a connection that is not there
     */
    public Connector keepAll(long patienceMs) {
        return new KeptConnections(this, patienceMs);
    }

    private final class KeptHost implements KeptConnection.Host {
        @Override
        public CompletableFuture<Connection> newFuture() {
            CompletableFuture<Connection> result = transport.newFuture();
            connecting.add(result);
            result.whenComplete((connection, failure) -> connecting.remove(result));
            if (closed) {
                result.completeExceptionally(clientClosed("not connected yet"));
            }
            return result;
        }

        @Override
        public boolean schedule(Runnable work, long delayMs) {
            return !closed && transport.schedule(() -> handlers.run(work), delayMs);
        }
    }

    private void loadAndConnect(InetSocketAddress address, CompletableFuture<Connection> result) {
        TlsMaterial material;
        try {
            material = tls.orElseThrow().current();
        } catch (IOException | RuntimeException | Error unfit) {
            result.completeExceptionally(TlsLink.unusable(PeerAddress.text(address), unfit));
            return;
        }
        if (!closed) {
            connect(address, Optional.of(material), result);
        }
    }

    private void connect(
            InetSocketAddress address, Optional<TlsMaterial> material, CompletableFuture<Connection> result) {
        ChannelInitializer<DuplexChannel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(DuplexChannel channel) {
                shakeHands(channel, address, material, result);
            }
        };
        transport.connect(address, config.timeouts().connectMs(), initializer).addListener(connected -> {
            if (!connected.isSuccess()) {
                String reason = "peer cannot be reached, reason=" + reason(connected.cause(), address);
                PeerException failure = new PeerException(
                        PeerAddress.text(address), STEP, PeerException.CONNECT_FAILED, reason, connected.cause());
                handlers.run(() -> result.completeExceptionally(failure));
            }
        });
    }

    /** Without the address at its end, which is told in our form. */
    private static String reason(Throwable cause, InetSocketAddress address) {
        String text = String.valueOf(cause.getMessage());
        String end = ": " + address;
        return text.endsWith(end) ? text.substring(0, text.length() - end.length()) : text;
    }

    private static PeerException clientClosed(String peer) {
        return new PeerException(peer, STEP, PeerException.CLOSED_HERE, "client is closed");
    }

    private void shakeHands(
            DuplexChannel channel,
            InetSocketAddress address,
            Optional<TlsMaterial> material,
            CompletableFuture<Connection> result) {
        Wire wire = new Wire(transport, channel, address, config);
        material.ifPresent(loaded -> TlsLink.dial(
                channel,
                loaded,
                handlers.executor(),
                wire.peer(),
                config.timeouts().closeMs()));
        Handshake handshake = new Handshake(Handshake.Role.CLIENT, config, nonces, wire.peer());
        wire.install(
                config,
                new HandshakeHandler(
                        Handshake.Role.CLIENT,
                        handshake,
                        wire,
                        config,
                        agreement -> new Session(
                                wire, Handshake.Role.CLIENT, agreement, config, handlers, (session, cause) -> {}),
                        new HandshakeHandler.Listener() {
                            @Override
                            public void established(Session session) {
                                sessions.add(session);
                                channel.closeFuture().addListener(closed -> sessions.remove(session));
                                handlers.run(() -> result.complete(session));
                            }

                            @Override
                            public void failed(IOException cause) {
                                handlers.run(() -> result.completeExceptionally(cause));
                            }
                        }));
    }

    /** Closes all connections and waits for the event loops to end, within the time limit for closing. */
    @Override
    public void close() {
        closed = true;
        Session.closeAll(List.copyOf(sessions), transport, config.timeouts().closeMs());
        transport.close(config.timeouts().closeMs());
        // A loop that ends in the middle of a connect forgets it.
        List.copyOf(connecting).forEach(result -> result.completeExceptionally(clientClosed("not connected yet")));
        config.metrics().ifPresent(metrics -> metrics.closed(this));
    }
}
