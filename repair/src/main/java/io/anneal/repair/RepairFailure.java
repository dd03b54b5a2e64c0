package io.anneal.repair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.repair.message.Texts;
import io.anneal.repair.message.Waiver;
import java.util.Optional;

/**
 * Why a repair on another node stopped.
 *
 * @param waiver what would let it go on, if that is meant
 */
record RepairFailure(String text, Optional<Waiver> waiver) {
    static RepairFailure of(Throwable failure, String text) {
        Optional<Waiver> waiver = failure instanceof RepairException refused ? refused.waiver() : Optional.empty();
        return new RepairFailure(text, waiver);
    }

    void encode(ByteWriter out) {
        Texts.write(out, text);
        Waiver.write(out, waiver);
    }

    static RepairFailure decode(ByteReader in) {
        return new RepairFailure(Texts.read(in), Waiver.readOptional(in));
    }
}
