package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class AgentStatusTest {
    private static final Ring RING = new Ring(List.of(
            new Ring.Part(new TokenRange(5, -5), List.of("10.0.0.1", "10.0.0.2")),
            new Ring.Part(new TokenRange(-5, 5), List.of("10.0.0.2"))));
    private static final AgentStatus STATUS = new AgentStatus(
            Instant.ofEpochMilli(1_700_000_000_123L),
            new UUID(1, 2),
            "5.0.9",
            "10.0.0.1:7000",
            Optional.of(new UUID(3, 4)),
            Optional.of(Duration.ofMillis(900_001)),
            Optional.of(Instant.ofEpochMilli(1_700_000_000_100L)),
            List.of("shop.orders"),
            List.of(new AgentKeyspace(
                    "shop", List.of("items", "orders"), RING, Map.of("10.0.0.1", "one", "10.0.0.2", "two"))));

    private static byte[] bytes(AgentStatus status) {
        ByteWriter out = new ByteWriter(64);
        status.write(out);
        return out.toByteArray();
    }

    @Test
    void shouldReadWhatIsWritten() {
        AgentStatus read = AgentStatus.read(new ByteReader(bytes(STATUS)));

        assertThat(read.keyspaces().get(0).ring().parts()).containsExactlyInAnyOrderElementsOf(RING.parts());
        assertThat(read).usingRecursiveComparison().ignoringFields("keyspaces").isEqualTo(STATUS);
        assertThat(read.keyspaces().get(0).tables()).containsExactly("items", "orders");
        assertThat(read.keyspaces().get(0).dataCentres())
                .isEqualTo(STATUS.keyspaces().get(0).dataCentres());
    }

    @Test
    void shouldKeepItsLayout() {
        AgentStatus small = new AgentStatus(
                Instant.ofEpochMilli(1),
                new UUID(1, 2),
                "5",
                "a:1",
                Optional.empty(),
                Optional.of(Duration.ofMillis(5)),
                Optional.empty(),
                List.of("k.t"),
                List.of());

        assertThat(HexFormat.of().formatHex(bytes(small)))
                .isEqualTo("0000000000000001" + "00000000000000010000000000000002" + "0135" + "03613a31" + "00"
                        + "010000000000000005" + "00"
                        + "01036b2e74" + "00");
    }

    @Test
    void shouldRefuseWhatIsCutOrNamesOwnersThatAreNotThere() {
        byte[] whole = bytes(STATUS);
        for (int length = 0; length < whole.length; length++) {
            ByteReader cut = new ByteReader().wrap(whole, 0, length);
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> AgentStatus.read(cut))
                    .isInstanceOfAny(ByteUnderflowException.class, IllegalArgumentException.class);
        }
        whole[whole.length - 1] = 7;
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> AgentStatus.read(new ByteReader(whole)))
                .withMessageContaining("owner is not among those that are named");
    }
}
