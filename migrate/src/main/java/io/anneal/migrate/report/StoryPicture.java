package io.anneal.migrate.report;

import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import javax.imageio.ImageIO;
import org.knowm.xchart.AnnotationLine;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A story as a picture: reads of the origin above those of the target, on equal scales, with the events. */
final class StoryPicture {
    static final int WIDTH_PIXELS = 1200;
    static final int CHART_HEIGHT_PIXELS = 420;

    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final List<Color> COLORS = List.of(new Color(0x1a7f37), new Color(0x9a6700), new Color(0xcf222e));
    private static final Color EVENT_COLOR = new Color(0x0969da);
    private static final int EVENT_FONT_SIZE = 12;
    private static final int LEVELS = 3;
    private static final double LEVEL_SHARE = 0.05;

    private final MigrationStory story;
    private final Scale scale;

    StoryPicture(MigrationStory story) {
        this.story = story;
        scale = story.scale(Measured.READS);
    }

    /** No display is needed. */
    void write(OutputStream png) throws IOException {
        BufferedImage picture = new BufferedImage(WIDTH_PIXELS, 2 * CHART_HEIGHT_PIXELS, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = picture.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        try {
            for (Side side : Side.values()) {
                chart(side).paint(graphics, WIDTH_PIXELS, CHART_HEIGHT_PIXELS);
                graphics.translate(0, CHART_HEIGHT_PIXELS);
            }
        } finally {
            graphics.dispose();
        }
        ImageIO.write(picture, "png", png);
    }

    private XYChart chart(Side side) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH_PIXELS)
                .height(CHART_HEIGHT_PIXELS)
                .title("Migration " + story.name() + ": reads of the "
                        + side.name().toLowerCase(Locale.ROOT))
                .yAxisTitle("milliseconds")
                .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(scale.minNanos() / NANOS_PER_MILLISECOND);
        chart.getStyler().setYAxisMax(scale.maxNanos() / NANOS_PER_MILLISECOND);
        chart.getStyler().setXAxisMin((double) story.from().toEpochMilli());
        chart.getStyler().setXAxisMax((double)
                Math.max(story.to().toEpochMilli(), story.from().toEpochMilli() + 1));
        chart.getStyler().setDatePattern("HH:mm:ss");
        chart.getStyler().setLocale(Locale.ROOT);
        chart.getStyler().setTimezone(TimeZone.getTimeZone(ZoneOffset.UTC));
        chart.getStyler().setAnnotationTextFont(new Font(Font.SANS_SERIF, Font.BOLD, EVENT_FONT_SIZE));
        chart.getStyler().setAnnotationTextFontColor(EVENT_COLOR);
        chart.getStyler().setAnnotationLineColor(EVENT_COLOR);
        for (Percentile percentile : Percentile.values()) {
            addLine(chart, side, percentile);
        }
        int level = 0;
        for (StoryEvent event : story.events()) {
            double at = event.at().toEpochMilli();
            chart.addAnnotation(new AnnotationLine(at, true, false));
            chart.addAnnotation(new AnnotationText(event.label(), at, labelHeight(level++ % LEVELS), false));
        }
        return chart;
    }

    /** A little below the top, and each level below the one before: events come in quick succession. */
    private double labelHeight(int level) {
        double decades = Math.log10((double) scale.maxNanos() / scale.minNanos());
        double below = Math.pow(10, decades * (level + 1) * LEVEL_SHARE);
        return scale.maxNanos() / NANOS_PER_MILLISECOND / below;
    }

    private void addLine(XYChart chart, Side side, Percentile percentile) {
        List<Date> times = new ArrayList<>();
        List<Double> milliseconds = new ArrayList<>();
        for (LatencyPoint point : story.points()) {
            Distribution distribution = point.of(Measured.READS, side);
            times.add(Date.from(point.at()));
            // A gap where nothing was measured.
            milliseconds.add(
                    distribution.count() == 0
                            ? Double.NaN
                            : Math.max(percentile.nanos(distribution), scale.minNanos()) / NANOS_PER_MILLISECOND);
        }
        if (milliseconds.stream().allMatch(value -> value.isNaN())) {
            // The chart can't do without a point; this one stands on the edge.
            times.add(Date.from(story.from()));
            milliseconds.add(scale.minNanos() / NANOS_PER_MILLISECOND);
        }
        chart.addSeries(percentile.label(), times, milliseconds)
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(COLORS.get(percentile.ordinal()));
    }
}
