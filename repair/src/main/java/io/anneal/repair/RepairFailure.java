package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Waiver;
import java.util.Optional;

/**
 * Why a repair on another node stopped.
 *
 * @param waiver what would let it go on, if that is meant
 * @param peerCode with which a replica was lost to it, or refused; empty for what has no such code
 * @param kept what replicas kept all the same, where the last step failed
 */
record RepairFailure(String text, Optional<Waiver> waiver, String peerCode, Optional<RepairReport> kept) {
    static RepairFailure of(Throwable failure, String text, Optional<RepairReport> kept) {
        Optional<Waiver> waiver = failure instanceof RepairException refused ? refused.waiver() : Optional.empty();
        return new RepairFailure(text, waiver, RepairJob.code(failure).orElse(""), kept);
    }

    RepairException exception(String master) {
        return new RepairException(
                text + ", repair-master=" + master,
                waiver,
                peerCode.isEmpty() ? Optional.empty() : Optional.of(peerCode));
    }

    void encode(ByteWriter out) {
        Texts.write(out, text);
        Waiver.write(out, waiver);
        Texts.write(out, peerCode);
        out.writeByte(kept.isPresent() ? 1 : 0);
        kept.ifPresent(report -> report.encode(out));
    }

    static RepairFailure decode(ByteReader in) {
        return new RepairFailure(
                Texts.read(in),
                Waiver.readOptional(in),
                Texts.read(in),
                in.readByte() == 0 ? Optional.empty() : Optional.of(RepairReport.decode(in)));
    }
}
