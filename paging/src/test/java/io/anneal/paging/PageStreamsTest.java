package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.MessageStream;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.message.PageQuestion;
import io.anneal.paging.message.PagingWire;
import io.anneal.paging.message.TableName;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.QuerierPages;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageRequest;
import io.anneal.schema.SchemaText;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reading goes on whatever becomes of the stream on which its pages come, and believes no page that was not asked for. */
@Timeout(60)
final class PageStreamsTest {
    @TempDir
    private Path directory;

    private OrdersTable orders;
    private Queriers queriers;
    private QuerierPages pages;
    private Node client;
    private Node server;
    private final AtomicInteger streams = new AtomicInteger();

    /** Answers a question with messages, on a stream of this number. */
    private interface Peer {
        void answer(int number, MessageStream messages, PageRequest request) throws IOException;
    }

    @BeforeEach
    void open() throws IOException {
        orders = new OrdersTable(directory);
        queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
        pages = queriers.pages("orders", orders.table());
        client = node(1);
        server = node(2);
    }

    private static Node node(int number) {
        return Node.open(
                NetConfig.of(
                        new NodeIdentity(new UUID(0, number), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new Random(number));
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        pages.close();
        queriers.close();
        orders.close();
    }

    private Scan scan(Paging paging, Peer peer) throws IOException {
        server.handlers().register(PagingWire.TABLE, (asker, question) -> {
            ByteWriter out = new ByteWriter(1024);
            Texts.write(out, SchemaText.print(pages.schema()));
            return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
        });
        server.handlers().registerStream(PagingWire.PAGES, stream -> {
            MessageStream messages = stream.messages();
            messages.read().whenComplete((message, failure) -> {
                if (failure == null) {
                    answer(peer, messages, message.orElseThrow().content());
                }
            });
        });
        server.handlers()
                .register(
                        PagingWire.FORGET,
                        (asker, question) -> CompletableFuture.completedFuture(ByteBuffer.allocate(0)));
        InetSocketAddress address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        String keyspace = pages.schema().keyspace();
        return paging.table(RemotePages.open(
                        client.peers(), address, "", keyspace, pages.schema().name()))
                .scan()
                .pageSize(7);
    }

    private void answer(Peer peer, MessageStream messages, ByteBuffer content) {
        try {
            ByteReader question = new ByteReader().wrap(content);
            assertThat(question.readUnsignedByte()).isEqualTo(PagingWire.VERSION);
            assertThat(TableName.decode(question).table())
                    .isEqualTo(pages.schema().name());
            assertThat(Texts.readVerbatim(question)).isEqualTo(SchemaText.print(pages.schema()));
            peer.answer(streams.incrementAndGet(), messages, PageQuestion.decode(question, pages.schema()));
        } catch (RequestException refused) {
            messages.stream().reset(refused.code(), refused.getMessage());
        } catch (IOException | RuntimeException | Error unexpected) {
            messages.stream().reset("unexpected", unexpected.toString());
        }
    }

    private static ByteBuffer message(Page page) {
        ByteWriter out = new ByteWriter(1024);
        out.writeBytes(PageEnd.encode(page));
        page.items()
                .forEach(items ->
                        out.writeBytes(items.array(), items.arrayOffset() + items.position(), items.remaining()));
        return ByteBuffer.wrap(out.toByteArray());
    }

    /** Sends a page, and returns what comes after it. */
    private Optional<PageRequest> send(MessageStream messages, PageRequest request) throws IOException {
        Page page = pages.read(request);
        messages.write(PagingWire.PAGE, message(page));
        return request.next(page, request.nowSeconds());
    }

    private List<String> allRows() {
        try (Paging paging = Paging.open()) {
            return rows(paging.table(orders.table()).scan());
        }
    }

    private static List<String> rows(Iterable<TableRow> scan) {
        List<String> rows = new ArrayList<>();
        scan.forEach(row -> rows.add(row.toString()));
        return rows;
    }

    @Test
    void shouldTakeAllPagesFromOneStream() throws IOException {
        try (Paging paging = Paging.open()) {
            Scan scan = scan(paging, (number, messages, request) -> {
                Optional<PageRequest> next = Optional.of(request);
                while (next.isPresent()) {
                    next = send(messages, next.get());
                }
                messages.stream().end();
            });

            assertThat(rows(scan)).hasSizeGreaterThan(100).isEqualTo(allRows());
            assertThat(streams).hasValue(1);
            assertThat(rows(scan.limit(33))).isEqualTo(allRows().subList(0, 33));
            assertThat(streams).hasValue(2);
        }
    }

    @Test
    void shouldWantNoPageAheadOfOneThatIsAskedForAlone() throws IOException {
        try (Paging paging = Paging.open()) {
            Scan scan = scan(paging, (number, messages, request) -> {
                assertThat(send(messages, request)).isEmpty();
                messages.stream().end();
            });
            int rowCount = 0;
            Optional<ScanPage> page = Optional.of(scan.firstPage());
            while (page.isPresent()) {
                rowCount += page.get().rows().size();
                Optional<String> cookie = page.get().cookie();
                page = cookie.isPresent() ? Optional.of(scan.nextPage(cookie.get())) : Optional.empty();
            }

            assertThat(rowCount).isEqualTo(allRows().size());
        }
    }

    @Test
    void shouldAskAnewWhereverAStreamEnds() throws IOException {
        try (Paging paging = Paging.open()) {
            // One page more each time, then: the end, a reset, half a page and a reset.
            Scan scan = scan(paging, (number, messages, request) -> {
                Optional<PageRequest> next = Optional.of(request);
                for (int i = 0; i < number % 5 + 1 && next.isPresent(); i++) {
                    next = send(messages, next.get());
                }
                if (next.isEmpty() || number % 3 == 0) {
                    messages.stream().end();
                } else if (number % 3 == 1) {
                    messages.stream().reset("gone", "the peer has better things to do");
                } else {
                    byte[] half = message(pages.read(next.get())).array();
                    messages.stream()
                            .write(ByteBuffer.allocate(half.length / 2)
                                    .putInt(half.length)
                                    .put((byte) PagingWire.PAGE)
                                    .flip());
                    messages.stream().reset("gone", "the peer has better things to do");
                }
            });
            List<String> read = new ArrayList<>();
            String cookie = null;
            do {
                // The first page of a stream that is reset may be lost with it: then it is an error, and the place is
                // as it was.
                try (ScanPages reading = cookie == null ? scan.pages() : scan.pages(cookie)) {
                    while (reading.hasNext()) {
                        Page page = reading.next().orElseThrow();
                        try (TableRows shown = scan.rows(page)) {
                            for (TableRow row = shown.next(); row != null; row = shown.next()) {
                                read.add(row.toString());
                            }
                        }
                        cookie = reading.cookie().orElse("");
                    }
                } catch (PeerException lost) {
                    assertThat(lost.code()).isEqualTo("gone");
                }
            } while (!"".equals(cookie));

            assertThat(read).isEqualTo(allRows());
            assertThat(streams).hasValueGreaterThan(3);
        }
    }

    @Test
    void shouldHearOfAPageThatCannotBeReadOnceItIsWanted() throws IOException {
        try (Paging paging = Paging.open()) {
            Scan scan = scan(paging, (number, messages, request) -> {
                if (request.after().isPresent()) {
                    throw new RequestException(PagingWire.REFUSED, "the disk is gone");
                }
                send(messages, request);
                messages.stream().end();
            });
            try (ScanPages reading = scan.pages()) {
                assertThat(reading.next().orElseThrow().rowCount()).isEqualTo(7);
                Optional<String> cookie = reading.cookie();
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(reading::next).hasMessageContaining("the disk is gone");
                    assertThat(reading.cookie()).isEqualTo(cookie);
                }
            }
        }
    }

    @Test
    void shouldRefuseAPageThatIsNoAnswerAfterOneThatIs() throws IOException {
        try (Paging paging = Paging.open()) {
            Scan scan = scan(paging, (number, messages, request) -> {
                Page first = pages.read(request);
                messages.write(PagingWire.PAGE, message(first));
                PageRequest next = request.next(first, request.nowSeconds()).orElseThrow();
                switch (number) {
                    case 1 -> messages.write(PagingWire.PAGE, message(first));
                    case 2 -> {
                        PageRequest more = new PageRequest(
                                next.queryId(),
                                next.query(),
                                next.after(),
                                next.limits().withRows(8),
                                0,
                                false);
                        messages.write(PagingWire.PAGE, message(pages.read(more)));
                    }
                    case 3 -> {
                        Page second = pages.read(next);
                        PageRequest third = next.next(second, 0).orElseThrow();
                        messages.write(PagingWire.PAGE, message(pages.read(third)));
                    }
                    case 4 -> {
                        messages.write(
                                PagingWire.ITEMS, pages.read(next).items().get(0));
                        messages.stream().end();
                    }
                    default -> messages.write(77, ByteBuffer.allocate(3));
                }
            });
            List<String> reasons = List.of(
                    "lies before the place|does not lie behind the place",
                    "more rows than were asked for",
                    "",
                    "within a page",
                    "kind=77");
            for (String reason : reasons) {
                try (ScanPages reading = scan.pages()) {
                    assertThat(reading.next()).isPresent();
                    if (reason.isEmpty()) {
                        // Rows that are left out are what a peer may lie about, as it may about what they say.
                        assertThat(reading.next()).isPresent();
                    } else {
                        assertThatThrownBy(reading::next)
                                .isInstanceOf(PeerException.class)
                                .message()
                                .containsPattern(reason);
                    }
                }
            }
        }
    }
}
