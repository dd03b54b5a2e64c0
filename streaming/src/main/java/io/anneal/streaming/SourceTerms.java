package io.anneal.streaming;

import io.anneal.key.TokenRange;
import io.anneal.node.DataAge;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.Waiver;
import io.anneal.store.LiveFiles;
import io.anneal.streaming.message.Inventory;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a target refuses of a source before it takes anything: the target itself, another table, data so old that deleted rows would
 * come back, also to a target that is empty, since other replicas may have purged the deletions, none at all, and itself if its own
 * data is so old.
 *
 * @param own by which peers know the target, where they do
 */
record SourceTerms(Set<Waiver> waivers, Optional<DistinctReplicas.Named> own, InstantSource clock) {
    /** A target is as old as its oldest part, wherever in it the rows go. */
    private static final List<TokenRange> WHOLE = List.of(TokenRange.FULL);

    private static final Logger LOG = LoggerFactory.getLogger(SourceTerms.class);

    /**
     * Checks a source.
     *
     * @param nodeId of the node that has it; empty in this process
     * @return when what comes from it must be imported at the latest, seconds since 1970
     */
    long importDeadlineSeconds(Replica target, StreamSource source, Optional<UUID> nodeId, Inventory inventory)
            throws IOException {
        requireOther(target, source, nodeId, inventory.replica());
        requireSameTable(target, inventory.replica().tableId());
        requireKnowsDeletions(target);
        DataAge age = DataAge.of(
                target.schema(), List.of(inventory.replica()), clock.instant().getEpochSecond(), waivers);
        age.notes().forEach(note -> LOG.warn("{}, source={}", note, source.name()));
        if (inventory.isEmpty() && !waivers.contains(Waiver.EMPTY_REPLICA)) {
            throw new ReplicaException(
                    "source has no SSTable of the table: is it the right one, table="
                            + target.schema().qualifiedName() + ", source=" + source.name() + ", replica="
                            + inventory.replica().name(),
                    Waiver.EMPTY_REPLICA);
        }
        return age.importDeadlineSeconds();
    }

    private void requireOther(Replica target, StreamSource source, Optional<UUID> nodeId, ReplicaFacts facts)
            throws IOException {
        if (source instanceof StreamSource.There there) {
            DistinctReplicas distinct = new DistinctReplicas();
            if (own.isPresent()) {
                distinct.add(own.get(), "target");
            }
            distinct.add(new DistinctReplicas.Named(nodeId.orElseThrow(), there.replica()), there.name());
        }
        DistinctReplicas.requireDistinctData(List.of(ReplicaFacts.of(target, WHOLE), facts));
    }

    /**
     * A store that was closed for longer than gc_grace has rows that were deleted meanwhile, and their deletions come from nowhere
     * any more: what it has after streaming would look complete. A store alone knows for how long it was away; for the SSTables
     * of a Cassandra node that node answers.
     */
    private void requireKnowsDeletions(Replica target) throws IOException {
        if (target.takesInAtOnce() && target.asOf(WHOLE).isPresent() && holdsData(target)) {
            DataAge.of(
                            target.schema(),
                            List.of(ReplicaFacts.of(target, WHOLE)),
                            clock.instant().getEpochSecond(),
                            waivers)
                    .notes()
                    .forEach(note -> LOG.warn("{}, target={}", note, target.name()));
        }
    }

    private static boolean holdsData(Replica target) throws IOException {
        try (LiveFiles files = target.pin(tokens -> false)) {
            return !files.isTableEmpty();
        }
    }

    private static void requireSameTable(Replica target, Optional<String> sourceId) throws ReplicaException {
        if (sourceId.isPresent() && target.tableId().isPresent() && !sourceId.equals(target.tableId())) {
            throw new ReplicaException("table was dropped and made again: source and target have different ones, table="
                    + target.schema().qualifiedName() + ", source-id=" + sourceId.get() + ", id="
                    + target.tableId().get());
        }
    }
}
