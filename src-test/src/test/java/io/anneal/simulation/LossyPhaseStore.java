package io.anneal.simulation;

import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

/** A phase store as one process sees it: now and then it can't be reached, and it outlives the process. */
final class LossyPhaseStore {
    private final PhaseStore reached;
    private boolean lost;

    /** @param store which may be another one later */
    LossyPhaseStore(Supplier<PhaseStore> store) {
        reached = (PhaseStore) Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (self, method, arguments) -> {
                    if (method.getName().equals("persistent")) {
                        return true;
                    }
                    if (lost) {
                        throw new PhaseStoreException("no way to the phase store");
                    }
                    try {
                        return method.invoke(store.get(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    PhaseStore store() {
        return reached;
    }

    void lost(boolean now) {
        lost = now;
    }
}
