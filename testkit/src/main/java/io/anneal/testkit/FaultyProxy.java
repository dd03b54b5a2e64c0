package io.anneal.testkit;

import io.anneal.testkit.LinkFault.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy on loopback that does to connections what a bad network and a bad peer do: it cuts them at any byte, flips bits,
 * falls silent, stops to read, delays. Clients connect to {@link #address()} in place of the server's. Real sockets of the
 * JDK; three threads and more, which end with it. Safe for any thread.
 */
public final class FaultyProxy implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 256;

    private final InetSocketAddress target;
    private final ServerSocket listening;
    private final Thread acceptor;
    private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();

    private volatile List<LinkFault> faults = List.of();
    private volatile ProxyLink newest;

    private FaultyProxy(InetSocketAddress target, ServerSocket listening) {
        this.target = target;
        this.listening = listening;
        this.acceptor = new Thread(this::accept, "faulty-proxy");
        acceptor.setDaemon(true);
    }

    /** Starts a proxy that forwards to this address, and does nothing bad yet. */
    public static FaultyProxy to(InetSocketAddress target) throws IOException {
        FaultyProxy proxy = new FaultyProxy(target, new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
        proxy.acceptor.start();
        return proxy;
    }

    /** Where clients connect to. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.getLocalSocketAddress();
    }

    /** What happens to each connection that is made from now on, in place of what was injected before. */
    public void inject(LinkFault... more) {
        faults = List.of(more);
    }

    /** Does nothing bad to connections that are made from now on. */
    public void heal() {
        faults = List.of();
    }

    /** Returns how many bytes of one direction of the newest connection are through. */
    public long forwardedBytes(Direction direction) {
        ProxyLink link = newest;
        return link == null ? 0 : link.forwardedBytes(direction);
    }

    /** Returns how many connections there are, those that a fault holds open included. */
    public int connectionCount() {
        return links.size();
    }

    /** Resets the connections that are open; clients can connect anew. */
    public void resetAll() {
        links.forEach(ProxyLink::reset);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                link(listening.accept());
            } catch (IOException closedOrRefused) {
                continue; // Closed: the loop ends. Refused by the target: the client sees its connection end.
            }
        }
    }

    private void link(Socket client) throws IOException {
        if (links.size() >= CONNECTIONS_MAX) {
            client.close();
            return;
        }
        Socket server;
        try {
            server = new Socket(target.getAddress(), target.getPort());
        } catch (IOException refused) {
            client.close();
            throw refused;
        }
        ProxyLink link = new ProxyLink(client, server, faults, links::remove);
        links.add(link);
        newest = link;
        link.start();
        if (listening.isClosed()) {
            link.reset();
        }
    }

    /** Stops to listen and resets what is open. */
    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException ignored) {
            // It is of no more use either way.
        }
        resetAll();
    }
}
