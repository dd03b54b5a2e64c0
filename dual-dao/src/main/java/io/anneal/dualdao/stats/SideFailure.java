package io.anneal.dualdao.stats;

import io.anneal.dualdao.phase.Side;
import java.time.Instant;

/**
 * Failures of one side for one cause: the class of what it threw.
 *
 * @param first when
 * @param at when last
 * @param count since the instance started
 * @param operation of the last one
 * @param cause class and message of the last one, cut
 */
public record SideFailure(Instant first, Instant at, long count, Side side, String operation, String cause) {
    /** What two failures have in common if they are of one cause. */
    record Kind(Side side, String type) {}

    Kind kind() {
        int message = cause.indexOf(':');
        return new Kind(side, message < 0 ? cause : cause.substring(0, message));
    }

    /** Without the message, which may hold values. */
    public SideFailure redacted() {
        return new SideFailure(first, at, count, side, operation, kind().type());
    }

    SideFailure plus(SideFailure later) {
        return new SideFailure(
                first.isBefore(later.first) ? first : later.first,
                later.at,
                count + later.count,
                side,
                later.operation,
                later.cause);
    }

    String text() {
        return TabText.line(first, at, count, side, operation, cause);
    }

    /** @throws IllegalArgumentException if the text is none */
    static SideFailure parse(String text) {
        String[] fields = TabText.fields(text, 6);
        return new SideFailure(
                TabText.instant(fields[0]),
                TabText.instant(fields[1]),
                Long.parseLong(fields[2]),
                Side.valueOf(fields[3]),
                fields[4],
                fields[5]);
    }
}
