package io.anneal.harness.report;

import java.awt.BasicStroke;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Stroke;
import java.awt.geom.Path2D;

/** Draws into a picture. */
final class PicturePen implements Pen {
    private static final int FONT_SIZE = 12;
    private static final Font PLAIN = new Font(Font.SANS_SERIF, Font.PLAIN, FONT_SIZE);
    private static final Font BOLD = PLAIN.deriveFont(Font.BOLD);
    private static final Stroke MEASURED = new BasicStroke(1.4f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    private static final Stroke AROUND = new BasicStroke(1);
    private static final Stroke DASHED =
            new BasicStroke(1, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {4, 3}, 0);

    private final Graphics2D graphics;

    PicturePen(Graphics2D graphics) {
        this.graphics = graphics;
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    }

    @Override
    public void draw(Ink ink, Path2D path) {
        graphics.setColor(ink.color());
        graphics.setStroke(ink.measured() ? MEASURED : ink == Ink.EVENT ? DASHED : AROUND);
        graphics.draw(path);
    }

    @Override
    public void write(Ink ink, double x, double y, Anchor anchor, String text) {
        graphics.setColor(ink.color());
        graphics.setFont(ink.bold() ? BOLD : PLAIN);
        double width = graphics.getFontMetrics().stringWidth(text);
        double before = switch (anchor) {
            case START -> 0;
            case MIDDLE -> width / 2;
            case END -> width;
        };
        graphics.drawString(text, (float) (x - before), (float) y);
    }

    /** As much of a text as has room, marked where it is cut. */
    String fitting(String text, double width) {
        graphics.setFont(PLAIN);
        String line = text;
        while (graphics.getFontMetrics().stringWidth(line) > width) {
            line = line.substring(0, line.length() - 2).stripTrailing() + "\u2026";
        }
        return line;
    }

    /** A picture has nobody who points at it. */
    @Override
    public void about(String hint, Runnable drawing) {
        drawing.run();
    }
}
