package io.anneal.harness.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times as a report writes them, in UTC. */
final class StoryTime {
    private static final DateTimeFormatter FULL = formatter("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter WITHIN_A_DAY = formatter("HH:mm:ss");
    private static final DateTimeFormatter OVER_DAYS = formatter("MM-dd HH:mm");

    private StoryTime() {}

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    static String full(Instant at) {
        return FULL.format(at);
    }

    /** The first and the last moment of a story. */
    static String span(MigrationStory story) {
        return full(story.from()) + " to " + full(story.to()) + " UTC";
    }

    /** Below a chart: with the day where a story goes over several. */
    static String axis(Instant at, MigrationStory story) {
        boolean withinADay = story.from()
                .atOffset(ZoneOffset.UTC)
                .toLocalDate()
                .equals(story.to().atOffset(ZoneOffset.UTC).toLocalDate());
        return (withinADay ? WITHIN_A_DAY : OVER_DAYS).format(at);
    }
}
