package io.anneal.migrate.page;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.MergedFacts;
import java.time.Duration;
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
 * <p>A point of the first tier holds what every live instance said last, so that instances whose heartbeats fall into different
 * ticks make one smooth line. Points of the other tiers add up every heartbeat once. Not for several threads.
 */
final class ChartFeed {
    private static final int FINE_POINTS_MAX = 300;

    /** An instance that said nothing new for so many of its usual pauses is left out. */
    private static final int PAUSES_MAX = 3;

    private static final long FRESH_MILLIS_MIN = 5_000;
    /** For the second heartbeat, while its pauses are not known. */
    private static final long FRESH_MILLIS_FIRST = 30_000;

    private static final Map<String, String> CALLS =
            Map.of("read", Facts.READ_NANOS, "write", Facts.WRITE_NANOS, "batch", Facts.BATCH_NANOS);
    private static final Map<String, List<Counter>> RATES = Map.ofEntries(
            Map.entry("reads", List.of(Counter.READS)),
            Map.entry("writes", List.of(Counter.WRITES)),
            Map.entry("deletes", List.of(Counter.DELETES)),
            Map.entry("fallbackHits", List.of(Counter.FALLBACK_HITS)),
            Map.entry("fallbackMisses", List.of(Counter.FALLBACK_MISSES)),
            Map.entry("mismatches", List.of(Counter.MISMATCHES)),
            Map.entry("originFailed", List.of(Counter.ORIGIN_FAILED, Counter.ORIGIN_UNKNOWN)),
            Map.entry("targetFailed", List.of(Counter.TARGET_FAILED, Counter.TARGET_UNKNOWN)),
            Map.entry("dropped", List.of(Counter.DROPPED_READS, Counter.DROPPED_WRITES)));

    /**
     * What is known of one instance.
     *
     * @param durations since its heartbeat before, by call and side
     * @param heardMillis when its last heartbeat was seen
     */
    record Seen(
            Heartbeat last,
            MergedFacts facts,
            Map<String, Histogram> durations,
            long heardMillis,
            long pauseMillis,
            Map<String, Double> rates) {
        static Seen first(Heartbeat heartbeat, long nowMillis) {
            // What lies in the store when the page starts may be of an instance that is long gone.
            long heardMillis = Math.min(nowMillis, heartbeat.at().toEpochMilli());
            MergedFacts facts = MergedFacts.of(List.of(heartbeat));
            return new Seen(heartbeat, facts, durations(facts), heardMillis, 0, Map.of());
        }

        Seen next(Heartbeat heartbeat, long nowMillis) {
            MergedFacts added = MergedFacts.of(List.of(heartbeat), List.of(last));
            double between = Duration.between(last.at(), heartbeat.at()).toMillis() / 1000.0;
            return new Seen(
                    heartbeat,
                    added,
                    durations(added),
                    nowMillis,
                    nowMillis - heardMillis,
                    between > 0 ? rates(added, between) : Map.of());
        }

        private static Map<String, Histogram> durations(MergedFacts facts) {
            Map<String, Histogram> durations = new TreeMap<>();
            CALLS.forEach((call, prefix) -> {
                for (Side side : Side.values()) {
                    Histogram histogram = facts.histogram(prefix, side);
                    if (histogram.getTotalCount() > 0) {
                        durations.put(name(call, side), histogram);
                    }
                }
            });
            return durations;
        }

        private static String name(String call, Side side) {
            return call + "." + side.name().toLowerCase(Locale.ROOT);
        }

        private static Map<String, Double> rates(MergedFacts added, double seconds) {
            Map<String, Double> rates = new TreeMap<>();
            RATES.forEach((name, counters) -> {
                long sum = counters.stream().mapToLong(added::added).sum();
                if (sum > 0 || name.equals("reads")) {
                    rates.put(name, Point.round(sum / seconds));
                }
            });
            return rates;
        }

        /** Whether another run is there, though nobody took that one off. */
        boolean isReplacedBy(Heartbeat next) {
            String run = last.facts().get(Facts.RUN);
            return run != null && !run.equals(next.facts().get(Facts.RUN));
        }

        /** Whether more is to be heard of it. A clock that was set, back too, makes nobody fresh for long. */
        boolean fresh(long nowMillis) {
            long allowedMillis =
                    pauseMillis == 0 ? FRESH_MILLIS_FIRST : Math.max(FRESH_MILLIS_MIN, PAUSES_MAX * pauseMillis);
            return Math.abs(nowMillis - heardMillis) <= allowedMillis;
        }

        /** Null if nothing was measured. */
        Point.Latency latency(String call, Side side) {
            Histogram histogram = durations.get(name(call, side));
            return histogram == null ? null : Point.Latency.of(histogram);
        }
    }

    private final Incidents incidents;
    private final Ring<Point> fine;
    private final List<PointTier> tiers;
    private final Map<String, Seen> instances = new HashMap<>();

    private boolean somethingNew;
    private boolean gap = true;

    ChartFeed(History history, Incidents incidents) {
        this.incidents = incidents;
        fine = history.ring("points-1s", FINE_POINTS_MAX, Point.class);
        // An hour, a day, six weeks.
        tiers = List.of(tier(history, 5, 720), tier(history, 60, 1_440), tier(history, 1_800, 2_016));
        rings().forEach(ChartFeed::breakLine);
    }

    /** Nobody looked between the last point of the page before and the first one of this. */
    private static void breakLine(Ring<Point> ring) {
        ring.from(ring.nextNumber() - 1).stream()
                .filter(last -> !last.rates().isEmpty())
                .forEach(last -> ring.add(Point.gap(last.at() + 1)));
    }

    private static PointTier tier(History history, int seconds, int pointsMax) {
        return new PointTier(seconds * 1_000L, history.ring("points-" + seconds + "s", pointsMax, Point.class));
    }

    /** Points of 5 minutes, of an hour, of a day and of six weeks, each coarser than the one before. */
    List<Ring<Point>> rings() {
        return List.of(
                fine, tiers.get(0).ring(), tiers.get(1).ring(), tiers.get(2).ring());
    }

    /** What is known of an instance that said this. */
    Seen seen(Heartbeat heartbeat, long nowMillis) {
        Seen seen = instances.get(heartbeat.instance());
        return seen == null ? Seen.first(heartbeat, nowMillis) : seen;
    }

    /** Takes what the store holds now; as often as may be, since a heartbeat that is replaced unseen is lost to the charts. */
    void observe(List<Heartbeat> heartbeats, long nowMillis) {
        HashSet<String> there = new HashSet<>();
        for (Heartbeat heartbeat : heartbeats) {
            there.add(heartbeat.instance());
            Seen before = instances.get(heartbeat.instance());
            if (before != null && heartbeat.at().equals(before.last.at())) {
                continue;
            }
            if (before != null && before.isReplacedBy(heartbeat)) {
                incidents.add(heartbeat.instance(), "restarted", nowMillis, null);
            }
            Seen now = before == null ? Seen.first(heartbeat, nowMillis) : before.next(heartbeat, nowMillis);
            instances.put(heartbeat.instance(), now);
            if (now.fresh(nowMillis)) {
                somethingNew = true;
                now.durations.forEach((name, histogram) -> tiers.forEach(tier -> tier.add(name, histogram)));
            }
        }
        instances.keySet().retainAll(there);
    }

    /** Ends a point of the first tier, and of the others when their time has come. */
    void tick(long nowMillis) {
        List<Seen> fresh = instances.values().stream()
                .filter(seen -> seen.fresh(nowMillis))
                .toList();
        if (fresh.isEmpty() ? !gap : somethingNew) {
            Point point = finePoint(fresh, nowMillis);
            fine.add(point);
            tiers.forEach(tier -> tier.addRates(point.rates()));
            gap = fresh.isEmpty();
        }
        somethingNew = false;
        tiers.forEach(tier -> tier.tick(nowMillis, !fresh.isEmpty()));
    }

    /** Gives what was begun to the coarser tiers: nobody goes on with it. */
    void end(long nowMillis) {
        tiers.forEach(tier -> tier.end(nowMillis, true));
    }

    private static Point finePoint(List<Seen> fresh, long nowMillis) {
        Map<String, Histogram> sums = new TreeMap<>();
        Map<String, Double> rates = new TreeMap<>();
        for (Seen seen : fresh) {
            seen.durations.forEach((name, histogram) ->
                    sums.computeIfAbsent(name, key -> new Histogram(histogram)).add(histogram));
            seen.rates.forEach((name, rate) -> rates.merge(name, rate, Double::sum));
        }
        Map<String, Point.Latency> latencies = new TreeMap<>();
        sums.forEach((name, histogram) -> latencies.put(name, Point.Latency.of(histogram)));
        return new Point(nowMillis, latencies, rates);
    }
}
