package io.anneal.sstable.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.SSTableVersion;

/**
 * How a version codes deletions that stand for themselves (of partitions, in indexes) and the 32 bits of local deletion
 * times everywhere: signed up to {@code nc}, unsigned since {@code oa}. Owned by one thread, since it keeps what it read
 * last.
 *
 * <pre>
 *   up to nc   int localSeconds, long micros      none: 0x7fffffff, 0x8000000000000000
 *   since oa   long micros, int localSeconds      none: the byte 0x80 alone, so no timestamp can be negative
 * </pre>
 */
public abstract sealed class DeletionTimes {
    /** The most bytes that a deletion takes. */
    public static final int LENGTH_MAX_BYTES = Long.BYTES + Integer.BYTES;

    /** What Cassandra takes for an overflow: the largest unsigned 32-bit number but one. */
    public static final long INVALID_SECONDS = 0xFFFF_FFFEL;

    private final SSTableVersion version;
    private final long secondsMax;
    private final int noneBits;

    private long timestampMicros = DeletionTime.NO_TIMESTAMP;
    private long localDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;

    private DeletionTimes(SSTableVersion version, int noneBits) {
        this.version = version;
        secondsMax = version.localDeletionTimeMaxSeconds();
        this.noneBits = noneBits;
    }

    public static DeletionTimes of(SSTableVersion version) {
        return version.isAtLeast(SSTableVersion.OA) ? new Unsigned(version) : new Signed(version);
    }

    /** Reads a deletion, which {@link #timestampMicros()} and {@link #localDeletionTimeSeconds()} tell until the next. */
    public abstract void read(ByteReader in);

    /** Writes a deletion, or none; the version's limits are refused by name. */
    public abstract void write(long micros, long localSeconds, ByteWriter out);

    /** A local deletion time that was read as a difference, possibly one that overflowed, as a cell's or liveness's. */
    abstract long decodeNegative(long seconds);

    public final long timestampMicros() {
        return timestampMicros;
    }

    public final long localDeletionTimeSeconds() {
        return localDeletionTimeSeconds;
    }

    final void found(long micros, long localSeconds) {
        timestampMicros = micros;
        localDeletionTimeSeconds = localSeconds;
    }

    /** The largest local deletion time that is none of the marks. */
    public final long secondsMax() {
        return secondsMax;
    }

    final SSTableVersion version() {
        return version;
    }

    /** The 32 bits of a local deletion time; {@link DeletionTime#NO_DELETION_TIME} is refused. */
    public final int bits(long localSeconds) {
        if (localSeconds < 0 || localSeconds > secondsMax) {
            throw new IllegalArgumentException("local deletion time does not fit format " + version.text()
                    + ", localDeletionTimeSeconds=" + localSeconds + ", max=" + secondsMax);
        }
        return (int) localSeconds;
    }

    /** The same with a value for {@link DeletionTime#NO_DELETION_TIME}. */
    public final int bitsOrNone(long localSeconds) {
        return localSeconds == DeletionTime.NO_DELETION_TIME ? noneBits : bits(localSeconds);
    }

    /** The reverse of {@link #bitsOrNone}, for ranges in Statistics. */
    public final long secondsOrNone(int bits) {
        if (bits == noneBits) {
            return DeletionTime.NO_DELETION_TIME;
        }
        return this instanceof Unsigned ? Integer.toUnsignedLong(bits) : bits;
    }

    /** Seconds of a deletion that was read as a difference; one that overflowed becomes the mark that Cassandra 5 makes of it. */
    static long deletionSeconds(long seconds) {
        return seconds < 0 || seconds > INVALID_SECONDS ? INVALID_SECONDS : seconds;
    }

    private static final class Signed extends DeletionTimes {
        private static final int NONE_BITS = Integer.MAX_VALUE;

        Signed(SSTableVersion version) {
            super(version, NONE_BITS);
        }

        @Override
        public void read(ByteReader in) {
            int bits = in.readInt();
            long micros = in.readLong();
            boolean live = micros == DeletionTime.NO_TIMESTAMP && bits == NONE_BITS;
            found(micros, live ? DeletionTime.NO_DELETION_TIME : deletionSeconds(bits));
        }

        @Override
        public void write(long micros, long localSeconds, ByteWriter out) {
            out.writeInt(bitsOrNone(localSeconds));
            out.writeLong(micros);
        }

        @Override
        long decodeNegative(long seconds) {
            return INVALID_SECONDS;
        }
    }

    private static final class Unsigned extends DeletionTimes {
        private static final int LIVE = 0x80;
        private static final int NONE_BITS = -1;

        Unsigned(SSTableVersion version) {
            super(version, NONE_BITS);
        }

        @Override
        public void read(ByteReader in) {
            int first = in.readUnsignedByte();
            if ((first & LIVE) == 0) {
                in.seek(in.offset() - 1);
                long micros = in.readLong();
                found(micros, secondsOrNone(in.readInt()));
            } else if (first == LIVE) {
                found(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
            } else {
                throw new MalformedRowException("deletion is neither none nor has a timestamp, flags=" + first);
            }
        }

        @Override
        public void write(long micros, long localSeconds, ByteWriter out) {
            if (DeletionTime.isLive(micros, localSeconds)) {
                out.writeByte(LIVE);
                return;
            }
            if (micros < version().deletionTimestampMinMicros()) {
                throw new IllegalArgumentException("timestamp of a deletion does not fit format "
                        + version().text() + ", timestampMicros=" + micros + ", min=0");
            }
            out.writeLong(micros);
            out.writeInt(bitsOrNone(localSeconds));
        }

        @Override
        long decodeNegative(long seconds) {
            return secondsOrNone((int) seconds);
        }
    }
}
