package io.anneal.sstable.file;

import io.anneal.io.ByteReader;
import io.anneal.io.InputFile;
import io.anneal.io.StorageException;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Opens components; a missing one is named. */
public final class ComponentFiles {
    private static final int LENGTH_MAX_BYTES = Integer.MAX_VALUE - 16;

    private ComponentFiles() {}

    public static CorruptSSTableException missing(Path file) {
        return new CorruptSSTableException(file, CorruptSSTableException.NO_POSITION, "component is missing");
    }

    public static FileChannel open(Descriptor descriptor, Component component) throws IOException {
        Path file = descriptor.file(component);
        requireNoDirectory(file);
        try {
            return InputFile.open(file);
        } catch (NoSuchFileException e) {
            throw missing(file);
        }
    }

    /** The platform opens a directory, and names no file when it cannot read it. */
    private static void requireNoDirectory(Path file) throws CorruptSSTableException {
        if (Files.isDirectory(file)) {
            throw new CorruptSSTableException(file, CorruptSSTableException.NO_POSITION, "component is a directory");
        }
    }

    /** The whole of a component that is small, or that has to be in memory anyway. */
    public static byte[] readWhole(Descriptor descriptor, Component component) throws IOException {
        Path file = descriptor.file(component);
        requireNoDirectory(file);
        try {
            long lengthBytes = Files.size(file);
            if (lengthBytes > LENGTH_MAX_BYTES) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "component is too large, lengthBytes=" + lengthBytes);
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw missing(file);
        } catch (CorruptSSTableException e) {
            throw e;
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
    }

    /** A string with a length of two bytes before it, as {@code DataOutput.writeUTF} writes it. */
    public static String readUtf(ByteReader in) {
        int lengthBytes = in.readUnsignedShort();
        int offset = in.skip(lengthBytes);
        return new String(in.array(), offset, lengthBytes, StandardCharsets.UTF_8);
    }
}
