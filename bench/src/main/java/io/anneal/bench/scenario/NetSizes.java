package io.anneal.bench.scenario;

import java.util.concurrent.TimeUnit;

/**
 * How much {@link NetScenario} does in a run.
 *
 * @param copyBytes of the one stream, and of the bare copy beside it
 * @param windowNanos how long many streams are counted
 * @param streams of the cases of many streams
 * @param busyStreams beside which requests are timed
 */
public record NetSizes(long copyBytes, long windowNanos, int streams, int busyStreams) {
    public static final NetSizes DEFAULT = new NetSizes(4L << 30, TimeUnit.SECONDS.toNanos(3), 1000, 100);

    public NetSizes {
        if (copyBytes < 1 || windowNanos < 1 || streams < 2 || busyStreams < 1) {
            throw new IllegalArgumentException("nothing to measure with, copyBytes=" + copyBytes + ", windowNanos="
                    + windowNanos + ", streams=" + streams + ", busyStreams=" + busyStreams);
        }
    }
}
