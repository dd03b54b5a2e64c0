package io.anneal.harness.report;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.awt.geom.Path2D;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** One side's latencies over time, on a scale that both sides share, with lines where something happened. */
final class StoryChart {
    static final int WIDTH = 1000;
    static final int HEIGHT = 305;

    private static final int LEFT = 70;
    private static final int RIGHT = 15;
    private static final int TOP = 68;
    private static final int BOTTOM = 40;
    private static final int TITLE_Y = 15;
    private static final int TIMES = 5;
    private static final int TIMES_BELOW = 18;

    private static final int LEGEND_WIDTH = 70;
    private static final int LEGEND_LINE = 20;

    /** Heights on which labels stand, so that events in quick succession can be told apart. */
    private static final int LEVELS = 3;

    private static final int LEVEL_HEIGHT = 14;
    private static final int LABEL_GAP = 3;
    private static final int LETTER_WIDTH = 9;

    private final MigrationStory story;
    private final Measured measured;
    private final Side side;
    private final Scale scale;
    private final Pen pen;

    StoryChart(MigrationStory story, Measured measured, Side side, Pen pen) {
        this.story = story;
        this.measured = measured;
        this.side = side;
        this.pen = pen;
        scale = story.scale(measured);
    }

    static String title(Measured measured, Side side) {
        return measured.title() + " of the " + side.name().toLowerCase(Locale.ROOT);
    }

    void draw() {
        pen.write(Ink.TITLE, LEFT, TITLE_Y, Pen.Anchor.START, title(measured, side));
        int x = WIDTH - RIGHT - Percentile.values().length * LEGEND_WIDTH;
        for (Percentile percentile : Percentile.values()) {
            pen.draw(percentile.ink(), line(x, TITLE_Y - 4, x + LEGEND_LINE, TITLE_Y - 4));
            pen.write(Ink.TEXT, x + LEGEND_LINE + 5, TITLE_Y, Pen.Anchor.START, percentile.label());
            x += LEGEND_WIDTH;
        }
        axes();
        events();
        for (Percentile percentile : Percentile.values()) {
            latencies(percentile);
        }
    }

    private void axes() {
        for (long tick : scale.ticks()) {
            pen.draw(Ink.GRID, line(LEFT, y(tick), WIDTH - RIGHT, y(tick)));
            pen.write(Ink.TEXT, LEFT - 6, y(tick) + 4, Pen.Anchor.END, Scale.text(tick));
        }
        Duration whole = Duration.between(story.from(), story.to());
        for (int i = 0; i <= TIMES; i++) {
            Instant at = story.from().plus(whole.multipliedBy(i).dividedBy(TIMES));
            Pen.Anchor anchor = i == 0 ? Pen.Anchor.START : i == TIMES ? Pen.Anchor.END : Pen.Anchor.MIDDLE;
            pen.write(Ink.TEXT, x(at), HEIGHT - BOTTOM + TIMES_BELOW, anchor, StoryTime.axis(at, story));
        }
    }

    /** What happened before the first point is in the list of events alone, as are the labels that find no room. */
    private void events() {
        double[] takenTo = new double[LEVELS];
        for (StoryEvent event : story.events()) {
            if (event.at().isBefore(story.from()) || event.at().isAfter(story.to())) {
                continue;
            }
            pen.about(StoryTime.full(event.at()) + " " + event.text(), () -> event(event, takenTo));
        }
    }

    private void event(StoryEvent event, double[] takenTo) {
        double x = x(event.at());
        int level = 0;
        while (level < LEVELS && takenTo[level] > x) {
            level++;
        }
        if (level == LEVELS) {
            pen.draw(Ink.EVENT, line(x, TOP, x, HEIGHT - BOTTOM));
            return;
        }
        int labelY = TOP - LEVEL_HEIGHT * level - LABEL_GAP;
        double width = LABEL_GAP + event.label().length() * LETTER_WIDTH;
        boolean leftwards = x + width > WIDTH;
        takenTo[level] = x + width;
        pen.draw(Ink.EVENT, line(x, labelY - LEVEL_HEIGHT + LABEL_GAP, x, HEIGHT - BOTTOM));
        pen.write(
                Ink.EVENT,
                leftwards ? x - LABEL_GAP : x + LABEL_GAP,
                labelY,
                leftwards ? Pen.Anchor.END : Pen.Anchor.START,
                event.label());
    }

    /** Broken where nothing was measured; a point with nothing on either side is a dot. */
    private void latencies(Percentile percentile) {
        Path2D path = new Path2D.Double();
        boolean drawing = false;
        for (LatencyPoint point : story.points()) {
            Distribution distribution = point.of(measured, side);
            if (distribution.count() > 0) {
                double x = x(point.at());
                double y = y(percentile.nanos(distribution));
                if (!drawing) {
                    path.moveTo(x, y);
                }
                path.lineTo(x, y);
            }
            drawing = distribution.count() > 0;
        }
        pen.draw(percentile.ink(), path);
    }

    private static Path2D line(double fromX, double fromY, double toX, double toY) {
        Path2D line = new Path2D.Double();
        line.moveTo(fromX, fromY);
        line.lineTo(toX, toY);
        return line;
    }

    private double x(Instant at) {
        double whole = Math.max(1, Duration.between(story.from(), story.to()).toMillis());
        double share = Duration.between(story.from(), at).toMillis() / whole;
        return LEFT + Math.min(Math.max(share, 0), 1) * (WIDTH - LEFT - RIGHT);
    }

    private double y(long nanos) {
        return HEIGHT - BOTTOM - scale.share(nanos) * (HEIGHT - BOTTOM - TOP);
    }
}
