package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Waiver;
import java.util.List;
import java.util.Optional;

/**
 * How a target on another node is doing; with an end, or a failure, it is the last word.
 *
 * @param bytes that came over the network so far, over all attempts
 * @param covered how much of what the source has for it is there, from 0 to 1
 * @param end what came of it, when it is done
 * @param failure why it stopped, when it did
 */
public record StreamStatus(long rows, long bytes, double covered, Optional<End> end, Optional<Failure> failure) {
    /**
     * What a target has of it.
     *
     * @param sstables that came as they are
     * @param parts SSTables that were made of parts of others
     * @param importDeadlineSeconds when what waits for import must be imported at the latest
     * @param stagedIn directories in which it waits
     */
    public record End(int sstables, int parts, long importDeadlineSeconds, List<String> stagedIn) {
        public End {
            stagedIn = List.copyOf(stagedIn);
        }
    }

    /**
     * Why a target stopped.
     *
     * @param code with which the source was lost to it, or refused; empty for what has no such code
     * @param waiver what would let it go on, if that is meant
     */
    public record Failure(String text, String code, Optional<Waiver> waiver) {}

    public boolean isRunning() {
        return end.isEmpty() && failure.isEmpty();
    }

    public void encode(ByteWriter out) {
        out.writeLong(rows);
        out.writeLong(bytes);
        out.writeLong(Double.doubleToLongBits(covered));
        out.writeByte(end.isPresent() ? 1 : 0);
        end.ifPresent(done -> {
            out.writeInt(done.sstables());
            out.writeInt(done.parts());
            out.writeLong(done.importDeadlineSeconds());
            Texts.write(out, done.stagedIn());
        });
        out.writeByte(failure.isPresent() ? 1 : 0);
        failure.ifPresent(reason -> {
            Texts.write(out, reason.text());
            Texts.write(out, reason.code());
            Waiver.write(out, reason.waiver());
        });
    }

    public static StreamStatus decode(ByteReader in) {
        return new StreamStatus(
                in.readLong(),
                in.readLong(),
                Double.longBitsToDouble(in.readLong()),
                in.readByte() == 0
                        ? Optional.empty()
                        : Optional.of(new End(in.readInt(), in.readInt(), in.readLong(), Texts.readList(in))),
                in.readByte() == 0
                        ? Optional.empty()
                        : Optional.of(new Failure(Texts.read(in), Texts.read(in), Waiver.readOptional(in))));
    }
}
