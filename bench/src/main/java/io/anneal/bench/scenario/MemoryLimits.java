package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import net.openhft.hashing.LongHashFunction;

/** Work on bytes in memory, chunk by chunk or row by row, each over the whole sample; every result depends on every step. */
final class MemoryLimits {
    private final byte[] bytes;
    private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
    private final LZ4SafeDecompressor decompressor =
            LZ4Factory.fastestInstance().safeDecompressor();
    private final byte[] chunk = new byte[SampleBytes.CHUNK_BYTES];
    private final byte[] compressedChunk = new byte[compressor.maxCompressedLength(SampleBytes.CHUNK_BYTES)];
    private final byte[][] compressed;

    MemoryLimits(SampleBytes sample) {
        bytes = sample.bytes();
        compressed = new byte[bytes.length / SampleBytes.CHUNK_BYTES][];
        for (int i = 0; i < compressed.length; i++) {
            compressed[i] = compressor.compress(bytes, i * SampleBytes.CHUNK_BYTES, SampleBytes.CHUNK_BYTES);
        }
    }

    long compress() {
        long sum = 0;
        for (int at = 0; at < bytes.length; at += SampleBytes.CHUNK_BYTES) {
            sum += compressor.compress(bytes, at, SampleBytes.CHUNK_BYTES, compressedChunk, 0, compressedChunk.length);
        }
        return sum;
    }

    long decompress() {
        long sum = 0;
        for (byte[] from : compressed) {
            decompressor.decompress(from, 0, from.length, chunk, 0, chunk.length);
            sum += chunk[0];
        }
        return sum;
    }

    long xxh3() {
        ItemHash hash = new ItemHash(GeneratedTable.SEED);
        HashSum sum = new HashSum();
        for (int at = 0; at < bytes.length; at += SampleBytes.ROW_BYTES) {
            hash.hash(bytes, at, SampleBytes.ROW_BYTES);
            sum.add(hash);
        }
        return sum.low();
    }

    long xxh64() {
        LongHashFunction hash = LongHashFunction.xx(GeneratedTable.SEED);
        long sum = 0;
        for (int at = 0; at < bytes.length; at += SampleBytes.ROW_BYTES) {
            sum += hash.hashBytes(bytes, at, SampleBytes.ROW_BYTES);
        }
        return sum;
    }

    long crc32() {
        CRC32 crc = new CRC32();
        long sum = 0;
        for (int at = 0; at < bytes.length; at += SampleBytes.CHUNK_BYTES) {
            crc.reset();
            crc.update(bytes, at, SampleBytes.CHUNK_BYTES);
            sum += crc.getValue();
        }
        return sum;
    }

    long copy() {
        long sum = 0;
        for (int at = 0; at < bytes.length; at += SampleBytes.ROW_BYTES) {
            System.arraycopy(bytes, at, chunk, at % SampleBytes.CHUNK_BYTES, SampleBytes.ROW_BYTES);
            sum += chunk[at % SampleBytes.CHUNK_BYTES];
        }
        return sum;
    }
}
