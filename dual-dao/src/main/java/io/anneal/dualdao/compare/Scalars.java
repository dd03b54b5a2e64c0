package io.anneal.dualdao.compare;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.chrono.ChronoLocalDateTime;
import java.time.chrono.ChronoZonedDateTime;
import java.util.Date;
import java.util.Optional;

/** Numbers and times, and how far two of them are apart. */
final class Scalars {
    private Scalars() {}

    /** Whether two numbers of one class are the same. */
    static boolean sameNumber(Number left, Number right) {
        if (left instanceof BigDecimal decimal && right instanceof BigDecimal other) {
            return decimal.compareTo(other) == 0;
        }
        // 0.0 and -0.0 are one number, NaN is itself.
        return left.equals(right)
                || left instanceof Double && left.doubleValue() == right.doubleValue()
                || left instanceof Float && left.floatValue() == right.floatValue();
    }

    static boolean near(Number left, Number right, BigDecimal most) {
        Optional<BigDecimal> one = decimal(left);
        Optional<BigDecimal> other = decimal(right);
        if (one.isEmpty() || other.isEmpty()) {
            return left.equals(right);
        }
        return one.get().subtract(other.get()).abs().compareTo(most) <= 0;
    }

    /** Empty for what is not finite. */
    private static Optional<BigDecimal> decimal(Number number) {
        if (number instanceof BigDecimal decimal) {
            return Optional.of(decimal);
        }
        if (number instanceof BigInteger integer) {
            return Optional.of(new BigDecimal(integer));
        }
        if (number instanceof Double || number instanceof Float) {
            return Double.isFinite(number.doubleValue())
                    ? Optional.of(new BigDecimal(number.toString()))
                    : Optional.empty();
        }
        return Optional.of(BigDecimal.valueOf(number.longValue()));
    }

    static boolean isTime(Object value) {
        return value instanceof Instant
                || value instanceof Date
                || value instanceof ChronoZonedDateTime
                || value instanceof OffsetDateTime
                || value instanceof ChronoLocalDateTime
                || value instanceof LocalDate
                || value instanceof LocalTime
                || value instanceof Duration;
    }

    /** Whether two times of whatever classes are at most so far apart; a date is its midnight, a local time one of 1970. */
    static boolean near(Object left, Object right, Duration most) {
        return seconds(left).subtract(seconds(right)).abs().compareTo(seconds(most)) <= 0;
    }

    /**
     * Whether two times differ only in what one of the stores did not keep, be it cut off or rounded: they have fractions of a second
     * of different lengths, and are less than one of the coarser unit apart.
     */
    static boolean alikeAtTheCoarser(Object left, Object right) {
        BigDecimal one = seconds(left);
        BigDecimal other = seconds(right);
        int digits = digits(one);
        int otherDigits = digits(other);
        return digits != otherDigits
                && one.subtract(other).abs().compareTo(BigDecimal.ONE.movePointLeft(Math.min(digits, otherDigits))) < 0;
    }

    /** At least so precise is a time, as a number of seconds. */
    static BigDecimal unit(Object time) {
        return BigDecimal.ONE.movePointLeft(digits(seconds(time)));
    }

    /** How many digits of a second's fraction a store that has it keeps at least: none, three, six or nine. */
    private static int digits(BigDecimal seconds) {
        int needed = Math.max(0, seconds.stripTrailingZeros().scale());
        return (needed + 2) / 3 * 3;
    }

    /** Local times as if in UTC, since only distances count. */
    private static BigDecimal seconds(Object time) {
        if (time instanceof Instant instant) {
            return seconds(instant.getEpochSecond(), instant.getNano());
        } else if (time instanceof Duration duration) {
            return seconds(duration.getSeconds(), duration.getNano());
        } else if (time instanceof Timestamp timestamp) {
            return seconds(timestamp.toInstant());
        } else if (time instanceof Date date) {
            return BigDecimal.valueOf(date.getTime(), 3);
        } else if (time instanceof ChronoZonedDateTime<?> zoned) {
            return seconds(zoned.toInstant());
        } else if (time instanceof OffsetDateTime offset) {
            return seconds(offset.toInstant());
        } else if (time instanceof ChronoLocalDateTime<?> local) {
            return seconds(local.toInstant(ZoneOffset.UTC));
        } else if (time instanceof LocalDate date) {
            return seconds(date.atStartOfDay());
        }
        return seconds(((LocalTime) time).atDate(LocalDate.EPOCH));
    }

    private static BigDecimal seconds(long whole, int nanos) {
        return BigDecimal.valueOf(whole).add(BigDecimal.valueOf(nanos, 9));
    }
}
