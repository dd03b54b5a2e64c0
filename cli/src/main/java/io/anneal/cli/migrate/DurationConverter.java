package io.anneal.cli.migrate;

import io.anneal.harness.DurationText;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration such as {@code 20s}. */
final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is no duration, write 500ms, 20s, 10m, 2h or 1d");
        }
    }
}
