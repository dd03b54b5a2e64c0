package io.anneal.repair;

import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Brings SSTables as they are to a replica that holds next to nothing, before it is compared with the others row by row: that is
 * less work than sending it as many rows. Repair knows no streaming: the program that puts a node together fills this in.
 */
@FunctionalInterface
public interface RangeTransfer {
    /**
     * Returns when the target holds what the source holds in the ranges. Runs on a thread of its own, and may wait; an interrupt
     * ends it.
     *
     * @param qualifiedTable {@code keyspace.table}
     * @param target takes in at once what it receives
     * @param waivers what is not refused of either
     * @throws IOException when it could not: the repair then sends rows
     */
    void transfer(
            String qualifiedTable,
            List<TokenRange> ranges,
            RepairMember.There source,
            RepairMember target,
            Set<Waiver> waivers)
            throws IOException;
}
