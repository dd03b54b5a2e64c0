package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * What several instances said of themselves, as one: counters and histograms added up. Immutable, but for the histograms that it
 * hands out, which are the caller's.
 *
 * <p>Counters run from the start of an instance, so that those of an instance that left are gone from the sums; what was
 * added since an earlier look is therefore told instance by instance. A histogram is of the time between an instance's last two
 * heartbeats: whoever draws them over time passes the heartbeats of the look before, so that one that is still the
 * same counts once.
 */
public final class MergedFacts {
    private final List<Heartbeat> heartbeats;
    private final Map<Counter, Long> sums = new EnumMap<>(Counter.class);
    private final Map<Counter, Long> added = new EnumMap<>(Counter.class);
    private final Map<String, Histogram> histograms = new HashMap<>();
    private final Causes<Mismatch> mismatches = new Causes<>(Mismatch::cause, Mismatch::plus);
    private final Causes<SideFailure> failures = new Causes<>(SideFailure::kind, SideFailure::plus);
    private final TreeSet<String> unreadable = new TreeSet<>();

    private MergedFacts(List<Heartbeat> heartbeats, Map<String, Heartbeat> before) {
        this.heartbeats = List.copyOf(heartbeats);
        List<Mismatch> eachMismatch = new ArrayList<>();
        List<SideFailure> eachFailure = new ArrayList<>();
        for (Heartbeat heartbeat : this.heartbeats) {
            Optional<Heartbeat> earlier = Optional.ofNullable(before.get(heartbeat.instance()));
            addCounters(heartbeat, earlier);
            eachMismatch.addAll(numbered(heartbeat, Facts.MISMATCH, Mismatch::parse, unreadable::add));
            eachFailure.addAll(numbered(heartbeat, Facts.FAILURE, SideFailure::parse, unreadable::add));
            if (earlier.isEmpty() || heartbeat.at().isAfter(earlier.get().at())) {
                addHistograms(heartbeat);
            }
        }
        eachMismatch.stream().sorted(Comparator.comparing(Mismatch::at)).forEach(mismatches::add);
        eachFailure.stream().sorted(Comparator.comparing(SideFailure::at)).forEach(failures::add);
    }

    public static MergedFacts of(List<Heartbeat> heartbeats) {
        return new MergedFacts(heartbeats, Map.of());
    }

    /** As {@link #of(List)}, with the histograms of those instances alone that said something since the look before. */
    public static MergedFacts of(List<Heartbeat> heartbeats, List<Heartbeat> before) {
        Map<String, Heartbeat> byInstance = new HashMap<>();
        before.forEach(heartbeat -> byInstance.put(heartbeat.instance(), heartbeat));
        return new MergedFacts(heartbeats, byInstance);
    }

    private void addCounters(Heartbeat heartbeat, Optional<Heartbeat> before) {
        // An instance that was started again under its old name counts from 0 again.
        Optional<Heartbeat> earlier =
                before.filter(last -> same(heartbeat, last, Facts.STARTED_MILLIS) && same(heartbeat, last, Facts.RUN));
        for (Counter counter : Counter.values()) {
            OptionalLong told = number(heartbeat, Facts.COUNTER + counter);
            if (told.isEmpty() && heartbeat.facts().containsKey(Facts.COUNTER + counter)) {
                unreadable.add(heartbeat.instance() + ":" + Facts.COUNTER + counter);
            }
            long count = told.orElse(0);
            long countBefore = earlier.map(
                            last -> number(last, Facts.COUNTER + counter).orElse(0))
                    .orElse(0L);
            sums.merge(counter, count, Long::sum);
            added.merge(counter, count < countBefore ? count : count - countBefore, Long::sum);
        }
    }

    private static boolean same(Heartbeat one, Heartbeat other, String fact) {
        return Objects.equals(one.facts().get(fact), other.facts().get(fact));
    }

    private void addHistograms(Heartbeat heartbeat) {
        for (String prefix : List.of(Facts.READ_NANOS, Facts.WRITE_NANOS, Facts.BATCH_NANOS)) {
            for (Side side : Side.values()) {
                String name = HistogramText.name(prefix, side);
                String text = heartbeat.facts().get(name);
                if (text != null) {
                    addHistogram(heartbeat, name, text);
                }
            }
        }
    }

    private void addHistogram(Heartbeat heartbeat, String name, String text) {
        try {
            Histogram histogram = HistogramText.parse(text);
            histograms.computeIfAbsent(name, key -> Latencies.empty()).add(histogram);
        } catch (IllegalArgumentException e) {
            unreadable.add(heartbeat.instance() + ":" + name);
        }
    }

    /** Those of one heartbeat; what can't be read is named and left out. */
    private static <T> List<T> numbered(
            Heartbeat heartbeat, String prefix, Function<String, T> parse, Consumer<String> unreadable) {
        List<T> parsed = new ArrayList<>();
        for (int i = 0; i < Causes.CAUSES_MAX; i++) {
            String text = heartbeat.facts().get(prefix + i);
            try {
                if (text != null) {
                    parsed.add(parse.apply(text));
                }
            } catch (IllegalArgumentException e) {
                unreadable.accept(heartbeat.instance() + ":" + prefix + i);
            }
        }
        return parsed;
    }

    /** Of one instance, one of each cause. */
    public static List<SideFailure> failures(Heartbeat heartbeat) {
        return numbered(heartbeat, Facts.FAILURE, SideFailure::parse, unreadable -> {});
    }

    /** One of each cause, newest last. */
    public List<SideFailure> failures() {
        return failures.newestLast();
    }

    private static OptionalLong number(Heartbeat heartbeat, String fact) {
        String text = heartbeat.facts().get(fact);
        if (text == null) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    public List<Heartbeat> heartbeats() {
        return heartbeats;
    }

    /** Since the start of each instance. */
    public long sum(Counter counter) {
        return sums.getOrDefault(counter, 0L);
    }

    /** Since the look before; since the start for instances that were not there then. */
    public long added(Counter counter) {
        return added.getOrDefault(counter, 0L);
    }

    /** The sum of a number that instances tell, as {@link Facts#DIRTY_TARGET}; empty if none tells it. */
    public OptionalLong sum(String fact) {
        return heartbeats.stream()
                .map(heartbeat -> number(heartbeat, fact))
                .filter(OptionalLong::isPresent)
                .map(OptionalLong::getAsLong)
                .reduce(Long::sum)
                .map(OptionalLong::of)
                .orElseGet(OptionalLong::empty);
    }

    /** The largest of a number that instances tell, as {@link Facts#FALLBACK_LAST_HIT_MILLIS}. */
    public OptionalLong max(String fact) {
        return heartbeats.stream()
                .map(heartbeat -> number(heartbeat, fact))
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .max();
    }

    public OptionalLong fallbackLastHitMillis() {
        return max(Facts.FALLBACK_LAST_HIT_MILLIS);
    }

    /**
     * In nanoseconds, empty if nobody measured; a copy.
     *
     * @param prefix {@link Facts#READ_NANOS}, {@link Facts#WRITE_NANOS} or {@link Facts#BATCH_NANOS}
     */
    public Histogram histogram(String prefix, Side side) {
        Histogram histogram = histograms.get(HistogramText.name(prefix, side));
        return histogram == null ? Latencies.empty() : histogram.copy();
    }

    /** What stands out of {@link #histogram}. */
    public StatsSnapshot.Distribution distribution(String prefix, Side side) {
        return StatsSnapshot.Distribution.of(histogram(prefix, side));
    }

    /** One of each cause, newest last. */
    public List<Mismatch> mismatches() {
        return mismatches.newestLast();
    }

    /** What could not be read, as {@code instance:fact}: left out of all else. */
    public List<String> unreadable() {
        return List.copyOf(unreadable);
    }
}
