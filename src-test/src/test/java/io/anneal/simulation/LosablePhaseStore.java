package io.anneal.simulation;

import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;

/** A phase store that can't be asked while a test says so. */
final class LosablePhaseStore {
    private LosablePhaseStore() {}

    static PhaseStore of(PhaseStore store, BooleanSupplier gone) {
        return (PhaseStore) Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    if (gone.getAsBoolean()) {
                        throw new PhaseStoreException("the store is gone");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
