package io.anneal.sstable.big;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.sstable.Descriptor;
import java.util.Arrays;
import java.util.Locale;

/** The versions of the BIG format that are known, in order; what differs between them is asked here. */
enum BigVersion {
    /** Cassandra 4.0 and later 4.x; what 5.0 writes in its compatibility mode with 4. */
    NB;

    /** The version in file names. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static boolean isKnown(String text) {
        return Arrays.stream(values()).anyMatch(v -> v.text().equals(text));
    }

    static BigVersion of(Descriptor descriptor) throws UnsupportedVersionException {
        for (BigVersion version : values()) {
            if (version.text().equals(descriptor.version())
                    && descriptor.format().equals(BigFormat.NAME)) {
                return version;
            }
        }
        throw new UnsupportedVersionException(
                descriptor.toString(),
                descriptor.version() + "-" + descriptor.format(),
                values()[0].text() + "-" + BigFormat.NAME,
                values()[values().length - 1].text() + "-" + BigFormat.NAME);
    }
}
