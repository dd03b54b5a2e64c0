package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * Failures of one kind, of one side.
 *
 * @param at of the last one
 * @param operation of the last one
 * @param count since the instance started
 * @param cause class and message of the last one, cut
 */
public record SideFailure(Instant at, Side side, String operation, long count, String cause) {
    private static final int FIELDS = 5;

    String text() {
        return String.join(
                "\t", at.toString(), side.name(), operation, Long.toString(count), cause.replaceAll("\\s", " "));
    }

    /**
     * As a heartbeat has it.
     *
     * @throws IllegalArgumentException if the text is none
     */
    public static SideFailure parse(String text) {
        String[] fields = text.split("\t", -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("not a failure, fields=" + fields.length);
        }
        try {
            return new SideFailure(
                    Instant.parse(fields[0]), Side.valueOf(fields[1]), fields[2], Long.parseLong(fields[3]), fields[4]);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("not a failure, at=" + fields[0], e);
        }
    }
}
