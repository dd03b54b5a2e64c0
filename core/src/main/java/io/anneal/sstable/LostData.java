package io.anneal.sstable;

import io.anneal.key.DecoratedKey;
import java.util.Optional;

/**
 * A stretch of an SSTable's data that cannot be read.
 *
 * @param fromPosition in the uncompressed data; what lies before it was read
 * @param toPosition where reading went on, behind it
 * @param lastKey of the last partition that was begun before it; its rows may be lost, too
 * @param reason what was wrong at its beginning
 */
public record LostData(long fromPosition, long toPosition, Optional<DecoratedKey> lastKey, String reason) {
    public long lengthBytes() {
        return toPosition - fromPosition;
    }
}
