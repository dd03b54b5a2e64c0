package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.repair.message.Contents;
import java.util.List;

/**
 * What a replica was given in a session whose last step failed there: its rows in these ranges are what they were, while others may
 * have kept theirs. Or what it has staged in an earlier part of a run, and is not there any more when that goes on.
 *
 * @param items rows and deletions that it was given, each as often as it was sent
 * @param mayBeKept whether it may have kept them all the same: it was lost before it answered, in this session or one before it,
 *     has staged what it was given before, or may have imported what it had staged
 * @param reason why its last step failed, or what is wrong with what it has staged
 */
public record Unkept(List<TokenRange> ranges, long items, boolean mayBeKept, String reason) {
    public Unkept {
        ranges = List.copyOf(ranges);
    }

    void encode(ByteWriter out) {
        Contents.write(ranges, out);
        out.writeUnsignedVInt(items);
        out.writeByte(mayBeKept ? 1 : 0);
        Texts.write(out, reason);
    }

    static Unkept decode(ByteReader in) {
        return new Unkept(Contents.readRanges(in), in.readUnsignedVInt(), in.readByte() != 0, Texts.read(in));
    }
}
