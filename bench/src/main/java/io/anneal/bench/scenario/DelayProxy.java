package io.anneal.bench.scenario;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A long link on loopback: every byte comes out so much later than it went in, both ways, at whatever rate it goes in. What is
 * on its way is held in memory. Two threads for each direction of a connection, which end with it. Safe for any thread.
 */
final class DelayProxy implements Closeable {
    private static final int PIECE_BYTES = 64 << 10;
    private static final byte[] END = {};

    /** What came at a time, to leave at another one. */
    private record Piece(byte[] bytes, long dueNanos) {}

    private final InetSocketAddress target;
    private final long delayNanos;
    private final LongSupplier nanoTime;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private DelayProxy(InetSocketAddress target, long delayNanos, LongSupplier nanoTime, ServerSocket listening) {
        this.target = target;
        this.delayNanos = delayNanos;
        this.nanoTime = nanoTime;
        this.listening = listening;
    }

    /** @param delayNanos of each way */
    static DelayProxy to(InetSocketAddress target, long delayNanos, LongSupplier nanoTime) throws IOException {
        DelayProxy proxy =
                new DelayProxy(target, delayNanos, nanoTime, new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
        start("accept", proxy::accept);
        return proxy;
    }

    /** Where to connect to in the place of the target. */
    InetSocketAddress address() {
        return NetSide.loopback(listening.getLocalPort());
    }

    private interface Task {
        void run() throws IOException, InterruptedException;
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException ended) {
                        return; // The other end of the link sees its socket end.
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "bench-link-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(target.getAddress(), target.getPort());
            link(client, server);
            link(server, client);
        }
    }

    private void link(Socket from, Socket into) throws IOException {
        from.setTcpNoDelay(true);
        open.add(from);
        BlockingQueue<Piece> underWay = new LinkedBlockingQueue<>();
        start("in", () -> read(from, underWay));
        start("out", () -> write(underWay, from, into));
    }

    private void read(Socket from, BlockingQueue<Piece> underWay) throws IOException {
        byte[] buffer = new byte[PIECE_BYTES];
        try {
            InputStream in = from.getInputStream();
            int lengthBytes;
            while ((lengthBytes = in.read(buffer)) > 0) {
                underWay.add(new Piece(Arrays.copyOf(buffer, lengthBytes), nanoTime.getAsLong() + delayNanos));
            }
        } finally {
            underWay.add(new Piece(END, nanoTime.getAsLong() + delayNanos));
        }
    }

    private void write(BlockingQueue<Piece> underWay, Socket from, Socket into)
            throws IOException, InterruptedException {
        try (from;
                into) {
            OutputStream out = into.getOutputStream();
            Piece piece;
            while ((piece = underWay.take()).bytes() != END) {
                TimeUnit.NANOSECONDS.sleep(piece.dueNanos() - nanoTime.getAsLong());
                out.write(piece.bytes());
            }
        } finally {
            open.remove(from);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
