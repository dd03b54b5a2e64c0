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
 */
record RepairFailure(String text, Optional<Waiver> waiver, String peerCode) {
    static RepairFailure of(Throwable failure, String text) {
        Optional<Waiver> waiver = failure instanceof RepairException refused ? refused.waiver() : Optional.empty();
        return new RepairFailure(text, waiver, RepairJob.code(failure).orElse(""));
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
    }

    static RepairFailure decode(ByteReader in) {
        return new RepairFailure(Texts.read(in), Waiver.readOptional(in), Texts.read(in));
    }
}
