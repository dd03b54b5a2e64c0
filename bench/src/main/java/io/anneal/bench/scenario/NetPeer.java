package io.anneal.bench.scenario;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;

/** The second process of {@link NetScenario}: answers until its standard input ends. */
public final class NetPeer {
    static final int NUMBER = 2;

    private NetPeer() {}

    /** @param arguments the directory of the certificate, if TLS is measured */
    public static void main(String[] arguments) throws IOException {
        try (NetSide plain = new NetSide(Optional.empty(), NUMBER);
                ServerSocketChannel bare = ServerSocketChannel.open().bind(NetSide.loopback(0))) {
            Thread copies = new Thread(() -> receive(bare), "bench-copy");
            copies.setDaemon(true);
            copies.start();
            String ports = plain.listen() + " " + ((InetSocketAddress) bare.getLocalAddress()).getPort();
            if (arguments.length == 0) {
                announce(ports);
            } else {
                try (NetSide secured = new NetSide(Optional.of(NetSide.tls(Path.of(arguments[0]))), NUMBER)) {
                    announce(ports + " " + secured.listen());
                }
            }
        }
    }

    /** Tells the ports to the first process, and waits until that is gone. */
    private static void announce(String ports) throws IOException {
        System.out.println(ports);
        while (System.in.read() >= 0) {
            // Nothing comes.
        }
    }

    private static void receive(ServerSocketChannel bare) {
        while (true) {
            try (SocketChannel socket = bare.accept()) {
                BareCopy.receive(socket);
            } catch (IOException ended) {
                if (!bare.isOpen()) {
                    return;
                }
            }
        }
    }
}
