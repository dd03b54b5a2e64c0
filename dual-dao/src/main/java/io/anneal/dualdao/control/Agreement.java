package io.anneal.dualdao.control;

import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * How far instances agreed on a phase when the phase store was asked, which says what a copy between the sides may take away: every
 * write that began before the phase was taken up by all has ended, and every later one goes to the side first that is right.
 *
 * @param version of the record in force, 0 if the store could not be asked
 * @param acknowledged whether every instance acts by that record alone
 * @param askedMicros before the store was asked
 * @param authoritySinceMicros since when the side is right that is right now
 */
public record Agreement(long version, boolean acknowledged, long askedMicros, long authoritySinceMicros) {
    /** Nobody knows. */
    public static final Agreement NONE = new Agreement(0, false, Long.MIN_VALUE, Long.MIN_VALUE);

    public static Agreement ask(PhaseControl control, InstantSource clock) {
        long asked = micros(clock.instant());
        try {
            List<PhaseRecord> history = control.history();
            if (history.isEmpty()) {
                return NONE;
            }
            int first = history.size() - 1;
            PhaseRecord inForce = history.get(first);
            while (first > 0
                    && history.get(first - 1).phase().authority()
                            == inForce.phase().authority()) {
                first--;
            }
            boolean acknowledged = control.acknowledged() && control.current().version() == inForce.version();
            return new Agreement(
                    inForce.version(),
                    acknowledged,
                    asked,
                    micros(history.get(first).at()));
        } catch (PhaseStoreException unreachable) {
            return NONE;
        }
    }

    /** Whether all instances act by this record alone. */
    public boolean on(PhaseRecord inForce) {
        return acknowledged && version == inForce.version();
    }

    private static long micros(Instant instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
    }
}
