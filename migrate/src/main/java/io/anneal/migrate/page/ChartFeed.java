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
import org.HdrHistogram.Histogram;

/**
 * Makes one chart out of the heartbeats of all instances. Their clocks need not agree: an instance counts as long as new
 * heartbeats keep coming, by this server's clock, and its rates are over the time between its own two last ones.
 *
 * <p>A fine point holds what every live instance said last, so that instances whose heartbeats fall into different ticks make one
 * smooth line. A coarse point adds every heartbeat once. Not for several threads.
 */
final class ChartFeed {
    static final int FINE_POINTS_MAX = 900;
    static final int COARSE_POINTS_MAX = 2_880;
    static final long COARSE_MILLIS = 30_000;

    /** An instance that said nothing new for so many of its usual pauses is left out. */
    private static final int PAUSES_MAX = 3;

    private static final long FRESH_MILLIS_MIN = 5_000;
    private static final double NANOS_PER_MICRO = 1_000;
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
            return nowMillis - lastMillis <= Math.max(FRESH_MILLIS_MIN, PAUSES_MAX * pauseMillis);
        }
    }

    private final PointRing fine = new PointRing(FINE_POINTS_MAX);
    private final PointRing coarse = new PointRing(COARSE_POINTS_MAX);
    private final Map<String, Seen> instances = new HashMap<>();
    private final Map<String, Histogram> coarseHistograms = new HashMap<>();
    private final Map<String, Double> coarseRateSums = new TreeMap<>();

    private int coarseRatePoints;
    private long coarseStartMillis = -1;
    private boolean somethingNew;
    private boolean gap = true;

    PointRing fine() {
        return fine;
    }

    PointRing coarse() {
        return coarse;
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
        addToCoarse(MergedFacts.of(
                heartbeats.stream()
                        .filter(heartbeat -> instances.get(heartbeat.instance()).fresh(nowMillis))
                        .toList(),
                before));
    }

    private void addToCoarse(MergedFacts merged) {
        CALLS.forEach((call, prefix) -> {
            for (Side side : Side.values()) {
                Histogram histogram = merged.histogram(prefix, side);
                if (histogram.getTotalCount() > 0) {
                    coarseHistograms.merge(name(call, side), histogram, (sum, more) -> {
                        sum.add(more);
                        return sum;
                    });
                }
            }
        });
    }

    /** Ends a fine point, and a coarse one when its time has come. */
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
            point.rates().forEach((name, rate) -> coarseRateSums.merge(name, rate, Double::sum));
            coarseRatePoints++;
        }
        somethingNew = false;
        if (coarseStartMillis < 0) {
            coarseStartMillis = nowMillis;
        } else if (nowMillis - coarseStartMillis >= COARSE_MILLIS) {
            endCoarse(nowMillis);
        }
    }

    private Point finePoint(List<Seen> fresh, long nowMillis) {
        MergedFacts merged = MergedFacts.of(fresh.stream().map(Seen::last).toList());
        Map<String, Point.Latency> latencies = new TreeMap<>();
        CALLS.forEach((call, prefix) -> {
            for (Side side : Side.values()) {
                putLatency(latencies, name(call, side), merged.histogram(prefix, side));
            }
        });
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
                rates.merge(name, round(merged.added(counter) / seconds), Double::sum);
            }
        });
    }

    private void endCoarse(long nowMillis) {
        Point latest = Point.gap(nowMillis);
        if (!coarseHistograms.isEmpty() || coarseRatePoints > 0) {
            Map<String, Point.Latency> latencies = new TreeMap<>();
            coarseHistograms.forEach((name, histogram) -> putLatency(latencies, name, histogram));
            Map<String, Double> rates = new TreeMap<>();
            coarseRateSums.forEach((name, sum) -> rates.put(name, round(sum / coarseRatePoints)));
            latest = new Point(nowMillis, latencies, rates);
        }
        coarse.add(latest);
        coarseHistograms.clear();
        coarseRateSums.clear();
        coarseRatePoints = 0;
        coarseStartMillis = nowMillis;
    }

    private static void putLatency(Map<String, Point.Latency> latencies, String name, Histogram histogram) {
        if (histogram.getTotalCount() > 0) {
            latencies.put(
                    name,
                    new Point.Latency(
                            micros(histogram, 50),
                            micros(histogram, 99),
                            micros(histogram, 99.9),
                            histogram.getTotalCount()));
        }
    }

    private static double micros(Histogram histogram, double percentile) {
        return round(histogram.getValueAtPercentile(percentile) / NANOS_PER_MICRO);
    }

    private static double round(double value) {
        return Math.round(value * 10) / 10.0;
    }

    private static String name(String call, Side side) {
        return call + "." + side.name().toLowerCase(Locale.ROOT);
    }
}
