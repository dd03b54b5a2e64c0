package io.anneal.streaming;

import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.node.ReplicaSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fetches units for a replica with several data directories: first what belongs to one of them, then what belongs to the next,
 * so that no SSTable lies in two. What one directory has got is kept when the next one's has to be tried again. Any thread.
 */
final class IncomingDisks {
    private final IncomingTables tables;
    private final Map<StreamUnit, Disks> begun = new HashMap<>();

    IncomingDisks(IncomingTables tables) {
        this.tables = tables;
    }

    /** A unit by directories. Owned by the thread that runs the unit. */
    private static final class Disks {
        private final List<StreamUnit> units;
        private int done;
        private StreamReport report = StreamReport.NOTHING;

        Disks(StreamUnit unit, List<Long> boundaries) {
            units = byDisk(unit.ranges(), boundaries).stream()
                    .map(ranges -> new StreamUnit(unit.table(), unit.source(), unit.target(), ranges))
                    .toList();
        }

        StreamReport fetch(IncomingTables tables, ReplicaSource target, StreamSource source, StreamListener listener)
                throws IOException {
            while (done < units.size()) {
                report = report.plus(tables.fetch(
                        target,
                        units.get(done),
                        source,
                        (rows, bytes, covered) -> listener.progress(
                                report.rows() + rows, report.bytes() + bytes, (done + covered) / units.size())));
                done++;
            }
            return report;
        }
    }

    /** Fetches what is missing of a unit, and makes it the replica's. */
    StreamReport fetch(ReplicaSource target, StreamUnit unit, StreamSource source, StreamListener listener)
            throws IOException {
        return disks(target, unit).fetch(tables, target, source, listener);
    }

    private synchronized Disks disks(ReplicaSource target, StreamUnit unit) {
        String keyspace = unit.table().substring(0, unit.table().indexOf('.'));
        return begun.computeIfAbsent(unit, first -> new Disks(first, target.diskBoundaries(keyspace)));
    }

    /** Ranges by the data directory that they belong to, none empty; boundaries as {@code ReplicaSource.diskBoundaries} gives them. */
    private static List<List<TokenRange>> byDisk(List<TokenRange> wanted, List<Long> boundaries) {
        if (boundaries.isEmpty()) {
            return List.of(wanted);
        }
        List<TokenRange.Linear> ranges = LinearRanges.of(wanted).ranges();
        List<List<TokenRange>> disks = new ArrayList<>();
        long first = Long.MIN_VALUE;
        for (int disk = 0; disk <= boundaries.size(); disk++) {
            long last = disk == boundaries.size() ? Long.MAX_VALUE : boundaries.get(disk);
            TokenRange.Linear tokens = new TokenRange.Linear(first, last);
            List<TokenRange> inside = ranges.stream()
                    .filter(range -> range.overlaps(tokens))
                    .map(range -> new TokenRange.Linear(
                                    Math.max(range.first(), tokens.first()), Math.min(range.last(), tokens.last()))
                            .asRange())
                    .toList();
            if (!inside.isEmpty()) {
                disks.add(inside);
            }
            if (last == Long.MAX_VALUE) {
                break;
            }
            first = last + 1;
        }
        return disks;
    }
}
