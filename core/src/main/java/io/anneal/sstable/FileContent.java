package io.anneal.sstable;

/**
 * What a file holds, as far as two nodes have to agree on it.
 *
 * @param crc32 of all its bytes, as Digest has it for the data
 */
public record FileContent(long lengthBytes, int crc32) {
    public FileContent {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("file has a negative length, lengthBytes=" + lengthBytes);
        }
    }
}
