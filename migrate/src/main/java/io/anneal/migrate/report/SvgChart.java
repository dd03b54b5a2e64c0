package io.anneal.migrate.report;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** One side's latencies over time as an SVG element, on a scale that both sides share. */
final class SvgChart {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 290;
    private static final int LEFT = 70;
    private static final int RIGHT = 15;
    private static final int TOP = 52;
    private static final int LEVELS = 3;
    private static final int LEVEL_HEIGHT = 12;
    private static final int BOTTOM = 25;
    private static final int TIMES = 5;

    private final MigrationStory story;
    private final Measured measured;
    private final Side side;
    private final Scale scale;
    private final StringBuilder svg = new StringBuilder();

    SvgChart(MigrationStory story, Measured measured, Side side) {
        this.story = story;
        this.measured = measured;
        this.side = side;
        scale = story.scale(measured);
    }

    String text() {
        String title = side.name().toLowerCase(Locale.ROOT);
        add(
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s of the %s: p50, p99 and p999 over time\">%n",
                WIDTH, HEIGHT, measured.title(), title);
        add("<text x=\"%d\" y=\"15\"><tspan font-weight=\"bold\">%s</tspan></text>%n", LEFT, title);
        int legendX = WIDTH - RIGHT - 210;
        for (Percentile percentile : Percentile.values()) {
            add(
                    "<path class=\"line %s\" d=\"M%d 11h20\"/><text x=\"%d\" y=\"15\">%s</text>%n",
                    percentile.label(), legendX, legendX + 25, percentile.label());
            legendX += 70;
        }
        axes();
        events();
        for (Percentile percentile : Percentile.values()) {
            line(percentile);
        }
        return svg.append("</svg>\n").toString();
    }

    private void axes() {
        for (long tick : scale.ticks()) {
            add(
                    "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>%n",
                    LEFT, y(tick), WIDTH - RIGHT, LEFT - 6, y(tick) + 4, Scale.text(tick));
        }
        Duration whole = Duration.between(story.from(), story.to());
        for (int i = 0; i <= TIMES; i++) {
            Instant at = story.from().plus(whole.multipliedBy(i).dividedBy(TIMES));
            String anchor = i == 0 ? "start" : i == TIMES ? "end" : "middle";
            add(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                    x(at), HEIGHT - 6, anchor, StoryHtml.time(at).substring("uuuu-MM-dd ".length()));
        }
    }

    /** Labels stand on several heights, so that events in quick succession can be told apart. */
    private void events() {
        int level = 0;
        for (StoryEvent event : story.events()) {
            int top = TOP - LEVEL_HEIGHT * (level++ % LEVELS);
            add(
                    "<g><title>%s %s</title><path class=\"event\" d=\"M%.1f %dV%d\"/>"
                            + "<text class=\"event\" x=\"%.1f\" y=\"%d\">%s</text></g>%n",
                    StoryHtml.time(event.at()),
                    StoryHtml.escaped(event.text()),
                    x(event.at()),
                    top - 8,
                    HEIGHT - BOTTOM,
                    x(event.at()) + 3,
                    top - 1,
                    StoryHtml.escaped(event.label()));
        }
    }

    /** Broken where nothing was measured; a point with nothing on either side is a dot. */
    private void line(Percentile percentile) {
        StringBuilder path = new StringBuilder();
        boolean drawing = false;
        for (LatencyPoint point : story.points()) {
            Distribution distribution = point.of(measured, side);
            if (distribution.count() > 0) {
                path.append(String.format(
                        Locale.ROOT,
                        drawing ? "L%.1f %.1f" : "M%.1f %.1fh0",
                        x(point.at()),
                        y(percentile.nanos(distribution))));
            }
            drawing = distribution.count() > 0;
        }
        add("<path class=\"line dot %s\" d=\"%s\"/>%n", percentile.label(), path);
    }

    private double x(Instant at) {
        double whole = Math.max(1, Duration.between(story.from(), story.to()).toMillis());
        double share = Duration.between(story.from(), at).toMillis() / whole;
        return LEFT + Math.min(Math.max(share, 0), 1) * (WIDTH - LEFT - RIGHT);
    }

    private double y(long nanos) {
        return HEIGHT - BOTTOM - scale.share(nanos) * (HEIGHT - BOTTOM - TOP);
    }

    private void add(String format, Object... facts) {
        svg.append(String.format(Locale.ROOT, format.replace("%n", "\n"), facts));
    }
}
