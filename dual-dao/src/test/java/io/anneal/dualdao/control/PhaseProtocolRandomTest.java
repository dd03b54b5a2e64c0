package io.anneal.dualdao.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.PhaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Instances that start, poll, serve, end, die and lose the store, and people who move the phase, in any order, with other
 * instances' calls to the store between any two of one's own. Names are used again: by a run in the same directory, in one that was
 * wiped, or elsewhere while the other lives; and people declare dead what only fell silent. Those that serve are never more than
 * one change apart, and nobody reads from a target that lacks what somebody wrote. Both but for what follows from a false word:
 * one that was declared dead and lives is on its own until it has come back.
 */
final class PhaseProtocolRandomTest {
    private static final String NAME = TestInstance.NAME;
    private static final String TOKEN = "token";
    private static final int STEPS = 300;
    private static final int STEPS_WITH_DATA = 800;
    private static final int INSTANCES = 3;
    private static final int BURST_MAX = 12;
    private static final int KEYS = 4;

    private final TestClock clock = new TestClock();
    private final MemoryPhaseStore store = new MemoryPhaseStore();
    private final List<Member> members = new ArrayList<>();
    private final Map<String, Directory> directories = new HashMap<>();
    private final Set<String> starting = new HashSet<>();
    private final Set<String> declared = new HashSet<>();
    private final Set<String> declaredAtTheStart = new HashSet<>();
    private Random random;
    private String seed;
    private boolean nested;
    private boolean personBusy;
    private int made;
    private int changes;
    private int refusedStarts;
    private int stepsToThree;

    /** Whether people pass gates unmet, and go all the way; else they go to 3 and back, and data is looked at. */
    private boolean force;

    /** What both sides hold, and who wrote last what the target lacks. */
    private final int[] origin = new int[KEYS];

    private final int[] target = new int[KEYS];
    private final Owed[] owed = new Owed[KEYS];

    /** A write that the target lacks. */
    private record Owed(Member by, boolean journaled) {}

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

        @Override
        public void addNote(String name, PhaseNote note) {
            others.run();
            super.addNote(name, note);
        }
    }

    /** What outlives a run: the keys in its journal, and the phase that it saw. */
    private final class Directory implements PhaseMark {
        private final String journal = "journal " + made++;
        private final Set<Integer> lackedByTarget = new HashSet<>();
        private Seen seen;

        @Override
        public Optional<Seen> read(String name) {
            return Optional.ofNullable(seen);
        }

        @Override
        public void remember(String name, Seen now) {
            seen = now;
        }
    }

    /** One that serves, with the operations that it has under way. */
    private final class Member {
        private final String instance;
        private final Directory directory;
        private final String token = "run " + made++;
        private final Link link = new Link(() -> others(this));
        private final TestInstance member;
        private final List<PhaseView> underWay = new ArrayList<>();
        private boolean busy;

        /** Declared dead by mistake, and not back yet. */
        private boolean onItsOwn;

        Member(String instance, Directory directory) {
            this.instance = instance;
            this.directory = directory;
            member = new TestInstance(link, instance, clock, directory);
            member.say(TOKEN, token);
            member.say(Facts.JOURNAL, directory.journal);
            member.say(Facts.DIRTY_TARGET, directory.lackedByTarget.size());
        }

        void journal(int key, boolean lacks) {
            if (lacks) {
                directory.lackedByTarget.add(key);
            } else {
                directory.lackedByTarget.remove(key);
            }
            member.say(Facts.DIRTY_TARGET, directory.lackedByTarget.size());
        }
    }

    private void begin(long seedOfRun) {
        seed = "seed=" + seedOfRun;
        random = new Random(seedOfRun);
        PhaseControl.of(store, NAME, clock, ControlPolicy.DEFAULTS).create("ann", "begin");
        for (int i = 0; i < (force ? STEPS : STEPS_WITH_DATA); i++) {
            step(null);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldNeverLetServingInstancesBeMoreThanOneChangeApart(long seedOfRun) {
        force = true;
        begin(seedOfRun);

        assertThat(changes).as("changes that were made, " + seed).isGreaterThan(5);
    }

    @ParameterizedTest
    @MethodSource("seedsOf8")
    void shouldNotReadFromATargetThatLacksWhatWasWritten(long seedOfRun) {
        begin(seedOfRun);
        assertThat(stepsToThree).as("steps to phase 3, " + seed).isPositive();
        assertThat(refusedStarts).as("starts under a name in use, " + seed).isPositive();
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
            instance(self);
        }
        check();
    }

    private void instance(Member self) {
        String name = "i" + random.nextInt(INSTANCES);
        List<Member> living =
                members.stream().filter(member -> member.instance.equals(name)).toList();
        if (living.isEmpty() || living.size() == 1 && random.nextInt(20) == 0) {
            // Else in the same directory, as after a crash.
            boolean elsewhere = !living.isEmpty() || random.nextInt(4) == 0;
            Directory directory = directories.get(name);
            if (elsewhere || directory == null) {
                directory = new Directory();
            }
            if (starting.add(name)) {
                start(name, directory);
                starting.remove(name);
            }
            return;
        }
        Member member = living.get(random.nextInt(living.size()));
        if (member != self && !member.busy) {
            member.busy = true;
            act(member);
            member.busy = false;
        }
    }

    private void start(String name, Directory directory) {
        Member member = new Member(name, directory);
        try {
            member.member.follower.start();
        } catch (PhaseStoreException e) {
            assertThat(e).as(seed).hasMessageContaining("another run has this instance's name");
            declaredAtTheStart.remove(name);
            refusedStarts++;
            return;
        }
        member.onItsOwn = declaredAtTheStart.remove(name);
        directories.put(name, directory);
        members.add(member);
    }

    private List<Heartbeat> named(String name) {
        return store.heartbeats(NAME).stream()
                .filter(heartbeat -> heartbeat.instance().equals(name))
                .toList();
    }

    private void act(Member member) {
        switch (random.nextInt(11)) {
            case 0 -> member.underWay.add(member.member.follower.enter());
            case 1, 2 -> {
                // Some take long.
                if (!member.underWay.isEmpty() && random.nextBoolean()) {
                    PhaseView view = member.underWay.remove(random.nextInt(member.underWay.size()));
                    write(member, view.phase());
                    view.leave();
                }
            }
            case 3 -> member.link.lost = random.nextInt(3) == 0;
            case 4 -> {
                if (random.nextInt(5) == 0) {
                    end(member);
                }
            }
            case 5 -> redrive(member);
            case 6 -> {
                PhaseView view = member.member.follower.enter();
                write(member, view.phase());
                view.leave();
            }
            default -> member.member.follower.poll();
        }
    }

    /** Writes as a phase says; now and then the target fails. */
    private void write(Member member, Phase phase) {
        if (force) {
            return;
        }
        int key = random.nextInt(KEYS);
        origin[key] = ++made;
        if (phase == Phase.ORIGIN_ONLY || random.nextInt(4) == 0) {
            owed[key] = new Owed(member, phase != Phase.ORIGIN_ONLY);
            if (phase != Phase.ORIGIN_ONLY) {
                member.journal(key, true);
            }
        } else {
            target[key] = origin[key];
            member.journal(key, false);
        }
    }

    private void redrive(Member member) {
        for (int key : List.copyOf(member.directory.lackedByTarget)) {
            target[key] = origin[key];
            member.journal(key, false);
        }
    }

    /** Ends properly, or dies, in which case its name holds up everybody until it starts again or a person takes it off. */
    private void end(Member member) {
        if (random.nextBoolean()) {
            member.underWay.forEach(PhaseView::leave);
            member.underWay.clear();
            member.member.follower.close();
        }
        members.remove(member);
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
                new ControlPolicy(Duration.ZERO, Duration.ofSeconds(5), Duration.ofDays(1)));
        Phase phase = control.current().phase();
        try {
            switch (random.nextInt(force ? 5 : 8)) {
                case 0, 1 -> {
                    if (force) {
                        control.advance("ann", "on", true);
                    } else if (phase != Phase.READ_TARGET) {
                        checkData(control.advance("ann", "on"));
                    }
                }
                case 2 -> {
                    if (force || phase == Phase.READ_TARGET || random.nextInt(4) == 0) {
                        control.rollback("ann", "back");
                    }
                }
                case 3 -> {
                    if (force) {
                        control.reverse("ann", "back");
                    }
                }
                case 4 -> declareTheSilentDead(control);
                default -> copyAndVerify(control);
            }
            changes++;
        } catch (GateException | PhaseChangedException e) {
            // Refused, which is what keeps them together.
        } finally {
            personBusy = false;
        }
    }

    private void copyAndVerify(PhaseControl control) {
        WorkStart copy = control.begin();
        for (int key = 0; key < KEYS; key++) {
            target[key] = origin[key];
        }
        control.finish(copy, PhaseNote.Kind.BACKFILL, "bulk", Map.of());
        clock.advance(Duration.ofMillis(1));
        WorkStart comparison = control.begin();
        int mismatches = 0;
        for (int key = 0; key < KEYS; key++) {
            mismatches += target[key] == origin[key] ? 0 : 1;
        }
        clock.advance(Duration.ofMillis(1));
        control.finish(
                comparison,
                PhaseNote.Kind.VERIFICATION,
                "bulk",
                Map.of(Facts.MISMATCHES, String.valueOf(mismatches), Facts.ROWS, "1"));
    }

    /** Some of them live, and are only cut off. */
    private void declareTheSilentDead(PhaseControl control) {
        for (InstanceState state : control.instances()) {
            if (!state.silent() || !declared.add(state.name())) {
                continue;
            }
            try {
                control.declareDead(state.name(), "ann", "it is", nap -> others(null));
                alive(state.name()).forEach(member -> member.onItsOwn = true);
                if (starting.contains(state.name())) {
                    declaredAtTheStart.add(state.name());
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } catch (IllegalArgumentException | IllegalStateException e) {
                // Somebody else did, or it lives and says so.
            } finally {
                declared.remove(state.name());
            }
        }
    }

    private List<Member> alive(String name) {
        return members.stream().filter(member -> member.instance.equals(name)).toList();
    }

    /** A change to phase 3 was just made: the target has everything, or somebody is known to hold what it lacks. */
    private void checkData(PhaseRecord now) {
        if (now.phase() != Phase.READ_TARGET) {
            return;
        }
        stepsToThree++;
        for (int key = 0; key < KEYS; key++) {
            if (target[key] != origin[key] && !excused(owed[key])) {
                throw new AssertionError(
                        seed + ": the target lacks key " + key + ", which " + owed[key].by.instance + " ("
                                + owed[key].by.token + ") wrote, notes=" + store.notes(NAME) + ", history="
                                + store.history(NAME));
            }
        }
    }

    /** Somebody registered has it in its journal; or it was written by one declared dead that nobody has heard of since. */
    private boolean excused(Owed write) {
        Directory directory = write.by.directory;
        boolean registered = store.heartbeats(NAME).stream()
                .anyMatch(
                        heartbeat -> directory.journal.equals(heartbeat.facts().get(Facts.JOURNAL)));
        boolean cameBack = members.stream().anyMatch(member -> member.directory == directory && !member.onItsOwn);
        return write.journaled && registered || write.by.onItsOwn && !cameBack;
    }

    private boolean counts(Member member) {
        return !member.onItsOwn && !declared.contains(member.instance);
    }

    private void check() {
        members.forEach(this::back);
        Map<PhaseRecord, String> acting = new LinkedHashMap<>();
        for (Member member : members) {
            if (counts(member)) {
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

    /** Whether one that was declared dead acknowledged again. */
    private void back(Member member) {
        long inForce = store.read(NAME).orElseThrow().version();
        boolean acknowledged = named(member.instance).stream()
                .anyMatch(heartbeat -> heartbeat.drained()
                        && heartbeat.version() == inForce
                        && member.token.equals(heartbeat.facts().get(TOKEN)));
        if (alive(member.instance).size() > 1) {
            // The name was free by a false word.
            member.onItsOwn = true;
        } else if (acknowledged && !declared.contains(member.instance)) {
            member.onItsOwn = false;
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 20);
    }

    private static LongStream seedsOf8() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 8);
    }
}
