package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.net.PeerAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    private static String line(long start, long end, String... owners) {
        return "TokenRange(start_token:" + start + ", end_token:" + end + ", endpoints:" + List.of(owners) + ", x)\n";
    }

    private static void assertRefused(String text, String... reasons) {
        assertThatThrownBy(() -> Ring.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(reasons);
    }

    @Test
    void shouldNameTheHoleWhenARangeIsMissing() {
        assertRefused(
                DESCRIBED
                        .lines()
                        .filter(line -> !line.contains("start_token:0,"))
                        .collect(Collectors.joining("\n")),
                "hole",
                "(0,3000]");
        assertRefused(DESCRIBED.lines().limit(4).collect(Collectors.joining("\n")), "hole", "(3000,-3000]");
        assertRefused(line(7, 5, "a"), "hole", "(5,7]");
        assertRefused(line(5, 7, "a"), "hole", "(7,5]");
        assertRefused(line(0, 10, "a") + line(11, 0, "a"), "hole", "(10,11]");
    }

    @Test
    void shouldRefuseALineThatIsCut() {
        assertRefused(DESCRIBED.substring(0, DESCRIBED.lastIndexOf("10.0.0.1], rpc")), "cut", "start_token:3000");
        assertRefused(DESCRIBED.substring(0, DESCRIBED.lastIndexOf("end_token")), "cut", "start_token:3000");
        // A line that goes on with the next one's owners.
        assertRefused(line(0, 5, "a").replace("a], x)\n", "a\n") + line(0, 5, "b") + line(5, 0, "b"), "cut");
        assertRefused(line(0, 5, "a") + "TokenRange(start_token:00a1, end_token:0, endpoints:[a], x)", "cut", "00a1");
        assertRefused(line(0, 0, "a").replace("end_token:0", "end_token:99999999999999999999"), "99999999999999999999");
    }

    @Test
    void shouldRefuseARangeWithoutOwners() {
        assertRefused(line(0, 5, "a") + line(5, 0), "owner", "(5,0]");
    }

    @Test
    void shouldNameBothRangesThatOverlap() {
        assertRefused(line(0, 10, "a") + line(5, 0, "b"), "overlap", "(0,10]", "(5,0]");
        assertRefused(line(0, 10, "a") + line(0, 10, "b") + line(10, 0, "a"), "overlap", "[a]", "[b]");
        assertRefused(line(5, 5, "a") + line(5, 5, "b"), "overlap", "[a]", "[b]");
        assertRefused(line(5, 5, "a") + line(7, 7, "a"), "overlap", "(5,5]", "(7,7]");
        assertRefused(line(0, 10, "a") + line(10, 5, "b"), "overlap", "(10,5]", "(0,10]");
    }

    @Test
    void shouldTakeTheRingOfOneTokenAndLinesThatAreThereTwice() {
        assertThat(Ring.parse(line(5, 5, "a")).parts()).hasSize(1);
        assertThat(Ring.parse(DESCRIBED + DESCRIBED).parts()).hasSize(3);
        assertThat(Ring.parse(line(Long.MIN_VALUE, 0, "a")
                                + line(0, Long.MAX_VALUE, "b")
                                + line(Long.MAX_VALUE, Long.MIN_VALUE, "c"))
                        .parts())
                .hasSize(3);
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

    /** As three nodes with three replicas and vnodes: by turns each source would give a part of every SSTable. */
    @Test
    void shouldCutNoMoreThanSourcesNeedWhereTheSameNodesOwnAll() {
        List<TokenRange> vnodes = TokenRange.FULL.split(768);
        Ring full = new Ring(IntStream.range(0, vnodes.size())
                .mapToObj(i -> new Ring.Part(
                        vnodes.get(i), i % 2 == 0 ? List.of("a", "b", "lost") : List.of("lost", "b", "a")))
                .toList());

        assertThat(full.joined().parts())
                .singleElement()
                .extracting(part -> part.range().width())
                .isEqualTo(TokenRange.FULL.width());
        assertThat(ring.joined()).isEqualTo(ring);
        Ring two = new Ring(List.of(
                new Ring.Part(new TokenRange(0, 10), List.of("a", "b")),
                new Ring.Part(new TokenRange(10, 20), List.of("a", "b")),
                new Ring.Part(new TokenRange(20, 30), List.of("a", "c")),
                new Ring.Part(new TokenRange(40, 50), List.of("a", "c"))));
        assertThat(two.joined().parts())
                .extracting(Ring.Part::range)
                .containsExactly(new TokenRange(0, 20), new TokenRange(20, 30), new TokenRange(40, 50));
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

    @Test
    void shouldNameNodesByTheirHostsWhenPortsArePrinted() {
        Ring ports = Ring.parse(DESCRIBED
                .replaceAll("(10\\.0\\.0\\.[12])(?=[],])", "$1:7000")
                .replaceAll("10\\.0\\.0\\.3(?=[],])", "[2001:db8:0:0:0:0:0:3]:7000"));

        assertThat(ports.parts())
                .extracting(Ring.Part::owners)
                .containsExactly(List.of(N1, N2), List.of(N2, "2001:db8::3"), List.of("2001:db8::3", N1));
        assertThat(PeerAddress.host("2001:db8:0:0:0:0:0:3")).isEqualTo("2001:db8::3");
        assertThat(PeerAddress.host("[2001:db8:0:0:0:0:0:3]:7400")).isEqualTo("2001:db8::3");
        assertThat(PeerAddress.host("node1:7400")).isEqualTo("node1");
    }

    @Test
    void shouldKeepPortsThatTellNodesApartAndAskForThemWhenTheyAreMissing() {
        Ring ports =
                Ring.parse(line(0, 5, "10.0.0.1:7000", "10.0.0.1:7001") + line(5, 0, "10.0.0.1:7001", "10.0.0.2:7000"));

        assertThat(ports.owners()).containsExactlyInAnyOrder("10.0.0.1:7000", "10.0.0.1:7001", "10.0.0.2:7000");
        assertRefused(line(0, 5, N1, N1) + line(5, 0, N1, N2), "nodetool -pp describering", "(0,5]");
    }

    @Test
    void shouldPutRangesOfTheSameOwnersTogether() {
        assertThat(ring.byOwners(List.of(N2, N1)))
                .containsOnlyKeys(List.of(N2, N1), List.of(N2), List.of(N1))
                .containsEntry(List.of(N2, N1), TokenRanges.of(FIRST))
                .containsEntry(
                        List.of(N1),
                        TokenRanges.of(new TokenRange(Long.MIN_VALUE, -3000), new TokenRange(3000, Long.MIN_VALUE)));
        assertThat(ring.byOwners(List.of("10.0.0.3")).get(List.of())).isEqualTo(TokenRanges.of(FIRST));
        assertThatThrownBy(() -> ring.byOwners(List.of(N1, N1))).hasMessageContaining("given twice");
        assertThatThrownBy(() -> ring.byOwners(List.of("n1"))).hasMessageContaining("node=n1");
    }

    /** A session of a range that goes around is not split while it runs. */
    @Test
    void shouldMakeOneRangeOfManyWhereTheSameNodesOwnAll() {
        Ring vnodes = new Ring(new TokenRange(5, 5)
                .split(256).stream()
                        .map(range -> new Ring.Part(range, List.of("b", "a")))
                        .toList());

        assertThat(vnodes.byOwners(List.of("a", "b")))
                .containsExactly(Map.entry(List.of("a", "b"), TokenRanges.of(TokenRange.FULL)));
        assertThat(vnodes.share(owners -> owners.contains("a"))).isEqualTo(1.0);
        assertThat(Ring.parse(line(0, Long.MIN_VALUE, "a") + line(Long.MIN_VALUE, 0, "b"))
                        .share(owners -> owners.contains("a")))
                .isEqualTo(0.5);
    }

    @Test
    void shouldReadRangesOfAnyNumberOfOwners() {
        String[] owners = IntStream.range(0, 100_000).mapToObj(i -> "n" + i).toArray(String[]::new);
        assertThat(Ring.parse(line(5, 5, owners)).parts().get(0).owners()).hasSize(owners.length);
        assertRefused(line(5, 5, owners).replace(']', ' '), "cut");
    }
}
