package io.anneal.fragment;

import io.anneal.key.DecoratedKey;
import io.anneal.key.Murmur3;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;

/**
 * Checks that a partition key is one of a table's: its components, each of its type, and its token. Several components stand
 * each behind its length, 2 bytes, and before a byte 0. Allocates nothing; any thread.
 */
final class KeyValidator {
    private final CqlType[] types;

    KeyValidator(TableSchema schema) {
        types = schema.partitionKey().stream().map(Column::type).toArray(CqlType[]::new);
    }

    void validate(DecoratedKey key) throws CorruptItemException {
        byte[] bytes = key.bytes();
        if (bytes.length == 0 || bytes.length > ItemLayout.KEY_LENGTH_MAX_BYTES) {
            throw wrong(
                    "partition key is empty or too long",
                    "lengthBytes=" + bytes.length + ", max=" + ItemLayout.KEY_LENGTH_MAX_BYTES);
        }
        if (types.length == 1) {
            validate(0, bytes, 0, bytes.length);
        } else {
            components(bytes);
        }
        if (key.token() != Murmur3.token(bytes, 0, bytes.length)) {
            throw wrong("token is not the partition key's", "token=" + key.token());
        }
    }

    private void components(byte[] bytes) throws CorruptItemException {
        int at = 0;
        for (int i = 0; i < types.length; i++) {
            int length = at + Short.BYTES <= bytes.length ? (bytes[at] & 0xFF) << Byte.SIZE | bytes[at + 1] & 0xFF : 0;
            int end = at + Short.BYTES + length;
            if (end >= bytes.length || bytes[end] != 0) {
                throw wrong(
                        "partition key does not consist of its components",
                        "component=" + i + ", componentCount=" + types.length + ", lengthBytes=" + bytes.length);
            }
            if (length > 0) {
                validate(i, bytes, at + Short.BYTES, length);
            }
            at = end + 1;
        }
        if (at != bytes.length) {
            throw wrong(
                    "partition key has bytes behind its components",
                    "componentCount=" + types.length + ", lengthBytes=" + bytes.length);
        }
    }

    private void validate(int component, byte[] bytes, int offset, int length) throws CorruptItemException {
        try {
            types[component].validate(bytes, offset, length);
        } catch (InvalidValueException e) {
            throw new CorruptItemException(
                    "component " + component + " of the partition key is not of its type " + types[component].cqlName(),
                    ItemLayout.KEY_OFFSET,
                    e);
        }
    }

    private static CorruptItemException wrong(String what, String facts) {
        return new CorruptItemException(what, ItemLayout.KEY_OFFSET, facts);
    }
}
