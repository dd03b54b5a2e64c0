package io.anneal.net;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A machine of a simulated network: its ports, its channels, how fast it reads. */
final class SimulatedHost {
    static final long READS_AT_ONCE = -1;

    private static final int FIRST_FREE_PORT = 32_768;
    private static final int READS_A_SECOND_WHEN_SLOW = 20;
    private static final double NANOS_PER_SECOND = 1e9;

    private final InetAddress address;
    private final SimulatedTime time;
    private final Map<Integer, SimulatedServerChannel> listeners = new HashMap<>();
    private final Set<SimulatedChannel> channels = new LinkedHashSet<>();
    private int nextPort = FIRST_FREE_PORT;
    private long readBytesPerSecond = READS_AT_ONCE;
    private long nextReadNanos;

    SimulatedHost(InetAddress address, SimulatedTime time) {
        this.address = address;
        this.time = time;
    }

    InetAddress address() {
        return address;
    }

    int freePort() {
        return nextPort++;
    }

    boolean listen(int port, SimulatedServerChannel listener) {
        return listeners.putIfAbsent(port, listener) == null;
    }

    void stopListening(int port, SimulatedServerChannel listener) {
        listeners.remove(port, listener);
    }

    Optional<SimulatedServerChannel> listener(int port) {
        return Optional.ofNullable(listeners.get(port));
    }

    void opened(SimulatedChannel channel) {
        channels.add(channel);
    }

    void closed(SimulatedChannel channel) {
        channels.remove(channel);
    }

    boolean readsSlowly() {
        return readBytesPerSecond != READS_AT_ONCE;
    }

    boolean readsNothing() {
        return readBytesPerSecond == 0;
    }

    void readBytesPerSecond(long value) {
        readBytesPerSecond = value;
        nextReadNanos = time.nanos();
        List.copyOf(channels).forEach(SimulatedChannel::readSoon);
    }

    /** How long from now nothing is read. */
    long readWaitNanos() {
        return readsSlowly() ? Math.max(0, nextReadNanos - time.nanos()) : 0;
    }

    /** How many of these bytes are read at once. */
    int mayRead(int lengthBytes) {
        return readsSlowly()
                ? (int) Math.min(lengthBytes, Math.max(1, readBytesPerSecond / READS_A_SECOND_WHEN_SLOW))
                : lengthBytes;
    }

    void read(int lengthBytes) {
        if (readsSlowly()) {
            nextReadNanos = Math.max(nextReadNanos, time.nanos())
                    + (long) (lengthBytes * NANOS_PER_SECOND / readBytesPerSecond);
        }
    }
}
