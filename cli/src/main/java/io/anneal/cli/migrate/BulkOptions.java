package io.anneal.cli.migrate;

import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.harness.BulkSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How back-fills and verifications go. */
public final class BulkOptions {
    private static final Duration REREAD_DELAY = Duration.ofSeconds(2);

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "0",
            description = "Rows a second at most; as fast as it goes unless told.")
    private long rowsPerSecond;

    @Option(
            names = "--checkpoint",
            paramLabel = "FILE",
            description = "Keep here how far it is; run again with the same file it goes on there.")
    private Path checkpoint;

    /** Refuses what only a copy or a comparison in this process could heed. */
    void checkNone(Subcommand command) {
        if (rowsPerSecond != 0 || checkpoint != null) {
            throw command.usage("--rate and --checkpoint need --origin and --target");
        }
    }

    public BulkSettings settings(Subcommand command, String who, Progress progress) {
        if (rowsPerSecond < 0) {
            throw command.usage("--rate takes a number of rows a second");
        }
        return new BulkSettings(
                who,
                rowsPerSecond,
                Optional.ofNullable(checkpoint),
                REREAD_DELAY,
                told -> progress.update(told.bytes(), told.rows(), told.secondsLeft()));
    }
}
