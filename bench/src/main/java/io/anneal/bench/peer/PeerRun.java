package io.anneal.bench.peer;

import java.util.List;

/**
 * What one run inside the peer took of its one thread; opening readers and making up rows are not in it.
 *
 * @param rows read or written
 * @param wallNanos time that passed
 * @param cpuNanos processor time of the thread
 * @param allocatedBytes what the thread allocated
 */
public record PeerRun(long rows, long wallNanos, long cpuNanos, long allocatedBytes) {
    static PeerRun of(List<List<String>> answer) {
        List<String> numbers = answer.get(0);
        return new PeerRun(
                Long.parseLong(numbers.get(0)),
                Long.parseLong(numbers.get(1)),
                Long.parseLong(numbers.get(2)),
                Long.parseLong(numbers.get(3)));
    }
}
