package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;
import java.util.StringJoiner;

/** How much a session counted of each {@link RepairCount}. Immutable. */
public final class RepairCounts {
    public static final RepairCounts NONE = new RepairCounts(new long[RepairCount.values().length]);

    private static final RepairCount[] COUNTS = RepairCount.values();

    /** By ordinal. */
    private final long[] numbers;

    private RepairCounts(long[] numbers) {
        this.numbers = numbers;
    }

    /** @param numbers by ordinal of {@link RepairCount}; copied */
    public static RepairCounts of(long[] numbers) {
        return new RepairCounts(Arrays.copyOf(numbers, COUNTS.length));
    }

    public long of(RepairCount count) {
        return numbers[count.ordinal()];
    }

    /** The same with another number of one. */
    public RepairCounts with(RepairCount count, long number) {
        long[] changed = numbers.clone();
        changed[count.ordinal()] = number;
        return new RepairCounts(changed);
    }

    public RepairCounts plus(RepairCounts other) {
        long[] sums = numbers.clone();
        for (int i = 0; i < sums.length; i++) {
            sums[i] += other.numbers[i];
        }
        return new RepairCounts(sums);
    }

    public void encode(ByteWriter out) {
        out.writeUnsignedVInt(numbers.length);
        for (long number : numbers) {
            // Not shorter where something took less time: in a simulation nothing may depend on that.
            out.writeLong(number);
        }
    }

    /** Those that this version does not know are left out, and those that the other one does not know are 0. */
    public static RepairCounts decode(ByteReader in) {
        long[] numbers = new long[COUNTS.length];
        int count = in.readUnsignedVInt32();
        for (int i = 0; i < count; i++) {
            long number = in.readLong();
            if (i < numbers.length) {
                numbers[i] = number;
            }
        }
        return new RepairCounts(numbers);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RepairCounts counts && Arrays.equals(numbers, counts.numbers);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(numbers);
    }

    /** All but those that are 0. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "[", "]");
        for (RepairCount count : COUNTS) {
            if (of(count) != 0) {
                text.add(count.text() + "=" + of(count));
            }
        }
        return text.toString();
    }
}
