package io.anneal.net;

import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In virtual time. */
@Timeout(60)
class PatientRequestTest {
    private static final Verb BUSY = new Verb(2, "test.busy");

    private final AtomicInteger asked = new AtomicInteger();

    private SimulatedPair busyFor(int tries, String code) throws IOException {
        SimulatedPair pair = SimulatedPair.connected(1);
        pair.handlers.register(
                BUSY,
                (peer, request) -> asked.getAndIncrement() < tries
                        ? CompletableFuture.failedFuture(new RequestException(code, "not now"))
                        : CompletableFuture.completedFuture(request));
        return pair;
    }

    private static ByteBuffer ask(SimulatedPair pair) throws IOException {
        return Waiting.result(pair.connection.requestPatiently(BUSY, bytes("patient"), 10_000));
    }

    @Test
    void shouldAskAgainUntilThePeerHasMemory() throws IOException {
        try (SimulatedPair pair = busyFor(4, PeerException.BUSY)) {
            assertThat(text(ask(pair))).isEqualTo("patient");
            assertThat(asked).hasValue(5);
        }
    }

    @Test
    void shouldGiveUpAfterSomeSeconds() throws IOException {
        try (SimulatedPair pair = busyFor(1_000, PeerException.BUSY)) {
            long startNanos = pair.network.nanoTime();

            assertThatThrownBy(() -> ask(pair))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=busy");

            assertThat(asked).hasValue(6);
            assertThat(pair.network.nanoTime() - startNanos)
                    .isBetween(TimeUnit.SECONDS.toNanos(3), TimeUnit.SECONDS.toNanos(4));
        }
    }

    @Test
    void shouldNotAskAgainWhatFailedOtherwise() throws IOException {
        try (SimulatedPair pair = busyFor(1, "refused")) {
            assertThatThrownBy(() -> ask(pair))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=refused");
            assertThat(asked).hasValue(1);
        }
    }
}
