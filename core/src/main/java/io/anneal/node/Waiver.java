package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What a repair, or a target of streaming, refuses until the operator says that it is meant. The numbers are on the wire. */
public enum Waiver {
    /** A replica that others compare with or fetch from holds nothing: it lost its data. */
    EMPTY_REPLICA,
    /** A replica's data is older than gc_grace, so that deletions may be gone which others never had. */
    OLD_DATA,
    /** The table has no gc_grace: a deletion may be purged at any moment. */
    NO_GC_GRACE,
    /** A replica's clock is far from the master's. */
    CLOCK_SKEW,
    /** One replica was truncated, and another holds what was written before. */
    TRUNCATED;

    public static void write(ByteWriter out, Set<Waiver> waivers) {
        int bits = 0;
        for (Waiver waiver : waivers) {
            bits |= 1 << waiver.ordinal();
        }
        out.writeByte(bits);
    }

    /** One of them, or none. */
    public static void write(ByteWriter out, Optional<Waiver> waiver) {
        out.writeByte(waiver.map(present -> present.ordinal() + 1).orElse(0));
    }

    public static Optional<Waiver> readOptional(ByteReader in) {
        int number = in.readUnsignedByte();
        if (number > values().length) {
            throw new IllegalArgumentException("waiver is unknown, number=" + number);
        }
        return number == 0 ? Optional.empty() : Optional.of(values()[number - 1]);
    }

    public static Set<Waiver> read(ByteReader in) {
        int bits = in.readUnsignedByte();
        Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
        for (Waiver waiver : values()) {
            if ((bits & 1 << waiver.ordinal()) != 0) {
                waivers.add(waiver);
            }
        }
        return waivers;
    }
}
