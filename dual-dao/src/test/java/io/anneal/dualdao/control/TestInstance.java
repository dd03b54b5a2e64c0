package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStore;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An instance with facts to set. */
final class TestInstance {
    static final String NAME = "users";

    final Map<String, String> facts = new TreeMap<>(Map.of(
            Facts.MODE, "MIGRATION", Facts.PARTITIONS, "gated", Facts.DIRTY_TARGET, "0", Facts.DIRTY_ORIGIN, "0"));
    final PhaseFollower follower;
    /** What happens while it waits. */
    Runnable naps = () -> {};

    TestInstance(PhaseStore store, String instance, InstantSource clock, PhaseMark... marks) {
        follower = new PhaseFollower(store, NAME, instance, List.of(marks), () -> facts, clock, duration -> naps.run());
    }

    static TestInstance started(PhaseStore store, String instance, InstantSource clock, PhaseMark... marks) {
        TestInstance started = new TestInstance(store, instance, clock, marks);
        started.follower.start();
        return started;
    }

    void say(String fact, Object value) {
        facts.put(fact, String.valueOf(value));
    }

    Phase phase() {
        return follower.current().phase();
    }
}
