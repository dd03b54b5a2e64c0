/**
 * The files of an SSTable as bytes, whatever their rows: chunks, their compression and checksums, a window over
 * them, the digest, the filter of keys, the table of contents. May import sstable and what lies below it. Imported
 * by sstable.row, sstable.statistics, sstable.data and the formats. What was read whole is immutable and shared;
 * sources of chunks, windows and files that are written belong to one thread.
 *
 * <p>The words of the grammar are those of sstable.row. Read out of Cassandra 5.0's {@code io.compress} and {@code utils}.
 *
 * <p>Compressed: per chunk the compressed bytes and their CRC32 in four bytes. LZ4: the uncompressed length in four
 * bytes, little-endian, then the block. A chunk that takes maxCompressedLength or more is stored as it is; a last one
 * stored so that is shorter is padded with zeros up to it.
 *
 * <p><b>CompressionInfo.db</b>, iff compressed:
 *
 * <pre>
 *   utf compressor, int options, (utf name, utf value)*, int chunkLength, int maxCompressedLength since na, long dataLength,
 *   int chunks, (long offset)*
 * </pre>
 *
 * <p><b>CRC.db</b>, only if uncompressed, and left out by some writers: {@code int chunkLength, (int crc32)*}, one for each chunk
 * of the data.
 *
 * <p><b>Digest.crc32</b>: CRC32 of all of Data.db, checksums in it included, as decimal text.
 *
 * <p><b>TOC.txt</b>: the ends of the names of all files, TOC.txt too, each on a line.
 *
 * <p><b>Filter.db</b>, unless the false-positive chance is 1: {@code int hashes, int words, bytes} of eight a word; bit
 * {@code i} is bit {@code i % 8} of byte {@code i / 8}; up to {@code me} the bytes of each word are in reverse order.
 */
package io.anneal.sstable.file;
