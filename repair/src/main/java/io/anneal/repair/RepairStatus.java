package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.util.Optional;

/**
 * How a repair that runs on another node is doing; with a failure or a report it is the last word.
 *
 * @param rowsRead rows that the master read so far
 * @param bytesRead their encoded size
 * @param covered how much of the ranges' width is done
 * @param endAnswer to the last wish that it ends early
 * @param endsAt token at which it ends before its ranges' end, once that is known
 * @param found what it found, when the replicas are asked next to keep what they received
 * @param failure why it stopped, when it did
 * @param report what it did, when it is done
 * @param tableId of the master's table, where it is known
 * @param differences in what replicas differ: what was found since they were told last
 */
record RepairStatus(
        long windows,
        long rowsRead,
        long bytesRead,
        double covered,
        Optional<EndAnswer> endAnswer,
        Optional<Long> endsAt,
        Optional<RepairReport> found,
        Optional<RepairFailure> failure,
        Optional<RepairReport> report,
        Optional<String> tableId,
        Optional<Differences> differences) {
    static final RepairStatus START = new RepairStatus(
            0,
            0,
            0,
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    /**
     * Whether the session ends at a token.
     *
     * @param token that was asked for
     */
    record EndAnswer(long token, boolean ends) {}

    /**
     * Some differences.
     *
     * @param schemaText of the table, with the first of them; else empty
     * @param bytes as {@link DifferenceCodec} writes them
     */
    record Differences(String schemaText, byte[] bytes) {}

    /** The same with differences. */
    RepairStatus with(Differences found) {
        return new RepairStatus(
                windows,
                rowsRead,
                bytesRead,
                covered,
                endAnswer,
                endsAt,
                this.found,
                failure,
                report,
                tableId,
                Optional.of(found));
    }

    boolean isRunning() {
        return failure.isEmpty() && report.isEmpty();
    }

    void encode(ByteWriter out) {
        out.writeLong(windows);
        out.writeLong(rowsRead);
        out.writeLong(bytesRead);
        out.writeLong(Double.doubleToLongBits(covered));
        out.writeByte(endAnswer.isPresent() ? 1 : 0);
        endAnswer.ifPresent(answer -> {
            out.writeLong(answer.token);
            out.writeByte(answer.ends ? 1 : 0);
        });
        out.writeByte(endsAt.isPresent() ? 1 : 0);
        endsAt.ifPresent(out::writeLong);
        out.writeByte(found.isPresent() ? 1 : 0);
        found.ifPresent(soFar -> soFar.encode(out));
        out.writeByte(failure.isPresent() ? 1 : 0);
        failure.ifPresent(reason -> reason.encode(out));
        out.writeByte(report.isPresent() ? 1 : 0);
        report.ifPresent(done -> done.encode(out));
        Texts.write(out, tableId.orElse(""));
        out.writeByte(differences.isPresent() ? 1 : 0);
        differences.ifPresent(some -> {
            Texts.write(out, some.schemaText);
            out.writeUnsignedVInt(some.bytes.length);
            out.writeBytes(some.bytes);
        });
    }

    static RepairStatus decode(ByteReader in) {
        long windows = in.readLong();
        long rowsRead = in.readLong();
        long bytesRead = in.readLong();
        double covered = Double.longBitsToDouble(in.readLong());
        Optional<EndAnswer> endAnswer =
                in.readByte() == 0 ? Optional.empty() : Optional.of(new EndAnswer(in.readLong(), in.readByte() != 0));
        Optional<Long> endsAt = in.readByte() == 0 ? Optional.empty() : Optional.of(in.readLong());
        Optional<RepairReport> found = in.readByte() == 0 ? Optional.empty() : Optional.of(RepairReport.decode(in));
        Optional<RepairFailure> failure = in.readByte() == 0 ? Optional.empty() : Optional.of(RepairFailure.decode(in));
        Optional<RepairReport> report = in.readByte() == 0 ? Optional.empty() : Optional.of(RepairReport.decode(in));
        Optional<String> tableId = Optional.of(Texts.read(in)).filter(id -> !id.isEmpty());
        Optional<Differences> differences = in.readByte() == 0
                ? Optional.empty()
                : Optional.of(new Differences(Texts.readVerbatim(in), in.readBytes(in.readUnsignedVInt32())));
        return new RepairStatus(
                windows, rowsRead, bytesRead, covered, endAnswer, endsAt, found, failure, report, tableId, differences);
    }
}
