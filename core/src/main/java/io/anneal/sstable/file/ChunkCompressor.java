package io.anneal.sstable.file;

/** Compresses the chunks of one file, in their order: it may learn from them. Closing gives memory back. One thread. */
interface ChunkCompressor extends AutoCloseable {
    /** Returns how many bytes it wrote to {@code target}. */
    int compress(byte[] source, int lengthBytes, byte[] target);

    @Override
    default void close() {}
}
