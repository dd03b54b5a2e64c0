package io.anneal.harness;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 20s}, {@code 10m}, {@code 2h}, {@code 1d}. */
public final class DurationText {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

    static {
        UNITS.put("d", Duration.ofDays(1));
        UNITS.put("h", Duration.ofHours(1));
        UNITS.put("m", Duration.ofMinutes(1));
        UNITS.put("s", Duration.ofSeconds(1));
        UNITS.put("ms", Duration.ofMillis(1));
    }

    private DurationText() {}

    /**
     * Of a text.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Duration parse(String text) {
        Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a duration, text=" + text + ", forms=500ms 20s 10m 2h 1d");
        }
        return UNITS.get(matcher.group(2)).multipliedBy(Long.parseLong(matcher.group(1)));
    }

    /** In the largest unit that leaves no rest. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        for (Map.Entry<String, Duration> unit : UNITS.entrySet()) {
            long unitMillis = unit.getValue().toMillis();
            if (millis != 0 && millis % unitMillis == 0) {
                return millis / unitMillis + unit.getKey();
            }
        }
        return millis + "ms";
    }
}
