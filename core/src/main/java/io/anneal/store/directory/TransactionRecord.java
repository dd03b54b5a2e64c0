package io.anneal.store.directory;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * One line of a transaction log: {@code TYPE:[path,updateTimeMillis,fileCount][checksum]}. The path is absolute and ends
 * in {@code <version>-<generation>-<format>-}; commit and abort have an empty path and zeros. The checksum is the CRC-32
 * of the path, the type's name in capitals, the low and the high half of the time and the count, each big-endian.
 *
 * @param pathText as written, empty for commit and abort
 * @param updateTimeMillis of a removed SSTable when its newest file was written; otherwise 0
 */
record TransactionRecord(Type type, String pathText, long updateTimeMillis, int fileCount) {
    private static final Pattern LINE = Pattern.compile(
            "(add|remove|commit|abort):\\[([^,]*),?([^,]*),?([^,]*)]\\[(\\d+)]", Pattern.CASE_INSENSITIVE);

    /** What a line says. */
    enum Type {
        ADD,
        REMOVE,
        COMMIT,
        ABORT;

        boolean isFinal() {
            return this == COMMIT || this == ABORT;
        }
    }

    /** Reads a line; empty when it is malformed or its checksum is wrong. */
    static Optional<TransactionRecord> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            Type type = typeOf(matcher.group(1));
            boolean hasFile = !type.isFinal();
            // The time of an add and the numbers of commit and abort are written, but not part of the checksum.
            TransactionRecord record = new TransactionRecord(
                    type,
                    hasFile ? matcher.group(2) : "",
                    type == Type.REMOVE ? Long.parseLong(matcher.group(3)) : 0,
                    hasFile ? Integer.parseInt(matcher.group(4)) : 0);
            boolean intact = record.checksum() == Long.parseLong(matcher.group(5));
            return intact && (!hasFile || record.hasPlausiblePath()) ? Optional.of(record) : Optional.empty();
        } catch (NumberFormatException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static Type typeOf(String prefix) {
        for (Type type : Type.values()) {
            if (type.name().equalsIgnoreCase(prefix)) {
                return type;
            }
        }
        throw new AssertionError("the pattern admits no other type, prefix=" + prefix);
    }

    private boolean hasPlausiblePath() {
        Path path = Path.of(pathText);
        return path.getFileName() != null && path.getParent() != null;
    }

    long checksum() {
        CRC32 crc = new CRC32();
        crc.update(pathText.getBytes(StandardCharsets.UTF_8));
        crc.update(type.name().getBytes(StandardCharsets.UTF_8));
        update(crc, (int) updateTimeMillis);
        update(crc, (int) (updateTimeMillis >>> 32));
        update(crc, fileCount);
        return crc.getValue();
    }

    private static void update(CRC32 crc, int value) {
        crc.update(value >>> 24);
        crc.update(value >>> 16);
        crc.update(value >>> 8);
        crc.update(value);
    }

    /** {@code nb-1-big-}: how the names of all files of the SSTable begin. */
    String filePrefix() {
        return Path.of(pathText).getFileName().toString();
    }

    Path directory() {
        return Path.of(pathText).getParent();
    }

    /** The line that {@link #parse} reads. */
    String line() {
        return type + ":[" + pathText + "," + updateTimeMillis + "," + fileCount + "][" + checksum() + "]";
    }
}
