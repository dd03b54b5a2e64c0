package io.anneal.repair;

import io.anneal.fragment.ForwardingCursor;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A replica's table in memory that counts what is opened and closed, and fails where it is told to. */
final class TestTable implements Replica {
    /** Runs before every fragment. */
    interface BeforeFragment {
        void run(int fragment) throws IOException;
    }

    /** May fail. */
    interface LastStep {
        void run() throws IOException;
    }

    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger watched = new AtomicInteger();
    final AtomicInteger cursorsOpened = new AtomicInteger();
    final AtomicInteger cursorsClosed = new AtomicInteger();
    final CountDownLatch end = new CountDownLatch(1);
    volatile BeforeFragment beforeFragment = fragment -> {};
    /** The same for the cursor that was opened first alone. */
    volatile BeforeFragment beforeFragmentOfFirst = fragment -> {};

    volatile boolean takesInAtOnce;
    /** Runs before what it received in a session is kept. */
    volatile LastStep beforeComplete = () -> {};
    /** Runs when what it received in a session is kept. */
    volatile Runnable afterComplete = () -> {};
    /** When the repairs of which it was told began. */
    final List<Long> repairedSeconds = new CopyOnWriteArrayList<>();
    /** Their ranges. */
    final List<TokenRange> repairedRanges = new CopyOnWriteArrayList<>();

    volatile FragmentList rows;

    private final String name;
    private final Optional<StagingArea> staging;

    TestTable(String name, FragmentList rows, Optional<StagingArea> staging) {
        this.name = name;
        this.rows = rows;
        this.staging = staging;
    }

    ReplicaSource opener() {
        return (keyspace, table, staged) -> {
            opened.incrementAndGet();
            return this;
        };
    }

    /** Files that wait here for import, finished or not. */
    List<Path> stagedFiles() throws IOException {
        Path directory = staging.orElseThrow().tableDirectory(schema());
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    /** Everything in the finished SSTables. */
    List<String> stagedLines() throws IOException {
        List<String> lines = new ArrayList<>();
        Path directory = staging.orElseThrow().tableDirectory(schema());
        for (Descriptor descriptor : TableSource.descriptors(directory, List.of(directory))) {
            try (SSTableReader reader = Formats.open(descriptor);
                    FragmentCursor cursor = reader.scan(schema(), TokenRange.Linear.ALL)) {
                lines.addAll(FragmentList.copyOf(cursor).lines());
            }
        }
        return lines;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TableSchema schema() {
        return rows.schema();
    }

    @Override
    public boolean takesInAtOnce() {
        return takesInAtOnce;
    }

    @Override
    public void repaired(List<TokenRange> ranges, long seconds) {
        repairedSeconds.add(seconds);
        repairedRanges.addAll(ranges);
    }

    @Override
    public void checkReceiving() throws IOException {
        staging.orElseThrow(() -> new RepairException("replica is read-only, replica=" + name))
                .checkReceiving(schema(), schema().id());
    }

    @Override
    public long localDeletionTimeMaxSeconds() {
        return SSTableVersion.NB.localDeletionTimeMaxSeconds();
    }

    @Override
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) {
        FragmentList.Builder inRange = FragmentList.builder(schema());
        rows.fragments().stream()
                .filter(fragment -> range.contains(fragment.key().token()))
                .forEach(inRange::add);
        cursorsOpened.incrementAndGet();
        return new Watched(MergeCursor.of(schema(), List.of(inRange.build().cursor()), localDeletionTimeMaxSeconds));
    }

    @Override
    public Receiving receive(UUID sessionId, long importDeadlineSeconds) {
        Receiving receiving = staging.orElseThrow()
                .start(sessionId, schema(), schema().id(), importDeadlineSeconds, SSTableWriterConfig.defaults(10));
        return new Receiving() {
            @Override
            public StagedWriter newWriter() {
                return receiving.newWriter();
            }

            @Override
            public StagedSSTable newSSTable(SSTableVersion version) throws IOException {
                return receiving.newSSTable(version);
            }

            @Override
            public void remove(Descriptor sstable) throws IOException {
                receiving.remove(sstable);
            }

            @Override
            public long complete() throws IOException {
                beforeComplete.run();
                long importDeadline = receiving.complete();
                afterComplete.run();
                return importDeadline;
            }

            @Override
            public List<Descriptor> staged() {
                return receiving.staged();
            }

            @Override
            public void close() throws IOException {
                receiving.close();
            }
        };
    }

    @Override
    public void close() {
        closed.incrementAndGet();
        end.countDown();
    }

    private final class Watched extends ForwardingCursor {
        private final boolean isFirst = watched.getAndIncrement() == 0;
        private int fragments;

        Watched(FragmentCursor inner) {
            super(inner);
        }

        @Override
        public FragmentKind advance() throws IOException {
            if (isFirst) {
                beforeFragmentOfFirst.run(fragments);
            }
            beforeFragment.run(fragments++);
            return inner.advance();
        }

        @Override
        public void close() throws IOException {
            cursorsClosed.incrementAndGet();
            inner.close();
        }
    }
}
