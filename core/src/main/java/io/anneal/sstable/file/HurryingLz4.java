package io.anneal.sstable.file;

import java.util.Optional;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4JNIFastResetCompressor;

/**
 * Compresses in a hurry what becomes no longer by that. LZ4 looks for repetitions at each place. Where values are random in
 * part, most places have none, and a search at fewer of them finds nearly all in less than half of the time; text would become
 * longer. So now and then a chunk is compressed both ways.
 */
final class HurryingLz4 implements ChunkCompressor {
    /** How fast LZ4 gives up on a stretch without repetitions; 1 is usual, and more than this gains little. */
    private static final int ACCELERATION = 4;
    /** Chunks from one comparison to the next, so that it costs little. */
    private static final int PERIOD_CHUNKS = 64;
    /** The part of a compressed chunk by which it may become longer. */
    private static final int LOSS_MAX_PARTS = 64;

    private final Lz4Codec thorough;
    private final LZ4JNIFastResetCompressor hurried;

    private int chunkCount;
    private boolean hurries;

    private HurryingLz4(Lz4Codec thorough, LZ4JNIFastResetCompressor hurried) {
        this.thorough = thorough;
        this.hurried = hurried;
    }

    /** Empty where LZ4 has no native code. */
    static Optional<ChunkCompressor> of(Lz4Codec thorough) {
        try {
            return Optional.of(
                    new HurryingLz4(thorough, LZ4Factory.fastestInstance().fastResetCompressor(ACCELERATION)));
        } catch (UnsupportedOperationException noNativeCode) {
            return Optional.empty();
        }
    }

    @Override
    public int compress(byte[] source, int lengthBytes, byte[] target) {
        boolean compares = chunkCount++ % PERIOD_CHUNKS == 0;
        if (hurries && !compares) {
            return hurry(source, lengthBytes, target);
        }
        int hurriedBytes = compares ? hurry(source, lengthBytes, target) : 0;
        int thoroughBytes = thorough.compress(source, lengthBytes, target);
        if (compares) {
            hurries = hurriedBytes - thoroughBytes <= thoroughBytes / LOSS_MAX_PARTS;
        }
        return thoroughBytes;
    }

    private int hurry(byte[] source, int lengthBytes, byte[] target) {
        return Lz4Codec.compress(hurried, source, lengthBytes, target);
    }

    @Override
    public void close() {
        hurried.close();
    }
}
