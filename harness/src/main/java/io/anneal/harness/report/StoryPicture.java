package io.anneal.harness.report;

import io.anneal.dualdao.phase.Side;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import javax.imageio.ImageIO;

/** A story as a picture: what its page has, from top to bottom. No display is needed. */
final class StoryPicture {
    /** Events beyond that are only counted; a page has room for all. */
    static final int EVENTS_MAX = 60;

    private static final double PIXELS_PER_UNIT = 1.3;
    private static final int MARGIN = 15;
    private static final int LINE = 18;
    private static final int TIME_WIDTH = 135;
    private static final int LABEL_WIDTH = 30;

    private final MigrationStory story;

    StoryPicture(MigrationStory story) {
        this.story = story;
    }

    void write(OutputStream png) throws IOException {
        BufferedImage picture =
                new BufferedImage(pixels(StoryChart.WIDTH), pixels(height()), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = picture.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, picture.getWidth(), picture.getHeight());
        graphics.scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
        try {
            draw(graphics);
        } finally {
            graphics.dispose();
        }
        ImageIO.write(picture, "png", png);
    }

    private static int pixels(double units) {
        return (int) Math.ceil(units * PIXELS_PER_UNIT);
    }

    private int height() {
        int events = Math.min(story.events().size(), EVENTS_MAX + 1);
        int lines = 2 + story.summary().size() + 1 + events;
        int charts = story.measured().size() * Side.values().length;
        return MARGIN + lines * LINE + charts * StoryChart.HEIGHT + MARGIN;
    }

    private void draw(Graphics2D graphics) {
        PicturePen pen = new PicturePen(graphics);
        graphics.translate(0, MARGIN + LINE / 2);
        line(graphics, pen, Ink.TITLE, "Migration " + story.name());
        line(graphics, pen, Ink.TEXT, StoryTime.span(story));
        story.summary().forEach(text -> line(graphics, pen, Ink.TEXT, text));
        for (Measured measured : story.measured()) {
            for (Side side : Side.values()) {
                new StoryChart(story, measured, side, pen).draw();
                graphics.translate(0, StoryChart.HEIGHT);
            }
        }
        graphics.translate(0, LINE);
        events(graphics, pen);
    }

    private void events(Graphics2D graphics, PicturePen pen) {
        List<StoryEvent> events = story.events();
        int left = MARGIN + TIME_WIDTH + LABEL_WIDTH;
        for (StoryEvent event : events.subList(0, Math.min(events.size(), EVENTS_MAX))) {
            pen.write(Ink.EVENT, MARGIN + TIME_WIDTH, 0, Pen.Anchor.START, event.label());
            pen.write(Ink.TEXT, left, 0, Pen.Anchor.START, pen.fitting(event.text(), StoryChart.WIDTH - MARGIN - left));
            line(graphics, pen, Ink.TEXT, StoryTime.full(event.at()));
        }
        if (events.size() > EVENTS_MAX) {
            line(graphics, pen, Ink.TEXT, "and " + (events.size() - EVENTS_MAX) + " more: see the report as .html");
        }
    }

    /** Writes a line and goes to the next. */
    private static void line(Graphics2D graphics, PicturePen pen, Ink ink, String text) {
        pen.write(ink, MARGIN, 0, Pen.Anchor.START, pen.fitting(text, StoryChart.WIDTH - 2 * MARGIN));
        graphics.translate(0, LINE);
    }
}
