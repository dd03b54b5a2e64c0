package io.anneal.dualdao.phase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.zip.CRC32;

/**
 * A small file of checked lines, replaced as a whole. The format is described at {@link FilePhaseStore}; its version is
 * promised to be readable by later versions of this library.
 *
 * <p>A file that ends early, at a line's end too, is told from a whole one: the last line says that it is the last and how
 * many there are, and each checksum covers all bytes of the lines before it as well.
 */
final class PhaseFile {
    private static final String MAGIC = "anneal-phase";
    /** The kind of files of which there is a second format. */
    static final String RECORDS = "records";

    private static final String END = "end";
    private static final int CHECKSUM_DIGITS = 8;

    /** File locks are the process's, not the thread's: within it threads wait for each other here. */
    private static final ConcurrentMap<Path, Object> IN_PROCESS = new ConcurrentHashMap<>();

    private static final AtomicLong WRITTEN = new AtomicLong();

    private PhaseFile() {}

    /** The values of a file's lines; empty if there is no such file. */
    static <T> Optional<List<T>> read(Path file, String kind, Function<PhaseText.Fields, T> value) {
        byte[] content;
        try {
            content = Uninterrupted.call(() -> Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new PhaseStoreException("phase file can't be read, file=" + file + ", reason=" + e, e);
        }
        return Optional.of(values(file, contents(file, kind, new String(content, StandardCharsets.UTF_8)), value));
    }

    /** The newest format of a kind, which is written; all before it are read. */
    private static int newestFormat(String kind) {
        return kind.equals(RECORDS) ? 2 : 1;
    }

    /** What a file holds, and in which version of the format. */
    private record Contents(int format, List<String> lines) {}

    private static <T> List<T> values(Path file, Contents contents, Function<PhaseText.Fields, T> value) {
        List<T> values = new ArrayList<>(contents.lines().size());
        for (int i = 0; i < contents.lines().size(); i++) {
            // The header is line 1.
            int number = i + 2;
            try {
                PhaseText.Fields fields =
                        new PhaseText.Fields(contents.format(), contents.lines().get(i));
                values.add(value.apply(fields));
                fields.end();
            } catch (IllegalArgumentException | DateTimeException e) {
                throw damaged(file, number, "its values can't be: " + e.getMessage(), e);
            }
        }
        return values;
    }

    private static Contents contents(Path file, String kind, String text) {
        if (text.isEmpty()) {
            throw damaged(file, 1, "the file is empty", null);
        }
        List<String> contents = new ArrayList<>();
        CRC32 checksum = new CRC32();
        int format = 0;
        int number = 0;
        int start = 0;
        boolean ended = false;
        while (start < text.length()) {
            number++;
            int end = text.indexOf('\n', start);
            if (end < 0) {
                throw damaged(file, number, "the line has no end, the file is cut short", null);
            }
            if (ended) {
                throw damaged(file, number, "there is more after the last line", null);
            }
            String line = text.substring(start, end);
            start = end + 1;
            if (number == 1) {
                format = format(file, kind, line);
                update(checksum, line);
            } else {
                String content = checked(file, number, line, checksum);
                ended = content.equals(END + " " + contents.size());
                if (!ended) {
                    contents.add(content);
                }
            }
        }
        if (!ended) {
            throw damaged(file, number, "the last line is missing, the file is cut short", null);
        }
        return new Contents(format, contents);
    }

    private static int format(Path file, String kind, String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 3 || !words[0].equals(MAGIC)) {
            throw damaged(file, 1, "it does not begin as a phase file", null);
        }
        if (!words[2].equals(kind)) {
            throw damaged(file, 1, "it holds " + words[2] + " and not " + kind, null);
        }
        int newest = newestFormat(kind);
        for (int format = 1; format <= newest; format++) {
            if (words[1].equals(String.valueOf(format))) {
                return format;
            }
        }
        throw damaged(file, 1, "its format version is " + words[1] + ", this library knows 1 to " + newest, null);
    }

    private static String checked(Path file, int number, String line, CRC32 checksum) {
        if (line.length() <= CHECKSUM_DIGITS || line.charAt(CHECKSUM_DIGITS) != ' ') {
            throw damaged(file, number, "the line has no checksum", null);
        }
        String content = line.substring(CHECKSUM_DIGITS + 1);
        update(checksum, content);
        if (!line.startsWith(hex(checksum))) {
            throw damaged(file, number, "the checksum does not fit", null);
        }
        return content;
    }

    private static PhaseStoreException damaged(Path file, int line, String reason, Throwable cause) {
        return new PhaseStoreException(
                "phase file is damaged, file=" + file + ", line=" + line + ", reason=" + reason, cause);
    }

    private static byte[] content(String kind, List<String> lines) {
        CRC32 checksum = new CRC32();
        StringBuilder text = new StringBuilder();
        String header = MAGIC + " " + newestFormat(kind) + " " + kind;
        text.append(header).append('\n');
        update(checksum, header);
        for (String line : lines) {
            append(text, checksum, line);
        }
        append(text, checksum, END + " " + lines.size());
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder text, CRC32 checksum, String line) {
        update(checksum, line);
        text.append(hex(checksum)).append(' ').append(line).append('\n');
    }

    private static void update(CRC32 checksum, String line) {
        checksum.update(line.getBytes(StandardCharsets.UTF_8));
    }

    private static String hex(CRC32 checksum) {
        return HexFormat.of().toHexDigits((int) checksum.getValue());
    }

    /**
     * Replaces a file, or makes it: whenever a crash comes, the old lines are there or the new ones. When it returns they
     * outlive a power failure.
     */
    static void replace(Path file, String kind, List<String> lines) {
        // Of its own for each writing, since two processes may write the same file without a lock.
        Path temporary = file.resolveSibling(
                temporaryPrefix(file) + ProcessHandle.current().pid() + "-" + WRITTEN.incrementAndGet() + ".new");
        byte[] content = content(kind, lines);
        try {
            Uninterrupted.call(() -> write(temporary, content));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Uninterrupted.syncDirectory(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            PhaseStoreException failure =
                    new PhaseStoreException("phase file can't be written, file=" + file + ", reason=" + e, e);
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException again) {
                failure.addSuppressed(again);
            }
            throw failure;
        }
    }

    private static Void write(Path file, byte[] content) throws IOException {
        Files.deleteIfExists(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        return null;
    }

    /** Takes away what crashes left while this file was written; nobody may be writing it now. */
    static void clear(Path file) {
        for (Path left : files(file.toAbsolutePath().getParent(), temporaryPrefix(file), ".new")) {
            try {
                Files.deleteIfExists(left);
            } catch (IOException e) {
                throw new PhaseStoreException("phase file can't be deleted, file=" + left + ", reason=" + e, e);
            }
        }
    }

    /** The files of a directory whose names begin and end so, sorted; none if there is no directory. */
    static List<Path> files(Path directory, String prefix, String suffix) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path file : stream) {
                String name = file.getFileName().toString();
                if (name.startsWith(prefix) && name.endsWith(suffix)) {
                    files.add(file);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        } catch (IOException | DirectoryIteratorException e) {
            throw new PhaseStoreException("directory can't be read, directory=" + directory + ", reason=" + e, e);
        }
        files.sort(null);
        return files;
    }

    /** How the names of what was left by a crash while a file was written begin. */
    private static String temporaryPrefix(Path file) {
        return "." + file.getFileName() + ".";
    }

    /** Creates a directory and those above it, and forces their names to the disk. */
    static void createDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path parent = directory.toAbsolutePath().getParent();
        if (parent != null) {
            createDirectory(parent);
        }
        Files.createDirectories(directory);
        if (parent != null) {
            Uninterrupted.syncDirectory(parent);
        }
    }

    /** Does something while no other thread or process does anything under that lock. */
    static <T> T locked(Path lockFile, Supplier<T> work) {
        try {
            Path directory = lockFile.toAbsolutePath().getParent();
            createDirectory(directory);
            // One directory under two names must be one lock here, too.
            Path file = directory.toRealPath().resolve(lockFile.getFileName());
            synchronized (IN_PROCESS.computeIfAbsent(file, unknown -> new Object())) {
                FileChannel held = Uninterrupted.call(() -> lock(file));
                try {
                    return work.get();
                } finally {
                    held.close();
                }
            }
        } catch (IOException | OverlappingFileLockException e) {
            throw new PhaseStoreException("phase file can't be locked, file=" + lockFile + ", reason=" + e, e);
        }
    }

    /** Waits for a file's lock, which the channel holds until it is closed. */
    private static FileChannel lock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            channel.lock();
            locked = true;
            return channel;
        } finally {
            if (!locked) {
                channel.close();
            }
        }
    }
}
