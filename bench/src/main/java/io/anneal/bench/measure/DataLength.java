package io.anneal.bench.measure;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counts uncompressed data beside the rows: JMH reports it as {@code bytes}, in bytes a second. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class DataLength {
    /** Since the iteration began; JMH sets it to zero. */
    public long bytes;
}
