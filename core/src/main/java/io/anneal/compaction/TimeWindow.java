package io.anneal.compaction;

import io.anneal.compaction.CompactionTask.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/**
 * Time windows: SSTables whose newest write lies in one window are compacted together and with no other, so that what expires
 * together goes together. In the newest window size-tiered, since more is coming; every other becomes one SSTable. After
 * Cassandra's TimeWindowCompactionStrategy, whose options these are.
 *
 * <pre>
 *   window      1       2       3 (newest)
 *   SSTables    A       B C     d e f g
 *                       -> BC   -> defg, once they are min_threshold of one size
 * </pre>
 *
 * Immutable.
 *
 * @param windowMicros length of a window
 * @param resolution of the timestamps that writers gave
 */
record TimeWindow(SizeTiered newest, long windowMicros, TimeUnit resolution) implements GroupStrategy {
    static TimeWindow of(CompactionOptions options) {
        long windowMicros = windowMicros(options);
        TimeUnit resolution = resolution(options);
        options.whole("expired_sstable_check_frequency_seconds", 600, 0, Long.MAX_VALUE);
        if (options.flag("unsafe_aggressive_sstable_expiration", false)) {
            throw options.bad("unsafe_aggressive_sstable_expiration", "brings deleted data back and is not supported");
        }
        return new TimeWindow(SizeTiered.of(options), windowMicros, resolution);
    }

    /** The window of a timestamp, whatever else the options say. */
    static LongUnaryOperator windowOf(CompactionOptions options) {
        long windowMicros = windowMicros(options);
        TimeUnit resolution = resolution(options);
        return timestamp -> Math.floorDiv(resolution.toMicros(timestamp), windowMicros);
    }

    private static long windowMicros(CompactionOptions options) {
        String unit =
                options.text("compaction_window_unit", TimeUnit.DAYS.name()).toUpperCase(Locale.ROOT);
        TimeUnit windowUnit = switch (unit) {
            case "MINUTES" -> TimeUnit.MINUTES;
            case "HOURS" -> TimeUnit.HOURS;
            case "DAYS" -> TimeUnit.DAYS;
            default -> throw options.bad("compaction_window_unit", "is none of MINUTES, HOURS, DAYS");
        };
        return windowUnit.toMicros(options.count("compaction_window_size", 1, 1));
    }

    private static TimeUnit resolution(CompactionOptions options) {
        String resolution = options.text("timestamp_resolution", TimeUnit.MICROSECONDS.name())
                .toUpperCase(Locale.ROOT);
        return switch (resolution) {
            case "SECONDS" -> TimeUnit.SECONDS;
            case "MILLISECONDS" -> TimeUnit.MILLISECONDS;
            case "MICROSECONDS" -> TimeUnit.MICROSECONDS;
            case "NANOSECONDS" -> TimeUnit.NANOSECONDS;
            default ->
                throw options.bad(
                        "timestamp_resolution", "is none of SECONDS, MILLISECONDS, MICROSECONDS, NANOSECONDS");
        };
    }

    private long windowOf(CompactionCandidate candidate) {
        return Math.floorDiv(resolution.toMicros(candidate.statistics().maxTimestampMicros()), windowMicros);
    }

    /** Idle SSTables by window. */
    private TreeMap<Long, List<CompactionCandidate>> windows(CompactionGroup group) {
        TreeMap<Long, List<CompactionCandidate>> windows = new TreeMap<>();
        for (CompactionCandidate candidate : group.idle()) {
            windows.computeIfAbsent(windowOf(candidate), w -> new ArrayList<>()).add(candidate);
        }
        return windows;
    }

    private long newestWindow(CompactionGroup group) {
        long newestWindow = Long.MIN_VALUE;
        for (List<CompactionCandidate> candidates : List.of(group.idle(), group.busy())) {
            for (CompactionCandidate candidate : candidates) {
                newestWindow = Math.max(newestWindow, windowOf(candidate));
            }
        }
        return newestWindow;
    }

    @Override
    public Optional<CompactionTask> next(CompactionGroup group) {
        long newestWindow = newestWindow(group);
        for (Map.Entry<Long, List<CompactionCandidate>> window :
                windows(group).descendingMap().entrySet()) {
            Optional<List<CompactionCandidate>> inputs =
                    window.getKey() == newestWindow ? newest.pick(window.getValue()) : pickOlder(window.getValue());
            if (inputs.isPresent()) {
                return Optional.of(CompactionTask.of(inputs.get(), Reason.STRATEGY));
            }
        }
        return Optional.empty();
    }

    private Optional<List<CompactionCandidate>> pickOlder(List<CompactionCandidate> window) {
        if (window.size() < 2) {
            return Optional.empty();
        }
        return Optional.of(window.stream()
                .sorted(Comparator.comparingLong(CompactionCandidate::onDiskBytes))
                .limit(newest.maxThreshold())
                .toList());
    }

    @Override
    public int pending(CompactionGroup group) {
        long newestWindow = newestWindow(group);
        int pending = 0;
        for (Map.Entry<Long, List<CompactionCandidate>> window : windows(group).entrySet()) {
            int size = window.getValue().size();
            pending += window.getKey() == newestWindow
                    ? newest.pending(window.getValue())
                    : size < 2 ? 0 : (size + newest.maxThreshold() - 1) / newest.maxThreshold();
        }
        return pending;
    }

    @Override
    public Collection<List<CompactionCandidate>> apart(CompactionGroup group) {
        return windows(group).values();
    }

    @Override
    public List<CompactionTask> major(CompactionGroup group) {
        return apart(group).stream()
                .map(window -> CompactionTask.of(window, Reason.MAJOR))
                .toList();
    }
}
