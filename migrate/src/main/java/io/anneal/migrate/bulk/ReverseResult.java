package io.anneal.migrate.bulk;

import io.anneal.dualdao.phase.PhaseRecord;

/**
 * A reverse back-fill that came to its end.
 *
 * @param phase now in force: both sides are written, nothing falls back
 * @param verification of both sides, the origin made good where it could be
 */
public record ReverseResult(PhaseRecord phase, VerificationResult verification) {
    /** Whether the origin has all that the target has, so that the migration can be rolled back further. */
    public boolean clean() {
        return verification.clean();
    }
}
