package io.anneal.bench.scenario;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The second process of {@link NetScenario}. */
public final class NetPeer {
    static final int PLAIN = 0;
    static final int BARE = 1;
    static final int SECURED = 2;

    static final int NUMBER = 2;

    private NetPeer() {}

    /** @param arguments the directory of the certificate, if TLS is measured */
    public static void main(String[] arguments) throws IOException {
        try (NetSide plain = new NetSide(Optional.empty(), NUMBER);
                ServerSocketChannel bare = ServerSocketChannel.open().bind(NetSide.loopback(0))) {
            serve(bare, BareCopy::receive);
            int barePort = port(bare);
            if (arguments.length == 0) {
                PeerJvm.announce(List.of(plain.listen(), barePort));
            } else {
                try (NetSide secured = new NetSide(Optional.of(NetSide.tls(Path.of(arguments[0]))), NUMBER)) {
                    PeerJvm.announce(List.of(plain.listen(), barePort, secured.listen()));
                }
            }
        }
    }

    static int port(ServerSocketChannel bare) throws IOException {
        return ((InetSocketAddress) bare.getLocalAddress()).getPort();
    }

    /** What answers one connection. */
    interface BareService {
        void serve(SocketChannel socket) throws IOException;
    }

    /** Answers one connection after the other, on a thread of its own, until the socket is closed. */
    static void serve(ServerSocketChannel bare, BareService service) {
        Thread thread = new Thread(() -> serveAll(bare, service), "bench-copy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void serveAll(ServerSocketChannel bare, BareService service) {
        while (true) {
            try (SocketChannel socket = bare.accept()) {
                service.serve(socket);
            } catch (IOException ended) {
                if (!bare.isOpen()) {
                    return;
                }
            }
        }
    }
}
