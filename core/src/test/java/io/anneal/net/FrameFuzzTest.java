package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.config;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.UnsupportedVersionException;
import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Frames with wrong bits: the server refuses each one by name, never answers as if it were right, never hangs (reads
 * of the test give up after 20 seconds, far below its own limit).
 */
@Timeout(120)
class FrameFuzzTest {
    @Test
    void shouldRefuseARequestWithAnyBitFlipped() throws Exception {
        byte[] payload = {1, 2, 3, 4, 5, 6, 7, 8};
        byte[] frame = RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 1, payload);
        try (NetFixture net = NetFixture.started()) {
            for (int bit = 0; bit < frame.length * 8; bit++) {
                byte[] wrong = frame.clone();
                wrong[bit / 8] ^= (byte) (1 << (bit % 8));
                try (RawPeer peer = RawPeer.connect(net.server.address())) {
                    peer.shakeHands(Handshake.Role.CLIENT, config());
                    peer.send(wrong);

                    assertRefused(peer, "bit=" + bit);
                    assertThat(net.failure()).as("bit=%s", bit).isInstanceOf(CorruptFrameException.class);
                }
            }
        }
    }

    @Test
    void shouldRefuseAHelloWithAnyBitFlipped() throws Exception {
        byte[] hello =
                Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
        byte[] frame = RawPeer.bytesOf(FrameKind.HELLO, 0, 0, hello);
        try (NetFixture net = NetFixture.started()) {
            for (int bit = 0; bit < frame.length * 8; bit++) {
                byte[] wrong = frame.clone();
                wrong[bit / 8] ^= (byte) (1 << (bit % 8));
                try (RawPeer peer = RawPeer.connect(net.server.address())) {
                    peer.send(wrong);

                    assertRefused(peer, "bit=" + bit);
                    assertThat(net.failure())
                            .as("bit=%s", bit)
                            .isInstanceOfAny(CorruptFrameException.class, PeerException.class);
                }
                net.serveAnew(config());
            }
        }
    }

    @Test
    void shouldSurviveHelloPayloadsThatPassTheChecksumAndAreWrong() throws Exception {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        byte[] good =
                Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
        for (int round = 0; round < 20_000; round++) {
            byte[] wrong = good.clone();
            for (int i = 0; i <= random.nextInt(4); i++) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt();
            }
            Handshake handshake = new Handshake(Handshake.Role.SERVER, config(), random, "peer");
            try {
                handshake.accept(new Frame(FrameKind.HELLO, 0, 0, 0, Unpooled.wrappedBuffer(wrong), 0));
            } catch (CorruptFrameException | UnsupportedVersionException refused) {
                assertThat(refused).as("seed=%s", seed).hasMessageContaining("peer");
            }
        }
    }

    @Test
    void shouldRefuseGarbageOfAnyLength() throws Exception {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        try (NetFixture net = NetFixture.started()) {
            for (int round = 0; round < 50; round++) {
                byte[] garbage = new byte[1 + random.nextInt(200)];
                random.nextBytes(garbage);
                garbage[0] = (byte) (garbage[0] == 'A' || TlsLink.isTls(garbage) ? 'B' : garbage[0]);
                try (RawPeer peer = RawPeer.connect(net.server.address())) {
                    peer.send(garbage);

                    assertRefused(peer, "seed=" + seed);
                    assertThat(net.failure()).as("seed=%s", seed).hasMessageContaining("code=not-anneal");
                }
                net.serveAnew(config());
            }
        }
    }

    private static void assertRefused(RawPeer peer, String what) throws IOException {
        try {
            Frame answer = peer.read();
            assertThat(answer.kind()).as(what).isEqualTo(FrameKind.GOODBYE);
            peer.awaitEnd();
        } catch (EOFException | SocketException closed) {
            assertThat(closed).as(what).isNotNull();
        }
    }
}
