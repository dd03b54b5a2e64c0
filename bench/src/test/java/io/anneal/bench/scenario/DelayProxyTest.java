package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class DelayProxyTest {
    private static final int PIECE_BYTES = 1 << 20;
    private static final long DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @Test
    @Timeout(60)
    void shouldBringEveryByteBothWaysAndNoneBeforeItsTime() throws IOException {
        byte[] sent = new byte[PIECE_BYTES];
        new Random(1).nextBytes(sent);
        try (ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
                DelayProxy proxy = DelayProxy.to(
                        new InetSocketAddress("127.0.0.1", server.getLocalPort()), DELAY_NANOS, System::nanoTime);
                Socket near =
                        new Socket(proxy.address().getAddress(), proxy.address().getPort());
                Socket far = server.accept()) {
            for (Socket[] way : new Socket[][] {{near, far}, {far, near}}) {
                long before = System.nanoTime();
                way[0].getOutputStream().write(sent[0]);
                assertThat(way[1].getInputStream().read()).isEqualTo(sent[0] & 0xFF);
                assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(DELAY_NANOS);

                way[0].getOutputStream().write(sent);
                assertThat(way[1].getInputStream().readNBytes(PIECE_BYTES)).isEqualTo(sent);
            }
            near.shutdownOutput();
            assertThat(far.getInputStream().read()).isNegative();
        }
    }
}
