package io.anneal.dualdao.compare;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How to ask a class for its parts: a record for its components, another for its public getters and fields. None of the
 * JDK's classes, nor of those that modules keep to themselves.
 */
final class Accessors {
    /** By the part's name, sorted; a record's in their own order would tell no more. */
    private static final ClassValue<Map<String, Accessor>> BY_CLASS = new ClassValue<>() {
        @Override
        protected Map<String, Accessor> computeValue(Class<?> type) {
            return type.isRecord() ? ofRecord(type) : ofBean(type);
        }
    };

    private static final ClassValue<Boolean> HAS_EQUALS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("equals", Object.class).getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new AssertionError("every class has equals, class=" + type, e);
            }
        }
    };

    private Accessors() {}

    /** Reads one part. */
    @FunctionalInterface
    interface Accessor {
        Object read(Object holder) throws ReflectiveOperationException;

        /** What the part is, or the class of what reading it threw. */
        default Object valueOf(Object holder) {
            try {
                return read(holder);
            } catch (InvocationTargetException e) {
                return new Thrown(e.getCause().getClass());
            } catch (ReflectiveOperationException e) {
                return new Thrown(e.getClass());
            }
        }
    }

    /** Stands for a part that could not be read. */
    record Thrown(Class<?> type) {
        @Override
        public String toString() {
            return "(threw " + type.getSimpleName() + ")";
        }
    }

    static Map<String, Accessor> of(Class<?> type) {
        return BY_CLASS.get(type);
    }

    static boolean hasEquals(Class<?> type) {
        return HAS_EQUALS.get(type);
    }

    private static Map<String, Accessor> ofRecord(Class<?> type) {
        Map<String, Accessor> accessors = new TreeMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Method accessor = component.getAccessor();
            if (accessible(accessor)) {
                accessors.put(component.getName(), accessor::invoke);
            }
        }
        return accessors;
    }

    private static Map<String, Accessor> ofBean(Class<?> type) {
        Map<String, Accessor> accessors = new TreeMap<>();
        if (type.getClassLoader() == null || type.getName().startsWith("java.")) {
            return accessors;
        }
        for (Field field : type.getFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && accessible(field)) {
                accessors.put(field.getName(), field::get);
            }
        }
        for (Method method : type.getMethods()) {
            String part = part(method);
            if (!part.isEmpty() && accessible(method)) {
                accessors.put(part, method::invoke);
            }
        }
        return accessors;
    }

    /** The name of what a getter gets, empty if it is none. */
    private static String part(Method method) {
        if (Modifier.isStatic(method.getModifiers())
                || method.getParameterCount() > 0
                || method.getDeclaringClass() == Object.class) {
            return "";
        }
        String name = method.getName();
        Class<?> type = method.getReturnType();
        boolean truth = type == boolean.class || type == Boolean.class;
        int prefix = name.startsWith("get") && type != void.class ? 3 : name.startsWith("is") && truth ? 2 : 0;
        if (prefix == 0 || name.length() == prefix || !Character.isUpperCase(name.charAt(prefix))) {
            return "";
        }
        return name.substring(prefix, prefix + 1).toLowerCase(Locale.ROOT) + name.substring(prefix + 1);
    }

    private static boolean accessible(AccessibleObject member) {
        return member.trySetAccessible();
    }
}
