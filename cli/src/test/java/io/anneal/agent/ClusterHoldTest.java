package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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

    private static void await(BooleanSupplier condition) {
        for (int i = 0; i < 2_000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("it did not come to that");
    }

    /** A scheduler drops without a word what has thrown once. */
    @Test
    void shouldRenewLeasesAfterAnErrorToo() throws IOException {
        AtomicBoolean fails = new AtomicBoolean();
        AgentKeyspace keyspace =
                new AgentKeyspace("ks", List.of("t"), Ring.of(List.of(TokenRange.FULL), Set.of("n1")), Map.of());
        StandInAgent agent = new StandInAgent("n1", InstantSource.system(), keyspace, GC_GRACE);
        try (Node asking = node();
                Node served = node()) {
            agent.register(served.handlers());
            Connector failing = address -> {
                if (fails.getAndSet(false)) {
                    throw new IllegalStateException("a test's");
                }
                return asking.peers().connect(address);
            };
            AgentPeer peer =
                    new AgentPeer(failing, served.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
            try (ClusterHold hold = ClusterHold.take(
                    List.of(peer),
                    UUID.randomUUID(),
                    List.of("ks.t"),
                    Duration.ofSeconds(1),
                    HostEnvironment.system())) {
                await(() -> agent.renewals() > 0);
                fails.set(true);
                await(() -> !fails.get());
                int before = agent.renewals();

                await(() -> agent.renewals() > before);

                assertThat(hold.stands()).isTrue();
            }
        }
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
