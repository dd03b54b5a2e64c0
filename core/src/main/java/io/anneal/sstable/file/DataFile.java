package io.anneal.sstable.file;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.Component;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;

/** The Data component as it is written, with the components that describe its checksums. Owned by one thread. */
public interface DataFile extends Closeable {
    /** Ratio of what is not compressed, in Statistics. */
    double NO_RATIO = -1;

    void write(byte[] source, int offset, int lengthBytes) throws IOException;

    default void write(ByteWriter source) throws IOException {
        write(source.array(), 0, source.lengthBytes());
    }

    /** Uncompressed bytes so far. */
    long position();

    /** Writes what is left and syncs all components; nothing can be written afterwards. */
    void finish() throws IOException;

    /** Compressed by uncompressed length, or {@link #NO_RATIO}; after {@link #finish()}. */
    double compressionRatio();

    Set<Component> components();
}
