package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.NetConfig;
import io.anneal.net.NetTimeouts;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.sstable.FileContent;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.LinkFault;
import io.anneal.testkit.LinkFault.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table of a store that goes to another store, in all three ways: an SSTable that is sent as it is, one of which chunks are sent, two
 * of which rows are sent. Between the two nodes is a proxy that does what it is told. One thread.
 */
final class StreamedTable implements AutoCloseable {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, v blob, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";
    /** Half of the ring. */
    private static final TokenRange WANTED = new TokenRange(-(1L << 62), 1L << 62);

    private static final int VALUE_BYTES = 1000;
    private static final long DEADLINE_S = 60;

    private final Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
    private final Path directory;
    private final Store from;
    private final Table source;
    private final Store to;
    private final Table target;
    private final Node giving;
    private final Node taking;
    private final FaultyProxy proxy;
    private final List<String> wanted;
    private final FileContent wholeFile;
    private boolean closed;

    private StreamedTable(Path directory, NetTimeouts timeouts) throws IOException {
        this.directory = directory;
        from = Store.open(directory.resolve("from"), config());
        source = from.createTable(SCHEMA);
        to = Store.open(directory.resolve("to"), config());
        target = to.createTable(SCHEMA);
        giving = node(1, timeouts);
        giving.replicas().add("data", new StoreReplicas(from));
        StreamService.of(giving, HostEnvironment.system()).register(giving.handlers());
        taking = node(2, timeouts);
        proxy = FaultyProxy.to(giving.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
        // Half of an SSTable's chunks are sent from 1 MiB on.
        write(k -> isWanted(k) && k % 3 == 0, 0, 900, 1);
        try (LiveFiles files = source.liveFiles()) {
            wholeFile = files.sstables().get(0).content(Component.DATA);
        }
        write(k -> true, 300, 900, 4);
        write(k -> k % 2 == 0, 500, 1000, 1);
        deleteSome();
        wanted = rows(source);
    }

    static StreamedTable open(Path directory, NetTimeouts timeouts) throws IOException {
        return new StreamedTable(directory, timeouts);
    }

    private static StoreConfig config() {
        return StoreConfig.defaults().withShardCount(1).withCompactionThreads(0).withSyncMode(SyncMode.PERIODIC);
    }

    static Node node(int number, NetTimeouts timeouts) {
        return Node.open(
                NetConfig.of(
                                new NodeIdentity(new UUID(number, number), "", Map.of()),
                                Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION))
                        .withTimeouts(timeouts),
                2,
                new SecureRandom());
    }

    private static boolean isWanted(int k) {
        return WANTED.contains(
                DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                        .token());
    }

    private void write(IntPredicate keys, int first, int last, int rowsEach) throws IOException {
        Random random = new Random(first);
        for (int k = first; k < last; k++) {
            for (int c = 0; c < rowsEach && keys.test(k); c++) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                source.row().key("k", k).clustering("c", c).set("v", value).insert();
            }
        }
        source.flush();
    }

    private void deleteSome() throws IOException {
        for (int k = 0; k < 900; k += 11) {
            source.row().key("k", k).clustering("c", 0).deleteRow();
            source.rangeDeletion().key("k", k + 1).from("c", 2, true).delete();
        }
        source.flush();
    }

    /** All rows and deletions that are wanted. */
    private static List<String> rows(Table table) throws IOException {
        List<String> rows = new ArrayList<>();
        for (TokenRange.Linear range : WANTED.unwrap()) {
            try (FragmentCursor cursor = table.scan(range)) {
                rows.addAll(FragmentList.copyOf(cursor).lines());
            }
        }
        return rows;
    }

    /** Has everything sent to an empty target; the fault is gone when the target comes again. */
    StreamReport stream(LinkFault... faults) throws IOException {
        target.truncate();
        proxy.inject(faults);
        AtomicInteger connects = new AtomicInteger();
        List<CompletableFuture<Connection>> connections = new ArrayList<>();
        Connector healing = peer -> {
            if (connects.getAndIncrement() > 0) {
                proxy.heal();
            }
            connections.add(taking.client().connect(peer));
            return connections.get(connections.size() - 1);
        };
        try {
            return stream(healing, proxy.address());
        } finally {
            connections.forEach(connected -> connected.thenAccept(Connection::close));
        }
    }

    StreamReport streamFrom(InetSocketAddress address) throws IOException {
        return stream(taking.client(), address);
    }

    private StreamReport stream(Connector connector, InetSocketAddress address) throws IOException {
        return StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", StreamSource.at(connector, address), WANTED)
                .run(StreamFaultsTest.hurried());
    }

    long forwardedBytes(Direction direction) {
        return proxy.forwardedBytes(direction);
    }

    /** All rows are the source's, and the file that goes as it is came so. */
    void assertArrived() throws IOException {
        List<String> rows = rows(target);
        assertThat(rows).hasSameSizeAs(wanted);
        for (int i = 0; i < rows.size(); i++) {
            assertThat(rows.get(i)).isEqualTo(wanted.get(i));
        }
        try (LiveFiles files = target.liveFiles()) {
            assertThat(files.sstables()).hasSize(3);
            boolean cameWhole = false;
            for (LiveFiles.PinnedSSTable sstable : files.sstables()) {
                cameWhole |= sstable.content(Component.DATA).equals(wholeFile);
            }
            assertThat(cameWhole).isTrue();
        }
        assertNothingReceived();
    }

    void assertNothingArrived() throws IOException {
        assertThat(target.sstableCount()).isZero();
        assertNothingReceived();
    }

    private void assertNothingReceived() throws IOException {
        try (Stream<Path> left = Files.walk(to.directory())) {
            assertThat(left.filter(file -> file.toString().contains("/receiving/")))
                    .isEmpty();
        }
    }

    /** Neither memory of the budgets, nor files at the source, nor threads; after the close. */
    void assertNothingLeft() throws IOException {
        assertThat(giving.budget().reservedBytes()).isZero();
        assertThat(taking.budget().reservedBytes()).isZero();
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(file -> file.toString().endsWith("-Data.db")))
                    .as("what somebody still holds is not deleted")
                    .isEmpty();
        }
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        Set<String> left = threads();
        while (!left.isEmpty()) {
            assertThat(System.nanoTime()).as("threads left: %s", left).isLessThan(giveUpNanos);
            Thread.onSpinWait();
            left = threads();
        }
    }

    private Set<String> threads() {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(threadsBefore);
        return now.stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("anneal"))
                .collect(Collectors.toSet());
    }

    /** Empties both tables, so that only what is held is left. */
    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        proxy.close();
        taking.close();
        giving.close();
        source.truncate();
        target.truncate();
        from.close();
        to.close();
    }
}
