package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;

/**
 * How the master learned in what the windows of a repair differed: numbers of windows, of which one in which deletions and
 * rows differed counts twice.
 *
 * @param deletions windows whose deletions differed
 * @param whole windows in which one side had no rows, so that nothing had to be compared
 * @param rangeSums windows in which sums of ranges told where rows differ
 * @param sketch windows whose rows were compared by sketches alone
 * @param list windows whose rows were listed at once
 * @param hashes hashes that followers sent in lists
 * @param symbols symbols that followers sent in sketches
 */
public record Reconciliation(
        long deletions, long whole, long rangeSums, long sketch, long list, long hashes, long symbols) {
    public static final Reconciliation NONE = new Reconciliation(0, 0, 0, 0, 0, 0, 0);

    public Reconciliation plus(Reconciliation other) {
        return new Reconciliation(
                deletions + other.deletions,
                whole + other.whole,
                rangeSums + other.rangeSums,
                sketch + other.sketch,
                list + other.list,
                hashes + other.hashes,
                symbols + other.symbols);
    }

    void encode(ByteWriter out) {
        for (long number : new long[] {deletions, whole, rangeSums, sketch, list, hashes, symbols}) {
            out.writeUnsignedVInt(number);
        }
    }

    static Reconciliation decode(ByteReader in) {
        return new Reconciliation(
                in.readUnsignedVInt(),
                in.readUnsignedVInt(),
                in.readUnsignedVInt(),
                in.readUnsignedVInt(),
                in.readUnsignedVInt(),
                in.readUnsignedVInt(),
                in.readUnsignedVInt());
    }
}
