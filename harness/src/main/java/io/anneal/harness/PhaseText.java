package io.anneal.harness;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import io.anneal.harness.report.Scale;
import io.anneal.io.PrintableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Phases and gates in words for people. */
public final class PhaseText {
    private static final double MILLIS_PER_SECOND = 1e3;

    private PhaseText() {}

    /** Whether the target of a migration is only tried out, as far as its instances say. */
    public static boolean testing(List<Heartbeat> instances) {
        return instances.stream()
                .anyMatch(instance -> Mode.TEST.name().equals(instance.facts().get(Facts.MODE)));
    }

    /** What a phase means for calls, sentence by sentence. */
    public static List<String> meaning(PhaseRecord entry, boolean testing) {
        return testing ? meaningInTest(entry.phase()) : meaning(entry);
    }

    private static List<String> meaningInTest(Phase phase) {
        return switch (phase) {
            case ORIGIN_ONLY -> List.of("The origin is written and answers; the target is not touched.");
            case WRITE_BOTH ->
                List.of(
                        "The origin is written and answers.",
                        "The target is written beside it and can neither fail nor slow a call.");
            default ->
                List.of(
                        "The origin is written and answers.",
                        "The target is written and read beside it, timed and compared; it can neither fail nor slow a call.");
        };
    }

    private static List<String> meaning(PhaseRecord entry) {
        List<String> sentences = new ArrayList<>();
        switch (entry.phase()) {
            case ORIGIN_ONLY -> {
                sentences.add("Writes go to the origin, reads too; the target is not touched.");
            }
            case WRITE_BOTH -> {
                sentences.add("Writes and deletes go to both stores, reads still to the origin.");
                sentences.add("The target misses nothing new from here on; the back-fill brings what is old.");
            }
            case READ_TARGET -> {
                sentences.add("Writes and deletes go to both stores, the origin first.");
                sentences.add("Reads go to the target, and to the origin for what is missing there (a fallback).");
                sentences.add("The origin is still complete, so that turning back costs nothing.");
            }
            case TARGET_FIRST -> {
                sentences.add("Writes and deletes go to both stores, the target first: it is right where they differ.");
                sentences.add("Reads go to the target alone: what is missing there would show now.");
            }
            case WRITE_TARGET -> {
                sentences.add("Writes, deletes and reads go to the target alone; the origin is kept as it was.");
                sentences.add("Keys written from here on are remembered, since the way back has to copy them.");
            }
            case TARGET_ONLY -> sentences.add("Writes and reads go to the target; the origin is not touched any more.");
        }
        if (entry.phase() == Phase.READ_TARGET && entry.readSharePercent() < 100) {
            sentences.add("Of the keys " + entry.readSharePercent() + " % are read so, the others from the origin.");
        }
        return sentences;
    }

    /** The gates of a step, a line each. */
    public static String gates(Readiness readiness) {
        StringBuilder text = new StringBuilder("next step, ")
                .append(readiness.step())
                .append(readiness.ready() ? ": ready" : ": not ready");
        for (Gate gate : readiness.gates()) {
            text.append(System.lineSeparator()).append("  ").append(PrintableText.of(gate.toString()));
        }
        return text.toString();
    }

    /** What stands out of durations of calls. */
    public static String latencies(Distribution latencies) {
        if (latencies.count() == 0) {
            return "none";
        }
        return "p50 " + Scale.text(latencies.p50Nanos()) + ", p99 " + Scale.text(latencies.p99Nanos()) + ", p999 "
                + Scale.text(latencies.p999Nanos());
    }

    public static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / MILLIS_PER_SECOND);
    }
}
