package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A replica's answer to {@link OpenSession}.
 *
 * @param name how the replica calls itself, for reports
 * @param tableId 32 hexadecimal digits; empty when nothing there tells it
 * @param dataIds of the places where its data lies, which no other replica may have
 * @param localDeletionTimeMaxSeconds ceiling of the format that it writes
 * @param bufferBytes the largest row buffer that it has memory for, at most what was asked for
 * @param asOf the moment from which its data dates, to the second; empty for data that is read as it is now
 * @param takesInAtOnce whether what it receives is its data once the session ends well
 * @param notes what the operator should know of the replica, a sentence each
 */
public record SessionOpened(
        String name,
        Optional<String> tableId,
        List<UUID> dataIds,
        long localDeletionTimeMaxSeconds,
        int bufferBytes,
        Optional<Instant> asOf,
        boolean takesInAtOnce,
        List<String> notes) {
    public SessionOpened {
        dataIds = List.copyOf(dataIds);
        notes = List.copyOf(notes);
    }

    public void encode(ByteWriter out) {
        Texts.write(out, name);
        Texts.write(out, tableId.orElse(""));
        out.writeUnsignedVInt(dataIds.size());
        dataIds.forEach(id -> Texts.write(out, id));
        out.writeLong(localDeletionTimeMaxSeconds);
        out.writeInt(bufferBytes);
        out.writeByte(asOf.isPresent() ? 1 : 0);
        asOf.ifPresent(moment -> out.writeLong(moment.getEpochSecond()));
        out.writeByte(takesInAtOnce ? 1 : 0);
        Texts.write(out, notes);
    }

    public static SessionOpened decode(ByteReader in) {
        return new SessionOpened(
                Texts.read(in),
                Optional.of(Texts.read(in)).filter(id -> !id.isEmpty()),
                readIds(in),
                in.readLong(),
                in.readInt(),
                in.readByte() == 0 ? Optional.empty() : Optional.of(readMoment(in.readLong())),
                in.readByte() != 0,
                Texts.readList(in));
    }

    /** A count larger than what is left cannot be true, so nothing is allocated for it. */
    private static List<UUID> readIds(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(Texts.readId(in));
        }
        return ids;
    }

    /** A peer may say anything; what no {@link Instant} can be is no message. */
    private static Instant readMoment(long epochSeconds) {
        if (epochSeconds < Instant.MIN.getEpochSecond() || epochSeconds > Instant.MAX.getEpochSecond()) {
            throw new IllegalArgumentException("moment is out of range, seconds=" + epochSeconds);
        }
        return Instant.ofEpochSecond(epochSeconds);
    }
}
