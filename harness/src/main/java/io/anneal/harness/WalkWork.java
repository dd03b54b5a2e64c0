package io.anneal.harness;

import java.io.IOException;

/** A piece of work between two phases: a back-fill, a verification, the way back. Leaves its note in the phase store itself. */
@FunctionalInterface
public interface WalkWork {
    /**
     * Does it to the end.
     *
     * @return what was done, for people, in one line
     * @throws IOException if it could not; the walk tries again a few times, then goes back
     */
    String run() throws IOException, InterruptedException;
}
