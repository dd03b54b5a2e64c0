package io.anneal.dualdao.reflect;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** How the key of an entity is read off it: as the builder was told for its class or one above, or by a property's name. */
public final class KeyAccess {
    private static final MethodType OF_OBJECT = MethodType.methodType(Object.class, Object.class);

    private final Map<Class<?>, Function<Object, ?>> keyOf;

    public KeyAccess(Map<Class<?>, Function<Object, ?>> keyOf) {
        this.keyOf = keyOf;
    }

    /** What the builder was told of that class, or else of one above it. */
    public Optional<Function<Object, ?>> told(Class<?> entity) {
        Function<Object, ?> exact = keyOf.get(entity);
        if (exact != null) {
            return Optional.of(exact);
        }
        for (Map.Entry<Class<?>, Function<Object, ?>> known : keyOf.entrySet()) {
            if (known.getKey().isAssignableFrom(entity)) {
                return Optional.of(known.getValue());
            }
        }
        return Optional.empty();
    }

    /** How a property is read off an entity, and what is read. */
    public record Property(Class<?> type, Function<Object, ?> read) {}

    /**
     * The accessor {@code id()} or {@code getId()}, or the field {@code id}, public or not; empty if there is none.
     *
     * @throws InaccessibleObjectException if its module keeps it to itself
     */
    public static Optional<Property> property(Class<?> entity, String property) {
        String bean = "get" + property.substring(0, 1).toUpperCase(Locale.ROOT) + property.substring(1);
        for (String accessor : new String[] {property, bean}) {
            Optional<Method> method = accessor(entity, accessor);
            if (method.isPresent()) {
                return Optional.of(new Property(method.get().getReturnType(), reading(method.get())));
            }
        }
        for (Class<?> declaring = entity; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (field.getName().equals(property) && !Modifier.isStatic(field.getModifiers())) {
                    return Optional.of(new Property(field.getType(), reading(field)));
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Method> accessor(Class<?> entity, String name) {
        for (Class<?> declaring = entity; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                if (isAccessor(method, name)) {
                    return Optional.of(method);
                }
            }
        }
        for (Method method : entity.getMethods()) {
            if (isAccessor(method, name)) {
                return Optional.of(method);
            }
        }
        return Optional.empty();
    }

    private static boolean isAccessor(Method method, String name) {
        return method.getName().equals(name)
                && method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && !method.isBridge()
                && !Modifier.isStatic(method.getModifiers());
    }

    private static Function<Object, ?> reading(AccessibleObject member) {
        member.setAccessible(true);
        MethodHandle handle;
        try {
            MethodHandle direct = member instanceof Method method
                    ? MethodHandles.lookup().unreflect(method)
                    : MethodHandles.lookup().unreflectGetter((Field) member);
            handle = direct.asType(OF_OBJECT);
        } catch (IllegalAccessException e) {
            throw new AssertionError("made accessible before, member=" + member, e);
        }
        return entity -> {
            try {
                return (Object) handle.invokeExact(entity);
            } catch (RuntimeException | Error thrown) {
                throw thrown;
            } catch (Throwable thrown) {
                throw new IllegalArgumentException("the key can't be read, member=" + member, thrown);
            }
        };
    }
}
