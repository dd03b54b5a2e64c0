package io.anneal.cli.migrate;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.harness.BulkSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How back-fills and verifications go. */
public final class BulkOptions {
    private static final Duration REREAD_DELAY = Duration.ofSeconds(2);

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Rows a second at most, above 0; as fast as it goes unless told.")
    private Long rowsPerSecond;

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

    @Option(
            names = "--replace",
            description =
                    "Take the place of work that was ordered and is not done, as after a command that was killed.")
    private boolean replaces;

    Duration waiting() {
        return wait;
    }

    boolean replaces() {
        return replaces;
    }

    /**
     * @param isHere whether this process copies and compares, or instances do
     * @param isOrdered whether instances are asked to
     */
    void addChecks(Subcommand command, OptionChecks checks, boolean isHere, boolean isOrdered) {
        long max = isHere ? Long.MAX_VALUE : Integer.MAX_VALUE;
        checks.add(
                        "--rate",
                        () -> command.require(
                                rowsPerSecond >= 1 && rowsPerSecond <= max,
                                "--rate takes a number of rows a second from 1 to " + max))
                .add(
                        "--replace",
                        () -> command.require(
                                !isHere, "--replace is about work that instances do: leave --origin and --target out"))
                .add(
                        "--checkpoint",
                        () -> command.require(
                                isHere || !isOrdered,
                                "--checkpoint needs --origin and --target; instances go on by themselves"))
                .add(
                        List.of("--rate", "--checkpoint"),
                        () -> command.require(
                                isHere || isOrdered, "--rate and --checkpoint need --origin and --target"));
    }

    /** 0 for as fast as it goes. */
    private long rate() {
        return rowsPerSecond == null ? 0 : rowsPerSecond;
    }

    /** What instances are asked to do. */
    BulkOrders.Order order(PhaseNote.Kind kind, boolean repairs, String who) {
        return BulkOrders.Order.of(kind, repairs, (int) rate(), who);
    }

    public BulkSettings settings(String who, Progress progress) {
        return new BulkSettings(
                who,
                rate(),
                Optional.ofNullable(checkpoint),
                REREAD_DELAY,
                told -> progress.update(told.bytes(), told.rows(), told.secondsLeft()));
    }
}
