package io.anneal.repair;

import java.io.IOException;

/** Watches one session of a repair; called on the master's thread. */
public interface RepairListener extends DifferenceListener {
    RepairListener NONE = new RepairListener() {};

    /**
     * A window was reconciled, or more; numbers are those of the whole session so far.
     *
     * @param covered how much of the range's width is behind
     * @throws IOException ends the session
     */
    default void progress(long windows, long rowsRead, long bytesRead, double covered) throws IOException {}
}
