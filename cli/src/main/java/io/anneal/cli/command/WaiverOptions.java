package io.anneal.cli.command;

import io.anneal.node.Waiver;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Option;

/** What an operator says is meant, of what a repair or a stream refuses otherwise. */
public final class WaiverOptions {
    @Option(
            names = "--allow-empty",
            description = "Go on when a replica that others compare with or fetch from holds nothing: it may have lost"
                    + " its data.")
    private boolean allowEmpty;

    @Option(
            names = "--allow-old-snapshots",
            description = "Go on when a replica's data is older than gc_grace: rows deleted since may come back.")
    private boolean allowOldSnapshots;

    @Option(
            names = "--allow-no-gc-grace",
            description = "Go on when the table's gc_grace is 0: nothing in it is ever deleted.")
    private boolean allowNoGcGrace;

    @Option(
            names = "--allow-clock-skew",
            description = "Go on when a replica's clock is more than 10 seconds from the master's.")
    private boolean allowClockSkew;

    @Option(
            names = "--allow-truncated",
            description =
                    "Go on when the table was truncated at one replica, and another holds rows from before: they come"
                            + " back.")
    private boolean allowTruncated;

    public Set<Waiver> waivers() {
        Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
        if (allowEmpty) {
            waivers.add(Waiver.EMPTY_REPLICA);
        }
        if (allowOldSnapshots) {
            waivers.add(Waiver.OLD_DATA);
        }
        if (allowNoGcGrace) {
            waivers.add(Waiver.NO_GC_GRACE);
        }
        if (allowClockSkew) {
            waivers.add(Waiver.CLOCK_SKEW);
        }
        if (allowTruncated) {
            waivers.add(Waiver.TRUNCATED);
        }
        return waivers;
    }
}
