package io.anneal.migrate.page;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** Points that each stand for some time: histograms added up, rates averaged. Not for several threads. */
final class PointTier {
    private final long spanMillis;
    private final PointRing ring;
    private final Map<String, Histogram> histograms = new HashMap<>();
    private final Map<String, Double> rateSums = new TreeMap<>();

    private int ratePoints;
    private long startMillis = -1;
    private boolean gap = true;

    PointTier(long spanMillis, int pointsMax) {
        this.spanMillis = spanMillis;
        this.ring = new PointRing(pointsMax);
    }

    PointRing ring() {
        return ring;
    }

    void add(String name, Histogram histogram) {
        histograms.merge(name, histogram.copy(), (sum, more) -> {
            sum.add(more);
            return sum;
        });
    }

    void addRates(Map<String, Double> rates) {
        rates.forEach((name, rate) -> rateSums.merge(name, rate, Double::sum));
        ratePoints++;
    }

    /**
     * Ends a point when its time is over. One that nothing came for goes on until something does; if nobody is there that
     * could say something, there is a gap.
     */
    void tick(long nowMillis, boolean somebodyThere) {
        if (startMillis < 0) {
            startMillis = nowMillis;
        } else if (nowMillis - startMillis < spanMillis) {
            return;
        }
        boolean something = !histograms.isEmpty() || ratePoints > 0;
        if (something && startMillis < nowMillis) {
            ring.add(point(nowMillis));
            gap = false;
            startMillis = nowMillis;
        } else if (!something && !somebodyThere && !gap) {
            ring.add(Point.gap(nowMillis));
            gap = true;
            startMillis = nowMillis;
        }
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
