package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.net.Connection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;

/**
 * The network, between this process and a second one, over loopback. Processor time is that of both.
 *
 * <pre>
 * case            anneal                                          baseline                   limit
 * one-stream      bytes over one stream, dropped by the reader                               a bare socket copy
 * one-stream-tls  the same over TLS                                                          the same, without TLS
 * fair-1000       1,000 streams of one connection at equal demand
 * stuck-reader    the same, one of them is never read             all of them read
 * round-trip      a request beside 100 busy streams               the same on an idle one
 * </pre>
 */
public final class NetScenario {
    public static final String NAME = "net";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES =
            List.of("one-stream", "one-stream-tls", "fair-1000", "stuck-reader", "round-trip");

    private static final int NUMBER = 1;
    private static final int[] BARE_BUFFER_BYTES = {64 << 10, 256 << 10};

    private final BenchConfig config;
    private final OwnCommand command;
    private final NetSizes sizes;
    private final Series series = new Series(NAME);

    public NetScenario(BenchConfig config, OwnCommand command, NetSizes sizes) {
        this.config = config;
        this.command = command;
        this.sizes = sizes;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-net")) {
            boolean secured = config.wants("one-stream-tls");
            if (secured) {
                NetCertificate.make(directory.path());
            }
            List<String> arguments = secured ? List.of(directory.path().toString()) : List.of();
            try (PeerJvm peer = PeerJvm.start(command, NetPeer.class, arguments)) {
                plain(peer);
                if (secured) {
                    try (NetSide side = new NetSide(Optional.of(NetSide.tls(directory.path())), NUMBER)) {
                        oneStream("one-stream-tls", side, peer.address(NetPeer.SECURED), peer);
                    }
                }
            }
        }
        return series.records();
    }

    private void plain(PeerJvm peer) throws IOException {
        try (NetSide side = new NetSide(Optional.empty(), NUMBER)) {
            if (config.wants("one-stream")) {
                oneStream("one-stream", side, peer.address(NetPeer.PLAIN), peer);
            }
            NetFlood flood = new NetFlood(config, sizes, series);
            if (config.wants("fair-1000")) {
                flood.fair("fair-1000", side, side.connect(peer.address(NetPeer.PLAIN)));
            }
            if (config.wants("stuck-reader")) {
                flood.stuck("stuck-reader", side, side.connect(peer.address(NetPeer.PLAIN)));
            }
            if (config.wants("round-trip")) {
                flood.roundTrip("round-trip", side.connect(peer.address(NetPeer.PLAIN)));
            }
        }
    }

    private void oneStream(String caseName, NetSide side, InetSocketAddress address, PeerJvm peer) throws IOException {
        try (Connection connection = side.connect(address)) {
            config.progress().accept(NAME + " " + caseName + ": warming up");
            Contender stream = new Contender(
                    BenchSystem.ANNEAL, () -> measure(connection, () -> side.send(connection, sizes.copyBytes())));
            int bufferBytes = bestBufferBytes(connection, peer.address(NetPeer.BARE));
            Contender bare =
                    new Contender(BenchSystem.LIMIT, () -> copy(connection, peer.address(NetPeer.BARE), bufferBytes));
            Warming.warm(config, stream);
            Warming.warm(config, bare);
            config.progress().accept(NAME + " " + caseName + ": measuring");
            for (int round = 0; round < config.runs(); round++) {
                for (Contender contender : List.of(stream, bare)) {
                    series.add(caseName, contender.system(), contender.work().run());
                }
            }
            memory(caseName, side, connection);
        }
    }

    private int bestBufferBytes(Connection connection, InetSocketAddress address) throws IOException {
        int best = 0;
        long bestNanos = Long.MAX_VALUE;
        for (int bufferBytes : BARE_BUFFER_BYTES) {
            copy(connection, address, bufferBytes);
            long nanos = copy(connection, address, bufferBytes).wallNanos();
            if (nanos < bestNanos) {
                bestNanos = nanos;
                best = bufferBytes;
            }
        }
        return best;
    }

    private Run copy(Connection connection, InetSocketAddress address, int bufferBytes) throws IOException {
        return measure(connection, () -> {
            try (SocketChannel socket = SocketChannel.open(address)) {
                BareCopy.send(socket, sizes.copyBytes(), bufferBytes);
            }
        });
    }

    /** Something that moves {@link NetSizes#copyBytes}. */
    private interface Copy {
        void run() throws IOException;
    }

    private Run measure(Connection connection, Copy copy) throws IOException {
        long peerBefore = usage(connection).cpuNanos();
        ProcessStopwatch stopwatch = new ProcessStopwatch(config.nanoTime());
        copy.run();
        long wallNanos = stopwatch.wallNanos();
        long cpuNanos = stopwatch.cpuNanos() + usage(connection).cpuNanos() - peerBefore;
        return new Run(0, sizes.copyBytes(), wallNanos, cpuNanos, 0);
    }

    private void memory(String caseName, NetSide side, Connection connection) throws IOException {
        NetFlood.memory(series, caseName, List.of(side.usage(), usage(connection)));
    }

    static NetSide.Usage usage(Connection connection) throws IOException {
        return NetSide.Usage.decode(connection.call(NetSide.USAGE, ByteBuffer.allocate(0)));
    }
}
