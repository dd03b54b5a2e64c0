package io.anneal.harness;

import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;

/** Stands before a phase store and times out when told to, before a call or after it was done. */
final class FaultyPhases {
    private static final Predicate<String> NEVER = call -> false;

    private final PhaseStore store;

    private volatile Predicate<String> before = NEVER;
    private volatile Predicate<String> after = NEVER;

    FaultyPhases(PhaseStore inner) {
        store = (PhaseStore) Proxy.newProxyInstance(
                FaultyPhases.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    timeOut(before, method.getName());
                    try {
                        Object answer = method.invoke(inner, arguments);
                        timeOut(after, method.getName());
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void timeOut(Predicate<String> when, String call) {
        if (when.test(call)) {
            throw new PhaseStoreException("phase store did not answer in time, call=" + call);
        }
    }

    PhaseStore store() {
        return store;
    }

    /** Calls, by their names, that are not done. */
    void lose(Predicate<String> calls) {
        before = calls;
    }

    /** Calls, by their names, that are done, and whose answer is lost. */
    void loseAnswer(Predicate<String> calls) {
        after = calls;
    }
}
