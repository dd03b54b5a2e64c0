package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Timestamps as text and in JSON, beside the formatter that knows every year. */
final class TimestampTextTest {
    private static final int TRIES = 20_000;
    private static final long YEAR_1 = Instant.parse("0001-01-01T00:00:00Z").toEpochMilli();
    private static final long YEAR_10000 =
            Instant.parse("+10000-01-01T00:00:00Z").toEpochMilli();

    private static final DateTimeFormatter TEXT = formatter("yyyy-MM-dd'T'HH:mm:ss.SSSX");
    private static final DateTimeFormatter JSON = formatter("yyyy-MM-dd HH:mm:ss.SSSX");

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    private static void check(long millis) {
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(millis).array();
        CqlType type = TimestampType.timestamp();
        StringBuilder json = new StringBuilder();
        type.appendJson(value, 0, value.length, json);
        Instant instant = Instant.ofEpochMilli(millis);
        assertThat(json).hasToString('"' + JSON.format(instant) + '"');
        assertThat(type.toText(value, 0, value.length)).isEqualTo(TEXT.format(instant));
    }

    @Test
    void shouldPrintEveryTimeAsTheFormatterDoes() {
        for (long edge : new long[] {0, YEAR_1, YEAR_10000, Long.MIN_VALUE, Long.MAX_VALUE, 951_782_400_000L}) {
            for (int away = -1; away <= 1; away++) {
                check(edge + away);
            }
        }
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        try {
            for (int i = 0; i < TRIES; i++) {
                check(YEAR_1 + (long) (random.nextDouble() * (YEAR_10000 - YEAR_1)));
            }
            check(random.nextLong());
        } catch (AssertionError e) {
            throw new AssertionError("seed=" + seed, e);
        }
    }
}
