package io.anneal.memtable;

import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import java.util.Arrays;

/**
 * The partitions of a memtable by token and key: a skip list (Pugh, 1990) with one writer. A node is linked from the lowest level
 * up, each link a release store, so a reader finds whole nodes, and finds every node of its snapshot whatever is added
 * meanwhile. Nothing is ever taken out.
 */
final class PartitionList {
    /** Nodes with so many levels are samples: one in four. */
    private static final int SAMPLE_LEVELS = 2;

    private static final int FIRST_SAMPLES_AT = 1024;
    /** Of a search from a sample on its highest level. */
    private static final int STEPS_MAX = 32;

    private final Slabs slabs;
    private final Levels levels = new Levels();
    /** Of the writer: the link to be replaced on each level. */
    private final int[] links = new int[Nodes.LEVELS];

    /** Address of the first links; 0 as long as there is no partition. */
    private volatile int head;

    private volatile TokenSamples samples = new TokenSamples(0);

    private int count;
    private int countWhenSampled = FIRST_SAMPLES_AT / 2;
    /** Levels of the links to be replaced that the last search found. */
    private int linkLevels;

    PartitionList(Slabs slabs) {
        this.slabs = slabs;
    }

    /** The partition with the key, or 0. Any thread. */
    int find(long token, byte[] key, int offset, int length) {
        int node = ceiling(token, key, offset, length, false);
        return node != 0 && compare(node, token, key, offset, length) == 0 ? node : 0;
    }

    /** The first partition with a token that is not smaller, or 0. Any thread. */
    int ceiling(long token) {
        return ceiling(token, null, 0, 0, false);
    }

    /** The first partition behind a key, or 0. Any thread. */
    int higher(long token, byte[] key, int offset, int length) {
        int node = ceiling(token, key, offset, length, false);
        return node != 0 && compare(node, token, key, offset, length) == 0 ? next(node) : node;
    }

    /** The partition behind another, or 0. Any thread. */
    int next(int partition) {
        return slabs.getAcquire(partition + Nodes.PARTITION_NEXT);
    }

    /** The first partition that is not before the place; a null key is before every key. */
    private int ceiling(long token, byte[] key, int offset, int length, boolean keepsLinks) {
        int sample = samples.before(token);
        if (sample != 0) {
            int found = search(
                    sample + Nodes.PARTITION_NEXT, SAMPLE_LEVELS, STEPS_MAX, token, key, offset, length, keepsLinks);
            if (found >= 0) {
                return found;
            }
        }
        return ceilingFromHead(token, key, offset, length, keepsLinks);
    }

    private int ceilingFromHead(long token, byte[] key, int offset, int length, boolean keepsLinks) {
        int first = head;
        return first == 0 ? 0 : search(first, Nodes.LEVELS, Integer.MAX_VALUE, token, key, offset, length, keepsLinks);
    }

    /** Goes on from the links of a node that is before the place; -1 when that is more than {@code stepsMax} away. */
    private int search(
            int from,
            int fromLevels,
            int stepsMax,
            long token,
            byte[] key,
            int offset,
            int length,
            boolean keepsLinks) {
        int link = from;
        int passed = 0;
        int steps = 0;
        for (int level = fromLevels - 1; ; level--) {
            int next = slabs.getAcquire(link + level);
            while (next != 0 && next != passed && compare(next, token, key, offset, length) < 0) {
                if (++steps > stepsMax) {
                    return -1;
                }
                link = next + Nodes.PARTITION_NEXT;
                next = slabs.getAcquire(link + level);
            }
            if (keepsLinks) {
                links[level] = link + level;
            }
            if (level == 0) {
                if (keepsLinks) {
                    linkLevels = fromLevels;
                }
                return next;
            }
            passed = next;
        }
    }

    private int compare(int partition, long token, byte[] key, int offset, int length) {
        long nodeToken = token(partition);
        if (nodeToken != token) {
            return nodeToken < token ? -1 : 1;
        }
        if (key == null) {
            return 1;
        }
        int nodeOffset = slabs.get(partition + Nodes.KEY_OFFSET);
        return Arrays.compareUnsigned(
                slabs.slab(slabs.get(partition + Nodes.KEY_SLAB)),
                nodeOffset,
                nodeOffset + slabs.get(partition + Nodes.KEY_LENGTH),
                key,
                offset,
                offset + length);
    }

    long token(int partition) {
        return (long) slabs.get(partition + Nodes.TOKEN_HIGH) << 32
                | slabs.get(partition + Nodes.TOKEN_LOW) & 0xFFFF_FFFFL;
    }

    void key(int partition, KeyView out) {
        out.wrap(
                token(partition),
                slabs.slab(slabs.get(partition + Nodes.KEY_SLAB)),
                slabs.get(partition + Nodes.KEY_OFFSET),
                slabs.get(partition + Nodes.KEY_LENGTH));
    }

    /**
     * The partition with the key, made if there is none: the owner's alone.
     *
     * @param sequence of the mutation; a partition that carries it as {@link Nodes#CREATED} is new
     */
    int findOrAdd(DecoratedKey key, int sequence) {
        if (head == 0) {
            int first = slabs.allocate(Nodes.LEVELS);
            for (int level = 0; level < Nodes.LEVELS; level++) {
                slabs.set(first + level, 0);
            }
            head = first;
        }
        byte[] bytes = key.bytes();
        int node = ceiling(key.token(), bytes, 0, bytes.length, true);
        return node != 0 && compare(node, key.token(), bytes, 0, bytes.length) == 0 ? node : add(key, sequence);
    }

    private int add(DecoratedKey key, int sequence) {
        int height = levels.next();
        if (height > linkLevels) {
            ceilingFromHead(key.token(), key.bytes(), 0, key.bytes().length, true);
        }
        int node = slabs.allocate(Nodes.PARTITION_NEXT + height);
        slabs.write(key.bytes(), 0, key.bytes().length);
        slabs.set(node + Nodes.TOKEN_HIGH, (int) (key.token() >>> 32));
        slabs.set(node + Nodes.TOKEN_LOW, (int) key.token());
        slabs.set(node + Nodes.KEY_SLAB, slabs.writtenSlab());
        slabs.set(node + Nodes.KEY_OFFSET, slabs.writtenOffset());
        slabs.set(node + Nodes.KEY_LENGTH, key.bytes().length);
        slabs.set(node + Nodes.CREATED, sequence);
        for (int field = Nodes.DELETION; field <= Nodes.LAST_ROW; field++) {
            slabs.set(node + field, 0);
        }
        for (int level = 0; level < height; level++) {
            slabs.set(node + Nodes.PARTITION_NEXT + level, slabs.get(links[level]));
        }
        for (int level = 0; level < height; level++) {
            slabs.setRelease(links[level], node);
        }
        if (++count >= 2 * countWhenSampled) {
            sample();
        }
        return node;
    }

    private void sample() {
        TokenSamples taken = new TokenSamples(count >>> 2 * (SAMPLE_LEVELS - 1));
        int level = SAMPLE_LEVELS - 1;
        for (int node = slabs.get(head + level); node != 0; node = slabs.get(node + Nodes.PARTITION_NEXT + level)) {
            taken.add(token(node), node);
        }
        slabs.hold(taken.heldBytes() - samples.heldBytes());
        samples = taken;
        countWhenSampled = count;
    }
}
