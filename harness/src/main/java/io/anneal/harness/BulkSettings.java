package io.anneal.harness;

import io.anneal.migrate.bulk.BulkProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How back-fills and verifications of a migration go.
 *
 * @param who stands in their notes
 * @param rowsPerSecond at most, 0 for as fast as it goes
 * @param checkpoint where it is kept how far one is, so that the next goes on there
 * @param rereadDelay after which a mismatch is read again before it is believed
 */
public record BulkSettings(
        String who,
        long rowsPerSecond,
        Optional<Path> checkpoint,
        Duration rereadDelay,
        BulkProgress.Listener progress) {}
