package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.InputFile;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FileContent;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SSTableStatistics;
import io.anneal.store.directory.DataNotFoundException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The SSTables of a table at one moment, byte for byte: for those who copy files rather than rows. They can be read until this is
 * closed, whatever is compacted or truncated meanwhile. Of a table of a store the files keep their names until then, unless the
 * table is dropped: they are opened when they are read. From any other directory somebody else may delete them, so there all are
 * open from the start, which takes a file descriptor for each component. A reader that is interrupted opens its file again by its
 * name.
 *
 * <p>Whoever opened it closes it; else a store keeps the files until it is closed. Any thread.
 */
public final class LiveFiles implements Closeable {
    private final TableSchema schema;
    private final boolean isTableEmpty;
    private final List<PinnedSSTable> sstables;
    private final Map<Descriptor, SSTableReader> readers;
    private final Closeable held;

    private LiveFiles(
            TableSchema schema,
            boolean isTableEmpty,
            List<PinnedSSTable> sstables,
            Map<Descriptor, SSTableReader> readers,
            Closeable held) {
        this.schema = schema;
        this.isTableEmpty = isTableEmpty;
        this.sstables = List.copyOf(sstables);
        this.readers = Map.copyOf(readers);
        this.held = held;
    }

    /**
     * One SSTable.
     *
     * @param tokens the first and the last; empty where none of its components tells, or tokens are not Murmur3's
     * @param level of leveled compaction
     * @param repairedAtMillis when an incremental repair saw it; 0 for never
     * @param isInFormerColumnOrder whether its files are no good to others, see {@link SSTableReader#isInFormerColumnOrder}
     * @param files by component, TOC last
     */
    public record PinnedSSTable(
            Descriptor descriptor,
            Optional<TokenRange.Linear> tokens,
            int level,
            long repairedAtMillis,
            boolean isInFormerColumnOrder,
            Map<Component, PinnedFile> files) {
        public PinnedSSTable {
            files = Collections.unmodifiableMap(files);
        }

        /** What a file holds; of the data as its Digest says, if there is one, else all of it is read. */
        public FileContent content(Component component) throws IOException {
            PinnedFile file = files.get(component);
            PinnedFile digest = files.get(Component.DIGEST);
            if (component == Component.DATA && digest != null) {
                return new FileContent(file.lengthBytes(), digest.read(open -> FileContent.digest(digest.file, open)));
            }
            return file.read(open -> FileContent.of(file.file, open));
        }

        public long lengthBytes() {
            return files.values().stream().mapToLong(PinnedFile::lengthBytes).sum();
        }
    }

    /** A component's file. */
    public static final class PinnedFile {
        private final Path file;
        private final long lengthBytes;
        /** Of one that is open all the time. */
        private final Optional<FileChannel> held;

        private final Names names;

        private PinnedFile(Path file, long lengthBytes, Optional<FileChannel> held, Names names) {
            this.file = file;
            this.lengthBytes = lengthBytes;
            this.held = held;
            this.names = names;
        }

        public long lengthBytes() {
            return lengthBytes;
        }

        /**
         * To read it; whoever calls this closes what is returned.
         *
         * @throws IllegalStateException when its table is dropped, or its store closed
         */
        public OpenFile open() throws IOException {
            if (held.isPresent()) {
                return new OpenFile(held.get(), () -> {});
            }
            FileChannel channel = null;
            boolean kept = false;
            try {
                channel = InputFile.open(file);
                // Else it may be another one of its name.
                names.requireKept();
                kept = true;
                return new OpenFile(channel, channel);
            } catch (NoSuchFileException gone) {
                names.requireKept();
                throw gone;
            } finally {
                if (!kept && channel != null) {
                    channel.close();
                }
            }
        }

        /** All bytes of a small file. */
        public byte[] readAll() throws IOException {
            return read(open -> {
                ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(lengthBytes));
                while (bytes.hasRemaining() && open.read(bytes, bytes.position()) >= 0) {
                    // Until it is full.
                }
                return Arrays.copyOf(bytes.array(), bytes.position());
            });
        }

        private interface Reading<T> {
            T of(FileChannel open) throws IOException;
        }

        private <T> T read(Reading<T> reading) throws IOException {
            try (OpenFile open = open()) {
                return reading.of(open.channel());
            }
        }
    }

    /**
     * A file that is being read.
     *
     * @param channel is read at positions only, by any number of threads
     * @param end what closing does
     */
    public record OpenFile(FileChannel channel, Closeable end) implements Closeable {
        @Override
        public void close() throws IOException {
            end.close();
        }
    }

    /** Files that keep their names until they are let go. */
    interface Names {
        /** @throws IllegalStateException when they may have lost them */
        void requireKept();
    }

    /**
     * Pins all files of the wanted SSTables, or none.
     *
     * @param names of files that keep them; empty where somebody else may delete them
     * @param wanted by their first and last token; what does not tell them is wanted in any case
     * @param held is closed when they are
     * @throws NoSuchFileException when somebody has deleted one meanwhile
     */
    static LiveFiles of(
            TableSchema schema,
            List<SSTableReader> readers,
            Predicate<TokenRange.Linear> wanted,
            Optional<Names> names,
            Closeable held)
            throws IOException {
        List<PinnedSSTable> sstables = new ArrayList<>();
        Map<Descriptor, SSTableReader> byDescriptor = new HashMap<>();
        LiveFiles files = null;
        try {
            for (SSTableReader reader : readers) {
                Optional<TokenRange.Linear> tokens = tokens(reader);
                if (tokens.isEmpty() || wanted.test(tokens.get())) {
                    sstables.add(pinned(reader, tokens, names));
                    byDescriptor.put(reader.descriptor(), reader);
                }
            }
            files = new LiveFiles(schema, readers.isEmpty(), sstables, byDescriptor, held);
            return files;
        } finally {
            if (files == null) {
                new LiveFiles(schema, readers.isEmpty(), sstables, byDescriptor, held).close();
            }
        }
    }

    private static PinnedSSTable pinned(SSTableReader reader, Optional<TokenRange.Linear> tokens, Optional<Names> names)
            throws IOException {
        Map<Component, PinnedFile> files = new EnumMap<>(Component.class);
        SSTableStatistics statistics = reader.statistics();
        PinnedSSTable sstable = new PinnedSSTable(
                reader.descriptor(),
                tokens,
                statistics.level(),
                statistics.repairedAtMillis(),
                reader.isInFormerColumnOrder(),
                files);
        boolean opened = false;
        try {
            for (Component component : Component.values()) {
                if (reader.descriptor().has(component)) {
                    Path file = reader.descriptor().file(component);
                    files.put(component, names.isPresent() ? named(file, names.get()) : held(file));
                }
            }
            requireComplete(sstable);
            opened = true;
            return sstable;
        } finally {
            if (!opened) {
                close(sstable);
            }
        }
    }

    private static PinnedFile named(Path file, Names names) throws IOException {
        return new PinnedFile(file, Files.size(file), Optional.empty(), names);
    }

    private static PinnedFile held(Path file) throws IOException {
        FileChannel channel = InputFile.open(file);
        boolean taken = false;
        try {
            PinnedFile held = new PinnedFile(file, channel.size(), Optional.of(channel), () -> {});
            taken = true;
            return held;
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static Optional<TokenRange.Linear> tokens(SSTableReader reader) throws IOException {
        return reader.partitioner() == Partitioner.MURMUR3
                ? reader.keyRange()
                        .map(keys -> new TokenRange.Linear(
                                DecoratedKey.of(keys.first()).token(),
                                DecoratedKey.of(keys.last()).token()))
                : Optional.empty();
    }

    /** What was deleted while it was opened lacks its data first, or its TOC. */
    private static void requireComplete(PinnedSSTable sstable) throws IOException {
        List<Component> missing = new ArrayList<>(sstable.descriptor().missing());
        if (!sstable.files().containsKey(Component.DATA)) {
            missing.add(Component.DATA);
        }
        if (!missing.isEmpty()) {
            throw new DataNotFoundException(
                    DataNotFoundException.Sought.SSTABLE,
                    sstable.descriptor().file(missing.get(0)).toString(),
                    "SSTable was deleted while it was opened");
        }
    }

    public TableSchema schema() {
        return schema;
    }

    /** Those that were wanted. */
    public List<PinnedSSTable> sstables() {
        return sstables;
    }

    /** Whether the table had no SSTable at all, whatever was wanted. */
    public boolean isTableEmpty() {
        return isTableEmpty;
    }

    /** Of all files. */
    public long lengthBytes() {
        return sstables.stream().mapToLong(PinnedSSTable::lengthBytes).sum();
    }

    /**
     * What some of the SSTables hold in a range, merged, nothing purged. Only while the replica or store that they are of is
     * open.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling
     */
    public FragmentCursor scan(List<PinnedSSTable> wanted, TokenRange.Linear range, long localDeletionTimeMaxSeconds)
            throws IOException {
        List<FragmentCursor> cursors = new ArrayList<>();
        boolean opened = false;
        try {
            for (PinnedSSTable sstable : wanted) {
                cursors.add(readers.get(sstable.descriptor()).scan(schema, range));
            }
            FragmentCursor merged = MergeCursor.of(schema, cursors, localDeletionTimeMaxSeconds);
            opened = true;
            return merged;
        } finally {
            if (!opened) {
                for (FragmentCursor cursor : cursors) {
                    cursor.close();
                }
            }
        }
    }

    /**
     * Where some token ranges lie in an SSTable, ascending and apart from each other; empty when it has nothing of them, or
     * only its rows can be sent. Valid as long as {@link #scan} is.
     */
    public Optional<SSTableSections> sections(PinnedSSTable sstable, List<TokenRange.Linear> ranges)
            throws IOException {
        return readers.get(sstable.descriptor()).sections(ranges);
    }

    private static void close(PinnedSSTable sstable) throws IOException {
        for (PinnedFile file : sstable.files().values()) {
            if (file.held.isPresent()) {
                file.held.get().close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        try (held) {
            for (PinnedSSTable sstable : sstables) {
                close(sstable);
            }
        }
    }
}
