package io.anneal.harness.report;

import java.awt.geom.Path2D;

/** What charts are drawn with. Places are in units of the chart, from its upper left corner; a text stands on its {@code y}. */
interface Pen {
    /** What of a text stands at its {@code x}. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** @param path of straight lines; one of no length is a dot */
    void draw(Ink ink, Path2D path);

    void write(Ink ink, double x, double y, Anchor anchor, String text);

    /** All that the drawing draws is about this, which a page tells whoever points at it. */
    void about(String hint, Runnable drawing);
}
