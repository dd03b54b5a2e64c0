package io.anneal.dualdao.journal;

import java.io.IOException;
import java.nio.file.Path;

/** Files on a disk that can be told to be full, or broken; nothing is really synced, which would only take time. */
final class FaultyFiles implements AppendFile.Opener {
    /** How many bytes there is room for. */
    long roomBytes = Long.MAX_VALUE;

    boolean truncateFails;
    boolean syncFails;
    int syncCount;

    @Override
    public AppendFile open(Path file) throws IOException {
        AppendFile opened = AppendFile.open(file);
        return new AppendFile() {
            @Override
            public void write(byte[] bytes, int lengthBytes) throws IOException {
                int fits = (int) Math.min(roomBytes, lengthBytes);
                opened.write(bytes, fits);
                roomBytes -= roomBytes == Long.MAX_VALUE ? 0 : fits;
                if (fits < lengthBytes) {
                    throw new IOException("no space left on device");
                }
            }

            @Override
            public void truncate(long lengthBytes) throws IOException {
                if (truncateFails) {
                    throw new IOException("truncate failed");
                }
                opened.truncate(lengthBytes);
            }

            @Override
            public void sync() throws IOException {
                syncCount++;
                if (syncFails) {
                    throw new IOException("sync failed");
                }
            }

            @Override
            public void close() throws IOException {
                opened.close();
            }
        };
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        if (syncFails) {
            throw new IOException("sync failed");
        }
    }

    void heal() {
        roomBytes = Long.MAX_VALUE;
        truncateFails = false;
        syncFails = false;
    }
}
