package io.anneal.cli.runs;

import io.anneal.cli.command.Counted;
import java.util.Optional;

/**
 * How a run works, which may be changed while it does.
 *
 * @param parallel parts at once at most
 * @param rowsPerSecond at most, 0 for as fast as it goes
 * @param window empty for all day
 */
public record RunSettings(int parallel, long rowsPerSecond, Optional<RepairWindow> window) {
    /** For people. */
    @Override
    public String toString() {
        return Counted.of(parallel, "part") + " at once at most, "
                + (rowsPerSecond == 0 ? "as fast as it goes" : Counted.of(rowsPerSecond, "row") + "/s") + ", "
                + window.map(hours -> "from " + hours.from() + " to " + hours.to())
                        .orElse("all day");
    }
}
