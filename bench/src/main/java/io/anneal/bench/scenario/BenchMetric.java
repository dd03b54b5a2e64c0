package io.anneal.bench.scenario;

import java.util.Locale;

/** What a record is about, with its unit. */
public enum BenchMetric {
    /** Time that passed, of a warm process. */
    WALL("s"),
    /** Processor time, of a warm process; in scenarios of one thread that thread's. */
    CPU("s"),
    /** Processor time of all that is no process of the benchmark, meanwhile. */
    OTHERS_CPU("s"),
    /** Processor time of nodes of Cassandra alone. */
    NODES_CPU("s"),
    /** Processor time of agents alone. */
    AGENTS_CPU("s"),
    /** Processor time of a command from its start to its end, its JVM's start included. */
    COMMAND_CPU("s"),
    /** What is resident of a process that waits. */
    IDLE_MEMORY("B"),
    /** SSTables that nodes have got. */
    SSTABLES("1"),
    /** Rows that were written while a command ran. */
    ROWS_WRITTEN("1"),
    /** Between the start of the first snapshot and the end of the last one. */
    SNAPSHOT_SKEW("s"),
    /** Rows that were written in that time: some snapshots have them. */
    ROWS_IN_SKEW("1"),
    /** Rows that replicas were given, each as often as it was given. */
    ROWS_MOVED("1"),
    /** Rows that were moved by those that were written in the skew of the snapshots. */
    MOVED_SHARE("1"),
    /** Rows that were not compared since they were written just before the snapshots, of the replica with most. */
    ROWS_LEFT_OUT("1"),
    /** Rows that replicas did not have alike. */
    ROWS_DIFFERING("1"),
    BYTES_SENT("B"),
    BYTES_READ("B"),
    /** System calls that read files. */
    READ_OPS("1"),
    /** Encoded size of the rows that replicas lacked. */
    BYTES_LACKING("B"),
    ROWS_PER_SECOND("1/s"),
    /** Uncompressed where data is compressed. */
    BYTES_PER_SECOND("B/s"),
    /** What the working thread allocated. */
    ALLOCATED_PER_ROW("B"),
    PEAK_MEMORY("B"),
    /** What was in use at the end, after a collection, beyond what was before. */
    HELD_MEMORY("B"),
    /** Files that are open at the end beyond those that were before. */
    FILES_LEFT("1"),
    /** Uncompressed input, by processor time of all threads: what a core does in a second. */
    BYTES_PER_CPU_SECOND("B/s"),
    /** Of one read or one acknowledged write; of the limit, of one fdatasync. */
    LATENCY_MEDIAN("s"),
    LATENCY_P99("s"),
    /** Processor time of one call, the mean of many. */
    CPU_PER_CALL("s"),
    /** Acknowledged writes for each fdatasync of the commit log. */
    WRITES_PER_SYNC("1"),
    /** The most that memtables held at once. */
    MEMTABLE_PEAK("B"),
    /** What the store was told to keep within. */
    MEMORY_BUDGET("B"),
    /** The most that was reserved in a budget at once. */
    BUDGET_PEAK("B"),
    /** Bytes of the stream that moved least, of many at equal demand. */
    SLOWEST_STREAM("B"),
    MEDIAN_STREAM("B"),
    /** What the stream that was done last moved in a second, of many of one length that began together. */
    SLOWEST_RATE("B/s"),
    MEDIAN_RATE("B/s"),
    /** Processor time by that of a case half as large; 2 where it grows as the data does. */
    CPU_GROWTH("1"),
    /** Processor time by that of the same over all of the data. */
    CPU_SHARE("1"),
    /** Of the rows of all replicas, how many were read once more. */
    ROWS_TWICE("1"),
    /** Sessions of a repair whose parts were recorded. */
    SESSIONS("1"),
    /** Bytes sent by those of a case of half as many differences; 2 where they grow as the differences do. */
    BYTES_GROWTH("1"),
    /** Bytes sent by a dry run over those of sums, sketches and lists: the rest tells where rows stand. */
    DRY_RUN_BYTES("1");

    private final String unit;

    BenchMetric(String unit) {
        this.unit = unit;
    }

    /** As records have it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** One of {@code s}, {@code B}, {@code 1}, {@code 1/s}, {@code B/s}. */
    public String unit() {
        return unit;
    }
}
