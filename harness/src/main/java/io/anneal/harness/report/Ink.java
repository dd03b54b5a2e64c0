package io.anneal.harness.report;

import java.awt.Color;
import java.util.Locale;

/** What a line or a text in a chart stands for; a page colours it by its class, a picture by its colour. */
enum Ink {
    TITLE(0x1b1f24),
    TEXT(0x1b1f24),
    GRID(0xd5dae0),
    EVENT(0x0969da),
    P50(0x1a7f37),
    P99(0x9a6700),
    P999(0xcf222e);

    private final Color color;

    Ink(int rgb) {
        color = new Color(rgb);
    }

    Color color() {
        return color;
    }

    /** Whether what it writes stands out. */
    boolean bold() {
        return this == TITLE || this == EVENT;
    }

    /** Whether it draws what was measured, rather than what is around it. */
    boolean measured() {
        return ordinal() >= P50.ordinal();
    }

    /** The name of its class in a style sheet. */
    String cssClass() {
        return name().toLowerCase(Locale.ROOT);
    }
}
