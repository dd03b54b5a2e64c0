package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.EncodedItem;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.message.PageEnd;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.StopReason;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page of a peer is taken as it was read, and refused where it is anything else. */
final class PageCheckTest {
    @TempDir
    private Path directory;

    private final UUID id = new UUID(1, 2);
    private OrdersTable orders;
    private Queriers queriers;
    private TableSchema schema;

    @BeforeEach
    void open() throws IOException {
        orders = new OrdersTable(directory);
        queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
        schema = orders.table().schema();
    }

    @AfterEach
    void close() throws IOException {
        queriers.close();
        orders.close();
    }

    private Page read(PageRequest request) throws IOException {
        return queriers.pages("orders", orders.table()).read(request);
    }

    private PageRequest all(Optional<RingPosition> after, int rows) {
        return new PageRequest(
                id, ReadQuery.ofRanges(List.of(TokenRange.FULL)), after, PageLimits.DEFAULT.withRows(rows), 0, false);
    }

    private List<byte[]> items(Page page) throws CorruptItemException {
        EncodedItem item = new EncodedItem(schema);
        List<byte[]> items = new ArrayList<>();
        for (ByteBuffer buffer : page.items()) {
            int end = buffer.arrayOffset() + buffer.limit();
            for (int at = buffer.arrayOffset() + buffer.position(); at < end; at = item.endOffset()) {
                item.wrap(buffer.array(), at, end);
                items.add(Arrays.copyOfRange(buffer.array(), at, item.endOffset()));
            }
        }
        return items;
    }

    private static byte[] joined(List<byte[]> items) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        items.forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static PageEnd end(Page page) {
        return new PageEnd(page.stopReason(), page.rowCount(), page.tombstoneCount(), 0, page.last());
    }

    private Page checked(PageRequest request, List<byte[]> items, PageEnd end) throws CorruptItemException {
        PageCheck check = new PageCheck(request, schema);
        check.add(joined(items), 0);
        return check.conclude(end);
    }

    @Test
    void shouldTakeEveryPageOfAScanAsItIs() throws IOException {
        Optional<RingPosition> place = Optional.empty();
        int rows = 0;
        do {
            PageRequest request = all(place, 7);
            Page page = read(request);
            Page taken = checked(request, items(page), end(page));
            assertThat(items(taken)).usingRecursiveComparison().isEqualTo(items(page));
            assertThat(taken.last()).isEqualTo(page.last());
            rows += taken.rowCount();
            place = page.last();
        } while (place.isPresent());
        assertThat(rows).isGreaterThan(100);
    }

    @Test
    void shouldTakePartitionsInReverse() throws IOException {
        Page page = read(all(Optional.empty(), 1_000));
        EncodedItem item = new EncodedItem(schema);
        byte[] last = items(page).get(items(page).size() - 1);
        ReadQuery query = ReadQuery.ofPartitions(
                List.of(item.wrap(last, 0, last.length).key().toDecoratedKey()), Slices.ALL, true);
        PageRequest request = new PageRequest(id, query, Optional.empty(), PageLimits.DEFAULT, 0, false);
        Page reversed = read(request);

        assertThat(checked(request, items(reversed), end(reversed)).rowCount()).isEqualTo(reversed.rowCount());
        if (reversed.rowCount() > 1) {
            PageRequest forwards = new PageRequest(
                    id,
                    ReadQuery.ofPartitions(query.keys(), Slices.ALL, false),
                    Optional.empty(),
                    PageLimits.DEFAULT,
                    0,
                    false);
            assertThatThrownBy(() -> checked(forwards, items(reversed), end(reversed)))
                    .hasMessageContaining("out of order");
        }
    }

    @Test
    void shouldRefuseRowsTwiceOutOfOrderOrTooMany() throws IOException {
        PageRequest request = all(Optional.empty(), 1_000);
        Page page = read(request);
        List<byte[]> items = items(page);
        for (int i = 1; i < items.size(); i++) {
            List<byte[]> twice = new ArrayList<>(items);
            twice.add(i, items.get(i - 1));
            assertThatThrownBy(() -> checked(request, twice, end(page))).isInstanceOf(IllegalArgumentException.class);
            List<byte[]> swapped = new ArrayList<>(items);
            Collections.swap(swapped, i, i - 1);
            assertThatThrownBy(() -> checked(request, swapped, end(page))).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> checked(all(Optional.empty(), page.rowCount() - 1), items, end(page)))
                .hasMessageContaining("more rows than were asked for");
        assertThatThrownBy(() -> checked(request, items.subList(0, items.size() - 1), end(page)))
                .hasMessageContaining("counts its rows wrong");
    }

    @Test
    void shouldRefuseWhatWasNotAskedFor() throws IOException {
        Page whole = read(all(Optional.empty(), 1_000));
        EncodedItem item = new EncodedItem(schema);
        byte[] first = items(whole).get(0);
        long token = item.wrap(first, 0, first.length).key().token();
        PageRequest others = new PageRequest(
                id,
                ReadQuery.ofRanges(List.of(new TokenRange(token, Long.MAX_VALUE))),
                Optional.empty(),
                PageLimits.DEFAULT,
                0,
                false);
        assertThatThrownBy(() -> checked(others, items(whole), end(whole))).hasMessageContaining("none of the ranges");

        Page part = read(all(Optional.empty(), 20));
        PageRequest rest = all(part.last(), 1_000);
        assertThatThrownBy(() -> checked(rest, items(whole), end(whole)))
                .hasMessageContaining("place where the page begins");
    }

    @Test
    void shouldRefuseAnEndThatGoesBackOrNowhere() throws IOException {
        Page first = read(all(Optional.empty(), 10));
        PageRequest request = all(first.last(), 10);
        Page second = read(request);
        List<byte[]> items = items(second);
        assertThatThrownBy(() -> checked(
                        request, items, new PageEnd(StopReason.ROW_LIMIT, second.rowCount(), 0, 0, first.last())))
                .hasMessageContaining("ends before its last item");
        assertThatThrownBy(() -> checked(
                        request, List.of(), new PageEnd(StopReason.TOMBSTONE_LIMIT, 0, 20_000, 0, first.last())))
                .hasMessageContaining("ends where it began");
        assertThatThrownBy(() -> checked(
                        request,
                        items,
                        new PageEnd(StopReason.ROW_LIMIT, second.rowCount(), 0, 0, Optional.of(RingPosition.END))))
                .hasMessageContaining("behind everything");
    }

    /** Two reads that are merged would take a deletion that reaches over the page's end for one that ends before later rows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseDeletionsThatReachOverAnotherOrOverTheEnd(boolean reversed) throws IOException {
        DecoratedKey key = DecoratedKey.ofComponents(
                ByteBuffer.allocate(Integer.BYTES).putInt(9).array(), "s2".getBytes(StandardCharsets.UTF_8));
        for (int day = 0; day < 2; day++) {
            orders.table()
                    .rangeDeletion()
                    .key("customer", 9)
                    .key("shop", "s2")
                    .from("day", day, true)
                    .to("day", day + 1, day > 0)
                    .timestampMicros(2 + day)
                    .delete();
        }
        orders.table()
                .row()
                .key("customer", 9)
                .key("shop", "s2")
                .timestampMicros(1)
                .deletePartition();
        ReadQuery query =
                ReadQuery.ofPartitions(List.of(key), Slices.ALL, reversed).deletionsToo();
        PageRequest request = new PageRequest(id, query, Optional.empty(), PageLimits.DEFAULT, 0, false);
        Page whole = read(request);
        PageRequest less = new PageRequest(id, query, Optional.empty(), PageLimits.DEFAULT.withRows(3), 0, false);
        Page part = read(less);

        assertThat(checked(request, items(whole), end(whole)).rowCount()).isEqualTo(9);
        assertThat(checked(less, items(part), end(part)).rowCount()).isEqualTo(3);
        List<byte[]> over = new ArrayList<>(items(part));
        over.set(1, items(whole).get(1));
        assertThatThrownBy(() -> checked(less, over, end(part))).hasMessageContaining("ends before its last item");
        List<byte[]> twice = new ArrayList<>(items(whole));
        twice.add(1, items(whole).get(1));
        assertThatThrownBy(() -> checked(request, twice, end(whole))).hasMessageContaining("overlap");
        List<byte[]> deletedTwice = new ArrayList<>(items(whole));
        deletedTwice.add(0, items(whole).get(0));
        assertThatThrownBy(() -> checked(request, deletedTwice, end(whole))).hasMessageContaining("out of order");
    }

    @Test
    void shouldSurviveAnyByteThatIsWrong() throws IOException {
        PageRequest request = all(Optional.empty(), 30);
        Page page = read(request);
        byte[] bytes = joined(items(page));
        for (int i = 0; i < bytes.length; i++) {
            byte[] wrong = bytes.clone();
            wrong[i] ^= 1 << i % 8;
            try {
                PageCheck check = new PageCheck(request, schema);
                check.add(wrong, 0);
                check.conclude(end(page));
            } catch (CorruptItemException | IllegalArgumentException | ByteUnderflowException refused) {
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }
}
