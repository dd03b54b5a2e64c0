package io.anneal.harness;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MergedFacts;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import io.anneal.harness.report.LatencyPoint;
import io.anneal.harness.report.StoryRecorder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a walk as a story that needs no knowledge: what each phase means, what it waited for, and how both sides did in it. Lines
 * go out as things happen. Owned by one thread.
 */
final class StoryTeller implements WalkListener {
    private static final Logger LOG = LoggerFactory.getLogger(StoryTeller.class);
    private static final String INDENT = "              ";
    private static final int LABEL_WIDTH = INDENT.length();

    private final PhaseStore phases;
    private final String name;
    private final StoryRecorder recorder;
    private final DualEnvironment time;
    private final boolean testing;
    private final Consumer<String> lines;
    private final List<PhaseStretch> stretches = new ArrayList<>();

    private PhaseRecord current;
    private Instant since;
    private MergedFacts before;
    private List<String> works = new ArrayList<>();
    private List<Heartbeat> heard = List.of();

    StoryTeller(
            PhaseStore phases,
            String name,
            StoryRecorder recorder,
            DualEnvironment time,
            boolean testing,
            Consumer<String> lines) {
        this.phases = phases;
        this.name = name;
        this.recorder = recorder;
        this.time = time;
        this.testing = testing;
        this.lines = lines;
    }

    @Override
    public void entered(PhaseRecord entered) {
        finish();
        current = entered;
        since = time.clock().instant();
        before = MergedFacts.of(heartbeats());
        works = new ArrayList<>();
        lines.accept("");
        String label = "Phase " + entered.phase().label();
        for (String sentence : PhaseText.meaning(entered, testing)) {
            line(label, sentence);
            label = "";
        }
    }

    @Override
    public void working(String work) {
        line(work, "begins");
    }

    @Override
    public void worked(String work, String evidence) {
        works.add(work + ": " + evidence);
        line(work, evidence);
    }

    @Override
    public void waiting(List<Gate> missing) {
        missing.forEach(gate -> line("waits for", gate.name() + ": " + gate.evidence()));
    }

    @Override
    public void left(PhaseRecord left, Readiness readiness) {
        finish();
        readiness.gates().forEach(gate -> line("gate", gate.name() + ": " + gate.evidence()));
        line("step", readiness.step());
    }

    @Override
    public void aborting(PhaseRecord at, String reason) {
        lines.accept("");
        line("TROUBLE", reason);
        line("", "Going back to phase 1, step by step.");
    }

    /** Ends the stretch of the phase in force: tells how both sides did in it. */
    void finish() {
        if (current == null) {
            return;
        }
        MergedFacts now = MergedFacts.of(heartbeats(), before.heartbeats());
        Map<Counter, Long> counted = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            counted.put(counter, now.added(counter));
        }
        LatencyPoint latencies = recorder.since(since);
        PhaseStretch stretch =
                new PhaseStretch(current, Duration.between(since, time.clock().instant()), latencies, counted, works);
        stretches.add(stretch);
        current = null;
        tell(stretch);
    }

    /** The last that was heard where the store can't be asked: a story has gaps, but it goes on. */
    private List<Heartbeat> heartbeats() {
        try {
            heard = phases.heartbeats(name);
        } catch (PhaseStoreException e) {
            LOG.warn("phase store can't be asked, the story counts what was heard before, reason={}", e.getMessage());
        }
        return heard;
    }

    private void tell(PhaseStretch stretch) {
        LatencyPoint point = stretch.latencies();
        line("origin", sides(point.originReads(), point.originWrites()));
        line("target", sides(point.targetReads(), point.targetWrites()));
        line(
                "counted",
                String.format(
                        Locale.ROOT,
                        "%,d reads, %,d writes, %,d deletes and replacements in %s; fallbacks: %,d hits, %,d in neither store; failures: %,d",
                        stretch.counted(Counter.READS),
                        stretch.counted(Counter.WRITES),
                        stretch.counted(Counter.DELETES),
                        PhaseText.seconds(stretch.lasted()),
                        stretch.counted(Counter.FALLBACK_HITS),
                        stretch.counted(Counter.FALLBACK_MISSES),
                        stretch.counted(Counter.ORIGIN_FAILED)
                                + stretch.counted(Counter.TARGET_FAILED)
                                + stretch.counted(Counter.ORIGIN_UNKNOWN)
                                + stretch.counted(Counter.TARGET_UNKNOWN)));
        long mismatches = stretch.counted(Counter.MISMATCHES);
        if (stretch.counted(Counter.COMPARED) > 0) {
            line(
                    "compared",
                    String.format(
                            Locale.ROOT, "%,d answers, %,d differ", stretch.counted(Counter.COMPARED), mismatches));
        }
    }

    private static String sides(Distribution reads, Distribution writes) {
        return "reads " + PhaseText.latencies(reads) + "; writes " + PhaseText.latencies(writes);
    }

    private void line(String label, String text) {
        String padded = label.length() < LABEL_WIDTH ? label + INDENT.substring(label.length()) : label + " ";
        lines.accept("  " + padded + text);
    }

    List<PhaseStretch> stretches() {
        return List.copyOf(stretches);
    }
}
