package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What a replica tells peers of itself and its data before anything is moved.
 *
 * @param name how the replica calls itself, for reports
 * @param tableId 32 hexadecimal digits; empty when nothing there tells it
 * @param dataIds of the places where its data lies, which no other replica may have
 * @param asOf the moment from which its data dates, to the second; empty for data that is read as it is now
 * @param history what it knows of truncations
 */
public record ReplicaFacts(
        String name, Optional<String> tableId, List<UUID> dataIds, Optional<Instant> asOf, TableHistory history) {
    private static final Pattern TABLE_ID = Pattern.compile("[0-9a-f]{32}");

    public ReplicaFacts {
        dataIds = List.copyOf(dataIds);
    }

    /** @param ranges of which the data's date is told */
    public static ReplicaFacts of(Replica replica, List<TokenRange> ranges) throws IOException {
        return new ReplicaFacts(
                replica.name(), replica.tableId(), replica.dataIds(), replica.asOf(ranges), replica.history());
    }

    public void encode(ByteWriter out) {
        Texts.write(out, name);
        Texts.write(out, tableId.orElse(""));
        out.writeUnsignedVInt(dataIds.size());
        dataIds.forEach(id -> Texts.write(out, id));
        out.writeByte(asOf.isPresent() ? 1 : 0);
        asOf.ifPresent(moment -> out.writeLong(moment.getEpochSecond()));
        history.encode(out);
    }

    public static ReplicaFacts decode(ByteReader in) {
        return new ReplicaFacts(
                Texts.read(in),
                readTableId(in),
                readIds(in),
                in.readByte() == 0 ? Optional.empty() : Optional.of(readMoment(in.readLong())),
                TableHistory.decode(in));
    }

    private static Optional<String> readTableId(ByteReader in) {
        String id = Texts.read(in);
        if (!id.isEmpty() && !TABLE_ID.matcher(id).matches()) {
            throw new IllegalArgumentException("table id is not 32 hexadecimal digits, id=" + id);
        }
        return Optional.of(id).filter(known -> !known.isEmpty());
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
