package io.anneal.net;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.util.Optional;

/** What a file must be to be sent from the disk to the socket, where a failure comes too late to spare the connection. */
final class SentFile {
    private SentFile() {}

    /** Reads one byte, since only that tells of a directory or a file that was opened for writing. */
    static void requireReadable(FileChannel file, long position, long lengthBytes) throws IOException {
        if (lengthBytes > file.size() - position) {
            throw new EOFException("file is shorter than what is to be sent, position=" + position + ", lengthBytes="
                    + lengthBytes + ", fileBytes=" + file.size());
        }
        try {
            int count = file.read(ByteBuffer.allocate(1), position);
            if (lengthBytes > 0 && count < 1) {
                throw new EOFException("file has nothing to read, position=" + position);
            }
        } catch (NonReadableChannelException unreadable) {
            throw new IOException("file was not opened for reading", unreadable);
        }
    }

    /** Why the file could not be sent so far; nothing if the fault is not the file's. */
    static Optional<String> reasonOf(FileChannel file, long toPosition) {
        try {
            long fileBytes = file.size();
            return fileBytes < toPosition
                    ? Optional.of("file has become shorter while it was sent, fileBytes=" + fileBytes + ", sentTo="
                            + toPosition)
                    : Optional.empty();
        } catch (IOException unusable) {
            return Optional.of("file cannot be used any more, " + unusable);
        }
    }
}
