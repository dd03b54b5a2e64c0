package io.anneal.dualdao;

import io.anneal.dualdao.route.DualOperation;
import java.util.function.Function;

/** An operation as the DAO's methods call it: throws what the operation throws, checked or not. */
final class ProxiedCall implements Function<Object[], Object> {
    /** A call that throws what it says; what it says is for the compiler alone. */
    private interface Thrower<T extends Throwable> {
        Object call(Object[] arguments) throws T;
    }

    private final Thrower<RuntimeException> operation;

    @SuppressWarnings("unchecked")
    ProxiedCall(DualOperation<Object[], Object> operation) {
        Thrower<Throwable> throwing = operation::callThrowing;
        this.operation = (Thrower<RuntimeException>) (Thrower<?>) throwing;
    }

    @Override
    public Object apply(Object[] arguments) {
        return operation.call(arguments);
    }
}
