package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.schema.CounterShards;
import io.anneal.schema.CounterShards.Kind;
import io.anneal.schema.InvalidValueException;
import java.util.Arrays;

/**
 * Merges the versions of one counter: rule 5 of the canonical form, after Cassandra's {@code CounterContext}. Shards are
 * collected ascending by id. Contexts are sorted already, so a shard mostly goes behind the last or meets its equal near
 * the one before; what is out of order is put where it belongs. Of two shards with one id:
 *
 * <pre>
 *   of different kinds      the stronger: global over local over remote
 *   global, remote          the larger clock, then the larger count; remote clocks below 0 (ancient) before all others, the least first
 *   local                   their sum: each is a delta
 * </pre>
 *
 * <p>The choice does not depend on the order of versions. It is idempotent but for local shards, which is why SSTables with
 * them are merged on the node they lie on and never between nodes. Allocates nothing once it has seen the most shards.
 * Owned by one thread.
 */
final class CounterMerger {
    private static final int SHARDS_INITIAL = 16;

    private final CounterShards shards = new CounterShards();
    private final CounterShards collected = new CounterShards();
    private byte[] bytes = new byte[SHARDS_INITIAL * CounterShards.SHARD_BYTES];
    private Kind[] kinds = new Kind[SHARDS_INITIAL];
    private int shardCount;
    private int versionCount;
    private long timestampMicros;
    private Row onlyVersion;
    private int onlyEntry;

    /** Forgets the versions added before. */
    void start() {
        shardCount = 0;
        versionCount = 0;
        timestampMicros = Long.MIN_VALUE;
        onlyVersion = null;
    }

    boolean hasVersions() {
        return versionCount > 0;
    }

    /** Whether a cell is its own merge already. */
    boolean isNormal(Row row, int entry) {
        return !row.isExpiring(entry)
                && shards.isNormal(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
    }

    /**
     * Adds a live cell.
     *
     * @throws InvalidValueException when its value is no counter context, or there are more shards than a context holds
     */
    void add(Row version, int entry) {
        timestampMicros = Math.max(timestampMicros, version.timestampMicros(entry));
        versionCount++;
        onlyVersion = version;
        onlyEntry = entry;
        byte[] context = version.valueBuffer(entry);
        shards.wrap(context, version.valueOffset(entry), version.valueLengthBytes(entry));
        int place = 0;
        while (shards.next()) {
            place = placeOf(context, shards.offset(), place);
            if (place < shardCount && isAt(context, shards.offset(), place)) {
                reconcile(context, place);
            } else {
                insert(context, place);
            }
        }
    }

    /** Where a shard belongs: the first of those collected whose id is not less, mostly at or right behind {@code hint}. */
    private int placeOf(byte[] context, int offset, int hint) {
        int place = hint;
        while (place > 0 && compare(place - 1, context, offset) >= 0) {
            place--;
        }
        while (place < shardCount && compare(place, context, offset) < 0) {
            place++;
        }
        return place;
    }

    private boolean isAt(byte[] context, int offset, int place) {
        return compare(place, context, offset) == 0;
    }

    private int compare(int place, byte[] context, int offset) {
        return CounterShards.compareIds(bytes, place * CounterShards.SHARD_BYTES, context, offset);
    }

    private void insert(byte[] context, int place) {
        if (shardCount == CounterShards.SHARDS_MAX) {
            throw new InvalidValueException("counter has too many shards, shardCountMax=" + CounterShards.SHARDS_MAX);
        }
        if (shardCount == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * shardCount);
            bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        int at = place * CounterShards.SHARD_BYTES;
        int tail = (shardCount - place) * CounterShards.SHARD_BYTES;
        System.arraycopy(bytes, at, bytes, at + CounterShards.SHARD_BYTES, tail);
        System.arraycopy(kinds, place, kinds, place + 1, shardCount - place);
        shardCount++;
        put(context, place);
    }

    private void put(byte[] context, int place) {
        System.arraycopy(context, shards.offset(), bytes, place * CounterShards.SHARD_BYTES, CounterShards.SHARD_BYTES);
        kinds[place] = shards.kind();
    }

    private void reconcile(byte[] context, int place) {
        Kind kind = shards.kind();
        if (kind != kinds[place]) {
            if (kind.compareTo(kinds[place]) > 0) {
                put(context, place);
            }
            return;
        }
        collected.wrapShard(bytes, place * CounterShards.SHARD_BYTES);
        if (kind == Kind.LOCAL) {
            collected.add(shards.clock(), shards.count());
        } else if (wins(kind)) {
            put(context, place);
        }
    }

    /** Whether the shard to be added beats the one collected, both being global or remote. */
    private boolean wins(Kind kind) {
        long clock = shards.clock();
        long other = collected.clock();
        if (clock == other) {
            return shards.count() > collected.count();
        }
        if (kind == Kind.REMOTE && (clock < 0 || other < 0)) {
            return clock < other;
        }
        return clock > other;
    }

    /** Appends the merged cell, whose context lies in the row unless it is that of the only version. */
    void addTo(int columnIndex, Row out) {
        if (versionCount == 1 && isNormal(onlyVersion, onlyEntry)) {
            out.addEntryOf(onlyVersion, onlyEntry);
            return;
        }
        int indexCount = 0;
        for (int i = 0; i < shardCount; i++) {
            indexCount += kinds[i] == Kind.REMOTE ? 0 : 1;
        }
        out.addCell(columnIndex, timestampMicros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        out.ownValue(CounterShards.lengthBytes(shardCount, indexCount));
        int entry = out.entryCount() - 1;
        byte[] context = out.valueBuffer(entry);
        int at = CounterShards.writeIndexCount(indexCount, context, out.valueOffset(entry));
        for (int i = 0; i < shardCount; i++) {
            if (kinds[i] != Kind.REMOTE) {
                at = CounterShards.writeIndex(i, kinds[i], context, at);
            }
        }
        System.arraycopy(bytes, 0, context, at, shardCount * CounterShards.SHARD_BYTES);
    }
}
