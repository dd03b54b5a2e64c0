package io.anneal.cli.migrate;

import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.phase.PhaseNote;
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

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description = "How long instances may take for each step of --reverse, and to take up work;"
                    + " ${DEFAULT-VALUE} unless told.")
    private Duration wait;

    Duration waiting() {
        return wait;
    }

    /** What instances are asked to do. */
    BulkOrders.Order order(Subcommand command, PhaseNote.Kind kind, boolean repairs, String who) {
        if (checkpoint != null || rowsPerSecond < 0 || rowsPerSecond > Integer.MAX_VALUE) {
            throw command.usage(
                    "--checkpoint needs --origin and --target, --rate takes a number of keys a second; instances go on by themselves");
        }
        return new BulkOrders.Order(kind, repairs, (int) rowsPerSecond, who);
    }

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
