package io.anneal.migrate.page;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Points that each stand for some time: histograms added up, rates averaged. Not for several threads. */
final class PointTier {
    private final long spanMillis;
    private final Ring<Point> ring;
    private final Map<String, Histogram> histograms = new HashMap<>();
    private final Map<String, Double> rateSums = new TreeMap<>();

    private int ratePoints;
    private long startMillis = -1;
    private boolean gap = true;

    PointTier(long spanMillis, Ring<Point> ring) {
        this.spanMillis = spanMillis;
        this.ring = ring;
    }

    Ring<Point> ring() {
        return ring;
    }

    void add(String name, Histogram histogram) {
        histograms.computeIfAbsent(name, key -> new Histogram(histogram)).add(histogram);
    }

    void addRates(Map<String, Double> rates) {
        if (!rates.isEmpty()) {
            rates.forEach((name, rate) -> rateSums.merge(name, rate, Double::sum));
            ratePoints++;
        }
    }

    /**
     * Ends a point when its time is over. One that nothing came for goes on until something does; if nobody is there that
     * could say something, there is a gap. A clock that was set back ends it, too.
     */
    void tick(long nowMillis, boolean somebodyThere) {
        if (startMillis < 0) {
            startMillis = nowMillis;
        } else if (Math.abs(nowMillis - startMillis) < spanMillis) {
            return;
        }
        end(nowMillis, somebodyThere);
    }

    /** Ends a point whatever its time. */
    void end(long nowMillis, boolean somebodyThere) {
        boolean something = !histograms.isEmpty() || ratePoints > 0;
        if (something && startMillis != nowMillis) {
            add(point(nowMillis), false);
        } else if (!something && !somebodyThere && !gap) {
            add(Point.gap(nowMillis), true);
        }
    }

    private void add(Point point, boolean isGap) {
        ring.add(point);
        gap = isGap;
        startMillis = point.at();
    }

    private Point point(long nowMillis) {
        Map<String, Point.Latency> latencies = new TreeMap<>();
        histograms.forEach((name, histogram) -> latencies.put(name, Point.Latency.of(histogram)));
        Map<String, Double> rates = new TreeMap<>();
        rateSums.forEach((name, sum) -> rates.put(name, Point.round(sum / ratePoints)));
        histograms.clear();
        rateSums.clear();
        ratePoints = 0;
        return new Point(nowMillis, latencies, rates);
    }
}
