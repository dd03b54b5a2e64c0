package io.anneal.dualdao.operation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

/** Calls a method of the DAO's interface on one side by a method handle, which throws what the method throws as it is. */
final class SideInvoker<D> implements OperationSpec.Invoker<D, Object[], Object> {
    private static final MethodType GENERIC = MethodType.methodType(Object.class, Object.class, Object[].class);

    private final MethodHandle handle;

    private SideInvoker(MethodHandle handle) {
        this.handle = handle;
    }

    /**
     * @throws java.lang.reflect.InaccessibleObjectException if the interface's module keeps it to itself
     */
    static <D> SideInvoker<D> of(Method method) {
        method.setAccessible(true);
        try {
            return new SideInvoker<>(MethodHandles.lookup()
                    .unreflect(method)
                    .asFixedArity()
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(GENERIC));
        } catch (IllegalAccessException e) {
            throw new AssertionError("made accessible before, method=" + method, e);
        }
    }

    @Override
    public Object call(D dao, Object[] arguments) throws Throwable {
        return (Object) handle.invokeExact((Object) dao, arguments);
    }
}
