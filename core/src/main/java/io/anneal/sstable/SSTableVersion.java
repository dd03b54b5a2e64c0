package io.anneal.sstable;

import io.anneal.fragment.MutationValidator;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The versions of Cassandra's on-disk formats that are known, in the order in which they came: how numbers are coded, and
 * which components there are. {@code BIG} up to {@link #NC}, then {@code BIG} and {@code BTI} side by side.
 */
public enum SSTableVersion {
    /** Cassandra 3.0.0. */
    MA("big", false),
    /** Cassandra 3.0.7 and 3.7: where the commit log begins. */
    MB("big", false),
    /** Cassandra 3.0.8 and 3.9: intervals of the commit log. */
    MC("big", false),
    /** Cassandra 3.0.18 and 3.11.4: smallest and largest clusterings that are right. */
    MD("big", false),
    /** Cassandra 3.0.25 and 3.11.11: the host that wrote it. */
    ME("big", false),
    /** Cassandra 4.0 before its release: chunks stored as they are, Statistics with checksums, another bloom filter. */
    NA("big", false),
    /** Cassandra 4.0 and later 4.x: the host again; what 5.0 writes in its compatibility mode with 4. */
    NB("big", true),
    /** Development between Cassandra 4.1 and 5.0: as {@link #NB}, and more in Statistics that Cassandra 5.0 does not read. */
    NC("big", false),
    /** Cassandra 5.0: unsigned deletion times, the clusterings as a slice, first and last key in Statistics. */
    OA("big", true),
    /** Cassandra 5.0: as {@link #OA}, indexed by tries. */
    DA("bti", true);

    private final String format;
    private final boolean written;

    SSTableVersion(String format, boolean written) {
        this.format = format;
        this.written = written;
    }

    /** Whether new SSTables can be of this version; every one can be read. */
    public boolean isWritten() {
        return written;
    }

    /** The largest local deletion time, and so expiry, that it holds: early in 2038, or in 2106. */
    public long localDeletionTimeMaxSeconds() {
        return isAtLeast(OA) ? 0xFFFF_FFFEL : Integer.MAX_VALUE - 1;
    }

    /** The smallest timestamp that the deletion of a partition or a range may have in it. */
    public long deletionTimestampMinMicros() {
        return isAtLeast(OA) ? 0 : Long.MIN_VALUE;
    }

    /** Refuses what SSTables of this version cannot hold, whatever else they do; deletions end early in 2038, or in 2083. */
    public MutationValidator validator(TableSchema schema) {
        return validator(schema, EncodingBase.EPOCH);
    }

    /** Refuses what SSTables of this version cannot hold that are written with differences to this base. */
    public MutationValidator validator(TableSchema schema, EncodingBase base) {
        return new MutationValidator(
                schema,
                localDeletionTimeMaxSeconds(),
                Math.min(localDeletionTimeMaxSeconds(), base.deletionReachSeconds()),
                deletionTimestampMinMicros());
    }

    /** This version when it holds such times, else one that does: {@link #OA} late ones, {@link #NB} deletions before 1970. */
    public SSTableVersion orThatHolds(long localDeletionTimeSeconds, long timestampMicros) {
        if (localDeletionTimeSeconds > localDeletionTimeMaxSeconds()) {
            return OA;
        }
        return timestampMicros < deletionTimestampMinMicros() ? NB : this;
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
