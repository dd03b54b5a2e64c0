package io.anneal.cli.sstable;

import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random partition keys in the order of their tokens, of which only some are held at a time: a key follows from the seed and
 * its number, so all of them are made again for each section of the ring, and those outside of it are let go. One thread.
 */
final class RandomKeys {
    private static final int HELD_MAX = 400_000;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** A key and the number it was made from, by which everything in its partition is made. */
    record Numbered(DecoratedKey key, long number) {}

    private final TableSchema schema;
    private final RandomValues values;
    private final RandomShape shape;
    private final int sections;
    private List<Numbered> held = List.of();
    private int section;
    private int next;

    RandomKeys(TableSchema schema, RandomValues values, RandomShape shape) {
        this.schema = schema;
        this.values = values;
        this.shape = shape;
        sections = (int) (shape.partitions() / HELD_MAX) + 1;
    }

    /** The next key, or null at the end; a key may come again, with another number. */
    Numbered next() {
        while (next == held.size()) {
            if (section == sections) {
                return null;
            }
            held = hold(section++);
            next = 0;
        }
        return held.get(next++);
    }

    private List<Numbered> hold(int wanted) {
        List<Numbered> keys = new ArrayList<>();
        for (long number = 0; number < shape.partitions(); number++) {
            DecoratedKey key = DecoratedKey.of(bytes(random(shape.seed(), number)));
            if (sectionOf(key.token()) == wanted) {
                keys.add(new Numbered(key, number));
            }
        }
        keys.sort((left, right) -> left.key().compareTo(right.key()));
        return keys;
    }

    private int sectionOf(long token) {
        long upper31Bits = (token - Long.MIN_VALUE) >>> 33;
        return (int) (upper31Bits * sections >>> 31);
    }

    /** A source of its own for each number of a seed. */
    static SplittableRandom random(long seed, long number) {
        return new SplittableRandom((seed * GOLDEN ^ number) * GOLDEN + number);
    }

    private byte[] bytes(SplittableRandom random) {
        List<Column> columns = schema.partitionKey();
        if (columns.size() == 1) {
            byte[] only = values.next(columns.get(0).type(), random);
            return only.length == 0 ? new byte[] {0} : only;
        }
        ByteArrayOutputStream composite = new ByteArrayOutputStream();
        for (Column column : columns) {
            byte[] part = values.next(column.type(), random);
            composite.write(part.length >>> Byte.SIZE);
            composite.write(part.length);
            composite.writeBytes(part);
            composite.write(0);
        }
        return composite.toByteArray();
    }
}
