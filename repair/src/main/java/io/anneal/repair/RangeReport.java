package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;

/**
 * What was compared in one range of a table, and in what its replicas differed there.
 *
 * @param table as {@code shop.orders}
 * @param range as the caller of the repair gave it; in a report of a part alone, what of it is in that part
 * @param rowsCompared places at which some replica holds a row: those of the master, and those where it holds none and another does;
 *     not what deletions hide there, nor places at which a replica has what the cut-off leaves out
 * @param rowsDiffering places at which replicas held different rows
 * @param deletionsDiffering partition deletions and intervals that not every replica held
 * @param replicas those of the range, its master first
 */
public record RangeReport(
        String table,
        TokenRange range,
        long rowsCompared,
        long rowsDiffering,
        long deletionsDiffering,
        List<Lacking> replicas) {
    public RangeReport {
        replicas = List.copyOf(replicas);
    }

    /**
     * What one replica lacked.
     *
     * @param member its place among all replicas of the repair, as {@link RepairReport.ReplicaReport#member} has it
     * @param rows places at which it held no row, or another version than a replica
     * @param bytes encoded size of the rows and deletions that it had not; of a row of which others hold several versions, all that
     *     it had not
     */
    public record Lacking(int member, String name, long rows, long deletions, long bytes) {
        Lacking plus(Lacking other) {
            return new Lacking(member, name, rows + other.rows, deletions + other.deletions, bytes + other.bytes);
        }
    }

    public boolean wasEqual() {
        return rowsDiffering + deletionsDiffering == 0;
    }

    RangeReport ofMembers(List<Integer> places) {
        return new RangeReport(
                table,
                range,
                rowsCompared,
                rowsDiffering,
                deletionsDiffering,
                replicas.stream()
                        .map(replica -> new Lacking(
                                places.get(replica.member),
                                replica.name,
                                replica.rows,
                                replica.deletions,
                                replica.bytes))
                        .toList());
    }

    RangeReport of(TokenRange other) {
        return new RangeReport(table, other, rowsCompared, rowsDiffering, deletionsDiffering, replicas);
    }

    /** With another part of the same range and table. */
    RangeReport plus(RangeReport other) {
        List<Lacking> both = new ArrayList<>();
        for (int i = 0; i < replicas.size(); i++) {
            both.add(replicas.get(i).plus(other.replicas.get(i)));
        }
        return new RangeReport(
                table,
                range,
                rowsCompared + other.rowsCompared,
                rowsDiffering + other.rowsDiffering,
                deletionsDiffering + other.deletionsDiffering,
                both);
    }

    void encode(ByteWriter out) {
        Texts.write(out, table);
        out.writeLong(range.left());
        out.writeLong(range.right());
        out.writeUnsignedVInt(rowsCompared);
        out.writeUnsignedVInt(rowsDiffering);
        out.writeUnsignedVInt(deletionsDiffering);
        out.writeUnsignedVInt(replicas.size());
        for (Lacking replica : replicas) {
            out.writeUnsignedVInt(replica.member);
            Texts.write(out, replica.name);
            out.writeUnsignedVInt(replica.rows);
            out.writeUnsignedVInt(replica.deletions);
            out.writeUnsignedVInt(replica.bytes);
        }
    }

    static RangeReport decode(ByteReader in) {
        String table = Texts.read(in);
        TokenRange range = new TokenRange(in.readLong(), in.readLong());
        long rowsCompared = in.readUnsignedVInt();
        long rowsDiffering = in.readUnsignedVInt();
        long deletionsDiffering = in.readUnsignedVInt();
        int count = in.readUnsignedVInt32();
        List<Lacking> replicas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            replicas.add(new Lacking(
                    in.readUnsignedVInt32(),
                    Texts.read(in),
                    in.readUnsignedVInt(),
                    in.readUnsignedVInt(),
                    in.readUnsignedVInt()));
        }
        return new RangeReport(table, range, rowsCompared, rowsDiffering, deletionsDiffering, replicas);
    }
}
