package io.anneal.dualdao.operation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/** Calls a method of the DAO's interface on one side by a method handle, which throws what the method throws as it is. */
final class SideInvoker<D> implements OperationSpec.Invoker<D, Object[], Object> {
    private static final MethodType GENERIC = MethodType.methodType(Object.class, Object.class, Object[].class);

    private final MethodHandle handle;

    /** Parameters that are buffers: each side reads from where the caller's begins, and moves its own. */
    private final int[] buffers;

    private SideInvoker(MethodHandle handle, int[] buffers) {
        this.handle = handle;
        this.buffers = buffers;
    }

    /**
     * @throws java.lang.reflect.InaccessibleObjectException if the interface's module keeps it to itself
     */
    static <D> SideInvoker<D> of(Method method) {
        method.setAccessible(true);
        try {
            return new SideInvoker<>(
                    MethodHandles.lookup()
                            .unreflect(method)
                            .asFixedArity()
                            .asSpreader(Object[].class, method.getParameterCount())
                            .asType(GENERIC),
                    IntStream.range(0, method.getParameterCount())
                            .filter(i -> method.getParameterTypes()[i] == ByteBuffer.class)
                            .toArray());
        } catch (IllegalAccessException e) {
            throw new AssertionError("made accessible before, method=" + method, e);
        }
    }

    @Override
    public Object call(D dao, Object[] arguments) throws Throwable {
        Object[] own = buffers.length == 0 ? arguments : duplicated(arguments);
        return (Object) handle.invokeExact((Object) dao, own);
    }

    private Object[] duplicated(Object[] arguments) {
        Object[] own = arguments.clone();
        for (int i : buffers) {
            if (arguments[i] instanceof ByteBuffer buffer) {
                own[i] = buffer.duplicate().order(buffer.order());
            }
        }
        return own;
    }
}
