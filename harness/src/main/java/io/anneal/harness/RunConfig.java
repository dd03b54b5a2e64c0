package io.anneal.harness;

import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.harness.load.LoadConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What {@link MigrationRun} does.
 *
 * @param auto whether it walks through the phases; else it follows what others switch
 * @param works whether, following, it does what a gate asks for: for stores that no other process can open meanwhile
 * @param testing whether the dual DAO is in test mode, for the words of the story
 * @param who stands in records and notes
 * @param bake how long each phase is watched
 * @param gateTimeout how long a gate may stay shut before a walk turns back
 * @param duration how long it goes on at most; empty for a walk to its end, or until interrupted
 * @param load empty for none
 * @param look how often heartbeats are looked at
 * @param ordersWrites whether both stores order writes by their times, so that a write that timed out can't take effect later
 * @param report a file of the story, .html or .png
 */
public record RunConfig(
        boolean auto,
        boolean works,
        boolean testing,
        String who,
        Duration bake,
        Duration gateTimeout,
        Optional<Duration> duration,
        Optional<LoadConfig> load,
        Duration look,
        boolean ordersWrites,
        Optional<Path> report) {
    private static final Duration LOOK_MAX = Duration.ofSeconds(1);
    private static final Duration LOOK_MIN = Duration.ofMillis(100);
    private static final int LOOKS_PER_BAKE = 5;

    /** How often to look so that each phase is seen several times. */
    public static Duration look(Duration bake) {
        Duration share = bake.dividedBy(LOOKS_PER_BAKE);
        Duration atMost = share.compareTo(LOOK_MAX) > 0 ? LOOK_MAX : share;
        return atMost.compareTo(LOOK_MIN) < 0 ? LOOK_MIN : atMost;
    }

    /** How long no read may have fallen back before a step that depends on it: as long as a phase is watched, a minute at most. */
    public static Duration quietWindow(Duration bake) {
        Duration usual = ControlPolicy.DEFAULTS.quietWindow();
        return bake.compareTo(usual) < 0 ? bake : usual;
    }
}
