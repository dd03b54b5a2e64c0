package io.anneal.migrate.page;

import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/** Stands before a phase store and fails when told to. */
final class FragileStore {
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final PhaseStore store;

    FragileStore(PhaseStore inner) {
        this.store = (PhaseStore) Proxy.newProxyInstance(
                FragileStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    if (failure.get() != null) {
                        throw failure.get();
                    }
                    try {
                        return method.invoke(inner, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    PhaseStore store() {
        return store;
    }

    void lose() {
        fail(new PhaseStoreException("no host was reachable, hosts=10.0.0.7"));
    }

    void fail(RuntimeException e) {
        failure.set(e);
    }

    void find() {
        failure.set(null);
    }
}
