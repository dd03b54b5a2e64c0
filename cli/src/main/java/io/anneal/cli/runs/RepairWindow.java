package io.anneal.cli.runs;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hours of a day in which a repair may work, by the clock on the wall. It may go over midnight.
 *
 * @param from the first minute of it
 * @param to the first minute after it
 */
public record RepairWindow(LocalTime from, LocalTime to) {
    private static final Pattern FORM = Pattern.compile("([0-9]{2}:[0-9]{2})-([0-9]{2}:[0-9]{2})");

    public RepairWindow {
        if (from.equals(to)) {
            throw new IllegalArgumentException("a window has two ends apart from each other, given=" + from + "-" + to);
        }
    }

    /** @throws IllegalArgumentException when it is not {@code HH:MM-HH:MM} */
    public static RepairWindow parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "a window is HH:MM-HH:MM, as 22:00-06:00: hours have two digits, given=" + text);
        }
        try {
            return new RepairWindow(LocalTime.parse(form.group(1)), LocalTime.parse(form.group(2)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "a window has hours from 00 to 23 and minutes: 24:00 is 00:00, given=" + text, e);
        }
    }

    public boolean isOpen(Instant now, ZoneId zone) {
        LocalTime time = now.atZone(zone).toLocalTime();
        boolean isAfterFrom = !time.isBefore(from);
        boolean isBeforeTo = time.isBefore(to);
        return from.isBefore(to) ? isAfterFrom && isBeforeTo : isAfterFrom || isBeforeTo;
    }

    /** When it opens the next time; now if it is open. */
    public Instant opens(Instant now, ZoneId zone) {
        if (isOpen(now, zone)) {
            return now;
        }
        ZonedDateTime today = now.atZone(zone).toLocalDate().atTime(from).atZone(zone);
        return (today.toInstant().isAfter(now)
                        ? today
                        : now.atZone(zone)
                                .toLocalDate()
                                .plusDays(1)
                                .atTime(from)
                                .atZone(zone))
                .toInstant();
    }

    /** As it is parsed. */
    @Override
    public String toString() {
        return from + "-" + to;
    }
}
