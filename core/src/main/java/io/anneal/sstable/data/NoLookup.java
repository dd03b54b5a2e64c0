package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import java.util.Optional;

/** Stands for an index that is gone: nothing is found, and everything is read out of the data. */
public final class NoLookup implements PartitionLookup {
    @Override
    public boolean seek(KeyView key) {
        return false;
    }

    @Override
    public Optional<RowLookup> rows() {
        return Optional.empty();
    }

    @Override
    public void copyRowIndex(ByteWriter out, int bytesMax) {}

    @Override
    public boolean next() {
        return false;
    }

    @Override
    public boolean seekLastBelow(long token) {
        return false;
    }

    @Override
    public long seekAfter(KeyView key, long partitionPosition) {
        return UNKNOWN;
    }

    @Override
    public Optional<DecoratedKey> key() {
        return Optional.empty();
    }

    @Override
    public long dataPosition() {
        throw new IllegalStateException("no partition was found");
    }

    @Override
    public void requireSame(byte[] buffer, int offset, int lengthBytes) {
        throw new IllegalStateException("no partition was found");
    }

    @Override
    public long heldBytes() {
        return 0;
    }

    @Override
    public void close() {}
}
