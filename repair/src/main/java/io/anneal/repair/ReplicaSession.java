package io.anneal.repair;

import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.HashSum;
import io.anneal.io.ByteWriter;
import io.anneal.io.StorageException;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.LinearRanges;
import io.anneal.key.RingPosition;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.KnownData;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaFacts;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.ShortHashes;
import io.anneal.repair.hashes.Sketch;
import io.anneal.repair.hashes.Wanted;
import io.anneal.repair.kept.KeptSums;
import io.anneal.repair.kept.SumRecorder;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.PlacesFound;
import io.anneal.repair.message.PlacesWanted;
import io.anneal.repair.message.PushAnswer;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.SessionFinished;
import io.anneal.repair.message.SessionOpened;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.message.SyncVote;
import io.anneal.repair.message.TokenSum;
import io.anneal.repair.message.WindowSummary;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.HashedDeletion;
import io.anneal.repair.row.ItemCodec;
import io.anneal.repair.row.RowBuffer;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.store.SSTables;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongPredicate;

/**
 * One replica's side of a session, master and follower alike: reads ahead into the row buffer, fixes windows, sums and
 * lists hashes, hands out items and receives them. The order of calls is {@code start (read window
 * (hashes|fetch|receive)*)* finish}, where what comes after a window may also come after the {@code read} for the next one.
 * The table belongs to the caller. Owned by one thread.
 */
final class ReplicaSession implements Closeable {
    /** Symbols that the smallest window has. */
    private static final int SYMBOLS_FREE = 1024;

    private final Replica table;
    private final OpenSession parameters;
    private final SessionTerms terms;
    private final RepairMeter meter;
    private final ClusteringComparator comparator;
    private final ItemCodec codec;
    private final WindowReader reader;
    private final RangeIndex rangeIndex;
    private final Window window;
    /** Empty in a dry run, as the writer. */
    private final Optional<Receiving> run;

    private final Optional<ReceivedWriter> writer;
    /** What was asked for last in this window. */
    private Optional<Fetching> fetching = Optional.empty();

    /** What is known of its SSTables, once the master has asked for it. */
    private Optional<KeptSums> kept = Optional.empty();

    private Optional<SumRecorder> recorder = Optional.empty();
    private LinearRanges covered = LinearRanges.NONE;
    private boolean finished;

    private record Fetching(Phase phase, LongPredicate wanted) {}

    ReplicaSession(Replica table, OpenSession parameters, SessionTerms terms, RepairMeter meter) throws IOException {
        this.meter = meter;
        this.table = table;
        this.terms = terms;
        this.parameters = parameters;
        TableSchema schema = table.schema();
        comparator = ClusteringComparator.of(schema);
        Purger purger = new Purger(
                schema,
                new SessionPurgeRule(
                        parameters.purgeTimeSeconds(), schema.options().gcGraceSeconds()));
        codec = new ItemCodec(
                schema, terms.localDeletionTimeMaxSeconds(), purger, parameters.hashSeed(), terms.cutoffMicros());
        rangeIndex = new RangeIndex(parameters.ranges());
        reader = new WindowReader(
                table,
                codec,
                terms.bufferBytes(),
                terms.rate().windowRowsMax(parameters.sessions()),
                terms.rate().windowBytesMax(parameters.sessions()),
                terms.localDeletionTimeMaxSeconds());
        long receivedBytesMax = RepairConfig.receivedBytesMax(terms.bufferBytes(), parameters.participants());
        window = new Window(schema, codec, reader.rows(), terms.localDeletionTimeMaxSeconds(), receivedBytesMax, meter);
        run = parameters.dryRun() ? Optional.empty() : Optional.of(receive(table, parameters, terms));
        writer = run.map(started -> new ReceivedWriter(schema, started, meter));
        meter.started();
    }

    private static Receiving receive(Replica table, OpenSession parameters, SessionTerms terms) throws IOException {
        UUID sessionId = parameters.sessionId();
        long importDeadlineSeconds = terms.importDeadlineSeconds();
        return parameters.left().isPresent()
                // What came before has its time already.
                ? table.receiveKept(
                        parameters.left().get(), parameters.purgeTimeSeconds(), sessionId, importDeadlineSeconds)
                : table.receive(sessionId, importDeadlineSeconds);
    }

    /**
     * What a replica says of itself before the terms are fixed.
     *
     * @throws RepairException when the replica would have to receive rows and cannot
     */
    static SessionOpened opened(Replica table, OpenSession parameters) throws IOException {
        if (!parameters.dryRun()) {
            table.checkReceiving();
        }
        return new SessionOpened(
                ReplicaFacts.of(table, parameters.ranges()),
                table.localDeletionTimeMaxSeconds(),
                parameters.bufferBytes(),
                table.takesInAtOnce(),
                table.keepsReceived(),
                table.notes(),
                OptionalLong.empty());
    }

    /** Whether there is a place where sums may be kept. */
    boolean keepsSums() {
        return table.known().isPresent();
    }

    /** See {@link Participant#kept}. What can't be read of it is kept anew. */
    List<TokenSum> kept() throws IOException {
        // What came before the session is its replica's with the session only.
        Optional<KnownData> known =
                table.known().filter(data -> parameters.left().isEmpty());
        kept = known.isPresent() ? KeptSums.of(known.get(), parameters, terms, rangeIndex.tokens()) : Optional.empty();
        return kept.map(KeptSums::good).orElse(List.of());
    }

    /** Begins at the first of the ranges; once. */
    void start(LinearRanges ranges) throws IOException {
        List<Descriptor> left = run.isPresent() ? run.get().whole() : List.of();
        if (kept.isPresent()) {
            recorder = Optional.of(new SumRecorder(codec, parameters.purgeTimeSeconds(), rangeIndex.cut(ranges)));
        }
        reader.start(ranges, SSTables.open(table.schema(), left), recorder);
        window.startIn(ranges);
    }

    /** Reads on after the window; see {@link Participant#read()}. */
    SyncVote read() throws IOException {
        long startNanos = meter.nanoTime();
        try {
            reader.readAhead();
            return reader.vote();
        } finally {
            meter.addNanosSince(RepairCount.READ_NANOS, startNanos);
            meter.raiseTo(RepairCount.ROWS_READ, reader.rowsRead());
            meter.raiseTo(RepairCount.BYTES_READ, reader.bytesRead());
        }
    }

    /**
     * Ends the window before and fixes the next; see {@link Participant#window}.
     *
     * @throws RepairException when the boundary is not a place behind the last one that this replica has read up to
     */
    WindowSummary window(RingPosition boundary) throws IOException {
        if (!window.isBehindLast(boundary)) {
            throw new RepairException("sync boundary does not lie behind the last one, replica=" + table.name()
                    + ", boundary=" + boundary);
        }
        if (boundary.position().prefix().size() > comparator.size()
                || boundary.compareTo(reader.lastPlace(), comparator) > 0) {
            throw new RepairException("sync boundary lies behind what was read, replica=" + table.name() + ", boundary="
                    + boundary + ", last=" + reader.lastPlace());
        }
        endWindow();
        fetching = Optional.empty();
        List<DeletionItem> deletions = reader.window(boundary);
        if (leavesOutRecent()) {
            // Before a deletion that came with an earlier window hides some of them.
            RowBuffer rows = reader.rows();
            meter.add(RepairCount.ROWS_RECENT, rows.recentCount(0, rows.windowEnd()));
        }
        window.start(boundary, deletions);
        meter.add(RepairCount.DELETIONS_READ, window.deletionSum().count());
        if (leavesOutRecent()) {
            meter.add(RepairCount.DELETIONS_RECENT, window.recentDeletionCount());
        }
        return summary();
    }

    WindowSummary summary() {
        return new WindowSummary(
                sum(window.deletionSum()),
                sum(window.rows().sum()),
                window.hasGhostDeletions() || reader.hasHiddenRows());
    }

    private static WindowSummary.Sum sum(HashSum sum) {
        return new WindowSummary.Sum(sum.count(), sum.high(), sum.low());
    }

    /** What is counted here; the master's counts for the session, too. */
    RepairMeter meter() {
        return meter;
    }

    Window current() {
        return window;
    }

    /** Encodes and hashes as this session does. */
    ItemCodec codec() {
        return codec;
    }

    long[] hashes(Phase phase) {
        return phase == Phase.DELETIONS
                ? window.deletionHashes()
                : window.rows().hashes();
    }

    RangeSums rangeSums() {
        return RangeSums.of(hashes(Phase.ROWS));
    }

    /** The first symbols of the window's rows, no more than there are rows. */
    Sketch sketch(int symbols) {
        if (symbols == 0) {
            return Sketch.of(new long[0], 0, 0);
        }
        long[] hashes = hashes(Phase.ROWS);
        return Sketch.of(hashes, 0, Math.min(symbols, hashes.length));
    }

    /** @throws RepairException when more symbols are asked for than help: there is a list */
    Sketch sketch(HashRanges ranges, int first, int end) throws RepairException {
        long[] hashes = hashes(Phase.ROWS);
        long symbolsMax = SYMBOLS_FREE + 2L * hashes.length;
        if (end > symbolsMax) {
            throw new RepairException("sketch is longer than a list, replica=" + table.name() + ", symbols=" + end
                    + ", symbolsMax=" + symbolsMax);
        }
        return Sketch.of(ranges.filter(hashes), first, end);
    }

    /** The first of the wanted items, encoded, in ring order; see {@link Participant#fetch}. */
    byte[] fetch(Phase phase, Wanted wanted, int skipped, int roomBytes) throws IOException {
        if (wanted != Wanted.AS_BEFORE) {
            fetching = Optional.of(new Fetching(phase, wanted.among(hashes(phase))));
        }
        LongPredicate among = fetching.filter(before -> before.phase() == phase)
                .orElseThrow(() -> new RepairException("asked for what was fetched before, and nothing was, replica="
                        + table.name() + ", phase=" + phase))
                .wanted();
        return phase == Phase.DELETIONS
                ? fetchDeletions(among, skipped, roomBytes)
                : fetchRows(among, skipped, roomBytes);
    }

    private byte[] fetchDeletions(LongPredicate wanted, int skipped, int roomBytes) {
        ByteWriter out = new ByteWriter(1024);
        int count = 0;
        int sent = 0;
        for (HashedDeletion deletion : window.deletions()) {
            if (deletion.hashed() && wanted.test(deletion.low()) && count++ >= skipped) {
                if (!fits(out.lengthBytes(), deletion.encoded().length, roomBytes)) {
                    break;
                }
                out.writeBytes(deletion.encoded());
                sent++;
            }
        }
        meter.sent(sent, out.lengthBytes());
        return out.toByteArray();
    }

    private byte[] fetchRows(LongPredicate wanted, int skipped, int roomBytes) throws IOException {
        RowBuffer rows = reader.rows();
        BitSet found = new BitSet(rows.windowEnd());
        int lengthBytes = 0;
        int count = 0;
        for (int i = 0; i < rows.windowEnd(); i++) {
            if (rows.isHashed(i) && wanted.test(rows.hashLow(i)) && count++ >= skipped) {
                if (!fits(lengthBytes, rows.lengthBytes(i), roomBytes)) {
                    break;
                }
                found.set(i);
                lengthBytes += rows.lengthBytes(i);
            }
        }
        meter.sent(found.cardinality(), lengthBytes);
        if (found.cardinality() == 1) {
            byte[] item = alone(rows.content(found.nextSetBit(0)));
            rows.releaseContent();
            return item;
        }
        byte[] items = new byte[lengthBytes];
        int end = 0;
        for (int i = found.nextSetBit(0); i >= 0; i = found.nextSetBit(i + 1)) {
            EncodedItem row = rows.content(i);
            System.arraycopy(row.buffer(), row.offset(), items, end, row.lengthBytes());
            end += row.lengthBytes();
        }
        return items;
    }

    /** What was read from a file for this has its array for itself. */
    private static byte[] alone(EncodedItem row) {
        return row.lengthBytes() == row.buffer().length
                ? row.buffer()
                : Arrays.copyOfRange(row.buffer(), row.offset(), row.endOffset());
    }

    private static boolean fits(int takenBytes, int itemBytes, int roomBytes) {
        return roomBytes == Participant.ONE_ITEM ? takenBytes == 0 : (long) takenBytes + itemBytes <= roomBytes;
    }

    /** Whether what was written after a cut-off is not compared. */
    boolean leavesOutRecent() {
        return terms.cutoffMicros() != SessionTerms.NO_CUTOFF;
    }

    /** What the cut-off leaves out; see {@link Participant#recent}. */
    byte[] recent() throws IOException {
        return window.recent();
    }

    /** Where the wanted rows stand; see {@link Participant#places}. */
    PlacesFound places(PlacesWanted wanted) throws IOException {
        List<ShortHashes> groups = wanted.groups();
        List<NavigableMap<Integer, PlacesOfRange>> found = new ArrayList<>();
        groups.forEach(group -> found.add(new TreeMap<>()));
        int[] counts = new int[groups.size()];
        RowBuffer rows = reader.rows();
        for (int i = 0; i < rows.windowEnd(); i++) {
            for (int group = 0; rows.isHashed(i) && group < counts.length; group++) {
                if (groups.get(group).contains(rows.hashLow(i))) {
                    if (++counts[group] > groups.get(group).size()) {
                        return PlacesFound.UNCLEAR;
                    }
                    int range = rangeIndex.of(rows.item(i).key().token());
                    found.get(group)
                            .computeIfAbsent(range, number -> new PlacesOfRange(codec, wanted.placeBits()))
                            .add(rows.item(i), rows.lengthBytes(i));
                }
            }
        }
        return new PlacesFound(Optional.of(found.stream()
                .map(group -> group.entrySet().stream()
                        .map(range -> range.getValue().found(range.getKey()))
                        .toList())
                .toList()));
    }

    /** Collects wanted rows of one range. */
    private static final class PlacesOfRange {
        private final ItemCodec codec;
        private final int placeBits;
        private final ByteWriter items = new ByteWriter(64);
        private long[] hashes = new long[8];
        private long[] sizes = new long[8];
        private int count;

        PlacesOfRange(ItemCodec codec, int placeBits) {
            this.codec = codec;
            this.placeBits = placeBits;
        }

        void add(EncodedItem row, int lengthBytes) throws IOException {
            if (count == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * count);
                sizes = Arrays.copyOf(sizes, 2 * count);
            }
            if (placeBits == 0) {
                codec.place(row, items);
            } else {
                hashes[count] = codec.placeHash(row);
            }
            sizes[count++] = lengthBytes;
        }

        PlacesFound.InRange found(int range) {
            return placeBits == 0
                    ? PlacesFound.InRange.named(range, Arrays.copyOf(sizes, count), items.toByteArray())
                    : PlacesFound.InRange.hashed(
                            range, Arrays.stream(sizes).sum(), ShortHashes.of(Arrays.copyOf(hashes, count), placeBits));
        }
    }

    /** Receives items, keeping the array; answers with the ghosts that shadow them, and with rows that these change. */
    PushAnswer receive(byte[] items) throws IOException {
        byte[] ghosts = inTurn(items.length, () -> window.receive(items, true));
        return new PushAnswer(summary(), ghosts);
    }

    /** As the master, who holds all rows: answers with deletions alone. */
    byte[] receiveAsMaster(byte[] items) throws IOException {
        return inTurn(items.length, () -> window.receive(items, false));
    }

    /** Large rows are merged in turn, with what came and with what lies in the file; see {@link LargeRowTurns}. */
    private <T> T inTurn(int receivedBytes, Step<T> step) throws IOException {
        if (!reader.rows().isTooLarge(receivedBytes) && !reader.rows().hasSpilled()) {
            return step.run();
        }
        reader.largeRows().enter();
        try {
            return step.run();
        } finally {
            reader.largeRows().leave();
        }
    }

    /** What must not wait for a peer. */
    private interface Step<T> {
        T run() throws IOException;
    }

    /** As {@link #receiveAsMaster}, of nothing but rows. */
    byte[] receiveRowsAsMaster(byte[] items, Window.Arrivals arrivals) throws IOException {
        return inTurn(items.length, () -> window.receiveRows(items, arrivals));
    }

    private void endWindow() throws IOException {
        // What it read may be gone: it must not go to a replica that was truncated, too, just before the session.
        run.ifPresent(Receiving::requireNotTruncated);
        if (run.isPresent() && table.isGone()) {
            // Says why: else it would fail in the last step, when others have kept what they received.
            table.checkReceiving();
        }
        if (window.isOpen()) {
            meter.add(RepairCount.DELETIONS_WRITTEN, window.receivedDeletionCount());
            if (writer.isPresent()) {
                meter.add(
                        RepairCount.ROWS_WRITTEN,
                        write(() -> inTurn(0, () -> writer.get().window(window.rows(), window.receivedDeletions()))));
            }
            window.end();
        }
        reader.dropWindow();
    }

    /** The files of a table that was dropped are gone: that is the reason then, and not the disk. */
    private <T> T write(Step<T> writing) throws IOException {
        long startNanos = meter.nanoTime();
        try {
            return writing.run();
        } catch (StorageException failure) {
            table.checkReceiving();
            throw failure;
        } finally {
            meter.addNanosSince(RepairCount.WRITE_NANOS, startNanos);
        }
    }

    /**
     * Keeps what was received.
     *
     * @throws RepairException when the last window does not end where the ranges end, or between two tokens
     */
    SessionFinished finish() throws IOException {
        covered = window.covered()
                .orElseThrow(() -> new RepairException(
                        "session is finished before its last sync boundary, replica=" + table.name()));
        endWindow();
        reader.end();
        if (run.isPresent()) {
            table.checkReceiving();
        }
        if (writer.isPresent()) {
            write(writer.get()::finish);
        }
        long importDeadlineSeconds = Receiving.NO_DEADLINE;
        if (run.isPresent()) {
            importDeadlineSeconds = run.get().complete();
        }
        finished = true;
        return new SessionFinished(
                meter.counts(),
                importDeadlineSeconds,
                run.isEmpty() || table.takesInAtOnce()
                        ? List.of()
                        : run.get().staged().stream().map(Descriptor::toString).toList());
    }

    /** What all replicas of the session hold alike when they have finished: nothing before, and nothing in a dry run. */
    LinearRanges repaired() {
        return finished && !parameters.dryRun() ? covered : LinearRanges.NONE;
    }

    /** Nothing that was received is kept if the session was not finished, of the windows that were done neither. */
    @Override
    public void close() throws IOException {
        Receiving started = run.orElse(null);
        ReceivedWriter unfinished = writer.orElse(null);
        try (started;
                unfinished;
                reader) {
            // True of the SSTables whatever becomes of the session.
            recorder.ifPresent(read -> kept.orElseThrow().keep(read));
            window.end();
        } finally {
            meter.ended(finished);
        }
    }
}
