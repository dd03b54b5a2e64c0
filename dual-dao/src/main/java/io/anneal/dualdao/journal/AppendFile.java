package io.anneal.dualdao.journal;

import io.anneal.dualdao.phase.Uninterrupted;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file that grows at its end; tests put one in place that fails. One thread at a time, but for {@link #sync}. */
interface AppendFile extends Closeable {
    /** Opens files. */
    @FunctionalInterface
    interface Opener {
        /** Opens a file at its end, and makes it if it is not there. */
        AppendFile open(Path file) throws IOException;

        /** Returns once the names in a directory are on the disk. */
        default void syncDirectory(Path directory) throws IOException {
            Uninterrupted.syncDirectory(directory);
        }
    }

    void write(byte[] bytes, int lengthBytes) throws IOException;

    /** Cuts off what lies behind, so that the next write begins there. */
    void truncate(long lengthBytes) throws IOException;

    /** Returns once all that was written before is on the disk. */
    void sync() throws IOException;

    /**
     * Through {@link RandomAccessFile}: a {@code FileChannel} closes itself when the thread that writes is interrupted, and the
     * threads here are callers' own.
     */
    static AppendFile open(Path file) throws IOException {
        RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
        try {
            opened.seek(opened.length());
        } catch (IOException e) {
            opened.close();
            throw e;
        }
        return new AppendFile() {
            @Override
            public void write(byte[] bytes, int lengthBytes) throws IOException {
                opened.write(bytes, 0, lengthBytes);
            }

            @Override
            public void truncate(long lengthBytes) throws IOException {
                opened.setLength(lengthBytes);
                opened.seek(lengthBytes);
            }

            @Override
            public void sync() throws IOException {
                opened.getFD().sync();
            }

            @Override
            public void close() throws IOException {
                opened.close();
            }
        };
    }
}
