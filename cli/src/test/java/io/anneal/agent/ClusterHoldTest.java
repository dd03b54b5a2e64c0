package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.Ring;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ClusterHoldTest {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration GC_GRACE = Duration.ofDays(10);
    private static final long TICK_NANOS = 1_234_567;

    private static Node node() {
        SharedToken token = SharedToken.of("a secret of more than sixteen bytes".getBytes(StandardCharsets.UTF_8));
        return Node.open(
                NetConfig.of(
                                new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                                Optional.of(token),
                                new VersionRange(1, 1))
                        .withBudget(ByteBudget.of(64 << 20)),
                4,
                new SecureRandom());
    }

    /** Both are shown, and an agent is told the skew in milliseconds: a part of one must not be lost. */
    @Test
    void shouldCountSkewInWholeMillisecondsAndTheDeadlineInWholeSeconds() throws IOException {
        AtomicLong ticks = new AtomicLong();
        HostEnvironment host =
                HostEnvironment.system().withClock(() -> Instant.EPOCH.plusNanos(ticks.incrementAndGet() * TICK_NANOS));
        InstantSource still = InstantSource.fixed(Instant.EPOCH);
        AgentKeyspace keyspace =
                new AgentKeyspace("ks", List.of("t"), Ring.of(List.of(TokenRange.FULL), Set.of("n1", "n2")), Map.of());
        try (Node asking = node();
                Node one = node();
                Node two = node()) {
            List<AgentPeer> agents = new ArrayList<>();
            for (Node served : List.of(one, two)) {
                new StandInAgent("n" + (agents.size() + 1), still, keyspace, GC_GRACE).register(served.handlers());
                agents.add(new AgentPeer(
                        asking.peers(), served.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))));
            }
            try (ClusterHold hold = ClusterHold.take(agents, UUID.randomUUID(), List.of("ks.t"), LEASE, host)) {
                // Three ticks lie between the first question and the last answer.
                assertThat(hold.skew()).isEqualTo(Duration.ofMillis(4));
                assertThat(hold.takeSnapshots()).isEqualTo(Instant.EPOCH);
                assertThat(hold.importBefore())
                        .contains(Instant.EPOCH.plus(GC_GRACE).minusSeconds(1));
            }
        }
    }
}
