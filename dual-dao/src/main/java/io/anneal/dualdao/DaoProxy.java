package io.anneal.dualdao;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;

/** Stands in for the DAO: routed methods are operations, methods with a body run on the proxy, and a proxy equals itself alone. */
final class DaoProxy implements InvocationHandler {
    private static final Object[] NO_ARGUMENTS = {};

    private final String text;
    private final Map<Method, DualOperation<Object[], Object>> operations;

    private DaoProxy(String text, Map<Method, DualOperation<Object[], Object>> operations) {
        this.text = text;
        this.operations = operations;
    }

    static <D> D of(Class<D> type, String text, Map<Method, DualOperation<Object[], Object>> operations) {
        DaoProxy handler = new DaoProxy(text, operations);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        DualOperation<Object[], Object> operation = operations.get(method);
        if (operation != null) {
            return operation.callThrowing(arguments == null ? NO_ARGUMENTS : arguments);
        }
        if (DaoMethods.isOfObject(method)) {
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> text;
            };
        }
        return InvocationHandler.invokeDefault(proxy, method, arguments);
    }
}
