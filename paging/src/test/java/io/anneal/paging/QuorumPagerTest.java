package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import io.anneal.paging.ReplicaSet.Watched;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.PageSource;
import io.anneal.schema.TableSchema;
import io.anneal.store.RowBuilder;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What several owners of a row hold is shown as if one of them held it all. */
@Timeout(60)
final class QuorumPagerTest {
    private static final long NOW_SECONDS = 1_700_000_000;
    private static final HostEnvironment ENVIRONMENT =
            HostEnvironment.system().withClock(InstantSource.fixed(Instant.ofEpochSecond(NOW_SECONDS)));
    private static final String CQL =
            "CREATE TABLE ks.t (k int, c int, v text, s text static, m map<text, int>," + " PRIMARY KEY (k, c))";

    @TempDir
    private Path directory;

    private ReplicaSet replicas;
    private Paging paging;

    @BeforeEach
    void open() throws IOException {
        replicas = new ReplicaSet(directory, 3, CQL, ENVIRONMENT);
        paging = Paging.open(QuerierLimits.DEFAULT, ENVIRONMENT);
    }

    @AfterEach
    void close() throws IOException {
        paging.close();
        replicas.close();
    }

    private RowBuilder row(int replica, int k, int c, long micros) {
        return replicas.table(replica).row().key("k", k).clustering("c", c).timestampMicros(micros);
    }

    /** Two replicas, so that a quorum is both. */
    private PagedTable both() {
        Map<String, PageSource> sources = replicas.sources();
        sources.remove("n2");
        return paging.table(Ring.of(List.of(TokenRange.FULL), Set.of("n0", "n1")), sources, Consistency.QUORUM);
    }

    private PagedTable ofThree(Map<String, PageSource> sources, Consistency consistency) {
        Ring ring = new Ring(List.of(new Ring.Part(TokenRange.FULL, List.of("n0", "n1", "n2"))));
        return paging.table(ring, sources, consistency);
    }

    private static List<Object> values(Iterable<TableRow> scan, String column) {
        List<Object> values = new ArrayList<>();
        scan.forEach(row -> values.add(row.value(column)));
        return values;
    }

    @Test
    void shouldNotShowARowThatOneOwnerKnowsIsDeleted() throws IOException {
        for (int c = 0; c < 4; c++) {
            row(0, 1, c, 1).set("v", "v").insert();
            row(1, 1, c, 1).set("v", "v").insert();
        }
        row(1, 1, 2, 2).deleteRow();
        row(0, 2, 0, 1).set("v", "v").insert();
        replicas.table(1).row().key("k", 2).timestampMicros(2).deletePartition();
        assertThat(values(both().scan(), "c")).containsExactly(0, 1, 3);
        assertThat(values(both().scan().pageSize(1), "c")).containsExactly(0, 1, 3);
        assertThat(values(both().partition(2), "c")).isEmpty();
    }

    /** The owner that knows of the deletion has nothing behind the place where the page begins. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKnowOfADeletionThatStandsBeforeThePlaceOfThePage(boolean isKept) throws IOException {
        for (int c = 0; c < 6; c++) {
            row(0, 1, c, c < 3 ? 9 : 1).set("v", "v").insert();
        }
        replicas.table(0).row().key("k", 1).set("s", "old").timestampMicros(1).update();
        replicas.table(1).row().key("k", 1).timestampMicros(5).deletePartition();
        replicas.table(1).row().key("k", 1).set("s", "new").timestampMicros(6).update();
        Scan scan = both().scan().pageSize(1);
        scan = isKept ? scan : scan.stateless();
        assertThat(values(scan, "c")).containsExactly(0, 1, 2);
        assertThat(values(scan, "s")).containsExactly("new", "new", "new");
    }

    @Test
    void shouldShowARowThatOneOwnerLacks() throws IOException {
        for (int c = 0; c < 10; c++) {
            row(c % 2, 1, c, 1).set("v", "v" + c).insert();
        }
        for (int pageSize = 1; pageSize < 12; pageSize++) {
            assertThat(values(both().scan().pageSize(pageSize), "c")).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
            assertThat(values(both().partition(1).reversed().pageSize(pageSize), "c"))
                    .containsExactly(9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        }
    }

    @Test
    void shouldTakeAValueThatExpiredForNewerThanWhatItReplaced() throws IOException {
        row(0, 1, 0, 1).set("v", "old").insert();
        row(1, 1, 0, 2)
                .set("v", "new")
                .ttlSeconds(10)
                .localTimeSeconds(NOW_SECONDS - 100)
                .update();
        row(0, 1, 1, 2).set("v", "newer").insert();
        row(1, 1, 1, 1)
                .set("v", "older")
                .ttlSeconds(10)
                .localTimeSeconds(NOW_SECONDS - 100)
                .update();
        row(1, 1, 2, 1)
                .set("v", "expired")
                .ttlSeconds(10)
                .localTimeSeconds(NOW_SECONDS - 100)
                .insert();
        row(0, 1, 3, 1)
                .set("v", "lives")
                .ttlSeconds(1000)
                .localTimeSeconds(NOW_SECONDS - 100)
                .insert();
        assertThat(values(both().scan(), "v")).containsExactly(null, "newer", "lives");
        assertThat(values(both().scan().pageSize(1), "v")).containsExactly(null, "newer", "lives");
    }

    @Test
    void shouldPutCellsOfARowAndOfACollectionTogether() throws IOException {
        row(0, 1, 0, 1).add("m", Map.of("x", 1, "z", 1)).update();
        row(1, 1, 0, 2).add("m", Map.of("y", 2)).remove("m", "z").update();
        row(1, 1, 0, 1).set("v", "v").insert();
        replicas.table(0).row().key("k", 1).set("s", "s").timestampMicros(1).update();
        assertThat(ReplicaSet.rows(both().scan()))
                .singleElement()
                .satisfies(text ->
                        assertThat(text).contains("x=1", "y=2", "v=v", "s=s").doesNotContain("z="));
    }

    @Test
    void shouldShowAStaticRowAloneOnlyWhereNoOwnerHasARow() throws IOException {
        replicas.table(0).row().key("k", 1).set("s", "alone").timestampMicros(1).update();
        replicas.table(0).row().key("k", 2).set("s", "with").timestampMicros(1).update();
        row(1, 2, 5, 1).set("v", "v").insert();
        replicas.table(0).row().key("k", 3).set("s", "gone").timestampMicros(1).update();
        replicas.table(1).row().key("k", 3).delete("s").timestampMicros(2).update();
        for (int pageSize = 1; pageSize < 4; pageSize++) {
            assertThat(values(
                            both().partitions(List.of(List.of(1), List.of(2), List.of(3)))
                                    .pageSize(pageSize),
                            "s"))
                    .containsExactly("alone", "with");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void shouldHoldARangeDeletionThatGoesOverPages(int pageSize) throws IOException {
        for (int c = 0; c < 20; c++) {
            row(0, 1, c, c == 9 ? 3 : 1).set("v", "v").insert();
        }
        replicas.table(1)
                .rangeDeletion()
                .key("k", 1)
                .from("c", 2, true)
                .to("c", 17, false)
                .timestampMicros(2)
                .delete();
        row(1, 1, 5, 3).set("v", "v").insert();
        List<Object> wanted = List.of(0, 1, 5, 9, 17, 18, 19);
        assertThat(values(both().scan().pageSize(pageSize), "c")).isEqualTo(wanted);
        assertThat(values(both().scan().pageSize(pageSize).stateless(), "c")).isEqualTo(wanted);
        assertThat(values(both().partition(1).where("c", ">=", 4).pageSize(pageSize), "c"))
                .isEqualTo(wanted.subList(2, 7));
        assertThat(values(both().partition(1).where("c", "<", 18).reversed().pageSize(pageSize), "c"))
                .containsExactly(17, 9, 5, 1, 0);
    }

    /** A condition that a replica tried would hide the newer value, and show the older one. */
    @Test
    void shouldTryConditionsOnWhatIsMerged() throws IOException {
        row(0, 1, 0, 1).set("v", "old").insert();
        row(1, 1, 0, 2).set("v", "new").insert();
        replicas.table(0).row().key("k", 1).set("s", "old").timestampMicros(1).update();
        replicas.table(1).row().key("k", 1).set("s", "new").timestampMicros(2).update();
        for (String column : List.of("v", "s")) {
            assertThat(values(both().scan().where(column, "=", "old"), "c")).isEmpty();
            assertThat(values(both().scan().where(column, "=", "new"), "c")).containsExactly(0);
            assertThat(values(both().partition(1).where(column, "!=", "new"), "c"))
                    .isEmpty();
        }
    }

    @Test
    void shouldKeepToTheLimitsOfAPage() throws IOException {
        for (int c = 0; c < 30; c++) {
            row(c % 2, 1, c, 1).set("v", "v").insert();
            row(c % 2, 2, c, 1).set("v", "v").insert();
            if (c > 0) {
                row(0, 2, c, 2).deleteRow();
            }
        }
        assertThat(ReplicaSet.rows(both().scan().limit(7).pageSize(3))).hasSize(7);
        assertThat(both().scan().pageSize(4).firstPage().rows()).hasSize(4);
        PagedTable both = both();
        Scan scan = both.scan().limits(PageLimits.DEFAULT.withTombstones(5));
        int pages = 1;
        int rows = 0;
        ScanPage page = scan.firstPage();
        while (page.cookie().isPresent()) {
            rows += page.rows().size();
            page = scan.nextPage(page.cookie().get());
            pages++;
        }
        assertThat(rows + page.rows().size()).isEqualTo(31);
        assertThat(pages).isGreaterThanOrEqualTo(5);
    }

    private void writeAll(int rows) throws IOException {
        for (int k = 0; k < rows / 10; k++) {
            for (int c = 0; c < 10; c++) {
                for (int n = 0; n < 3; n++) {
                    row(n, k, c, 1).set("v", "v").insert();
                }
            }
        }
    }

    @Test
    void shouldGoOnWithAnotherOwnerWhenOneFailsInMidScan() throws IOException {
        writeAll(100);
        AtomicInteger pages = new AtomicInteger();
        List<String> asked = new ArrayList<>();
        Map<String, PageSource> sources = replicas.sources();
        sources.replaceAll((name, source) -> new Watched(source, request -> {
            synchronized (asked) {
                asked.add(name);
            }
            if (name.equals("n1") && pages.get() > 3) {
                throw new IOException("n1 is gone");
            }
        }));
        Scan scan = ofThree(sources, Consistency.QUORUM).scan().pageSize(7);
        List<String> rows = new ArrayList<>();
        ScanPage page = scan.firstPage();
        while (true) {
            page.rows().forEach(row -> rows.add(row.toString()));
            if (page.cookie().isEmpty()) {
                break;
            }
            pages.incrementAndGet();
            page = scan.nextPage(page.cookie().get());
        }
        assertThat(rows)
                .isEqualTo(ReplicaSet.rows(paging.table(replicas.table(0)).scan()));
        assertThat(asked.subList(0, 4)).containsOnly("n0", "n1");
        // It failed once, and was not asked again: those that served the page before are.
        int failed = asked.lastIndexOf("n1");
        assertThat(asked.subList(failed + 1, asked.size())).contains("n0", "n2").doesNotContain("n1");
    }

    @Test
    void shouldNameTheOwnersThatFailedWhenTooFewAreLeft() throws IOException {
        writeAll(10);
        Map<String, PageSource> sources = replicas.sources();
        sources.remove("n2");
        sources.computeIfPresent(
                "n1",
                (name, source) -> new Watched(source, request -> {
                    throw new IOException("disk of n1 is full");
                }));
        assertThatThrownBy(() -> ofThree(sources, Consistency.QUORUM).scan().firstPage())
                .isInstanceOf(ReplicasUnavailableException.class)
                .hasMessageContainingAll(
                        "too few owners",
                        "consistency=QUORUM",
                        "needed=2",
                        "owners=[n0, n1, n2]",
                        "notGiven=[n2]",
                        "n1=disk of n1 is full");
        assertThatThrownBy(() -> ofThree(sources, Consistency.ALL).scan().firstPage())
                .hasMessageContainingAll("consistency=ALL", "needed=3");
        assertThat(ofThree(sources, Consistency.ONE).scan().firstPage().rows()).hasSize(10);
    }

    /** Each waits until the other one is asked, too. */
    @Test
    void shouldAskOwnersAtOnce() throws IOException {
        writeAll(100);
        CyclicBarrier all = new CyclicBarrier(3);
        Map<String, PageSource> sources = replicas.sources();
        sources.replaceAll((name, source) -> new Watched(source, request -> meet(all)));
        assertThat(ReplicaSet.rows(ofThree(sources, Consistency.ALL).scan())).hasSize(100);
    }

    private static void meet(CyclicBarrier barrier) throws IOException {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IOException("asked alone", e);
        }
    }

    @Test
    void shouldReadFromOthersThanOneWhosePagesAreNone() throws IOException {
        writeAll(100);
        Map<String, PageSource> sources = replicas.sources();
        sources.computeIfPresent("n0", (name, source) -> new PageSource() {
            @Override
            public String name() {
                return source.name();
            }

            @Override
            public TableSchema schema() {
                return source.schema();
            }

            @Override
            public Page read(PageRequest request) throws IOException {
                ByteBuffer damaged = ByteBuffer.wrap(new byte[] {1, 2, 3});
                return Page.exhausted(source.schema(), List.of(damaged), 1, 0, request.nowSeconds());
            }

            @Override
            public void forget(UUID queryId) {}
        });
        assertThat(ReplicaSet.rows(ofThree(sources, Consistency.QUORUM).scan())).hasSize(100);
        assertThatThrownBy(
                        () -> ReplicaSet.rows(ofThree(sources, Consistency.ALL).scan()))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContainingAll("too few owners", "n0=");
    }

    /** Sixty parts, of which the replicas own every third one each. */
    private static Ring turns() {
        List<Ring.Part> parts = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            long left = Long.MIN_VALUE + i * (Long.MAX_VALUE / 30);
            long right = i == 59 ? Long.MIN_VALUE : Long.MIN_VALUE + (i + 1) * (Long.MAX_VALUE / 30);
            parts.add(new Ring.Part(new TokenRange(left, right), List.of("n" + i % 3)));
        }
        return new Ring(parts);
    }

    @Test
    void shouldAskForMorePartsAtOnceAsLongAsThePageIsShort() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        CyclicBarrier two = new CyclicBarrier(2);
        CyclicBarrier four = new CyclicBarrier(4);
        Map<String, PageSource> sources = replicas.sources();
        sources.replaceAll((name, source) -> new Watched(source, request -> {
            int number = asked.incrementAndGet();
            if (number == 2 || number == 3) {
                meet(two);
            } else if (number >= 4 && number <= 7) {
                meet(four);
            }
        }));
        assertThat(ReplicaSet.rows(
                        paging.table(turns(), sources, Consistency.ONE).scan()))
                .isEmpty();
        // The least token is read last, as a part of its own.
        assertThat(asked).hasValue(61);
    }

    @Test
    void shouldGoOnWithAsManyPartsAtOnceAsThePageBeforeTook() throws IOException {
        writeAll(600);
        AtomicInteger asked = new AtomicInteger();
        CyclicBarrier three = new CyclicBarrier(3);
        Map<String, PageSource> sources = replicas.sources();
        sources.replaceAll((name, source) -> new Watched(source, request -> {
            int number = asked.incrementAndGet();
            if (number > 3 && number <= 6) {
                meet(three);
            }
        }));
        // The first three parts: one alone, then two at once.
        int rows = ReplicaSet.rows(paging.table(replicas.table(0))
                        .scan(
                                turns().parts().get(0).range(),
                                turns().parts().get(1).range(),
                                turns().parts().get(2).range()))
                .size();
        assertThat(rows).isPositive();
        Scan scan = paging.table(turns(), sources, Consistency.ONE).scan().pageSize(rows);
        ScanPage first = scan.firstPage();
        assertThat(first.rows()).hasSize(rows);
        assertThat(asked).hasValue(3);
        ScanPage second = scan.pageSize(1000).nextPage(first.cookie().orElseThrow());
        assertThat(second.rows()).hasSize(600 - rows);
    }

    @Test
    void shouldReadLittleMoreThanPagesHold() throws IOException {
        writeAll(600);
        for (Consistency consistency : Consistency.values()) {
            AtomicInteger read = new AtomicInteger();
            Map<String, PageSource> sources = replicas.sources();
            sources.replaceAll((name, source) -> new Counted(source, read));
            List<Ring.Part> parts = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                List<String> owners = List.of("n" + i % 3, "n" + (i + 1) % 3);
                parts.add(new Ring.Part(turns().parts().get(i).range(), owners));
            }
            Scan scan =
                    paging.table(new Ring(parts), sources, consistency).scan().pageSize(25);
            assertThat(ReplicaSet.rows(scan)).hasSize(600);
            assertThat(read.get()).as(consistency.name()).isLessThanOrEqualTo(3 * 600 * consistency.of(2));
        }
    }

    /** Counts the rows of its pages. */
    private record Counted(PageSource whole, AtomicInteger rows) implements PageSource {
        @Override
        public String name() {
            return whole.name();
        }

        @Override
        public TableSchema schema() {
            return whole.schema();
        }

        @Override
        public Page read(PageRequest request) throws IOException {
            Page page = whole.read(request);
            rows.addAndGet(page.rowCount());
            return page;
        }

        @Override
        public void forget(UUID queryId) {
            whole.forget(queryId);
        }
    }
}
