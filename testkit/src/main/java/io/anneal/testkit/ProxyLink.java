package io.anneal.testkit;

import io.anneal.testkit.LinkFault.Direction;
import io.anneal.testkit.LinkFault.Kind;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One client's connection through a {@link FaultyProxy}, with a thread for each direction. */
final class ProxyLink {
    private static final int BUFFER_LENGTH_BYTES = 16 << 10;

    private final Socket client;
    private final Socket server;
    private final Pump toServer;
    private final Pump toClient;
    private final Consumer<ProxyLink> onEnd;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger openDirections = new AtomicInteger(2);

    /** Nothing is forwarded any more, neither bytes nor ends. */
    private volatile boolean halfOpen;
    /** Both sides have been told that nothing more comes. */
    private volatile boolean closing;

    ProxyLink(Socket client, Socket server, List<LinkFault> faults, Consumer<ProxyLink> onEnd) throws SocketException {
        this.client = client;
        this.server = server;
        this.onEnd = onEnd;
        this.toServer = new Pump(Direction.TO_SERVER, client, server, faults);
        this.toClient = new Pump(Direction.TO_CLIENT, server, client, faults);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
    }

    void start() {
        toServer.start();
        toClient.start();
    }

    long forwardedBytes(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer.forwardedBytes : toClient.forwardedBytes;
    }

    /** Ends both sockets so that the other ends see a reset. */
    void reset() {
        for (Socket socket : List.of(client, server)) {
            try {
                socket.setSoLinger(true, 0);
            } catch (SocketException closed) {
                continue;
            }
        }
        end();
    }

    private void end() {
        for (Socket socket : List.of(client, server)) {
            try {
                socket.close();
            } catch (IOException ignored) {
                // It is of no more use either way.
            }
        }
        ended.countDown();
        onEnd.accept(this);
    }

    private void closeInGoodOrder() throws IOException {
        closing = true;
        client.shutdownOutput();
        server.shutdownOutput();
    }

    /** Returns early when the link ends. */
    private void pause(long duration, TimeUnit unit) {
        try {
            ended.await(duration, unit);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Pump extends Thread {
        private final Socket from;
        private final Socket into;
        private final List<LinkFault> faults = new ArrayList<>();
        private final byte[] buffer = new byte[BUFFER_LENGTH_BYTES];

        private int chunkBytesMax = BUFFER_LENGTH_BYTES;
        private long bytesPerSecond = Long.MAX_VALUE;
        private volatile long forwardedBytes;

        Pump(Direction direction, Socket from, Socket into, List<LinkFault> all) {
            super("faulty-proxy-" + direction);
            setDaemon(true);
            this.from = from;
            this.into = into;
            for (LinkFault fault : all) {
                if (fault.direction() == direction) {
                    faults.add(fault);
                }
            }
        }

        @Override
        public void run() {
            try {
                while (applyFaults() && forward()) {}
            } catch (IOException broken) {
                // One side is gone; the other shall see it, but where nothing is told any more.
                if (!halfOpen) {
                    reset();
                }
            }
            if (openDirections.decrementAndGet() == 0) {
                end();
            }
        }

        /** Does what is due at this byte; false when this direction is at its end. */
        private boolean applyFaults() throws IOException {
            for (LinkFault fault : List.copyOf(faults)) {
                if (fault.kind() == Kind.FLIP || fault.offset() > forwardedBytes) {
                    continue;
                }
                faults.remove(fault);
                switch (fault.kind()) {
                    case RESET -> {
                        reset();
                        return false;
                    }
                    case CLOSE -> closeInGoodOrder();
                    case HALF_OPEN -> halfOpen = true;
                    case STALL -> {
                        pause(Long.MAX_VALUE, TimeUnit.MILLISECONDS);
                        return false;
                    }
                    case DELAY -> pause(fault.argument(), TimeUnit.MILLISECONDS);
                    case BYTEWISE -> chunkBytesMax = 1;
                    case THROTTLE -> bytesPerSecond = fault.argument();
                    default -> throw new AssertionError(fault);
                }
            }
            return true;
        }

        /** False at the end of the direction. */
        private boolean forward() throws IOException {
            long lengthBytesMax = chunkBytesMax;
            for (LinkFault fault : faults) {
                if (fault.offset() > forwardedBytes) {
                    lengthBytesMax = Math.min(lengthBytesMax, fault.offset() - forwardedBytes);
                }
            }
            int lengthBytes = from.getInputStream().read(buffer, 0, (int) lengthBytesMax);
            if (lengthBytes < 0) {
                if (!halfOpen && !closing) {
                    into.shutdownOutput();
                }
                return false;
            }
            if (halfOpen || closing) {
                return true;
            }
            for (LinkFault fault : faults) {
                if (fault.kind() == Kind.FLIP && fault.offset() == forwardedBytes) {
                    buffer[0] ^= (byte) (1 << fault.argument());
                }
                if (fault.kind() == Kind.HALF_OPEN && fault.offset() == forwardedBytes + lengthBytes) {
                    halfOpen = true; // Before these last bytes, since the answer to them shall be swallowed.
                }
            }
            into.getOutputStream().write(buffer, 0, lengthBytes);
            forwardedBytes += lengthBytes;
            if (bytesPerSecond < Long.MAX_VALUE) {
                pause(TimeUnit.SECONDS.toMicros(lengthBytes) / bytesPerSecond, TimeUnit.MICROSECONDS);
            }
            return true;
        }
    }
}
