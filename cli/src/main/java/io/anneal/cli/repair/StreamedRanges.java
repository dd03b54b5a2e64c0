package io.anneal.cli.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import io.anneal.repair.RangeTransfer;
import io.anneal.repair.RepairMember;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Has a replica of a repair fetch ranges from another one by streaming. */
record StreamedRanges(HostEnvironment host) implements RangeTransfer {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Override
    public void transfer(
            String qualifiedTable,
            List<TokenRange> ranges,
            RepairMember.There source,
            RepairMember target,
            Set<Waiver> waivers)
            throws IOException {
        StreamSource from = StreamSource.at(source.connector(), source.address(), source.name());
        StreamPlan.of()
                .add(qualifiedTable, from, target(target), ranges)
                .allow(waivers)
                // Else the replica gets rows, which need no thread of the node's.
                .patience(PATIENCE)
                .run(host);
    }

    private static StreamTarget target(RepairMember target) {
        return target instanceof RepairMember.There there
                ? StreamTarget.at(there.connector(), there.address(), there.name())
                : StreamTarget.here(((RepairMember.Here) target).tables());
    }
}
