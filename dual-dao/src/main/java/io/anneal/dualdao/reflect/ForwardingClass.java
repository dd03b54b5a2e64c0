package io.anneal.dualdao.reflect;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes an object of an interface that hands each call on with its arguments in an array, as {@link java.lang.reflect.Proxy} does,
 * and differs from it in one thing: what is thrown comes out as it is. A JDK proxy wraps checked exceptions that the method does not
 * declare, which DAOs written in Kotlin or with sneaky throws do throw. Methods that nobody takes are the interface's own, equality is
 * identity.
 *
 * <p>The class implements the interface and has one field, an array of functions; a method is {@code return (T) calls[i].apply(new
 * Object[] {a, b})}. It has names of the JDK and of the interface alone, so that it can live in the interface's package,
 * or in a class loader below the interface's where that package is closed.
 */
public final class ForwardingClass {
    private static final String CALL = "java/util/function/Function";
    private static final String CALLS = "[L" + CALL + ";";
    private static final String OBJECT = "java/lang/Object";
    private static final int STACK_MAX = 8;

    private static final int ALOAD = 0x19;
    private static final int ALOAD_0 = 0x2a;
    private static final int ALOAD_1 = 0x2b;
    private static final int AALOAD = 0x32;
    private static final int AASTORE = 0x53;
    private static final int POP = 0x57;
    private static final int DUP = 0x59;
    private static final int SIPUSH = 0x11;
    private static final int ARETURN = 0xb0;
    private static final int RETURN = 0xb1;
    private static final int GETFIELD = 0xb4;
    private static final int PUTFIELD = 0xb5;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    private static final int INVOKEINTERFACE = 0xb9;
    private static final int ANEWARRAY = 0xbd;
    private static final int CHECKCAST = 0xc0;

    /** How a primitive type is loaded, returned, boxed. */
    private enum Primitive {
        BOOLEAN(boolean.class, Boolean.class, 0x15, 0xac),
        BYTE(byte.class, Byte.class, 0x15, 0xac),
        CHAR(char.class, Character.class, 0x15, 0xac),
        SHORT(short.class, Short.class, 0x15, 0xac),
        INT(int.class, Integer.class, 0x15, 0xac),
        LONG(long.class, Long.class, 0x16, 0xad),
        FLOAT(float.class, Float.class, 0x17, 0xae),
        DOUBLE(double.class, Double.class, 0x18, 0xaf);

        final Class<?> type;
        final Class<?> box;
        final int load;
        final int answer;

        Primitive(Class<?> type, Class<?> box, int load, int answer) {
            this.type = type;
            this.box = box;
            this.load = load;
            this.answer = answer;
        }

        static Primitive of(Class<?> type) {
            for (Primitive primitive : values()) {
                if (primitive.type == type) {
                    return primitive;
                }
            }
            throw new IllegalArgumentException("not a primitive type, type=" + type);
        }

        int slots() {
            return this == LONG || this == DOUBLE ? 2 : 1;
        }
    }

    private final ClassFile file = new ClassFile();
    private final String name;

    private ForwardingClass(String name) {
        this.name = name;
    }

    /**
     * An object of the interface.
     *
     * @param calls for the methods that are handed on, which may throw anything; the interface's abstract methods must be among
     *     them
     * @param text what {@code toString} answers
     */
    public static <D> D instance(Class<D> type, Map<Method, Function<Object[], Object>> calls, String text) {
        List<Function<Object[], Object>> functions = new ArrayList<>(calls.values());
        functions.add(arguments -> text);
        Object array = functions.toArray(new Function<?, ?>[0]);
        try {
            Constructor<?> constructor = define(type, calls.keySet()).getDeclaredConstructor(Function[].class);
            constructor.setAccessible(true);
            return type.cast(constructor.newInstance(array));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the interface can't be implemented, type=" + type.getName(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> define(Class<?> type, Collection<Method> methods) throws IOException {
        String inPackage = internalName(type) + "$Dual";
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .defineHiddenClass(new ForwardingClass(inPackage).bytes(type, methods), true)
                    .lookupClass();
        } catch (IllegalAccessException e) {
            // the interface's package is exported but not open: only a class elsewhere can implement it
            String elsewhere = "anneal/forwarding/" + type.getSimpleName();
            return new Below(type.getClassLoader()).define(new ForwardingClass(elsewhere).bytes(type, methods));
        }
    }

    /** A class loader for one class. */
    private static final class Below extends ClassLoader {
        Below(ClassLoader parent) {
            super(parent);
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    private byte[] bytes(Class<?> implemented, Collection<Method> methods) throws IOException {
        file.field(ClassFile.PRIVATE_FINAL, "calls", CALLS);
        constructor();
        int index = 0;
        Set<String> signatures = new HashSet<>();
        for (Method method : methods) {
            MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
            // two interfaces above may declare the same
            if (signatures.add(method.getName() + type.toMethodDescriptorString())) {
                forward(index, method.getName(), type);
            }
            index++;
        }
        forward(index, "toString", MethodType.methodType(String.class));
        return file.bytes(name, OBJECT, internalName(implemented));
    }

    private void constructor() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        code.writeByte(ALOAD_0);
        code.writeByte(INVOKESPECIAL);
        code.writeShort(file.methodOf(OBJECT, "<init>", "()V"));
        code.writeByte(ALOAD_0);
        code.writeByte(ALOAD_1);
        code.writeByte(PUTFIELD);
        code.writeShort(file.fieldOf(name, "calls", CALLS));
        code.writeByte(RETURN);
        file.method(ClassFile.PUBLIC, "<init>", "(" + CALLS + ")V", STACK_MAX, 2, bytes.toByteArray());
    }

    private void forward(int index, String method, MethodType type) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(bytes);
        code.writeByte(ALOAD_0);
        code.writeByte(GETFIELD);
        code.writeShort(file.fieldOf(name, "calls", CALLS));
        code.writeByte(SIPUSH);
        code.writeShort(index);
        code.writeByte(AALOAD);
        code.writeByte(SIPUSH);
        code.writeShort(type.parameterCount());
        code.writeByte(ANEWARRAY);
        code.writeShort(file.type(OBJECT));
        int slot = 1;
        for (int i = 0; i < type.parameterCount(); i++) {
            code.writeByte(DUP);
            code.writeByte(SIPUSH);
            code.writeShort(i);
            slot += loadBoxed(code, type.parameterType(i), slot);
            code.writeByte(AASTORE);
        }
        code.writeByte(INVOKEINTERFACE);
        code.writeShort(file.interfaceMethodOf(CALL, "apply", "(L" + OBJECT + ";)L" + OBJECT + ";"));
        code.writeByte(2); // arguments, with the function itself
        code.writeByte(0);
        answer(code, type.returnType());
        String descriptor = type.toMethodDescriptorString();
        file.method(ClassFile.PUBLIC, method, descriptor, STACK_MAX, slot, bytes.toByteArray());
    }

    /** How many slots the parameter takes. */
    private int loadBoxed(DataOutputStream code, Class<?> type, int slot) throws IOException {
        Primitive primitive = type.isPrimitive() ? Primitive.of(type) : null;
        code.writeByte(primitive == null ? ALOAD : primitive.load);
        code.writeByte(slot);
        if (primitive == null) {
            return 1;
        }
        String boxed = MethodType.methodType(primitive.box, type).toMethodDescriptorString();
        code.writeByte(INVOKESTATIC);
        code.writeShort(file.methodOf(internalName(primitive.box), "valueOf", boxed));
        return primitive.slots();
    }

    private void answer(DataOutputStream code, Class<?> type) throws IOException {
        if (type == void.class) {
            code.writeByte(POP);
            code.writeByte(RETURN);
            return;
        }
        Primitive primitive = type.isPrimitive() ? Primitive.of(type) : null;
        code.writeByte(CHECKCAST);
        code.writeShort(file.type(internalName(primitive == null ? type : primitive.box)));
        if (primitive != null) {
            String unboxed = MethodType.methodType(type).toMethodDescriptorString();
            code.writeByte(INVOKEVIRTUAL);
            code.writeShort(file.methodOf(internalName(primitive.box), type.getName() + "Value", unboxed));
        }
        code.writeByte(primitive == null ? ARETURN : primitive.answer);
    }

    /** As it stands in class files; of an array its descriptor. */
    private static String internalName(Class<?> type) {
        return type.getName().replace('.', '/');
    }
}
