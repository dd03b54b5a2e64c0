package io.anneal.cli.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.repair.RangeTransfer;
import io.anneal.repair.RepairMember;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.time.Duration;

/** Has a replica of a repair fetch ranges from another one by streaming. */
record StreamedRanges(HostEnvironment host) implements RangeTransfer {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Override
    public void transfer(Task task, Progress progress) throws IOException {
        StreamPlan.of()
                .add(task.table(), source(task.source()), target(task.target()), task.ranges())
                .allow(task.waivers())
                .bytesPerSecond(task.bytesPerSecond())
                .listener((rows, bytes, covered) -> progress.came(covered, bytes))
                // Else the replica gets rows, which need no thread of the node's.
                .patience(PATIENCE)
                .leave(task.leftAs())
                .run(host);
    }

    private static StreamSource source(RepairMember source) {
        return source instanceof RepairMember.There there
                ? StreamSource.at(there.connector(), there.address(), there.name())
                : StreamSource.here(((RepairMember.Here) source).tables());
    }

    private static StreamTarget target(RepairMember target) {
        return target instanceof RepairMember.There there
                ? StreamTarget.at(there.connector(), there.address(), there.name())
                : StreamTarget.here(((RepairMember.Here) target).tables());
    }
}
