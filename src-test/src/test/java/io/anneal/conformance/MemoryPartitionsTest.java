package io.anneal.conformance;

import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Faults;
import io.anneal.harness.store.MemoryPartitionDao;
import io.anneal.harness.store.PartitionDao;
import java.time.Clock;
import java.util.SplittableRandom;

final class MemoryPartitionsTest extends PartitionDaoContract {
    private final PartitionDao dao = again();

    @Override
    PartitionDao dao() {
        return dao;
    }

    @Override
    PartitionDao again() {
        return new MemoryPartitionDao("m", Clock.systemUTC(), new Faults(new SplittableRandom(1)), Delayer.NONE);
    }
}
