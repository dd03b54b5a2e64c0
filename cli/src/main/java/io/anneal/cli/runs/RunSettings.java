package io.anneal.cli.runs;

import java.util.Locale;
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
        return String.format(
                Locale.ROOT,
                "%d parts at once at most, %s, %s",
                parallel,
                rowsPerSecond == 0 ? "as fast as it goes" : String.format(Locale.ROOT, "%,d rows/s", rowsPerSecond),
                window.map(hours -> "from " + hours.from() + " to " + hours.to())
                        .orElse("all day"));
    }
}
