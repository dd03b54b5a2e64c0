package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.Mutation;
import io.anneal.io.ByteBudget;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.MessageStream;
import io.anneal.net.NetServer;
import io.anneal.net.SimulatedNetwork;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Ring;
import io.anneal.paging.Consistency;
import io.anneal.paging.Paging;
import io.anneal.paging.RemotePages;
import io.anneal.paging.Scan;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.message.PageQuestion;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.message.TableName;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.QuerierPages;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.StopReason;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One of three replicas answers honestly for some pages, and then with what is no answer, or not at all: a quorum is read as if it
 * were not there, who needs it hears its name, and nobody waits for long. Each lie is told at several places of a random table;
 * {@code -Danneal.seed=N} for others.
 */
class LyingReplicaTest {
    private static final int SEEDS = 6;
    private static final int REPLICAS = 3;
    private static final int PAGE_ROWS = 4;
    private static final int ASKER = 1_000;
    private static final long BUDGET_BYTES = 64 << 20;
    private static final long GC_GRACE_SECONDS = 864_000;
    private static final long NOW_SECONDS =
            RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS;
    /** A lie is told once by each way to read; the longest is not to answer, twice where a stream is asked for anew. */
    private static final Duration LONG = Duration.ofMinutes(5);

    enum Lie {
        SAYS_NOTHING,
        SAYS_HALF,
        SENDS_NOTHING_FOR_EVER,
        SENDS_THE_SAME_FOR_EVER,
        TURNS_ITEMS_ROUND,
        SENDS_AN_ITEM_TWICE,
        SENDS_OTHER_PARTITIONS,
        BEGINS_ANEW,
        COUNTS_WRONG,
        ENDS_WHERE_IT_BEGAN,
        ENDS_BEHIND_EVERYTHING,
        ENDS_BEFORE_ITS_LAST_ITEM,
        CUTS_AN_ITEM,
        SENDS_ANOTHER_TABLE,
        SENDS_NO_END,
        ENDS_AT_ONCE,
        ENDS_WITHIN_THE_PAGE,
        SENDS_AN_UNKNOWN_KIND,
        SENDS_A_LENGTH_OF_NO_MESSAGE,
        REFUSES
    }

    @TempDir
    private Path directory;

    private final SimulatedNetwork network = new SimulatedNetwork(Long.getLong("anneal.seed", 1));
    private final HostEnvironment environment = HostEnvironment.system()
            .withTime(
                    InstantSource.fixed(Instant.ofEpochSecond(NOW_SECONDS)),
                    network::nanoTime,
                    nanos -> network.runFor(Duration.ofNanos(nanos)))
            .withThreads(name -> new NetworkExecutor(network));

    private Table table;
    private QuerierPages pages;
    /** All but the first partition. */
    private TokenRange range;

    private Lie lie;
    private int liar;
    /** Pages that the liar has yet to tell the truth about. */
    private int honestPages;

    private boolean hasLied;

    @ParameterizedTest
    @EnumSource
    void shouldBeReadRoundOrNamed(Lie told) throws IOException {
        lie = told;
        int lies = 0;
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            lies += read(seed);
        }
        assertThat(lies).as("lies that were told").isGreaterThan(SEEDS);
    }

    /** Returns how often it was lied to. */
    private int read(long seed) throws IOException {
        Random random = new Random(seed);
        TableOptions options = new TableOptions(GC_GRACE_SECONDS, 0.01, 128, Map.of(), Map.of(), false, Map.of());
        RandomFragments fragments = RandomFragments.withDistinctClusterings(seed, 8, options);
        List<NetServer> servers = new ArrayList<>();
        ByteBudget budget = ByteBudget.of(BUDGET_BYTES);
        AskingHost asker = new AskingHost(network);
        asker.start();
        try (Store store = Store.open(
                        directory.resolve("store" + seed),
                        StoreConfig.defaults().withShardCount(1 + random.nextInt(3)),
                        HostEnvironment.system().withClock(environment.clock()));
                Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, environment)) {
            table = store.createTable(fragments.schema());
            for (int i = 0; i < 3; i++) {
                for (Mutation mutation : Mutations.of(fragments.next(0.8))) {
                    table.apply(mutation);
                }
            }
            range = new TokenRange(fragments.keys().get(0).token(), Long.MIN_VALUE);
            pages = queriers.pages("truth", table);
            for (int number = 1; number <= REPLICAS; number++) {
                servers.add(serve(number, budget));
            }
            int lies = readAll(asker, random, "seed=" + seed + ", lie=" + lie);
            pages.close();
            network.runFor(LONG);
            assertThat(asker.budget().reservedBytes()).isZero();
            return lies;
        } finally {
            asker.close();
            servers.forEach(NetServer::close);
            network.runUntilIdle();
        }
    }

    private int readAll(AskingHost asker, Random random, String what) throws IOException {
        int lies = 0;
        try (Paging paging = Paging.open(QuerierLimits.DEFAULT, environment)) {
            List<String> truth = rows(paging.table(table).scan(range));
            Map<String, PageSource> replicas = new TreeMap<>();
            for (int number = 1; number <= REPLICAS; number++) {
                replicas.put("host " + number, open(asker, number));
            }
            Ring ring = Ring.of(List.of(TokenRange.FULL), replicas.keySet());
            for (Consistency consistency : Consistency.values()) {
                beHonestFor(random);
                Scan scan =
                        paging.table(ring, replicas, consistency).scan(range).pageSize(PAGE_ROWS);
                if (consistency != Consistency.ALL) {
                    assertThat(timed(scan)).as(what).isEqualTo(truth);
                } else {
                    shouldBeNamed(what, scan, truth, "host " + liar + "=", "consistency=ALL");
                }
                lies += hasLied ? 1 : 0;
            }
            beHonestFor(random);
            Scan scan = paging.table(replicas.get("host " + liar)).scan(range).pageSize(PAGE_ROWS);
            shouldBeNamed(what, scan, truth);
            lies += hasLied ? 1 : 0;
        }
        return lies;
    }

    private void beHonestFor(Random random) {
        honestPages = random.nextInt(3);
        liar = 1 + random.nextInt(REPLICAS);
        hasLied = false;
    }

    /** Unless the table ended before the lie. */
    private void shouldBeNamed(String what, Scan scan, List<String> truth, String... facts) {
        try {
            assertThat(timed(scan)).as(what).isEqualTo(truth);
            assertThat(hasLied).as(what).isFalse();
        } catch (UncheckedIOException failure) {
            assertThat(hasLied).as(what).isTrue();
            assertThat(failure.getCause())
                    .as(what)
                    .hasMessageContainingAll(Stream.concat(
                                    Stream.of(facts),
                                    Stream.of(
                                            "peer=" + address(liar).getAddress().getHostAddress()))
                            .toArray(String[]::new));
        }
    }

    private List<String> timed(Scan scan) {
        long startNanos = network.nanoTime();
        try {
            return rows(scan);
        } finally {
            assertThat(Duration.ofNanos(network.nanoTime() - startNanos)).isLessThan(LONG);
        }
    }

    private static List<String> rows(Iterable<TableRow> scan) {
        List<String> rows = new ArrayList<>();
        scan.forEach(row -> rows.add(row.toString()));
        return rows;
    }

    private PageSource open(AskingHost asker, int number) throws IOException {
        return RemotePages.open(
                asker.peers(),
                address(number),
                "",
                table.schema().keyspace(),
                table.schema().name());
    }

    private static InetSocketAddress address(int number) {
        return new InetSocketAddress(SimulatedNetwork.address(number), 7000);
    }

    // What replicas answer.

    private NetServer serve(int number, ByteBudget budget) throws IOException {
        VerbHandlers handlers = new VerbHandlers(network.executor());
        handlers.register(PagingWire.TABLE, (peer, question) -> {
            ByteWriter out = new ByteWriter(1024);
            Texts.write(out, SchemaText.print(table.schema()));
            return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
        });
        handlers.register(
                PagingWire.FORGET, (peer, question) -> CompletableFuture.completedFuture(ByteBuffer.allocate(0)));
        handlers.registerStream(PagingWire.PAGES, stream -> {
            MessageStream messages = stream.messages();
            messages.read().whenComplete((message, failure) -> {
                if (failure == null) {
                    answer(number, messages, message.orElseThrow().content());
                    message.orElseThrow().close();
                }
            });
        });
        return NetServer.bind(
                RemoteFollowers.config(number, BUDGET_BYTES).withBudget(budget),
                address(number),
                handlers,
                network.random(),
                failure -> {},
                network.host(SimulatedNetwork.address(number)));
    }

    private void answer(int number, MessageStream messages, ByteBuffer content) {
        try {
            ByteReader in = new ByteReader().wrap(content);
            assertThat(in.readUnsignedByte()).isEqualTo(PagingWire.VERSION);
            TableName.decode(in);
            Texts.readVerbatim(in);
            PageRequest request = PageQuestion.decode(in, table.schema());
            Page page = pages.read(request);
            if (number == liar && honestPages-- <= 0 && lie(messages, request, page)) {
                hasLied = true;
                return;
            }
            send(messages, page, items(page));
        } catch (IOException | RuntimeException | Error unexpected) {
            messages.stream().reset("unexpected", unexpected.toString());
        }
    }

    private static void send(MessageStream messages, Page page, List<byte[]> items) {
        messages.write(PagingWire.PAGE, message(page, items));
        messages.stream().end();
    }

    private static ByteBuffer message(Page page, List<byte[]> items) {
        ByteWriter out = new ByteWriter(1024);
        out.writeBytes(PageEnd.encode(page));
        items.forEach(out::writeBytes);
        return ByteBuffer.wrap(out.toByteArray());
    }

    private List<byte[]> items(Page page) throws IOException {
        List<byte[]> items = new ArrayList<>();
        EncodedItem item = new EncodedItem(table.schema());
        for (ByteBuffer buffer : page.items()) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            for (int at = 0; at < bytes.length; at = item.endOffset()) {
                item.wrap(bytes, at, bytes.length);
                items.add(Arrays.copyOfRange(bytes, at, item.endOffset()));
            }
        }
        return items;
    }

    /** Returns whether it could be told of this page. */
    private boolean lie(MessageStream messages, PageRequest request, Page page) throws IOException {
        List<byte[]> items = items(page);
        switch (lie) {
            case SAYS_NOTHING -> {}
            case SAYS_HALF -> half(messages, page, items);
            case SENDS_NOTHING_FOR_EVER -> forEver(messages, new byte[0]);
            case SENDS_THE_SAME_FOR_EVER -> {
                if (items.isEmpty()) {
                    return false;
                }
                forEver(messages, items.get(0));
            }
            case TURNS_ITEMS_ROUND -> {
                if (items.size() < 2) {
                    return false;
                }
                Collections.reverse(items);
                send(messages, page, items);
            }
            case SENDS_AN_ITEM_TWICE -> {
                if (items.isEmpty()) {
                    return false;
                }
                items.add(items.get(items.size() - 1));
                send(messages, page, items);
            }
            case SENDS_OTHER_PARTITIONS -> {
                Page other = pages.read(anew(request, ReadQuery.ofRanges(List.of(TokenRange.FULL))));
                if (other.items().isEmpty()
                        || range.contains(key(items(other).get(0)).token())) {
                    return false;
                }
                send(messages, other, items(other));
            }
            case BEGINS_ANEW -> {
                Page beginning = pages.read(anew(request, request.query()));
                if (request.after().isEmpty() || beginning.items().isEmpty()) {
                    return false;
                }
                send(messages, beginning, items(beginning));
            }
            case COUNTS_WRONG -> send(messages, counting(page, page.rowCount() + 1), items);
            case ENDS_WHERE_IT_BEGAN -> {
                if (request.after().isEmpty()) {
                    return false;
                }
                send(messages, stopped(request.after().get(), 0), List.of());
            }
            case ENDS_BEHIND_EVERYTHING -> send(messages, stopped(RingPosition.END, 0), List.of());
            case ENDS_BEFORE_ITS_LAST_ITEM -> {
                if (items.isEmpty()) {
                    return false;
                }
                RingPosition start = RingPosition.of(key(items.get(items.size() - 1)), PositionInPartition.START);
                send(messages, stopped(start, page.rowCount()), items);
            }
            case CUTS_AN_ITEM -> {
                if (items.isEmpty()) {
                    return false;
                }
                byte[] last = items.remove(items.size() - 1);
                items.add(Arrays.copyOf(last, last.length - 1));
                send(messages, page, items);
            }
            case SENDS_ANOTHER_TABLE -> {
                byte[] of = new byte[64];
                new Random(items.size()).nextBytes(of);
                send(messages, page, List.of(of));
            }
            case SENDS_NO_END -> {
                messages.write(PagingWire.PAGE, ByteBuffer.wrap(new byte[] {99, 1, 2}));
                messages.stream().end();
            }
            case ENDS_AT_ONCE -> messages.stream().end();
            case ENDS_WITHIN_THE_PAGE -> {
                if (items.isEmpty()) {
                    return false;
                }
                messages.write(PagingWire.ITEMS, ByteBuffer.wrap(items.get(0)));
                messages.stream().end();
            }
            case SENDS_AN_UNKNOWN_KIND -> messages.write(77, message(page, items));
            case SENDS_A_LENGTH_OF_NO_MESSAGE ->
                messages.stream().write(ByteBuffer.wrap(new byte[] {127, 1, 1, 1, PagingWire.PAGE, 1}));
            case REFUSES -> messages.stream().reset(PagingWire.REFUSED, "the disk is gone");
        }
        return true;
    }

    private void half(MessageStream messages, Page page, List<byte[]> items) {
        byte[] whole = message(page, items).array();
        ByteBuffer half = ByteBuffer.allocate(Integer.BYTES + 1 + whole.length / 2);
        half.putInt(whole.length).put((byte) PagingWire.PAGE).put(whole, 0, whole.length / 2);
        messages.stream().write(half.flip());
    }

    private void forEver(MessageStream messages, byte[] items) {
        messages.write(PagingWire.ITEMS, ByteBuffer.wrap(items)).whenComplete((done, failure) -> {
            if (failure == null) {
                network.schedule(Duration.ofSeconds(1), () -> forEver(messages, items));
            }
        });
    }

    private static PageRequest anew(PageRequest like, ReadQuery query) {
        return new PageRequest(like.queryId(), query, Optional.empty(), like.limits(), NOW_SECONDS, false);
    }

    private DecoratedKey key(byte[] item) throws IOException {
        return new EncodedItem(table.schema()).wrap(item, 0, item.length).key().toDecoratedKey();
    }

    private Page counting(Page page, int rowCount) {
        return page.last().isEmpty()
                ? Page.exhausted(table.schema(), List.of(), rowCount, 0, NOW_SECONDS)
                : Page.stopped(
                        table.schema(), page.stopReason(), page.last().get(), List.of(), rowCount, 0, NOW_SECONDS);
    }

    private Page stopped(RingPosition place, int rowCount) {
        return Page.stopped(table.schema(), StopReason.ROW_LIMIT, place, List.of(), rowCount, 0, NOW_SECONDS);
    }
}
