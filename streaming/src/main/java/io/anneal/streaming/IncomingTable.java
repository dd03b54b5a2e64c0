package io.anneal.streaming;

import io.anneal.io.PrintableText;
import io.anneal.io.StorageException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.LinearRanges;
import io.anneal.key.Partitioner;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.net.Waiting;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.Formats;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.Inventory.SentSSTable;
import io.anneal.streaming.message.SectionContents;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a target has of a table's ranges so far, from one source: kept over lost connections, so that the next attempt goes on
 * where the last one ended, in the middle of a file. It is the replica's by {@link #complete()}, or gone by {@link #close()}.
 * One thread.
 */
final class IncomingTable implements Closeable {
    /**
     * An SSTable as its source has it: the same again after a connection was lost, if nothing has changed.
     *
     * @param contents {@link FileContents}, or {@link SectionContents} of one that is sent in part
     */
    private record Known(SSTableVersion version, String generation, Record contents) {
        /** Of one that is kept over restarts. */
        Optional<UUID> keptId() {
            return contents instanceof FileContents files
                    ? Optional.of(KeptSSTables.id(version, generation, files))
                    : Optional.empty();
        }

        /** As its source calls it. */
        @Override
        public String toString() {
            return version.text() + "-" + PrintableText.of(generation) + "-" + version.format();
        }
    }

    /** The next one may not go on with what this one leaves. */
    static final long NEVER = Long.MAX_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(IncomingTable.class);

    private final Replica target;
    private final List<TokenRange> ranges;
    private final LinearRanges wanted;
    private final Receiving receiving;
    private final Map<Known, IncomingSSTable> begun = new HashMap<>();
    private final Map<Known, Descriptor> published = new HashMap<>();
    private long bytes;
    /** What the source has, about, as it said last. */
    private double wantedBytes;

    private Optional<IncomingRows> rows = Optional.empty();

    /** What was there at the start, and has not been asked for yet. */
    private final Map<UUID, KeptSSTables.Kept> earlier;

    private final boolean keeps;
    private final long keepBytes;
    private long keptBytes;

    /**
     * @param target belongs to the caller
     * @param keepBytes after so many it is made last; or {@link #NEVER}
     */
    IncomingTable(Replica target, List<TokenRange> ranges, Receiving receiving, long keepBytes) throws IOException {
        this.keepBytes = keepBytes;
        keeps = keepBytes != NEVER;
        KeptSSTables kept = KeptSSTables.parse(receiving.kept().orElse(""));
        earlier = new HashMap<>(kept.sstables());
        if (keeps) {
            receiving.retain(kept.baseNames());
        }
        this.target = target;
        this.ranges = List.copyOf(ranges);
        wanted = LinearRanges.of(ranges);
        this.receiving = receiving;
    }

    /** That came over the network, over all attempts. */
    long bytes() {
        return bytes;
    }

    long rows() {
        return rows.map(come -> come.decoder.rows()).orElse(0L);
    }

    /** Of which nothing was cut out. */
    int sstables() {
        return published.size() - parts();
    }

    int parts() {
        return (int) published.keySet().stream()
                .filter(known -> known.contents() instanceof SectionContents)
                .count();
    }

    /** Where it waits for somebody's import; empty when it does not. */
    List<String> stagedIn() {
        boolean hasNone = published.isEmpty() && rows.stream().allMatch(come -> come.written.isEmpty());
        return hasNone
                ? List.of()
                : receiving.stagedIn().map(Path::toString).stream().toList();
    }

    /** Fetches what is missing. */
    void fetch(SourceSession source, StreamListener listener) throws IOException {
        PieceCount count = lengthBytes -> count(lengthBytes, listener);
        List<SentSSTable> files = source.inventory().files();
        List<SentSSTable> parts = source.inventory().parts();
        wantedBytes = source.inventory().rowBytes()
                + Stream.concat(files.stream(), parts.stream())
                        .mapToDouble(SentSSTable::lengthBytes)
                        .sum();
        count(0, listener);
        Set<Known> named = new HashSet<>();
        // The source reads the next one's while this one's come.
        CompletableFuture<FileContents> next = files.isEmpty() ? null : source.describe(0);
        for (int i = 0; i < files.size(); i++) {
            SentSSTable file = files.get(i);
            FileContents contents = Waiting.result(next);
            next = i + 1 < files.size() ? source.describe(i + 1) : null;
            Known known = new Known(file.version(), file.generation(), contents);
            named.add(known);
            takeUp(known, contents);
            fetch(source, i, known, staged -> new IncomingFiles(contents, staged), count);
        }
        for (int i = 0; i < parts.size(); i++) {
            SentSSTable part = parts.get(i);
            SectionContents contents = source.describePart(files.size() + i);
            Known known = new Known(part.version(), part.generation(), contents);
            named.add(known);
            fetch(source, files.size() + i, known, staged -> sections(contents, staged), count);
        }
        forgetAllBut(named);
        fetchRows(source, count);
    }

    private void count(long lengthBytes, StreamListener listener) throws IOException {
        bytes += lengthBytes;
        if (bytes - keptBytes >= keepBytes) {
            keep();
        }
        listener.progress(rows(), bytes, wantedBytes == 0 ? 1 : Math.min(1, bytes / wantedBytes));
    }

    /** Goes on with what was there at the start; what is not as it was noted comes again. */
    private void takeUp(Known known, FileContents contents) throws IOException {
        KeptSSTables.Kept kept = earlier.remove(known.keptId().orElseThrow());
        if (kept == null) {
            return;
        }
        StagedSSTable staged = receiving.reopen(kept.baseName());
        boolean taken = false;
        try {
            if (kept.isWhole()) {
                check(staged.descriptor(), false);
                published.put(known, staged.descriptor());
            } else {
                begun.put(known, IncomingFiles.reopen(contents, staged, kept.positions()));
            }
            taken = true;
        } catch (CorruptSSTableException | StorageException e) {
            LOG.warn(
                    "SSTable that was kept cannot be gone on with, and comes again, sstable={}",
                    staged.descriptor(),
                    e);
        } finally {
            if (!taken) {
                remove(staged);
            }
        }
    }

    private void remove(StagedSSTable staged) throws IOException {
        staged.discard();
        receiving.remove(staged.descriptor());
    }

    /** Makes what has come last, and takes note of it. */
    private void keep() throws IOException {
        keptBytes = bytes;
        if (!keeps) {
            return;
        }
        Map<UUID, KeptSSTables.Kept> now = new LinkedHashMap<>(earlier);
        for (Map.Entry<Known, Descriptor> whole : published.entrySet()) {
            whole.getKey()
                    .keptId()
                    .ifPresent(id ->
                            now.put(id, new KeptSSTables.Kept(whole.getValue().baseName(), true, Map.of())));
        }
        for (Map.Entry<Known, IncomingSSTable> part : begun.entrySet()) {
            if (part.getValue() instanceof IncomingFiles files) {
                now.put(
                        part.getKey().keptId().orElseThrow(),
                        new KeptSSTables.Kept(files.descriptor().baseName(), false, files.sync()));
            }
        }
        receiving.keep(new KeptSSTables(now).print());
    }

    /** Ends it, and leaves what the next one may go on with. */
    void suspend() throws IOException {
        if (!keeps) {
            close();
            return;
        }
        boolean kept = false;
        try {
            keep();
            for (IncomingSSTable part : begun.values()) {
                if (part instanceof IncomingFiles files) {
                    files.suspend();
                } else {
                    part.close();
                }
            }
            if (rows.isPresent()) {
                rows.get().close();
            }
            kept = true;
        } finally {
            if (kept) {
                receiving.suspend();
            } else {
                close();
            }
        }
    }

    /** Opens what takes the bytes of an SSTable. */
    private interface Opener {
        IncomingSSTable open(StagedSSTable staged) throws IOException;
    }

    private IncomingSSTable sections(SectionContents contents, StagedSSTable staged) throws IOException {
        return new IncomingSections(
                Formats.receive(staged, target.schema(), contents.manifest(), wanted.ranges()), staged.descriptor());
    }

    /** What came wrong comes once more: a bit may have flipped on the way. Then it is so at the source. */
    private void fetch(SourceSession source, int number, Known known, Opener opener, PieceCount count)
            throws IOException {
        if (published.containsKey(known)) {
            return;
        }
        requireTaken(known);
        try {
            fetchOnce(source, number, known, opener, count);
        } catch (CorruptSSTableException | RequestException wrong) {
            requireDamage(wrong);
            LOG.warn(
                    "SSTable came wrong, and comes once more, table={}, sstable={}, source={}, reason={}",
                    target.schema().qualifiedName(),
                    known,
                    source.name(),
                    wrong.getMessage());
            forget(known);
            fetchAgain(source, number, known, opener, count);
        }
    }

    private void fetchAgain(SourceSession source, int number, Known known, Opener opener, PieceCount count)
            throws IOException {
        try {
            fetchOnce(source, number, known, opener, count);
        } catch (CorruptSSTableException | RequestException wrong) {
            requireDamage(wrong);
            forget(known);
            throw new RequestException(
                    StreamCode.DAMAGED,
                    "SSTable of the source came wrong, and wrong again, table="
                            + target.schema().qualifiedName() + ", sstable=" + known + ", reason="
                            + wrong.getMessage());
        }
    }

    /** Lies about what is not in its files are no damage. */
    private static void requireDamage(IOException wrong) throws IOException {
        if (wrong instanceof RequestException refused && !refused.code().equals(StreamCode.DAMAGED)) {
            throw wrong;
        }
    }

    private void requireTaken(Known known) throws RequestException {
        if (!target.loadedVersions().contains(known.version())) {
            throw new RequestException(
                    StreamCode.REFUSED,
                    "source sends a version that the target does not take, version="
                            + known.version().text() + ", taken=" + target.loadedVersions());
        }
    }

    private void fetchOnce(SourceSession source, int number, Known known, Opener opener, PieceCount count)
            throws IOException {
        IncomingSSTable incoming = begun.get(known);
        if (incoming == null) {
            StagedSSTable staged = receiving.newSSTable(known.version());
            try {
                incoming = opener.open(staged);
            } catch (IllegalArgumentException lie) {
                throw new RequestException(PeerException.MALFORMED, lie.getMessage());
            } finally {
                if (incoming == null) {
                    receiving.remove(staged.descriptor());
                }
            }
            begun.put(known, incoming);
        }
        boolean right = false;
        try {
            incoming.fetch(source, number, count);
            right = true;
        } finally {
            if (!right && incoming.isBroken()) {
                forget(known);
            }
        }
        right = false;
        try {
            Descriptor descriptor = incoming.publish();
            begun.remove(known);
            published.put(known, descriptor);
            check(descriptor, known.contents() instanceof SectionContents);
            right = true;
        } finally {
            if (!right) {
                // What is wrong as a whole is not gone on with.
                forget(known);
            }
        }
    }

    /**
     * What came in an earlier attempt, and is not the source's any more, may hold what was deleted there since, and the deletion
     * may be purged: only what a source has at one moment is right together.
     */
    private void forgetAllBut(Set<Known> named) throws IOException {
        Set<Known> stale = new HashSet<>(begun.keySet());
        stale.addAll(published.keySet());
        stale.removeAll(named);
        for (Known known : stale) {
            forget(known);
        }
        for (KeptSSTables.Kept kept : earlier.values()) {
            remove(receiving.reopen(kept.baseName()));
        }
        earlier.clear();
    }

    private void forget(Known known) throws IOException {
        IncomingSSTable received = begun.remove(known);
        if (received != null) {
            received.close();
            receiving.remove(received.descriptor());
        }
        Descriptor descriptor = published.remove(known);
        if (descriptor != null) {
            receiving.remove(descriptor);
        }
    }

    /**
     * What the checksums cannot tell: that it is an SSTable of this table and of these ranges.
     *
     * @param cut whether it was made of another's sections
     */
    private void check(Descriptor descriptor, boolean cut) throws IOException {
        try (SSTableReader reader = Formats.open(descriptor)) {
            if (reader.partitioner() != Partitioner.MURMUR3) {
                throw wrong(
                        descriptor,
                        "SSTable has another partitioner, partitioner="
                                + reader.partitioner().className());
            }
            if (reader.statistics().hasLegacyCounterShards()) {
                throw wrong(descriptor, "SSTable has counter shards of Cassandra 2.0 or earlier");
            }
            reader.requireColumnOrder();
            KeyRange keys = reader.keyRange().orElseThrow(() -> wrong(descriptor, "SSTable does not tell its keys"));
            TokenRange.Linear tokens = new TokenRange.Linear(
                    DecoratedKey.of(keys.first()).token(),
                    DecoratedKey.of(keys.last()).token());
            // What lies between has been looked at where partitions are cut out one by one; else it is one range's.
            boolean inside =
                    cut ? wanted.covers(tokens.first()) && wanted.covers(tokens.last()) : wanted.covers(tokens);
            if (!inside) {
                throw wrong(descriptor, "SSTable has more than was asked for, tokens=" + tokens + ", ranges=" + ranges);
            }
            reader.scan(target.schema(), TokenRange.Linear.ALL).close();
        }
    }

    private static CorruptSSTableException wrong(Descriptor descriptor, String reason) {
        return new CorruptSSTableException(
                descriptor.file(Component.STATISTICS), CorruptSSTableException.NO_POSITION, reason);
    }

    /** Goes on with rows that are the same bytes; others are forgotten for the reason that files are. */
    private void fetchRows(SourceSession source, PieceCount count) throws IOException {
        UUID rowsId = source.inventory().rowsId();
        if (rows.isPresent() && !rows.get().goesOnWith(rowsId)) {
            forgetRows();
        }
        if (rows.isEmpty()) {
            StagedWriter writer = receiving.newWriter();
            rows = Optional.of(new IncomingRows(
                    rowsId, writer, new FragmentDecoder(target.schema(), wanted, writer::appendCurrent)));
        }
        IncomingRows into = rows.get();
        if (!into.isDone() && source.inventory().rowBytes() > 0) {
            source.rows(into.decoder, count);
            into.finish();
        }
    }

    private void forgetRows() throws IOException {
        IncomingRows known = rows.orElseThrow();
        rows = Optional.empty();
        known.close();
        for (Descriptor written : known.written) {
            receiving.remove(written);
        }
    }

    /** Rows that have come over all attempts. */
    private static final class IncomingRows implements Closeable {
        private final UUID id;
        private final StagedWriter writer;
        private final FragmentDecoder decoder;
        private List<Descriptor> written = List.of();
        private boolean done;

        IncomingRows(UUID id, StagedWriter writer, FragmentDecoder decoder) {
            this.id = id;
            this.writer = writer;
            this.decoder = decoder;
        }

        boolean goesOnWith(UUID rowsId) {
            return id.equals(rowsId) && decoder.isWhole();
        }

        boolean isDone() {
            return done;
        }

        void finish() throws IOException {
            written = writer.finish();
            writer.close();
            done = true;
        }

        /** Removes what is not finished. */
        @Override
        public void close() throws IOException {
            writer.close();
        }
    }

    /** Makes all of it the replica's; returns until when what waits for import must be imported. */
    long complete() throws IOException {
        return receiving.complete();
    }

    @Override
    public void close() throws IOException {
        try (receiving) {
            if (rows.isPresent()) {
                rows.get().close();
            }
            for (IncomingSSTable received : begun.values()) {
                received.close();
            }
        }
    }
}
