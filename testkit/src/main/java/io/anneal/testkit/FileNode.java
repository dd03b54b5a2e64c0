package io.anneal.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A file: what is in it now, what was when it was last forced, and the changes since. What was is kept apart only from the
 * first change behind the first force on, so that a file that is written, forced and read costs one file. Guarded by the
 * disk; reading what is in it now needs no guard.
 */
final class FileNode extends DiskNode {
    /** Bytes written, or a new length when there are none. */
    private record Change(long position, byte[] bytes) {
        boolean isTruncation() {
            return bytes == null;
        }

        long endPosition() {
            return position + bytes.length;
        }
    }

    /** Where to find what was in it when it was last forced. */
    private enum Forced {
        /** It never was, which leaves an empty file. */
        NEVER,
        AS_NOW,
        APART
    }

    private final Path first;
    private final Path apart;
    private final List<Change> unforced = new ArrayList<>();
    private Forced forced = Forced.NEVER;
    private Path real;
    private int crashes;

    /** @param real there, and empty */
    FileNode(Path real) {
        this.first = real;
        this.real = real;
        this.apart = real.resolveSibling(real.getFileName() + ".forced");
    }

    @Override
    Path real() {
        return real;
    }

    /** Comes before each change. */
    void prepare() throws IOException {
        if (forced == Forced.AS_NOW) {
            Files.copy(real, apart, StandardCopyOption.REPLACE_EXISTING);
            forced = Forced.APART;
        }
    }

    void written(long position, ByteBuffer source) {
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        unforced.add(new Change(position, bytes));
    }

    void truncated(long lengthBytes) {
        unforced.add(new Change(lengthBytes, null));
    }

    void force() throws IOException {
        if (isDistrusted()) {
            return;
        }
        if (forced == Forced.NEVER) {
            forced = Forced.AS_NOW;
        } else if (!unforced.isEmpty()) {
            forceApart();
        }
        unforced.clear();
    }

    private void forceApart() throws IOException {
        try (FileChannel channel = openApart()) {
            for (Change change : unforced) {
                if (change.isTruncation()) {
                    channel.truncate(change.position());
                } else {
                    write(channel, change, 0, change.bytes().length);
                }
            }
        }
    }

    private FileChannel openApart() throws IOException {
        return FileChannel.open(apart, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static void write(FileChannel channel, Change change, int offset, int lengthBytes) throws IOException {
        ByteBuffer source = ByteBuffer.wrap(change.bytes(), offset, lengthBytes);
        while (source.hasRemaining()) {
            channel.write(source, change.position() + source.position());
        }
    }

    /** Leaves what was forced and what else survives. A new file, for the old one may be mapped by somebody. */
    void crash(Survival survival) throws IOException {
        trust();
        if (unforced.isEmpty()) {
            return;
        }
        long lengthBytes = Files.size(real);
        try (FileChannel channel = openApart()) {
            for (Change change : unforced) {
                if (!change.isTruncation()) {
                    writeSurvivingPieces(channel, change, survival);
                } else if (survival.next()) {
                    channel.truncate(change.position());
                }
            }
            // A file system may have given the file its length and no bytes yet.
            if (channel.size() < lengthBytes && survival.next()) {
                channel.write(ByteBuffer.allocate(1), lengthBytes - 1);
            }
        }
        unforced.clear();
        Path before = real;
        crashes++;
        real = first.resolveSibling(first.getFileName() + "." + crashes);
        Files.move(apart, real);
        forced = Forced.AS_NOW;
        Files.delete(before);
    }

    private static void writeSurvivingPieces(FileChannel channel, Change change, Survival survival) throws IOException {
        int pieceLengthBytes = survival.pieceLengthBytes();
        int offset = 0;
        while (offset < change.bytes().length) {
            long pieceEnd = ((change.position() + offset) / pieceLengthBytes + 1) * pieceLengthBytes;
            int lengthBytes = (int) (Math.min(pieceEnd, change.endPosition()) - change.position() - offset);
            if (survival.next()) {
                write(channel, change, offset, lengthBytes);
            }
            offset += lengthBytes;
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(real);
        Files.deleteIfExists(apart);
    }
}
