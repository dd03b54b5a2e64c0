package io.anneal.streaming.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.util.Optional;

/**
 * How a target on another node is doing; with a failure, or done, it is the last word.
 *
 * @param bytes that came over the network so far, over all attempts
 * @param covered how much of what the source has for it is there, from 0 to 1
 * @param sstables that came as they are
 * @param importDeadlineSeconds when what waits for import must be imported at the latest
 * @param failure why it stopped, when it did
 */
public record StreamStatus(
        long rows,
        long bytes,
        double covered,
        int sstables,
        long importDeadlineSeconds,
        boolean isDone,
        Optional<Failure> failure) {
    /**
     * Why a target stopped.
     *
     * @param code with which the source was lost to it, or refused; empty for what has no such code
     */
    public record Failure(String text, String code) {}

    public boolean isRunning() {
        return !isDone && failure.isEmpty();
    }

    public void encode(ByteWriter out) {
        out.writeLong(rows);
        out.writeLong(bytes);
        out.writeLong(Double.doubleToLongBits(covered));
        out.writeInt(sstables);
        out.writeLong(importDeadlineSeconds);
        out.writeByte(isDone ? 1 : 0);
        out.writeByte(failure.isPresent() ? 1 : 0);
        failure.ifPresent(reason -> {
            Texts.write(out, reason.text());
            Texts.write(out, reason.code());
        });
    }

    public static StreamStatus decode(ByteReader in) {
        return new StreamStatus(
                in.readLong(),
                in.readLong(),
                Double.longBitsToDouble(in.readLong()),
                in.readInt(),
                in.readLong(),
                in.readByte() != 0,
                in.readByte() == 0 ? Optional.empty() : Optional.of(new Failure(Texts.read(in), Texts.read(in))));
    }
}
