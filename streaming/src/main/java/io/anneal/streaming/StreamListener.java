package io.anneal.streaming;

import java.io.IOException;

/** Hears how far a unit is, after each piece; may wait, and so slows it down. */
@FunctionalInterface
public interface StreamListener {
    /**
     * @param bytes that came over the network, over all attempts
     * @param covered how much of what the source has is there, from 0 to 1
     */
    void progress(long rows, long bytes, double covered) throws IOException;
}
