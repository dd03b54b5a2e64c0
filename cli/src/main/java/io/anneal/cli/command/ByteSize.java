package io.anneal.cli.command;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes as {@code 512MiB}, {@code 2g} or a number of bytes; units are powers of 1024. */
public final class ByteSize implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d+)\\s*([kmgt]?)(i?b)?");
    private static final String UNITS = "kmgt";

    @Override
    public Long convert(String text) {
        Matcher matcher = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException("'" + text + "' is no size, as 512MiB or 2GiB");
        }
        String unit = matcher.group(2);
        int shift = unit.isEmpty() ? 0 : 10 * (UNITS.indexOf(unit.charAt(0)) + 1);
        BigInteger bytes = new BigInteger(matcher.group(1)).shiftLeft(shift);
        if (bytes.bitLength() >= Long.SIZE) {
            throw new TypeConversionException("'" + text + "' is too large, maxBytes=" + Long.MAX_VALUE);
        }
        return bytes.longValueExact();
    }

    /** {@code 1536} as {@code 1.5 KiB}. */
    public static String text(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 1024 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        char letter = Character.toUpperCase(UNITS.charAt(unit));
        return String.format(Locale.ROOT, value < 10 ? "%.1f %siB" : "%.0f %siB", value, letter);
    }
}
