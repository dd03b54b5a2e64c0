package io.anneal.repair;

import io.anneal.job.RangeUnit;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas of a table, each with every second partition: what one holds the other lacks. */
abstract class TwoHalves {
    static final int PARTITION_ROWS = 2;

    @TempDir
    Path directory;

    final ExecutorService executor = Executors.newCachedThreadPool();
    /** Those that were reported. */
    final List<RangeUnit> units = Collections.synchronizedList(new ArrayList<>());

    StagingArea ownStaging;
    StagingArea otherStaging;
    TestTable own;
    TestTable other;

    private final List<DecoratedKey> partitions;

    TwoHalves(int partitionCount) {
        partitions = HandMadeTable.keys(partitionCount);
    }

    @BeforeEach
    void start() throws IOException {
        open(directory.resolve("own"), directory.resolve("other"));
    }

    @AfterEach
    void stop() throws IOException {
        executor.shutdownNow();
        close();
    }

    private void open(Path ownPlace, Path otherPlace) throws IOException {
        ownStaging = Sessions.staging(ownPlace);
        otherStaging = Sessions.staging(otherPlace);
        own = table("own", 0, ownStaging);
        other = table("other", 1, otherStaging);
    }

    private void close() throws IOException {
        ownStaging.close();
        otherStaging.close();
    }

    /** As another process does after the end of the first. */
    void reopen() throws IOException {
        Path ownPlace = ownStaging.tableDirectory(own.schema()).getParent().getParent();
        Path otherPlace =
                otherStaging.tableDirectory(other.schema()).getParent().getParent();
        close();
        open(ownPlace, otherPlace);
    }

    /** Replicas to which nothing was given yet. */
    void openAnew(String name) throws IOException {
        close();
        open(directory.resolve("own" + name), directory.resolve("other" + name));
    }

    /** @param half 0 or 1 */
    TestTable table(String name, int half, StagingArea staging) {
        return new TestTable(name, Sessions.rows(keys(half), PARTITION_ROWS), Optional.of(staging));
    }

    /** Of the partitions that a half has. */
    List<DecoratedKey> keys(int half) {
        List<DecoratedKey> keys = new ArrayList<>();
        for (int i = half; i < partitions.size(); i += 2) {
            keys.add(partitions.get(i));
        }
        return keys;
    }

    /** What a replica has that has all of the half. */
    List<String> lines(int half) {
        return Sessions.rows(keys(half), PARTITION_ROWS).lines();
    }

    /** As the test's repairs are. */
    abstract Repair repair(RepairMember... members);

    Repair repairHere() {
        return repair(RepairMember.here("own", own.opener()), RepairMember.here("other", other.opener()));
    }

    /** In windows that are as small as they can be. */
    Repair inSmallWindows(RepairMember... members) {
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(1)
                .reports((unit, report) -> units.add(unit));
    }
}
