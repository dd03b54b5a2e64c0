package io.anneal.repair.hashes;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.LongPredicate;

/**
 * Which of a replica's items in a window are asked for: all, those at places in the sorted list of its hashes, or those
 * with certain hashes, whichever is shortest; or what was asked for before. Immutable.
 */
public final class Wanted {
    public static final Wanted ALL = new Wanted(Form.ALL, new long[0]);

    /** What the question before this one asked for, in the same window and phase. */
    public static final Wanted AS_BEFORE = new Wanted(Form.AS_BEFORE, new long[0]);

    private enum Form {
        ALL,
        PLACES,
        HASHES,
        AS_BEFORE
    }

    private final Form form;
    /** Hashes; or a bit for each place in the list, lowest first. */
    private final long[] words;

    private Wanted(Form form, long[] words) {
        this.form = form;
        this.words = words;
    }

    /** @param holderCount how many items the replica has */
    public static Wanted of(HashList hashes, long holderCount) {
        return hashes.size() == holderCount ? ALL : new Wanted(Form.HASHES, hashes.toArray());
    }

    /** @param holder all hashes of the replica, which it knows to be known */
    public static Wanted of(HashList hashes, HashList holder) {
        if (hashes.size() == holder.size() || hashes.size() * Long.SIZE <= holder.size()) {
            return of(hashes, holder.size());
        }
        BitSet places = new BitSet(holder.size());
        int place = 0;
        for (int i = 0; i < hashes.size(); i++) {
            while (holder.get(place) != hashes.get(i)) {
                place++;
            }
            places.set(place++);
        }
        return new Wanted(Form.PLACES, places.toLongArray());
    }

    /**
     * Tells what is meant.
     *
     * @param hashes all of the replica
     * @throws IllegalArgumentException when a place is none of the list
     */
    public LongPredicate among(long[] hashes) {
        return form == Form.ALL ? hash -> true : in(hashes)::contains;
    }

    /**
     * The hashes that are meant, in order.
     *
     * @param hashes all of the replica
     * @throws IllegalArgumentException when a place is none of the list
     */
    public HashList in(long[] hashes) {
        return switch (form) {
            case ALL -> HashList.of(hashes);
            case PLACES -> at(HashList.of(hashes));
            case HASHES -> HashList.of(words);
            case AS_BEFORE -> throw new IllegalArgumentException("nothing was asked for before");
        };
    }

    private HashList at(HashList list) {
        BitSet places = BitSet.valueOf(words);
        if (places.length() > list.size()) {
            throw new IllegalArgumentException(
                    "place is none of the list, place=" + (places.length() - 1) + ", size=" + list.size());
        }
        long[] hashes = new long[places.cardinality()];
        int count = 0;
        for (int place = places.nextSetBit(0); place >= 0; place = places.nextSetBit(place + 1)) {
            hashes[count++] = list.get(place);
        }
        return HashList.of(hashes);
    }

    /** How many hashes it has. */
    public int hashCount() {
        return form == Form.HASHES ? words.length : 0;
    }

    /** The last thing in its message. */
    public void encode(ByteWriter out) {
        out.writeByte(form.ordinal());
        for (long word : words) {
            out.writeLong(word);
        }
    }

    public static Wanted decode(ByteReader in) {
        int code = in.readUnsignedByte();
        boolean hasWords = code == Form.PLACES.ordinal() || code == Form.HASHES.ordinal();
        if (code >= Form.values().length || in.remainingBytes() % Long.BYTES != 0 || !hasWords && in.hasRemaining()) {
            throw new IllegalArgumentException(
                    "nothing that could be wanted, code=" + code + ", lengthBytes=" + in.remainingBytes());
        }
        long[] words = new long[in.remainingBytes() / Long.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = in.readLong();
        }
        return code == Form.AS_BEFORE.ordinal() ? AS_BEFORE : new Wanted(Form.values()[code], words);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Wanted that && form == that.form && Arrays.equals(words, that.words);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words);
    }

    @Override
    public String toString() {
        return "Wanted[" + form + ", words=" + words.length + "]";
    }
}
