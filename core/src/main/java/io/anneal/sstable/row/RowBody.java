package io.anneal.sstable.row;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.file.DataFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a row on its way to the file: large values stay where they lie until they are written. Owned by one thread.
 */
final class RowBody {
    /** Shorter values are copied: many small writes cost more. */
    private static final int LARGE_BYTES_MIN = 64 << 10;

    /** A value that stands in front of what was copied from {@code at} on. */
    private record LargeValue(int at, byte[] buffer, int offset, int lengthBytes) {}

    private final ByteWriter copied = new ByteWriter(8192);
    private final List<LargeValue> large = new ArrayList<>();
    private long largeBytes;

    /** For all but large values. */
    ByteWriter copied() {
        return copied;
    }

    void clear() {
        copied.clear();
        large.clear();
        largeBytes = 0;
    }

    /** @param buffer must stay as it is until the body is written */
    void value(byte[] buffer, int offset, int lengthBytes) {
        if (lengthBytes < LARGE_BYTES_MIN) {
            copied.writeBytes(buffer, offset, lengthBytes);
        } else {
            large.add(new LargeValue(copied.lengthBytes(), buffer, offset, lengthBytes));
            largeBytes += lengthBytes;
        }
    }

    long lengthBytes() {
        return copied.lengthBytes() + largeBytes;
    }

    /** Writes the body and lets go of the values. */
    void writeTo(DataFile data) throws IOException {
        if (large.isEmpty()) {
            data.write(copied);
            return;
        }
        int written = 0;
        for (LargeValue value : large) {
            data.write(copied.array(), written, value.at - written);
            data.write(value.buffer, value.offset, value.lengthBytes);
            written = value.at;
        }
        data.write(copied.array(), written, copied.lengthBytes() - written);
        clear();
    }
}
