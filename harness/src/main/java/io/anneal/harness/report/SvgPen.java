package io.anneal.harness.report;

import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.Locale;

/** Draws elements of SVG, which the page around them colours. */
final class SvgPen implements Pen {
    private static final int COORDINATES_MAX = 6;

    private final StringBuilder svg;

    SvgPen(StringBuilder svg) {
        this.svg = svg;
    }

    @Override
    public void draw(Ink ink, Path2D path) {
        StringBuilder steps = new StringBuilder();
        double[] to = new double[COORDINATES_MAX];
        boolean dot = false;
        for (PathIterator i = path.getPathIterator(null); !i.isDone(); i.next()) {
            boolean moves = i.currentSegment(to) == PathIterator.SEG_MOVETO;
            dot = moves;
            steps.append(String.format(Locale.ROOT, moves ? "M%.1f %.1f" : "L%.1f %.1f", to[0], to[1]));
        }
        svg.append("<path class=\"").append(ink.measured() ? "line " : "").append(ink.cssClass());
        svg.append("\" d=\"").append(steps).append(dot ? "h0" : "").append("\"/>\n");
    }

    @Override
    public void write(Ink ink, double x, double y, Anchor anchor, String text) {
        svg.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                ink.cssClass(),
                x,
                y,
                anchor.name().toLowerCase(Locale.ROOT),
                StoryHtml.escaped(text)));
    }

    @Override
    public void about(String hint, Runnable drawing) {
        svg.append("<g><title>").append(StoryHtml.escaped(hint)).append("</title>\n");
        drawing.run();
        svg.append("</g>\n");
    }
}
