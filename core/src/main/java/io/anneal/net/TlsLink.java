package io.anneal.net;

import io.anneal.io.PrintableText;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/** TLS of one connection: how it gets into the pipeline, whom its certificate must name, what its failures mean. */
final class TlsLink {
    static final String STEP = "tls";

    private static final String ALERT = "Received fatal alert: ";
    private static final String NO_CERTIFICATE = "Empty client certificate chain";
    private static final int RECORD_ALERT = 21;
    private static final int RECORD_HANDSHAKE = 22;
    private static final int VERSION_MAJOR = 3;

    private TlsLink() {}

    /** Makes a connection that was just opened speak TLS; before anything else is added to its pipeline. */
    static void dial(DuplexChannel channel, TlsMaterial material, Executor executor, String peer, long closeMs) {
        TlsFailures failures = new TlsFailures(material, peer, closeMs);
        channel.pipeline().addLast(failures.linger());
        channel.pipeline()
                .addLast(handler(material.client(), channel, executor, closeMs))
                .addLast(failures);
    }

    /** Puts TLS in the place of the gate. */
    static void accept(ChannelHandlerContext gate, TlsMaterial material, Executor executor, String peer, long closeMs) {
        TlsFailures failures = new TlsFailures(material, peer, closeMs);
        DuplexChannel channel = (DuplexChannel) gate.channel();
        ChannelPipeline pipeline = gate.pipeline();
        pipeline.addFirst(failures.linger());
        pipeline.addAfter(gate.name(), null, failures);
        pipeline.addAfter(gate.name(), null, handler(material.server(), channel, executor, closeMs));
    }

    private static SslHandler handler(SslContext context, DuplexChannel channel, Executor executor, long closeMs) {
        // Without host and port, which the JDK would keep sessions by: each connection shows its certificate.
        SslHandler handler = context.newHandler(channel.alloc(), executor);
        // The handshake's own time limit has this within it.
        handler.setHandshakeTimeoutMillis(0);
        handler.setCloseNotifyFlushTimeoutMillis(closeMs);
        return handler;
    }

    /** Whether these first bytes of a connection are TLS: a handshake's, or an alert's in answer to something else. */
    static boolean isTls(byte[] seen) {
        return seen.length > 1 && (seen[0] == RECORD_HANDSHAKE || seen[0] == RECORD_ALERT) && seen[1] == VERSION_MAJOR;
    }

    /** TLS has come to a side that has none. */
    static PeerException unexpected(String peer, byte[] seen) {
        return isHandshake(seen[0])
                ? new PeerException(
                        peer,
                        STEP,
                        PeerException.NOT_TLS,
                        "the client speaks TLS, and the server does not: give both certificates, or none")
                : new PeerException(
                        peer,
                        STEP,
                        PeerException.TLS_EXPECTED,
                        "the server speaks TLS, and the client does not: give the client certificates");
    }

    static boolean isHandshake(byte first) {
        return first == RECORD_HANDSHAKE;
    }

    /** Compares the peer's certificate with where it is and who it says it is. */
    static void checkName(
            ChannelPipeline pipeline, Handshake.Role role, String peer, InetSocketAddress address, UUID claimed)
            throws PeerException {
        SslHandler handler = pipeline.get(SslHandler.class);
        if (handler == null) {
            throw new PeerException(peer, STEP, PeerException.TLS_EXPECTED, "connection has no TLS");
        }
        try {
            PeerNames.check(role, certificate(handler), peer, address, claimed);
        } catch (SSLPeerUnverifiedException none) {
            throw new PeerException(peer, STEP, PeerException.TLS_REFUSED, "the peer brought no certificate", none);
        }
    }

    private static X509Certificate certificate(SslHandler handler) throws SSLPeerUnverifiedException {
        return (X509Certificate) handler.engine().getSession().getPeerCertificates()[0];
    }

    /** By what a checked peer is told from others: the node id that its certificate names, else the certificate. */
    static Object peerKey(ChannelPipeline pipeline, UUID claimed) {
        try {
            X509Certificate certificate = certificate(pipeline.get(SslHandler.class));
            return PeerNames.nodeIds(certificate).contains(claimed) ? claimed : certificate;
        } catch (SSLPeerUnverifiedException none) {
            throw new IllegalStateException("peer was not checked", none);
        }
    }

    /** What the name check of the peer means here. */
    static String nameRefused(ChannelPipeline pipeline, String reason) {
        SslHandler handler = pipeline.get(SslHandler.class);
        Certificate[] own =
                handler == null ? null : handler.engine().getSession().getLocalCertificates();
        String subject = own == null
                ? ""
                : " (subject="
                        + ((X509Certificate) own[0]).getSubjectX500Principal().getName() + ")";
        return "this side's certificate" + subject + " was refused by the peer: " + reason;
    }

    /** What is said of an address to which rows would travel in the clear. */
    static String missing(InetSocketAddress address) {
        return "an address other than loopback needs mutual TLS: give certificate, key and authorities," + " address="
                + PeerAddress.text(address);
    }

    static boolean isNeeded(InetSocketAddress address) {
        return address.isUnresolved() || !address.getAddress().isLoopbackAddress();
    }

    /** The cause of what Netty's TLS handler raised, if TLS itself failed. */
    static Throwable unwrapped(Throwable raised) {
        return raised instanceof DecoderException && raised.getCause() != null ? raised.getCause() : raised;
    }

    static PeerException failure(String peer, TlsMaterial material, Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return new PeerException(
                    peer,
                    STEP,
                    PeerException.NOT_TLS,
                    "the peer does not speak TLS, and this side does: give both sides certificates, or none",
                    cause);
        }
        for (Throwable at = cause; at != null; at = at.getCause()) {
            if (at instanceof CertificateException refused) {
                return refused(peer, "the peer's certificate is refused: " + refused.getMessage(), cause);
            }
        }
        String message = String.valueOf(cause.getMessage());
        if (message.contains(NO_CERTIFICATE)) {
            return refused(peer, "the peer brought no certificate", cause);
        }
        int alert = message.indexOf(ALERT);
        if (alert >= 0) {
            return alerted(peer, material, message.substring(alert + ALERT.length()), cause);
        }
        if (!(cause instanceof SSLException) || message.startsWith("Connection closed")) {
            return new PeerException(
                    peer,
                    STEP,
                    PeerException.PEER_LOST,
                    "the peer closed the connection before TLS was agreed, does it speak TLS",
                    cause);
        }
        return refused(peer, "TLS failed, reason=" + message, cause);
    }

    /** The peer says little; what is wrong is mostly this side's certificate, so its facts are given. */
    private static PeerException alerted(String peer, TlsMaterial material, String alert, Throwable cause) {
        X509Certificate own = material.certificate();
        String what = alert.toLowerCase(Locale.ROOT).contains("certif") || alert.equals("unknown_ca")
                ? "the peer refused this side's certificate, its log says why"
                : "the peer refused TLS, its log says why";
        return refused(
                peer,
                what + ", alert=" + alert + ", subject="
                        + own.getSubjectX500Principal().getName() + ", start="
                        + own.getNotBefore().toInstant() + ", end="
                        + own.getNotAfter().toInstant(),
                cause);
    }

    private static PeerException refused(String peer, String reason, Throwable cause) {
        return new PeerException(peer, STEP, PeerException.TLS_REFUSED, PrintableText.of(reason), cause);
    }

    static PeerException unusable(String peer, Throwable cause) {
        return new PeerException(
                peer, STEP, PeerException.TLS_FILES, "TLS files cannot be used, reason=" + cause.getMessage(), cause);
    }
}
