package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RingTest {
    /** As Cassandra 5.0 prints it, three nodes with a token each, two replicas. */
    private static final String DESCRIBED = """
            Schema Version:7b1cd1e5-3b0a-3b1a-8e0b-0f7f3f8d1f0e
            TokenRange:\s
            \tTokenRange(start_token:-3000, end_token:0, endpoints:[10.0.0.1, 10.0.0.2], rpc_endpoints:[10.0.0.1, 10.0.0.2], endpoint_details:[EndpointDetails(host:10.0.0.1, datacenter:datacenter1, rack:rack1), EndpointDetails(host:10.0.0.2, datacenter:datacenter1, rack:rack1)])
            \tTokenRange(start_token:0, end_token:3000, endpoints:[10.0.0.2, 10.0.0.3], rpc_endpoints:[10.0.0.2, 10.0.0.3], endpoint_details:[EndpointDetails(host:10.0.0.2, datacenter:datacenter1, rack:rack1), EndpointDetails(host:10.0.0.3, datacenter:datacenter1, rack:rack1)])
            \tTokenRange(start_token:3000, end_token:-3000, endpoints:[10.0.0.3, 10.0.0.1], rpc_endpoints:[10.0.0.3, 10.0.0.1], endpoint_details:[EndpointDetails(host:10.0.0.3, datacenter:datacenter1, rack:rack1), EndpointDetails(host:10.0.0.1, datacenter:datacenter1, rack:rack1)])
            """;

    private static final String N1 = "10.0.0.1";
    private static final String N2 = "10.0.0.2";
    private static final String N3 = "10.0.0.3";
    private static final TokenRange FIRST = new TokenRange(-3000, 0);
    private static final TokenRange SECOND = new TokenRange(0, 3000);
    private static final TokenRange THIRD = new TokenRange(3000, -3000);

    private final Ring ring = Ring.parse(DESCRIBED);

    @Test
    void shouldReadWhatNodetoolPrints() {
        assertThat(ring.parts())
                .containsExactly(
                        new Ring.Part(FIRST, List.of(N1, N2)),
                        new Ring.Part(SECOND, List.of(N2, N3)),
                        new Ring.Part(THIRD, List.of(N3, N1)));
    }

    @Test
    void shouldRefuseATextWithoutRanges() {
        assertThatThrownBy(() -> Ring.parse("Datacenter: datacenter1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nodetool describering");
    }

    @Test
    void shouldFillALostNodeWithEachRangeOnceFromANodeThatOwnsIt() {
        assertThat(ring.fill(N1, Set.of(N2, N3)))
                .containsExactly(new Ring.Move(N2, N1, FIRST), new Ring.Move(N3, N1, THIRD));
    }

    @Test
    void shouldLetSourcesGiveAboutTheSame() {
        Ring full = Ring.of(TokenRange.FULL.split(8), Set.of("a", "b", "lost"));

        assertThat(full.fill("lost", Set.of("a", "b")))
                .hasSize(8)
                .satisfies(moves -> assertThat(
                                moves.stream().filter(move -> move.source().equals("a")))
                        .hasSize(4));
    }

    @Test
    void shouldNameARangeThatNoSourceOwns() {
        assertThatThrownBy(() -> ring.fill(N1, Set.of(N3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("range=(-3000,0]");
    }

    @Test
    void shouldNameTheNodesOfTheRingWhenOneIsUnknown() {
        assertThatThrownBy(() -> ring.fill("localhost", Set.of(N3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node=localhost, nodes=[10.0.0.1, 10.0.0.2, 10.0.0.3]");
    }

    @Test
    void shouldGiveWhatALeavingNodeOwnsToThoseThatDidNotOwnIt() {
        Ring without = new Ring(List.of(
                new Ring.Part(new TokenRange(-3000, 3000), List.of(N3, N2)),
                new Ring.Part(new TokenRange(3000, -3000), List.of(N2, N3))));

        assertThat(ring.leave(N1, without))
                .containsExactly(
                        new Ring.Move(N1, N3, FIRST),
                        new Ring.Move(N1, N2, new TokenRange(3000, Long.MAX_VALUE)),
                        new Ring.Move(N1, N2, new TokenRange(Long.MAX_VALUE, Long.MIN_VALUE)),
                        new Ring.Move(N1, N2, new TokenRange(Long.MIN_VALUE, -3000)));
    }

    @Test
    void shouldRefuseARingInWhichTheLeavingNodeStillIs() {
        assertThatThrownBy(() -> ring.leave(N1, ring))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node=10.0.0.1");
    }
}
