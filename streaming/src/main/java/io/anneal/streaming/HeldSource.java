package io.anneal.streaming;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.net.RequestException;
import io.anneal.node.Replica;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.FileContent;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.LiveFiles;
import io.anneal.store.LiveFiles.PinnedFile;
import io.anneal.store.LiveFiles.PinnedSSTable;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.Inventory.WholeSSTable;
import io.anneal.streaming.message.OpenSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one target wants of a replica, held: files and readers stay open until the last of those who read them has let go. Any
 * thread.
 */
final class HeldSource {
    private static final Logger LOG = LoggerFactory.getLogger(HeldSource.class);

    private final UUID id;
    private final Replica replica;
    private final LiveFiles files;
    private final LinearRanges ranges;
    private final long localDeletionTimeMaxSeconds;
    private final List<PinnedSSTable> whole = new ArrayList<>();
    private final List<PinnedSSTable> partly = new ArrayList<>();
    private int users = 1;

    /** Takes over the replica. */
    HeldSource(UUID id, Replica replica, LiveFiles files, OpenSource wanted) {
        this.id = id;
        this.replica = replica;
        this.files = files;
        ranges = LinearRanges.of(wanted.ranges());
        localDeletionTimeMaxSeconds = wanted.localDeletionTimeMaxSeconds();
        for (PinnedSSTable sstable : files.sstables()) {
            boolean taken = SSTableVersion.of(sstable.descriptor())
                    .filter(wanted.takes()::contains)
                    .isPresent();
            if (taken && sstable.tokens().filter(ranges::covers).isPresent()) {
                whole.add(sstable);
            } else if (sstable.tokens().isEmpty()
                    || ranges.touches(sstable.tokens().get())) {
                partly.add(sstable);
            }
        }
    }

    UUID id() {
        return id;
    }

    Inventory inventory() throws IOException {
        return new Inventory(
                id,
                replica.tableId(),
                whole.stream()
                        .map(sstable -> new WholeSSTable(
                                SSTableVersion.of(sstable.descriptor()).orElseThrow(),
                                sstable.descriptor().generation(),
                                sstable.lengthBytes()))
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
        if (number < 0 || number >= whole.size()) {
            throw new RequestException(
                    StreamCode.REFUSED, "no SSTable has this number, number=" + number + ", sstables=" + whole.size());
        }
        return whole.get(number);
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

    /** All rows that lie in no file that is sent whole, range after range, from this token on. */
    List<RowScan> rows(long firstToken) {
        return ranges.ranges().stream()
                .filter(range -> range.last() >= firstToken)
                .map(range -> new TokenRange.Linear(Math.max(range.first(), firstToken), range.last()))
                .map(range -> (RowScan) () -> files.scan(partly(range), range, localDeletionTimeMaxSeconds))
                .toList();
    }

    private List<PinnedSSTable> partly(TokenRange.Linear range) {
        return partly.stream()
                .filter(sstable -> sstable.tokens()
                        .map(tokens -> LinearRanges.overlap(tokens, range))
                        .orElse(true))
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
