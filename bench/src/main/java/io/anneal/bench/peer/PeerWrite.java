package io.anneal.bench.peer;

import java.util.List;

/**
 * What writing inside the peer took, of all its threads.
 *
 * @param acknowledgedWallNanos until the last write was acknowledged
 * @param acknowledgedCpuNanos processor time of the process until then
 * @param flushedWallNanos from the same start until everything was in SSTables
 * @param flushedCpuNanos processor time until then
 */
public record PeerWrite(
        long acknowledgedWallNanos, long acknowledgedCpuNanos, long flushedWallNanos, long flushedCpuNanos) {
    static PeerWrite of(List<List<String>> answer) {
        return new PeerWrite(
                Long.parseLong(answer.get(0).get(0)),
                Long.parseLong(answer.get(0).get(1)),
                Long.parseLong(answer.get(1).get(0)),
                Long.parseLong(answer.get(1).get(1)));
    }
}
