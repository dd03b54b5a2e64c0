package io.anneal.testkit;

import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.PhaseStore;

final class MemoryPhaseStoreContractTest extends PhaseStoreContract {
    private final PhaseStore store = new MemoryPhaseStore();

    @Override
    protected PhaseStore open() {
        return store;
    }
}
