package io.anneal.bench.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The three ports of a node, free when chosen: CQL, between nodes, JMX. */
record PeerPorts(int cql, int storage, int jmx) {
    // Below the range the kernel takes ports of outgoing connections from, as one of those could come in between.
    private static final int PORT_MIN = 10_000;
    private static final int PORT_COUNT = 20_000;
    private static final int WANTED = 3;

    /** Starts to search at a place of its own for each process and directory, so that parallel starts do not meet. */
    static PeerPorts choose(String address, Path directory) {
        long start = ProcessHandle.current().pid() * 101 + directory.hashCode();
        List<Integer> ports = new ArrayList<>(WANTED);
        for (int i = 0; i < PORT_COUNT && ports.size() < WANTED; i++) {
            int port = PORT_MIN + (int) Math.floorMod(start + i, (long) PORT_COUNT);
            if (free(address, port)) {
                ports.add(port);
            }
        }
        if (ports.size() < WANTED) {
            throw new CassandraPeerException("no free ports, address=" + address);
        }
        return new PeerPorts(ports.get(0), ports.get(1), ports.get(2));
    }

    private static boolean free(String address, int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(address))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
