package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.timeout.IdleStateHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One socket with its decoder, queue and counters: what handshake and session share. Belongs to the event loop. */
final class Wire {
    /** A silent peer is asked for a sign of life this often before it counts as lost. */
    static final int SILENT_PERIODS_MAX = 3;

    private final Transport transport;
    private final DuplexChannel channel;
    private final InetSocketAddress address;
    private final String peer;
    private final Traffic traffic = new Traffic();
    private final FrameDecoder decoder;
    private final FrameWriter writer;

    Wire(Transport transport, DuplexChannel channel, InetSocketAddress address, NetConfig config) {
        this.transport = transport;
        this.channel = channel;
        this.address = address;
        this.peer = PeerAddress.text(address);
        this.decoder = new FrameDecoder(peer, traffic);
        this.writer = new FrameWriter(peer, traffic, config);
    }

    void install(NetConfig config, HandshakeHandler handshake) {
        long periodMs = config.timeouts().idleMs() / SILENT_PERIODS_MAX;
        // Over TLS, bytes come in buffers of the TLS engine's.
        if (config.tls().isEmpty()) {
            channel.config().setRecvByteBufAllocator(new PieceReads(decoder));
        }
        channel.pipeline()
                .addLast(new IdleStateHandler(periodMs, 0, 0, TimeUnit.MILLISECONDS))
                .addLast(writer)
                .addLast(decoder)
                .addLast(handshake);
    }

    Transport transport() {
        return transport;
    }

    DuplexChannel channel() {
        return channel;
    }

    InetSocketAddress address() {
        return address;
    }

    String peer() {
        return peer;
    }

    Traffic traffic() {
        return traffic;
    }

    FrameDecoder decoder() {
        return decoder;
    }

    FrameWriter writer() {
        return writer;
    }

    long nanoTime() {
        return channel.eventLoop().ticker().nanoTime();
    }

    /** Ends the connection; tells the peer why, if it would understand and still listens. */
    void end(IOException cause) {
        decoder.stop();
        Optional<Report> report = reportOf(cause).filter(this::isUnderstood);
        // Reading goes on, to see the peer close, and what it still sends is dropped.
        channel.config().setAutoRead(true);
        if (report.isPresent()) {
            writer.endWith(FrameKind.GOODBYE, report.get().encode());
        } else {
            channel.close();
        }
    }

    /** A peer that is about to speak TLS would take a report in plain text for a side without TLS. */
    private boolean isUnderstood(Report report) {
        return channel.pipeline().get(TlsGate.class) == null || report.code().equals(PeerException.TLS_EXPECTED);
    }

    private static Optional<Report> reportOf(IOException cause) {
        if (cause instanceof CorruptFrameException corrupt) {
            return Optional.of(new Report(corrupt.position(), Report.CORRUPT_FRAME, corrupt.reason()));
        }
        if (cause instanceof UnsupportedVersionException version) {
            return Optional.of(new Report(0, Report.UNSUPPORTED_VERSION, version.getMessage()));
        }
        if (cause instanceof PeerException failure && failure.tellsPeer()) {
            return Optional.of(new Report(0, failure.code(), failure.reason()));
        }
        return Optional.empty();
    }

    /** What a goodbye of the peer means here. */
    IOException causeOf(Frame goodbye, String step) {
        Report report;
        try {
            report = Report.decode(peer, goodbye);
        } catch (CorruptFrameException corrupt) {
            return corrupt;
        }
        if (report.code().equals(Report.CORRUPT_FRAME)) {
            return new CorruptFrameException(
                    peer, report.position(), "the peer received it, reason=" + report.message());
        }
        String reason = report.code().equals(PeerException.TLS_NAME)
                ? TlsLink.nameRefused(channel.pipeline(), report.message())
                : "the peer ended the connection, reason=" + report.message();
        return new PeerException(peer, step, report.code(), reason);
    }
}
