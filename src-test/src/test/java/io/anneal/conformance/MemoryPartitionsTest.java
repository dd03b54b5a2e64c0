package io.anneal.conformance;

import io.anneal.migrate.store.Delayer;
import io.anneal.migrate.store.Faults;
import io.anneal.migrate.store.MemoryPartitionDao;
import io.anneal.migrate.store.PartitionDao;
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
