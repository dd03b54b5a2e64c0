package io.anneal.bench.data;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import java.nio.ByteBuffer;

/** The rows of {@link GeneratedCursor#of} as mutations, a partition each, in whatever order. Owned by one thread. */
public final class GeneratedMutations {
    private static final int MUTATION_BYTES = 2048;

    private final TableShape shape;
    private final RowMaker maker;
    private final CanonicalEncoder encoder;
    private final ByteWriter bytes = new ByteWriter(MUTATION_BYTES);
    private final KeyView keyView = new KeyView();

    private Row row = new Row();

    public GeneratedMutations(TableShape shape, long seed) {
        this.shape = shape;
        maker = new RowMaker(shape, seed);
        encoder = new CanonicalEncoder(shape.schema(), CanonicalEncoder.UNCLAMPED);
    }

    /** The key of a partition; they are numbered from 0. */
    public static DecoratedKey key(long partition) {
        return DecoratedKey.of(
                ByteBuffer.allocate(Long.BYTES).putLong(partition).array());
    }

    /** All rows of a partition. */
    public Mutation mutation(long partition) {
        DecoratedKey key = key(partition);
        keyView.wrap(key);
        bytes.clear();
        for (int line = 0; line < shape.rowsPerPartition(); line++) {
            row = Row.recycle(row);
            maker.fill(row, partition, line, 0);
            encoder.row(keyView, row, bytes);
        }
        return new Mutation(key, bytes.toByteArray());
    }
}
