package io.anneal.net;

import io.anneal.io.UnsupportedVersionException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.random.RandomGenerator;

/**
 * One side of a handshake, without the socket: both say hello with a nonce, then the client and after it the server
 * prove that they hold the token, by an HMAC over the prover's role and both hellos. So a proof fits no other
 * connection and no other role, and nobody in between can lower versions or limits unseen. The server proves last: it
 * tells nothing about the token to someone without it.
 */
final class Handshake {
    static final String STEP = "handshake";

    enum Role {
        CLIENT("anneal proof 1 client"),
        SERVER("anneal proof 1 server");

        private final byte[] label;

        Role(String label) {
            this.label = label.getBytes(StandardCharsets.US_ASCII);
        }

        Role other() {
            return this == CLIENT ? SERVER : CLIENT;
        }
    }

    private final Role role;
    private final NetConfig config;
    private final String peer;
    private final byte[] helloBytes;

    private byte[] peerHelloBytes;
    private boolean peerHasToken;

    Handshake(Role role, NetConfig config, RandomGenerator nonces, String peer) {
        this.role = role;
        this.config = config;
        this.peer = peer;
        byte[] nonce = new byte[Hello.NONCE_LENGTH_BYTES];
        nonces.nextBytes(nonce);
        this.helloBytes = hello(config, nonce).encode();
    }

    static Hello hello(NetConfig config, byte[] nonce) {
        return new Hello(
                FrameDescriptor.WIRE_VERSIONS,
                config.encodingVersions(),
                config.compressionFromBytes() > 0,
                config.token().isPresent(),
                config.limits().initialCreditBytes(),
                config.limits().streamsMax(),
                nonce,
                config.node());
    }

    byte[] helloBytes() {
        return helloBytes;
    }

    /** Takes the peer's hello; the agreement counts once the peer's proof is verified. */
    Agreement accept(Frame frame) throws CorruptFrameException, UnsupportedVersionException {
        Hello theirs = Hello.decode(peer, frame);
        peerHelloBytes = frame.bytes();
        peerHasToken = theirs.hasToken();
        return new Agreement(
                theirs.node(),
                agree("wire protocol", FrameDescriptor.WIRE_VERSIONS, theirs.wireVersions()),
                agree("row encoding", config.encodingVersions(), theirs.encodingVersions()),
                config.compressionFromBytes() > 0 && theirs.readsLz4(),
                theirs.initialCreditBytes(),
                theirs.streamsMax());
    }

    private int agree(String what, VersionRange ours, VersionRange theirs) throws UnsupportedVersionException {
        if (!ours.overlaps(theirs)) {
            int found = theirs.newest() < ours.oldest() ? theirs.newest() : theirs.oldest();
            throw new UnsupportedVersionException(
                    UnsupportedVersionException.Subject.PEER,
                    what + " of " + peer,
                    String.valueOf(found),
                    String.valueOf(ours.oldest()),
                    String.valueOf(ours.newest()));
        }
        return ours.newestCommon(theirs);
    }

    /** This side's proof; empty without a token, which the other side refuses by name. */
    byte[] proof() {
        return config.token().map(token -> proofOf(token, role)).orElseGet(() -> new byte[0]);
    }

    /** With TLS, certificates have proven who the two are; a token is proven as well if both have one. */
    void verify(Frame frame) throws PeerException {
        if (config.tls().isPresent() && (config.token().isEmpty() || !peerHasToken)) {
            return;
        }
        if (config.token().isEmpty()) {
            throw new PeerException(
                    peer, STEP, PeerException.TOKEN_MISSING, "this side has no token, give it the peer's token file");
        }
        if (!peerHasToken) {
            throw new PeerException(peer, STEP, PeerException.TOKEN_MISSING, "the peer brought no token");
        }
        byte[] expected = proofOf(config.token().get(), role.other());
        if (!MessageDigest.isEqual(expected, frame.bytes())) {
            throw new PeerException(
                    peer, STEP, PeerException.TOKEN_WRONG, "the peer holds another token, compare the token files");
        }
    }

    private byte[] proofOf(SharedToken token, Role prover) {
        byte[] clientHello = role == Role.CLIENT ? helloBytes : peerHelloBytes;
        byte[] serverHello = role == Role.CLIENT ? peerHelloBytes : helloBytes;
        return token.proof(prover.label, clientHello, serverHello);
    }
}
