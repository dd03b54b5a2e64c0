package io.anneal.dualdao.stats;

import io.anneal.dualdao.compare.FieldDiff;
import java.time.Instant;
import java.util.List;

/**
 * Two answers that differed, believed after they were read again.
 *
 * @param differences at least one; their values are left out if the statistics redact them
 */
public record Mismatch(Instant at, String operation, String key, List<FieldDiff> differences) {
    public Mismatch {
        differences = List.copyOf(differences);
    }
}
