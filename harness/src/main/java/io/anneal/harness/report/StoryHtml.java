package io.anneal.harness.report;

import io.anneal.dualdao.phase.Side;
import java.util.Locale;

/** A story as one page that needs nothing else: charts drawn in it, dark and light, and the events as a table. */
final class StoryHtml {
    private static final String STYLE = """
            :root { color-scheme: light dark; --ink: #1b1f24; --faint: #d5dae0; --page: #fff;
                    --p50: #1a7f37; --p99: #9a6700; --p999: #cf222e; --event: #0969da; }
            @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #3a424b; --page: #0d1117;
                    --p50: #3fb950; --p99: #d29922; --p999: #f85149; --event: #58a6ff; } }
            body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
                   max-width: 70rem; margin: 0 auto; padding: 1rem; }
            .wide { overflow-x: auto; }
            svg { width: 100%; min-width: 44rem; height: auto; display: block; }
            svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
            .grid { stroke: var(--faint); } .event { stroke: var(--event); stroke-dasharray: 4 3; }
            svg text.event { fill: var(--event); stroke: none; } svg text.event, .title { font-weight: bold; }
            .p50 { stroke: var(--p50); } .p99 { stroke: var(--p99); } .p999 { stroke: var(--p999); }
            .line { fill: none; stroke-width: 1.4; stroke-linecap: round; stroke-linejoin: round; }
            table { border-collapse: collapse; width: 100%; }
            th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--faint);
                     vertical-align: top; }
            td:first-child { white-space: nowrap; }
            """;

    private final MigrationStory story;

    StoryHtml(MigrationStory story) {
        this.story = story;
    }

    String text() {
        StringBuilder html = new StringBuilder();
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
                .append(escaped("Migration " + story.name()))
                .append("</title>\n<style>\n")
                .append(STYLE)
                .append("</style>\n</head>\n<body>\n<h1>")
                .append(escaped("Migration " + story.name()))
                .append("</h1>\n<p>")
                .append(StoryTime.span(story))
                .append("</p>\n");
        story.summary().forEach(line -> html.append("<p>").append(escaped(line)).append("</p>\n"));
        story.measured().forEach(measured -> charts(html, measured));
        events(html);
        return html.append("</body>\n</html>\n").toString();
    }

    private void charts(StringBuilder html, Measured measured) {
        html.append("<h2>").append(measured.title()).append(": latency of each side</h2>\n");
        for (Side side : Side.values()) {
            html.append(String.format(
                    Locale.ROOT,
                    "<div class=\"wide\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s: p50, p99 and p999 over"
                            + " time\">\n",
                    StoryChart.WIDTH,
                    StoryChart.HEIGHT,
                    StoryChart.title(measured, side)));
            new StoryChart(story, measured, side, new SvgPen(html)).draw();
            html.append("</svg></div>\n");
        }
    }

    private void events(StringBuilder html) {
        html.append("<h2>What happened when</h2>\n<table>\n")
                .append("<tr><th>UTC</th><th>In the charts</th><th>What (who: why)</th></tr>\n");
        for (StoryEvent event : story.events()) {
            html.append("<tr><td>")
                    .append(StoryTime.full(event.at()))
                    .append("</td><td>")
                    .append(escaped(event.label()))
                    .append("</td><td>")
                    .append(escaped(event.text()))
                    .append("</td></tr>\n");
        }
        html.append("</table>\n");
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
