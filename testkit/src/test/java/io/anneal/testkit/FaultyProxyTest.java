package io.anneal.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.testkit.LinkFault.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FaultyProxyTest {
    private static final byte[] SENT = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    /** How long a test looks at a peer that shall stay silent. */
    private static final int SILENCE_MS = 100;

    private ServerSocket listening;
    private FaultyProxy proxy;
    private Socket client;
    private Socket server;

    @BeforeEach
    void listen() throws IOException {
        listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        proxy = FaultyProxy.to((InetSocketAddress) listening.getLocalSocketAddress());
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        listening.close();
        for (Socket socket : new Socket[] {client, server}) {
            if (socket != null) {
                socket.close();
            }
        }
    }

    private void connect(LinkFault... faults) throws IOException {
        proxy.inject(faults);
        client = new Socket(proxy.address().getAddress(), proxy.address().getPort());
        server = listening.accept();
        client.setSoTimeout(20_000);
        server.setSoTimeout(20_000);
    }

    @Test
    void shouldForwardBothWaysAndTheEnd() throws Exception {
        connect();
        client.getOutputStream().write(SENT);
        client.shutdownOutput();
        assertThat(server.getInputStream().readAllBytes()).isEqualTo(SENT);
        server.getOutputStream().write(7);
        server.shutdownOutput();
        assertThat(client.getInputStream().readAllBytes()).containsExactly(7);

        assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isEqualTo(SENT.length);
        assertThat(proxy.forwardedBytes(Direction.TO_CLIENT)).isEqualTo(1);
        while (proxy.connectionCount() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldResetBothSidesAtTheByte() throws Exception {
        connect(LinkFault.reset(Direction.TO_SERVER, 4));
        client.getOutputStream().write(SENT);

        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> server.getInputStream().readNBytes(5)).isInstanceOf(SocketException.class);
        assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isEqualTo(4);
    }

    @Test
    void shouldCloseBothSidesInGoodOrderAtTheByte() throws Exception {
        connect(LinkFault.close(Direction.TO_SERVER, 4));
        client.getOutputStream().write(SENT);

        assertThat(server.getInputStream().readAllBytes()).containsExactly(1, 2, 3, 4);
        assertThat(client.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void shouldFlipOneBit() throws Exception {
        connect(LinkFault.flip(Direction.TO_CLIENT, 3, 7), LinkFault.flip(Direction.TO_CLIENT, 9, 0));
        server.getOutputStream().write(SENT);

        assertThat(client.getInputStream().readNBytes(10)).containsExactly(1, 2, 3, 4 ^ 0x80, 5, 6, 7, 8, 9, 11);
    }

    @Test
    void shouldSwallowEverythingWhenHalfOpen() throws Exception {
        connect(LinkFault.halfOpen(Direction.TO_SERVER, 4));
        client.getOutputStream().write(SENT);
        assertThat(server.getInputStream().readNBytes(4)).containsExactly(1, 2, 3, 4);
        server.getOutputStream().write(SENT);
        client.close();

        server.setSoTimeout(SILENCE_MS);
        assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        assertThat(proxy.forwardedBytes(Direction.TO_CLIENT)).isZero();
    }

    @Test
    void shouldStopReadingOneDirection() throws Exception {
        connect(LinkFault.stall(Direction.TO_SERVER, 4));
        client.getOutputStream().write(SENT);
        assertThat(server.getInputStream().readNBytes(4)).containsExactly(1, 2, 3, 4);
        server.getOutputStream().write(SENT);

        assertThat(client.getInputStream().readNBytes(SENT.length)).isEqualTo(SENT);
        server.setSoTimeout(SILENCE_MS);
        assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void shouldForwardEverythingHoweverSlowly() throws Exception {
        byte[] sent = new byte[3_000];
        new Random(1).nextBytes(sent);
        connect(
                LinkFault.bytewise(Direction.TO_SERVER),
                LinkFault.delay(Direction.TO_SERVER, 1_000, 20),
                LinkFault.throttle(Direction.TO_SERVER, 1_000_000));
        client.getOutputStream().write(sent);

        assertThat(server.getInputStream().readNBytes(sent.length)).isEqualTo(sent);
    }

    @Test
    void shouldForgetFaultsForNewConnectionsWhenItHeals() throws Exception {
        connect(LinkFault.close(Direction.TO_SERVER, 0));
        assertThat(client.getInputStream().read()).isEqualTo(-1);
        client.close();
        server.close();

        proxy.heal();
        shouldForwardBothWaysAndTheEnd();
    }

    @Test
    void shouldEndAConnectionThatTheTargetRefuses() throws Exception {
        listening.close();
        client = new Socket(proxy.address().getAddress(), proxy.address().getPort());

        assertThat(client.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void shouldLeaveNothingOpenWhenItCloses() throws Exception {
        connect(LinkFault.halfOpen(Direction.TO_SERVER, 0));
        proxy.close();

        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> server.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThat(proxy.connectionCount()).isZero();
    }

    @Test
    void shouldDrawTheSameFaultsFromTheSameSeed() {
        Random first = new Random(5);
        Random second = new Random(5);
        for (int i = 0; i < 100; i++) {
            assertThat(LinkFault.random(first, 1_000))
                    .hasToString(LinkFault.random(second, 1_000).toString());
        }
    }
}
