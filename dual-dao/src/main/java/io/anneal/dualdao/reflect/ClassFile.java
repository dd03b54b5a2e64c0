package io.anneal.dualdao.reflect;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes of one class whose methods neither branch nor catch, so that none needs a stack map: chapter 4 of the Java Virtual
 * Machine Specification, in its order of constant pool, access, names, fields, methods. Used once, by one thread.
 */
final class ClassFile {
    static final int PUBLIC = 0x0001;
    static final int PRIVATE_FINAL = 0x0012;
    private static final int FINAL_SUPER_SYNTHETIC = 0x1030;
    private static final int MAGIC = 0xCAFEBABE;
    private static final int VERSION_JAVA_8 = 52;

    private static final int CONSTANT_UTF8 = 1;
    private static final int CONSTANT_CLASS = 7;
    private static final int CONSTANT_FIELD = 9;
    private static final int CONSTANT_METHOD = 10;
    private static final int CONSTANT_INTERFACE_METHOD = 11;
    private static final int CONSTANT_NAME_AND_TYPE = 12;

    private final Map<String, Integer> constants = new LinkedHashMap<>();
    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private final ByteArrayOutputStream fieldBytes = new ByteArrayOutputStream();
    private final DataOutputStream fields = new DataOutputStream(fieldBytes);
    private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(methodBytes);
    private int fieldCount;
    private int methodCount;

    /** Names are internal ones, with slashes. */
    byte[] bytes(String name, String parent, String implemented) throws IOException {
        int nameIndex = type(name);
        int parentIndex = type(parent);
        int implementedIndex = type(implemented);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeInt(VERSION_JAVA_8);
        out.writeShort(constants.size() + 1);
        poolBytes.writeTo(out);
        out.writeShort(FINAL_SUPER_SYNTHETIC);
        out.writeShort(nameIndex);
        out.writeShort(parentIndex);
        out.writeShort(1);
        out.writeShort(implementedIndex);
        out.writeShort(fieldCount);
        fieldBytes.writeTo(out);
        out.writeShort(methodCount);
        methodBytes.writeTo(out);
        out.writeShort(0); // attributes
        return bytes.toByteArray();
    }

    void field(int access, String name, String descriptor) throws IOException {
        fieldCount++;
        fields.writeShort(access);
        fields.writeShort(utf8(name));
        fields.writeShort(utf8(descriptor));
        fields.writeShort(0); // attributes
    }

    void method(int access, String name, String descriptor, int stackMax, int localsMax, byte[] code)
            throws IOException {
        methodCount++;
        methods.writeShort(access);
        methods.writeShort(utf8(name));
        methods.writeShort(utf8(descriptor));
        methods.writeShort(1); // attributes
        methods.writeShort(utf8("Code"));
        methods.writeInt(2 + 2 + 4 + code.length + 2 + 2);
        methods.writeShort(stackMax);
        methods.writeShort(localsMax);
        methods.writeInt(code.length);
        methods.write(code);
        methods.writeShort(0); // exception table
        methods.writeShort(0); // attributes of the code
    }

    /** The index of a class in the constant pool. */
    int type(String internalName) throws IOException {
        int name = utf8(internalName);
        return constant("class " + internalName, CONSTANT_CLASS, name);
    }

    int fieldOf(String owner, String name, String descriptor) throws IOException {
        return member(CONSTANT_FIELD, owner, name, descriptor);
    }

    int methodOf(String owner, String name, String descriptor) throws IOException {
        return member(CONSTANT_METHOD, owner, name, descriptor);
    }

    int interfaceMethodOf(String owner, String name, String descriptor) throws IOException {
        return member(CONSTANT_INTERFACE_METHOD, owner, name, descriptor);
    }

    private int member(int tag, String owner, String name, String descriptor) throws IOException {
        int ownerIndex = type(owner);
        int nameIndex = utf8(name);
        int descriptorIndex = utf8(descriptor);
        int nameAndType =
                constant("member " + name + " " + descriptor, CONSTANT_NAME_AND_TYPE, nameIndex, descriptorIndex);
        return constant(tag + " " + owner + " " + name + " " + descriptor, tag, ownerIndex, nameAndType);
    }

    private int utf8(String text) throws IOException {
        Integer known = constants.get("text " + text);
        if (known != null) {
            return known;
        }
        pool.writeByte(CONSTANT_UTF8);
        pool.writeUTF(text);
        return added("text " + text);
    }

    private int constant(String key, int tag, int... indexes) throws IOException {
        Integer known = constants.get(key);
        if (known != null) {
            return known;
        }
        pool.writeByte(tag);
        for (int index : indexes) {
            pool.writeShort(index);
        }
        return added(key);
    }

    private int added(String key) {
        constants.put(key, constants.size() + 1);
        return constants.size();
    }
}
