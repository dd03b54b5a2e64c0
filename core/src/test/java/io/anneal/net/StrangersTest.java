package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What has not proven itself may be many and slow and wrong: who has a token gets in, and who is in stays. */
@Timeout(120)
class StrangersTest {
    private static final int STRANGERS = 300;
    /** A peer that a crowd displaces tries again; more than this often, it is shut out. */
    private static final int TRIES_MAX = 5;

    @Test
    void shouldLetAPeerInBesideSocketsThatSayNothing() throws Exception {
        assertLetsAPeerInBeside(new byte[0]);
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatStopInsideTheHello() throws Exception {
        byte[] hello = hello();
        assertLetsAPeerInBeside(Arrays.copyOf(hello, hello.length - 1));
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatNeverProve() throws Exception {
        assertLetsAPeerInBeside(hello());
    }

    private static void assertLetsAPeerInBeside(byte[] said) throws Exception {
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            for (int i = 0; i < STRANGERS; i++) {
                crowd.join(RawPeer.connect(net.server.address())).send(said);
            }

            Connection after = connect(net);

            assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatSpeakByteByByte() throws Exception {
        byte[] hello = hello();
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            for (int i = 0; i < STRANGERS; i++) {
                crowd.join(RawPeer.connect(net.server.address()));
            }
            for (int offset = 0; offset < hello.length; offset++) {
                crowd.sendToAll(hello[offset]);
                if (offset % 40 == 0) {
                    try (Connection after = connect(net)) {
                        assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
                    }
                }
            }
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldLetAPeerInWhileAThousandWrongTokensASecondCome() throws Exception {
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            Thread guesser = new Thread(() -> crowd.guess(net, 3_000), "guesser");
            guesser.start();
            int letIn = 0;
            while (guesser.isAlive()) {
                try (Connection after = connect(net)) {
                    assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
                    letIn++;
                }
                assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
            }
            guesser.join();

            assertThat(crowd.guesses).isEqualTo(3_000);
            assertThat(letIn).isPositive();
        }
    }

    private static byte[] hello() {
        return RawPeer.bytesOf(FrameKind.HELLO, 0, 0, helloPayload());
    }

    private static byte[] helloPayload() {
        return Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
    }

    private static Connection connect(NetFixture net) throws IOException {
        for (int i = 1; ; i++) {
            try {
                return net.connect();
            } catch (PeerException refused) {
                if (i == TRIES_MAX) {
                    throw refused;
                }
            }
        }
    }

    /** Sockets without a token. */
    private static final class Crowd implements AutoCloseable {
        private static final int GUESSERS_OPEN_MAX = 1_000;

        private final Deque<RawPeer> peers = new ArrayDeque<>();
        private int guesses;

        synchronized RawPeer join(RawPeer peer) {
            peers.add(peer);
            return peer;
        }

        synchronized void sendToAll(int value) {
            List<RawPeer> ended = new ArrayList<>();
            for (RawPeer peer : peers) {
                try {
                    peer.send(new byte[] {(byte) value});
                } catch (IOException endedByServer) {
                    ended.add(peer);
                }
            }
            peers.removeAll(ended);
        }

        /** A thousand tries a second, and no socket is closed before there are a thousand of them. */
        void guess(NetFixture net, int count) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < count; i++) {
                long dueNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(i);
                while (System.nanoTime() - dueNanos < 0) {
                    LockSupport.parkNanos(dueNanos - System.nanoTime());
                }
                try {
                    RawPeer peer = join(RawPeer.connect(net.server.address()));
                    guesses++;
                    peer.send(hello());
                    peer.send(RawPeer.bytesOf(FrameKind.PROOF, 0, 0, new byte[SharedToken.PROOF_LENGTH_BYTES]));
                    if (peers.size() > GUESSERS_OPEN_MAX) {
                        leave();
                    }
                } catch (IOException endedByServer) {
                    continue;
                }
            }
        }

        private synchronized void leave() throws IOException {
            peers.remove().close();
        }

        @Override
        public synchronized void close() throws IOException {
            for (RawPeer peer : peers) {
                peer.close();
            }
        }
    }
}
