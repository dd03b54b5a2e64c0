package io.anneal.migrate.page;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MergedFacts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;

/**
 * Makes one chart out of the heartbeats of all instances. Their clocks need not agree: an instance counts as long as new
 * heartbeats keep coming, by this server's clock, and its rates are over the time between its own two last ones.
 *
 * <p>A point of the first tier holds what every live instance said last, so that instances whose heartbeats fall into different
 * ticks make one smooth line. Points of the other tiers add up every heartbeat once. Not for several threads.
 */
final class ChartFeed {
    private static final int FINE_POINTS_MAX = 300;
    private static final long MIDDLE_MILLIS = 5_000;
    private static final int MIDDLE_POINTS_MAX = 720;
    private static final long COARSE_MILLIS = 60_000;
    private static final int COARSE_POINTS_MAX = 1_440;

    /** An instance that said nothing new for so many of its usual pauses is left out. */
    private static final int PAUSES_MAX = 3;

    private static final long FRESH_MILLIS_MIN = 5_000;
    /** For the second heartbeat, while its pauses are not known. */
    private static final long FRESH_MILLIS_FIRST = 30_000;

    private static final Map<String, String> CALLS =
            Map.of("read", Facts.READ_NANOS, "write", Facts.WRITE_NANOS, "batch", Facts.BATCH_NANOS);
    private static final Map<String, Counter> RATES = Map.ofEntries(
            Map.entry("reads", Counter.READS),
            Map.entry("writes", Counter.WRITES),
            Map.entry("deletes", Counter.DELETES),
            Map.entry("fallbackHits", Counter.FALLBACK_HITS),
            Map.entry("fallbackMisses", Counter.FALLBACK_MISSES),
            Map.entry("fallbackErrors", Counter.FALLBACK_ERRORS),
            Map.entry("mismatches", Counter.MISMATCHES),
            Map.entry("originFailed", Counter.ORIGIN_FAILED),
            Map.entry("targetFailed", Counter.TARGET_FAILED),
            Map.entry("droppedReads", Counter.DROPPED_READS),
            Map.entry("droppedWrites", Counter.DROPPED_WRITES));

    /** What is known of one instance. */
    private record Seen(Heartbeat last, Heartbeat before, long lastMillis, long pauseMillis) {
        boolean fresh(long nowMillis) {
            long allowedMillis =
                    last == before ? FRESH_MILLIS_FIRST : Math.max(FRESH_MILLIS_MIN, PAUSES_MAX * pauseMillis);
            return nowMillis - lastMillis <= allowedMillis;
        }
    }

    private final PointRing fine = new PointRing(FINE_POINTS_MAX);
    private final List<PointTier> tiers =
            List.of(new PointTier(MIDDLE_MILLIS, MIDDLE_POINTS_MAX), new PointTier(COARSE_MILLIS, COARSE_POINTS_MAX));
    private final Map<String, Seen> instances = new HashMap<>();

    private boolean somethingNew;
    private boolean gap = true;

    /** Points of 5 minutes, of an hour and of a day, each coarser than the one before. */
    List<PointRing> rings() {
        return List.of(fine, tiers.get(0).ring(), tiers.get(1).ring());
    }

    /** Takes what the store holds now; as often as may be, since a heartbeat that is replaced unseen is lost to the charts. */
    void observe(List<Heartbeat> heartbeats, long nowMillis) {
        HashSet<String> there = new HashSet<>();
        List<Heartbeat> before = new ArrayList<>();
        for (Heartbeat heartbeat : heartbeats) {
            there.add(heartbeat.instance());
            Seen seen = instances.get(heartbeat.instance());
            if (seen == null) {
                // What lies in the store when the page starts may be of an instance that is long gone.
                long lastMillis = Math.min(nowMillis, heartbeat.at().toEpochMilli());
                instances.put(heartbeat.instance(), new Seen(heartbeat, heartbeat, lastMillis, 0));
                somethingNew |= instances.get(heartbeat.instance()).fresh(nowMillis);
            } else {
                before.add(seen.last);
                if (!heartbeat.at().equals(seen.last.at())) {
                    instances.put(
                            heartbeat.instance(),
                            new Seen(heartbeat, seen.last, nowMillis, nowMillis - seen.lastMillis));
                    somethingNew = true;
                }
            }
        }
        instances.keySet().retainAll(there);
        MergedFacts merged = MergedFacts.of(
                heartbeats.stream()
                        .filter(heartbeat -> instances.get(heartbeat.instance()).fresh(nowMillis))
                        .toList(),
                before);
        forEachHistogram(merged, (name, histogram) -> tiers.forEach(tier -> tier.add(name, histogram)));
    }

    private static void forEachHistogram(MergedFacts merged, BiConsumer<String, Histogram> action) {
        CALLS.forEach((call, prefix) -> {
            for (Side side : Side.values()) {
                Histogram histogram = merged.histogram(prefix, side);
                if (histogram.getTotalCount() > 0) {
                    action.accept(call + "." + side.name().toLowerCase(Locale.ROOT), histogram);
                }
            }
        });
    }

    /** Ends a point of the first tier, and of the others when their time has come. */
    void tick(long nowMillis) {
        List<Seen> fresh = instances.values().stream()
                .filter(seen -> seen.fresh(nowMillis))
                .toList();
        if (fresh.isEmpty()) {
            if (!gap) {
                fine.add(Point.gap(nowMillis));
            }
            gap = true;
        } else if (somethingNew) {
            Point point = finePoint(fresh, nowMillis);
            fine.add(point);
            gap = false;
            if (!point.rates().isEmpty()) {
                tiers.forEach(tier -> tier.addRates(point.rates()));
            }
        }
        somethingNew = false;
        tiers.forEach(tier -> tier.tick(nowMillis, !fresh.isEmpty()));
    }

    private Point finePoint(List<Seen> fresh, long nowMillis) {
        MergedFacts merged = MergedFacts.of(fresh.stream().map(Seen::last).toList());
        Map<String, Point.Latency> latencies = new TreeMap<>();
        forEachHistogram(merged, (name, histogram) -> latencies.put(name, Point.Latency.of(histogram)));
        Map<String, Double> rates = new TreeMap<>();
        fresh.forEach(seen -> addRates(rates, seen));
        return new Point(nowMillis, latencies, rates);
    }

    private static void addRates(Map<String, Double> rates, Seen seen) {
        double seconds = Duration.between(seen.before.at(), seen.last.at()).toMillis() / 1000.0;
        if (seconds <= 0) {
            return;
        }
        MergedFacts merged = MergedFacts.of(List.of(seen.last), List.of(seen.before));
        RATES.forEach((name, counter) -> {
            if (merged.added(counter) > 0 || counter == Counter.READS) {
                rates.merge(name, Point.round(merged.added(counter) / seconds), Double::sum);
            }
        });
    }
}
