package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the replicas' versions of one row tell of how they came to differ.
 *
 * @param differsSinceMicros the timestamp of the oldest write that some replica lacks; empty where the versions do not differ
 * @param isGhost whether a deletion of one replica that purging hides covers what lives on another: a repair spreads the deletion
 *     (rule 11 of the canonical form), and one that compares purged views alone would bring the row back
 */
public record RowDrift(OptionalLong differsSinceMicros, boolean isGhost) {
    /**
     * One replica's version, merged and normalised, nothing purged.
     *
     * @param covering the deletion of its partition or of a range that covers the place, whichever is newer
     */
    public record Version(Optional<Row> row, DeletionTime covering) {
        /** Of a replica that has nothing there. */
        public static final Version NONE = new Version(Optional.empty(), DeletionTime.LIVE);
    }

    /** A part of a row: liveness, the row's deletion, a cell, or the deletion of a collection. */
    private record Place(int column, boolean isDeletion, Optional<ByteBuffer> path) {
        static final Place LIVENESS = new Place(-1, false, Optional.empty());
        static final Place DELETION = new Place(-1, true, Optional.empty());

        Place ofCollection() {
            return new Place(column, true, Optional.empty());
        }
    }

    /**
     * What stands at a place.
     *
     * @param isLive whether that is something at the session's purge time
     */
    private record Content(
            long timestampMicros, int ttlSeconds, long localSeconds, boolean isLive, Optional<ByteBuffer> value) {}

    /** A version by its parts: as the replica holds it, and as purging shows it. */
    private record Parts(Map<Place, Content> held, Map<Place, Content> seen, DeletionTime covering) {
        /** The timestamp of the newest write that says what stands at a place. */
        long decidedMicros(Place place) {
            long micros = covering.timestampMicros();
            for (Place deciding : List.of(place, place.ofCollection(), Place.DELETION)) {
                Content content = held.get(deciding);
                micros = content == null ? micros : Math.max(micros, content.timestampMicros());
            }
            return micros;
        }

        /** Whether what purging hides covers a write. */
        boolean hides(Place place, long timestampMicros, SessionPurgeRule rule) {
            boolean covers =
                    covers(covering.timestampMicros(), covering.localDeletionTimeSeconds(), timestampMicros, rule);
            for (Place deciding : List.of(place, place.ofCollection(), Place.DELETION)) {
                Content content = held.get(deciding);
                covers |= content != null
                        && covers(content.timestampMicros(), content.localSeconds(), timestampMicros, rule);
            }
            return covers;
        }

        private static boolean covers(
                long deletedMicros, long deletedSeconds, long timestampMicros, SessionPurgeRule rule) {
            return deletedSeconds != DeletionTime.NO_DELETION_TIME
                    && deletedMicros >= timestampMicros
                    && rule.isPurgeable(deletedMicros, deletedSeconds);
        }
    }

    /**
     * Compares versions of a row.
     *
     * @param rule the session's
     * @param versions of each replica; read during the call
     */
    public static RowDrift of(TableSchema schema, SessionPurgeRule rule, List<Version> versions) {
        Purger purger = new Purger(schema, rule);
        List<Parts> all = versions.stream()
                .map(version -> parts(version, purger, rule.purgeTimeSeconds()))
                .toList();
        Set<Place> places = new HashSet<>();
        all.forEach(parts -> places.addAll(parts.seen().keySet()));
        OptionalLong since = places.stream()
                .filter(place -> all.stream()
                                .map(parts -> Optional.ofNullable(parts.seen().get(place)))
                                .distinct()
                                .count()
                        > 1)
                .mapToLong(place -> all.stream()
                        .mapToLong(parts -> parts.decidedMicros(place))
                        .max()
                        .orElseThrow())
                .min();
        boolean ghost = all.stream()
                .anyMatch(parts -> parts.seen().entrySet().stream()
                        .filter(part -> part.getValue().isLive())
                        .anyMatch(part -> all.stream()
                                .anyMatch(other -> other.hides(
                                        part.getKey(), part.getValue().timestampMicros(), rule))));
        return new RowDrift(since, ghost);
    }

    private static Parts parts(Version version, Purger purger, long nowSeconds) {
        if (version.row().isEmpty()) {
            return new Parts(Map.of(), Map.of(), version.covering());
        }
        Row row = version.row().get();
        Map<Place, Content> held = parts(row, nowSeconds);
        Row view = new Row();
        return new Parts(held, purger.purge(row, view) ? parts(view, nowSeconds) : held, version.covering());
    }

    private static Map<Place, Content> parts(Row row, long nowSeconds) {
        Map<Place, Content> parts = new HashMap<>();
        if (row.hasLiveness()) {
            parts.put(
                    Place.LIVENESS,
                    new Content(
                            row.livenessTimestampMicros(),
                            row.livenessTtlSeconds(),
                            row.livenessExpirySeconds(),
                            row.hasLivenessAt(nowSeconds),
                            Optional.empty()));
        }
        if (row.hasDeletion()) {
            parts.put(
                    Place.DELETION,
                    new Content(
                            row.deletionTimestampMicros(),
                            Row.NO_TTL,
                            row.deletionLocalTimeSeconds(),
                            false,
                            Optional.empty()));
        }
        for (int i = 0; i < row.entryCount(); i++) {
            parts.put(
                    new Place(
                            row.columnIndex(i),
                            row.isComplexDeletion(i),
                            bytes(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i))),
                    new Content(
                            row.timestampMicros(i),
                            row.ttlSeconds(i),
                            row.localDeletionTimeSeconds(i),
                            row.isLiveAt(i, nowSeconds),
                            bytes(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i))));
        }
        return parts;
    }

    private static Optional<ByteBuffer> bytes(byte[] buffer, int offset, int lengthBytes) {
        if (lengthBytes == Row.ABSENT) {
            return Optional.empty();
        }
        return Optional.of(lengthBytes == 0 ? ByteBuffer.allocate(0) : ByteBuffer.wrap(buffer, offset, lengthBytes));
    }
}
