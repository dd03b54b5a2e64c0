package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * What a manifest says. Immutable; each {@code with} gives a changed copy.
 *
 * @param tableId in the directory's name and in commit log records
 * @param shards the rule that {@code flushed} and the SSTables' shards go by
 * @param flushed up to where the commit log is in SSTables, by shard; a shard that is missing has flushed nothing
 * @param sstables the live ones
 * @param writing generations whose files are being written, linked or copied: deleted at the next start
 * @param obsolete generations that were live and whose last reader may not be gone: deleted then, or at the next start
 * @param repairTimes when ranges were last repaired as a whole
 * @param staleSeconds until when the table knew of what was deleted on other replicas, since 1970, if the store was not open
 *     afterwards for longer than gc_grace; empty once it has caught up
 * @param datedSeconds when its program last had the store open, since 1970, if only repairs have since; what they write makes
 *     the data no younger
 * @param truncatedMicros when it was truncated last, since 1970, by the clock that stamps its writes
 * @param hasRenumberedLog whether the commit log numbers columns as the schema does, though earlier releases numbered them
 *     otherwise ({@link io.anneal.schema.TableSchema#isRenumbered}); false where both are the same
 */
public record ManifestContent(
        String keyspace,
        String table,
        UUID tableId,
        ShardRule shards,
        Map<Integer, CommitLogPosition> flushed,
        List<ListedSSTable> sstables,
        Set<String> writing,
        Set<String> obsolete,
        List<RepairTime> repairTimes,
        OptionalLong staleSeconds,
        OptionalLong datedSeconds,
        OptionalLong truncatedMicros,
        boolean hasRenumberedLog) {
    /** All of it. */
    private static final List<TokenRange> RING = List.of(TokenRange.FULL);

    private static final Pattern NAME = Pattern.compile("\\w+");
    private static final Pattern GENERATION = Pattern.compile("[0-9a-z_]+");

    public ManifestContent {
        if (!NAME.matcher(keyspace).matches() || !NAME.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "name of a table is letters, digits and underscores, table=" + keyspace + "." + table);
        }
        flushed = Map.copyOf(flushed);
        for (int shard : flushed.keySet()) {
            requireShard(shard, shards);
        }
        sstables = List.copyOf(sstables);
        // Order is kept, so that the same content is the same text.
        writing = Collections.unmodifiableSet(new LinkedHashSet<>(writing));
        obsolete = Collections.unmodifiableSet(new LinkedHashSet<>(obsolete));
        repairTimes = List.copyOf(repairTimes);
        requireOneLineEach(sstables, writing, obsolete, shards);
    }

    private static void requireOneLineEach(
            List<ListedSSTable> sstables, Set<String> writing, Set<String> obsolete, ShardRule shards) {
        Set<String> generations = new HashSet<>();
        for (ListedSSTable sstable : sstables) {
            if (sstable.shard() != ListedSSTable.SHARED) {
                requireShard(sstable.shard(), shards);
            }
            requireFirst(generations, sstable.generation());
        }
        writing.forEach(generation -> requireFirst(generations, generation));
        obsolete.forEach(generation -> requireFirst(generations, generation));
    }

    private static void requireFirst(Set<String> generations, String generation) {
        if (!isGeneration(generation)) {
            throw new IllegalArgumentException("generation is no part of a file name, generation=" + generation);
        }
        if (!generations.add(generation)) {
            throw new IllegalArgumentException("generation stands here twice, generation=" + generation);
        }
    }

    private static void requireShard(int shard, ShardRule shards) {
        if (shard < 0 || shard >= shards.shardCount()) {
            throw new IllegalArgumentException(
                    "there is no such shard, shard=" + shard + ", shardCount=" + shards.shardCount());
        }
    }

    static boolean isGeneration(String text) {
        return GENERATION.matcher(text).matches();
    }

    /** A table without data. */
    public static ManifestContent empty(String keyspace, String table, UUID tableId, ShardRule shards) {
        return new ManifestContent(
                keyspace,
                table,
                tableId,
                shards,
                Map.of(),
                List.of(),
                Set.of(),
                Set.of(),
                List.of(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                false);
    }

    /** {@code keyspace.table}. */
    public String qualifiedName() {
        return keyspace + "." + table;
    }

    /** Generations whose files the next start deletes. */
    public Set<String> dead() {
        Set<String> dead = new HashSet<>(writing);
        dead.addAll(obsolete);
        return dead;
    }

    /** Up to where a shard's part of the commit log is in SSTables. */
    public CommitLogPosition flushed(int shard) {
        return flushed.getOrDefault(shard, CommitLogPosition.NONE);
    }

    /** The highest of all shards' positions: so far the commit log has been at least. */
    public CommitLogPosition highestFlushed() {
        return flushed.values().stream().max(Comparator.naturalOrder()).orElse(CommitLogPosition.NONE);
    }

    /** Whether an SSTable has, or had, what the commit log holds for a token up to a position. */
    public boolean isFlushed(CommitLogPosition position, long token) {
        return position.compareTo(flushed(shards.shardOf(token))) <= 0;
    }

    /** Another rule: every SSTable is shared, and all of the log up to {@code position} is in SSTables. */
    public ManifestContent withShards(ShardRule rule, CommitLogPosition position) {
        List<ListedSSTable> shared = sstables.stream()
                .map(s -> new ListedSSTable(s.generation(), ListedSSTable.SHARED))
                .toList();
        return new ManifestContent(
                keyspace,
                table,
                tableId,
                rule,
                all(rule, position),
                shared,
                writing,
                obsolete,
                repairTimes,
                staleSeconds,
                datedSeconds,
                truncatedMicros,
                hasRenumberedLog);
    }

    private static Map<Integer, CommitLogPosition> all(ShardRule rule, CommitLogPosition position) {
        Map<Integer, CommitLogPosition> all = new TreeMap<>();
        for (int shard = 0; shard < rule.shardCount(); shard++) {
            all.put(shard, position);
        }
        return all;
    }

    private ManifestContent withFiles(
            Map<Integer, CommitLogPosition> nowFlushed,
            List<ListedSSTable> live,
            Set<String> nowWriting,
            Set<String> nowObsolete) {
        return new ManifestContent(
                keyspace,
                table,
                tableId,
                shards,
                nowFlushed,
                live,
                nowWriting,
                nowObsolete,
                repairTimes,
                staleSeconds,
                datedSeconds,
                truncatedMicros,
                hasRenumberedLog);
    }

    private ManifestContent withAge(List<RepairTime> repairs, OptionalLong stale, OptionalLong dated) {
        return with(repairs, stale, dated, truncatedMicros, hasRenumberedLog);
    }

    private ManifestContent with(
            List<RepairTime> repairs,
            OptionalLong stale,
            OptionalLong dated,
            OptionalLong truncated,
            boolean isRenumbered) {
        return new ManifestContent(
                keyspace,
                table,
                tableId,
                shards,
                flushed,
                sstables,
                writing,
                obsolete,
                repairs,
                stale,
                dated,
                truncated,
                isRenumbered);
    }

    /** Nothing of the commit log is needed any more that numbers columns as earlier releases did. */
    public ManifestContent withRenumberedLog() {
        return with(repairTimes, staleSeconds, datedSeconds, truncatedMicros, true);
    }

    /** A shard flushed up to there; never steps back. */
    public ManifestContent withFlushed(int shard, CommitLogPosition position) {
        Map<Integer, CommitLogPosition> changed = new HashMap<>(flushed);
        changed.merge(shard, position, (known, later) -> known.compareTo(later) < 0 ? later : known);
        return withFiles(changed, sstables, writing, obsolete);
    }

    /** All shards flushed up to there, as after replay or truncation; none steps back. */
    public ManifestContent withAllFlushed(CommitLogPosition position) {
        ManifestContent changed = this;
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            changed = changed.withFlushed(shard, position);
        }
        return changed;
    }

    /** Generations about to get their first byte. */
    public ManifestContent withWriting(Collection<String> generations) {
        Set<String> changed = new LinkedHashSet<>(writing);
        changed.addAll(generations);
        return withFiles(flushed, sstables, changed, obsolete);
    }

    /**
     * SSTables take the place of others: those added are written no longer, those removed are obsolete.
     *
     * @param removed generations
     * @throws IllegalArgumentException when one that is removed is not live
     */
    public ManifestContent withSSTables(Collection<ListedSSTable> added, Collection<String> removed) {
        List<ListedSSTable> live = new ArrayList<>(sstables);
        for (String generation : removed) {
            if (!live.removeIf(s -> s.generation().equals(generation))) {
                throw new IllegalArgumentException(
                        "SSTable is not live, generation=" + generation + ", table=" + qualifiedName());
            }
        }
        live.addAll(added);
        Set<String> stillWriting = new LinkedHashSet<>(writing);
        added.forEach(s -> stillWriting.remove(s.generation()));
        Set<String> nowObsolete = new LinkedHashSet<>(obsolete);
        nowObsolete.addAll(removed);
        return withFiles(flushed, live, stillWriting, nowObsolete);
    }

    /**
     * The table without data: every SSTable is obsolete, all of the log up to {@code position} needed no more.
     *
     * @param micros when
     */
    public ManifestContent truncated(CommitLogPosition position, long micros) {
        List<String> live = sstables.stream().map(ListedSSTable::generation).toList();
        return withSSTables(List.of(), live)
                .withAllFlushed(position)
                .with(
                        repairTimes,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.of(micros),
                        hasRenumberedLog);
    }

    private ManifestContent withStale(OptionalLong seconds) {
        return withAge(repairTimes, seconds, datedSeconds);
    }

    /** Empty once its program has the store open again. */
    public ManifestContent withDated(OptionalLong seconds) {
        return withAge(repairTimes, staleSeconds, seconds);
    }

    /**
     * From when the data of ranges dates, since 1970: from when its program last had the store open, or from the last repair of
     * all of them. Empty for data that is as it is now.
     */
    public OptionalLong asOfSeconds(List<TokenRange> ranges) {
        LongStream known = LongStream.concat(staleSeconds.stream(), datedSeconds.stream());
        OptionalLong earliest = known.min();
        return earliest.isPresent()
                ? OptionalLong.of(Math.max(earliest.getAsLong(), RepairedRanges.earliest(repairTimes, ranges)))
                : earliest;
    }

    /** The store was not open afterwards for longer than gc_grace; an earlier such time stays. */
    public ManifestContent withStale(long seconds) {
        return withStale(OptionalLong.of(Math.min(seconds, staleSeconds.orElse(seconds))));
    }

    /** The same of data that comes from outside: no repair until now was of it. */
    public ManifestContent withOldData(long seconds) {
        return withAge(List.of(), staleSeconds, datedSeconds).withStale(seconds);
    }

    /** Without generations whose files are gone, written or obsolete ones. */
    public ManifestContent withoutFiles(Collection<String> generations) {
        Set<String> stillWriting = new LinkedHashSet<>(writing);
        stillWriting.removeAll(generations);
        Set<String> stillObsolete = new LinkedHashSet<>(obsolete);
        stillObsolete.removeAll(generations);
        return withFiles(flushed, sstables, stillWriting, stillObsolete);
    }

    /** Ranges were repaired as a whole; earlier times of their parts go. A table all of which was repaired has caught up. */
    public ManifestContent withRepaired(List<TokenRange> ranges, long seconds) {
        List<RepairTime> changed = RepairedRanges.with(repairTimes, ranges, seconds);
        OptionalLong stale =
                staleSeconds.isPresent() && RepairedRanges.earliest(changed, RING) > staleSeconds.getAsLong()
                        ? OptionalLong.empty()
                        : staleSeconds;
        return withAge(changed, stale, datedSeconds);
    }
}
