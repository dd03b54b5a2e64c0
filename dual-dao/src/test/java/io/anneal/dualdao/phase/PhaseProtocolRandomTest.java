package io.anneal.dualdao.phase;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Instances that start, poll, serve, end, die and lose the store, and people who move the phase, in any order, with other
 * instances' calls to the store between any two of one's own: those that serve are never more than one change apart.
 */
final class PhaseProtocolRandomTest {
    private static final String NAME = TestInstance.NAME;
    private static final int STEPS = 300;
    private static final int INSTANCES = 3;
    private static final int BURST_MAX = 12;

    private final TestClock clock = new TestClock();
    private final MemoryPhaseStore store = new MemoryPhaseStore();
    private Random random;
    private String seed;
    private boolean nested;
    private int names;
    private int changes;

    /** The store as an instance or a person sees it: before each call others may come first, and it may fail. */
    private final class Link extends UnreliableStore {
        private final Runnable others;

        Link(Runnable others) {
            this.inner = store;
            this.others = others;
        }

        @Override
        public Optional<PhaseRecord> read(String name) {
            others.run();
            return super.read(name);
        }

        @Override
        public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
            others.run();
            return super.compareAndSet(name, expectedVersion, next);
        }

        @Override
        public void heartbeat(String name, Heartbeat heartbeat) {
            others.run();
            super.heartbeat(name, heartbeat);
        }

        @Override
        public List<Heartbeat> heartbeats(String name) {
            others.run();
            return super.heartbeats(name);
        }

        @Override
        public void forget(String name, String instance) {
            others.run();
            super.forget(name, instance);
        }
    }

    /** One that serves, with the operations that it has under way. */
    private final class Member {
        private final String instance;
        private final Link link;
        private final TestInstance member;
        private final List<PhaseView> underWay = new ArrayList<>();
        private boolean busy;
        private boolean serves;

        Member() {
            instance = "i" + names++;
            link = new Link(() -> others(this));
            member = new TestInstance(link, instance, clock);
        }
    }

    private final Map<Integer, Member> members = new HashMap<>();
    private boolean personBusy;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void shouldNeverLetServingInstancesBeMoreThanOneChangeApart(long seedOfRun) {
        seed = "seed=" + seedOfRun;
        random = new Random(seedOfRun);
        PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS).create("ann", "begin");
        for (int i = 0; i < STEPS; i++) {
            step(null);
        }
        assertThat(changes).as("changes that were made, " + seed).isGreaterThan(5);
    }

    /** What others do while a call to the store is on its way. */
    private void others(Member self) {
        if (!nested && random.nextInt(5) == 0) {
            nested = true;
            for (int i = random.nextInt(BURST_MAX); i >= 0; i--) {
                step(self);
            }
            nested = false;
        }
    }

    private void step(Member self) {
        int draw = random.nextInt(12);
        if (draw == 0) {
            clock.advance(Duration.ofMillis(random.nextInt(3_000)));
        } else if (draw <= 3) {
            person();
        } else {
            Member member = members.computeIfAbsent(random.nextInt(INSTANCES), unused -> new Member());
            if (member != self && !member.busy) {
                member.busy = true;
                act(member);
                member.busy = false;
            }
        }
        check();
    }

    private void act(Member member) {
        if (!member.serves) {
            member.link.lost = false;
            try {
                member.member.follower.start();
                member.serves = true;
            } catch (PhaseStoreException e) {
                throw new AssertionError(seed, e);
            }
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> member.underWay.add(member.member.follower.enter());
            case 1, 2 -> {
                // Some take long.
                if (!member.underWay.isEmpty() && random.nextBoolean()) {
                    member.underWay
                            .remove(random.nextInt(member.underWay.size()))
                            .leave();
                }
            }
            case 3 -> member.link.lost = random.nextInt(3) == 0;
            case 4 -> {
                if (random.nextInt(5) == 0) {
                    end(member);
                }
            }
            default -> member.member.follower.poll();
        }
    }

    /** Ends properly, or dies, in which case its name holds up everybody until a person takes it off. */
    private void end(Member member) {
        member.serves = false;
        members.values().remove(member);
        if (random.nextInt(4) != 0) {
            member.underWay.forEach(PhaseView::leave);
            member.underWay.clear();
            member.member.follower.close();
        }
    }

    private void person() {
        if (personBusy && random.nextInt(4) != 0) {
            return;
        }
        personBusy = true;
        PhaseControl control = PhaseControl.of(
                new Link(() -> others(null)),
                NAME,
                clock,
                new ControlPolicy(true, Duration.ZERO, Duration.ofSeconds(5)));
        try {
            switch (random.nextInt(5)) {
                case 0, 1 -> control.advance("ann", "on", true);
                case 2 -> control.rollback("ann", "back");
                case 3 -> control.reverse("ann", "back");
                default -> declareTheDeadDead(control);
            }
            changes++;
        } catch (GateException | PhaseChangedException e) {
            // Refused, which is what keeps them together.
        } finally {
            personBusy = false;
        }
    }

    private void declareTheDeadDead(PhaseControl control) {
        for (InstanceState state : control.instances()) {
            boolean lives = members.values().stream().anyMatch(member -> member.instance.equals(state.name()));
            if (!lives && state.silent()) {
                try {
                    control.declareDead(state.name(), "ann", "it is", nap -> {});
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                } catch (IllegalArgumentException e) {
                    // Somebody else did.
                }
            }
        }
    }

    private void check() {
        Map<PhaseRecord, String> acting = new LinkedHashMap<>();
        for (Member member : members.values()) {
            if (member.serves) {
                acting.put(member.member.follower.current(), member.instance);
                member.underWay.forEach(view -> acting.put(view.record(), "an operation of " + member.instance));
            }
        }
        for (PhaseRecord one : acting.keySet()) {
            for (PhaseRecord other : acting.keySet()) {
                boolean together = Math.abs(one.version() - other.version()) <= 1
                        && one.phase().neighbours(other.phase());
                if (!together) {
                    throw new AssertionError(seed + ": " + acting.get(one) + " acts by " + one + " and "
                            + acting.get(other) + " by " + other);
                }
            }
        }
    }
}
