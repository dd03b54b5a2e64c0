package io.anneal.bench.oldrepair;

import io.anneal.node.Node;
import java.io.IOException;
import java.util.List;

/**
 * The ways of repairing that row-level repair is compared with. Nothing is purged: replicas are equal afterwards, with all their
 * deletions.
 */
public enum RepairBaseline {
    /**
     * Ranges of about 100 partitions, one after the other, compared by the SHA-256 of all that is in them. One that differs is read
     * again, goes whole from the followers to the master, and merged from there to all followers.
     */
    PARTITIONS_SHA256 {
        @Override
        public BaselineReport run(Node master, BaselineTask task, List<BaselineMember> members) throws IOException {
            return PartitionRepair.run(master, task, members, ChecksumKind.SHA256);
        }
    },
    /** The same, with the hash that row-level repair has. */
    PARTITIONS_XXH3 {
        @Override
        public BaselineReport run(Node master, BaselineTask task, List<BaselineMember> members) throws IOException {
            return PartitionRepair.run(master, task, members, ChecksumKind.XXH3);
        }
    },
    /** A tree of 2^15 leaves a replica, by the hash that row-level repair has; each two replicas send one another the leaves that differ. */
    MERKLE {
        @Override
        public BaselineReport run(Node master, BaselineTask task, List<BaselineMember> members) throws IOException {
            return MerkleRepair.run(master, task, members);
        }
    };

    /**
     * Repairs.
     *
     * @param master with whose nodes {@link BaselineService#register} was called, as with all others
     * @param members the master's replica first
     */
    public abstract BaselineReport run(Node master, BaselineTask task, List<BaselineMember> members) throws IOException;
}
