package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.Inflater;

/**
 * What a range leaves in the checkpoint, for the report of a run that goes on there, when it is done, or failed while replicas may
 * have kept what they received: the report's encoding, deflated and in Base64, since the file is written anew after each range.
 *
 * @param tableId of the master's table, if it is known
 * @param endsAt of a range that failed, the token at which the session ended, if that was before its end
 */
record KeptReport(Optional<String> tableId, RepairReport report, Optional<Long> endsAt) {
    private static final int CHUNK_BYTES = 4 << 10;

    static KeptReport ofDone(Optional<String> tableId, RepairReport report) {
        return new KeptReport(tableId, report, Optional.empty());
    }

    String print() {
        ByteWriter out = new ByteWriter(CHUNK_BYTES);
        Texts.write(out, tableId.orElse(""));
        report.encode(out);
        out.writeByte(endsAt.isPresent() ? 1 : 0);
        endsAt.ifPresent(out::writeLong);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflating = new DeflaterOutputStream(bytes)) {
            deflating.write(out.array(), 0, out.lengthBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }

    /** @throws IllegalArgumentException when it is no such text */
    static KeptReport parse(String text) {
        ByteReader in = new ByteReader()
                .wrap(ByteBuffer.wrap(inflate(Base64.getDecoder().decode(text))));
        return new KeptReport(
                Optional.of(Texts.read(in)).filter(id -> !id.isEmpty()),
                RepairReport.decode(in),
                in.readByte() == 0 ? Optional.empty() : Optional.of(in.readLong()));
    }

    private static byte[] inflate(byte[] deflated) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(deflated);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] chunk = new byte[CHUNK_BYTES];
            while (!inflater.finished()) {
                int length = inflater.inflate(chunk);
                if (length == 0 && !inflater.finished()) {
                    throw new IllegalArgumentException("report in the checkpoint is cut short");
                }
                bytes.write(chunk, 0, length);
            }
            return bytes.toByteArray();
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("report in the checkpoint can't be read", e);
        } finally {
            inflater.end();
        }
    }
}
