package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.repair.message.Texts;
import java.util.Optional;

/**
 * How a repair that runs on another node is doing.
 *
 * @param rowsRead rows that the master read so far
 * @param bytesRead their encoded size
 * @param failure why it stopped, when it did
 * @param report what it did, when it is done
 */
public record RepairStatus(
        long windows, long rowsRead, long bytesRead, Optional<String> failure, Optional<RepairReport> report) {

    public boolean isRunning() {
        return failure.isEmpty() && report.isEmpty();
    }

    void encode(ByteWriter out) {
        out.writeLong(windows);
        out.writeLong(rowsRead);
        out.writeLong(bytesRead);
        out.writeByte(failure.isPresent() ? 1 : 0);
        failure.ifPresent(text -> Texts.write(out, text));
        out.writeByte(report.isPresent() ? 1 : 0);
        report.ifPresent(done -> done.encode(out));
    }

    static RepairStatus decode(ByteReader in) {
        long windows = in.readLong();
        long rowsRead = in.readLong();
        long bytesRead = in.readLong();
        Optional<String> failure = in.readByte() == 0 ? Optional.empty() : Optional.of(Texts.read(in));
        Optional<RepairReport> report = in.readByte() == 0 ? Optional.empty() : Optional.of(RepairReport.decode(in));
        return new RepairStatus(windows, rowsRead, bytesRead, failure, report);
    }
}
