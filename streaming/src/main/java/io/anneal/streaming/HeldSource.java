package io.anneal.streaming;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.net.RequestException;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.ReplicaSource;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.FileContent;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.LiveFiles;
import io.anneal.store.LiveFiles.OpenFile;
import io.anneal.store.LiveFiles.PinnedFile;
import io.anneal.store.LiveFiles.PinnedSSTable;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.Inventory.SentSSTable;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.SectionContents;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one target wants of a replica, held: files and readers stay open until the last of those who read them has let go. Any
 * thread.
 */
final class HeldSource {
    private static final Logger LOG = LoggerFactory.getLogger(HeldSource.class);

    /** An SSTable of which chunks are sent. */
    record Part(PinnedSSTable sstable, SSTableSections sections) {}

    private final UUID id;
    private final Replica replica;
    private final LiveFiles files;
    private final LinearRanges ranges;
    private final long localDeletionTimeMaxSeconds;
    private final List<PinnedSSTable> whole = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final List<PinnedSSTable> partly = new ArrayList<>();
    private int users = 1;

    /** Pins what a replica of these tables has. */
    static HeldSource open(ReplicaSource tables, OpenSource wanted, UUID id, long sectionsMinBytes) throws IOException {
        Replica replica = tables.open(wanted.keyspace(), wanted.table(), Optional.empty());
        HeldSource source = null;
        try {
            ReplicaSchema.require(replica, wanted.schemaText(), "target");
            LinearRanges ranges = LinearRanges.of(wanted.ranges());
            LiveFiles files = replica.pin(ranges::touches);
            try {
                source = new HeldSource(id, replica, files, ranges, wanted, sectionsMinBytes);
                return source;
            } finally {
                if (source == null) {
                    files.close();
                }
            }
        } finally {
            if (source == null) {
                replica.close();
            }
        }
    }

    /**
     * Takes over the replica, unless this fails.
     *
     * @param sectionsMinBytes of an SSTable that has less than this of the ranges the rows are sent: many small files are
     *     worth less than one
     */
    private HeldSource(
            UUID id, Replica replica, LiveFiles files, LinearRanges ranges, OpenSource wanted, long sectionsMinBytes)
            throws IOException {
        this.id = id;
        this.replica = replica;
        this.files = files;
        this.ranges = ranges;
        localDeletionTimeMaxSeconds = wanted.localDeletionTimeMaxSeconds();
        for (PinnedSSTable sstable : files.sstables()) {
            boolean taken = !sstable.isInFormerColumnOrder()
                    && SSTableVersion.of(sstable.descriptor())
                            .filter(wanted.takes()::contains)
                            .isPresent();
            if (taken && sstable.tokens().filter(ranges::covers).isPresent()) {
                whole.add(sstable);
            } else if (sstable.tokens().isEmpty()
                    || ranges.touches(sstable.tokens().get())) {
                Optional<SSTableSections> sections = taken ? sections(sstable, sectionsMinBytes) : Optional.empty();
                sections.ifPresentOrElse(found -> parts.add(new Part(sstable, found)), () -> partly.add(sstable));
            }
        }
    }

    /** Empty when its rows are to be sent. */
    private Optional<SSTableSections> sections(PinnedSSTable sstable, long minBytes) throws IOException {
        return files.sections(sstable, ranges.touching(sstable.tokens()))
                .filter(found -> found.sections().stream()
                                .mapToLong(DataSection::lengthBytes)
                                .sum()
                        >= minBytes);
    }

    UUID id() {
        return id;
    }

    Inventory inventory() throws IOException {
        return new Inventory(
                id,
                ReplicaFacts.of(
                        replica,
                        ranges.ranges().stream().map(TokenRange.Linear::asRange).toList()),
                files.isTableEmpty(),
                whole.stream()
                        .map(sstable -> new SentSSTable(
                                SSTableVersion.of(sstable.descriptor()).orElseThrow(),
                                sstable.descriptor().generation(),
                                sstable.lengthBytes()))
                        .toList(),
                parts.stream()
                        .map(part -> new SentSSTable(
                                SSTableVersion.of(part.sstable().descriptor()).orElseThrow(),
                                part.sstable().descriptor().generation(),
                                part.sections().storedLengthBytes()))
                        .toList(),
                partly.stream().mapToLong(PinnedSSTable::lengthBytes).sum(),
                rowsId());
    }

    /** Of the data that rows are read from: what no Digest tells is known again in this session only. */
    private UUID rowsId() throws IOException {
        List<String> known = new ArrayList<>();
        for (PinnedSSTable sstable : partly) {
            boolean told = sstable.files().containsKey(Component.DIGEST);
            known.add(sstable.descriptor().generation() + " " + (told ? sstable.content(Component.DATA) : id));
        }
        Collections.sort(known);
        return UUID.nameUUIDFromBytes(known.toString().getBytes(StandardCharsets.UTF_8));
    }

    FileContents contents(int sstable) throws IOException {
        PinnedSSTable held = sstable(sstable);
        Map<Component, FileContent> contents = new EnumMap<>(Component.class);
        for (Component component : held.files().keySet()) {
            if (component != Component.TOC) {
                contents.put(component, held.content(component));
            }
        }
        return new FileContents(contents);
    }

    private PinnedSSTable sstable(int number) throws RequestException {
        requireNumber(number, number < whole.size());
        return whole.get(number);
    }

    private void requireNumber(int number, boolean isRight) throws RequestException {
        if (number < 0 || !isRight) {
            throw new RequestException(
                    StreamCode.REFUSED,
                    "no SSTable has this number, number=" + number + ", sstables=" + whole.size() + ", parts="
                            + parts.size());
        }
    }

    boolean isPart(int number) {
        return number >= whole.size();
    }

    Part part(int number) throws RequestException {
        requireNumber(number, isPart(number) && number - whole.size() < parts.size());
        return parts.get(number - whole.size());
    }

    SectionContents sections(int number) throws IOException {
        Part part = part(number);
        byte[] statistics = part.sstable().files().get(Component.STATISTICS).readAll();
        return new SectionContents(part.sections().manifest(statistics));
    }

    PinnedFile file(int sstable, Component component) throws RequestException {
        PinnedFile file = sstable(sstable).files().get(component);
        if (file == null) {
            throw new RequestException(
                    StreamCode.REFUSED,
                    "SSTable has no such component, sstable=" + sstable + ", component=" + component.fileSuffix());
        }
        return file;
    }

    /** All rows that lie in no file that is sent whole or in part, range after range, from this token on. */
    List<RowScan> rows(long firstToken) {
        return ranges.ranges().stream()
                .filter(range -> range.last() >= firstToken)
                .map(range -> new TokenRange.Linear(Math.max(range.first(), firstToken), range.last()))
                .map(range -> (RowScan) () -> files.scan(partly(range), range, localDeletionTimeMaxSeconds))
                .toList();
    }

    private List<PinnedSSTable> partly(TokenRange.Linear range) {
        return partly.stream()
                .filter(sstable ->
                        sstable.tokens().map(tokens -> tokens.overlaps(range)).orElse(true))
                .toList();
    }

    /** Opens a scan. */
    interface RowScan {
        FragmentCursor open() throws IOException;
    }

    TableSchema schema() {
        return files.schema();
    }

    /** One more that reads; false if nothing is held any more. */
    synchronized boolean retain() {
        if (users > 0) {
            users++;
            return true;
        }
        return false;
    }

    /** Lets go, and closes a file that was read. */
    void release(OpenFile file) {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("file did not close cleanly, session={}", id, e);
        } finally {
            release();
        }
    }

    void release() {
        synchronized (this) {
            users--;
            if (users > 0) {
                return;
            }
        }
        try (Closeable last = replica;
                Closeable first = files) {
            LOG.debug("source is let go, session={}, {}, {}", id, last, first);
        } catch (IOException e) {
            LOG.warn("source did not close cleanly, session={}", id, e);
        }
    }
}
