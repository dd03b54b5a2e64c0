package io.anneal.sstable;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The versions of Cassandra's on-disk formats that are known, in the order in which they came: how numbers are coded, and
 * which components there are. {@code BIG} up to {@link #NB}, then {@code BIG} and {@code BTI} side by side.
 */
public enum SSTableVersion {
    /** Cassandra 4.0 and later 4.x; what 5.0 writes in its compatibility mode with 4. */
    NB("big");

    private final String format;

    SSTableVersion(String format) {
        this.format = format;
    }

    /** The version in file names, as {@code nb}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The format in file names: {@code big} or {@code bti}. */
    public String format() {
        return format;
    }

    /** Whether this is {@code other} or came later. */
    public boolean isAtLeast(SSTableVersion other) {
        return compareTo(other) >= 0;
    }

    /** The version that a file's name tells; empty when it is not known. */
    public static Optional<SSTableVersion> of(Descriptor descriptor) {
        return Arrays.stream(values())
                .filter(v -> v.text().equals(descriptor.version()) && v.format.equals(descriptor.format()))
                .findFirst();
    }
}
