package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.paging.Scan;
import io.anneal.paging.ScanPages;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A query that is read page by page, held to the rule of what pages see. */
final class PagedReading {
    private static final int PAGES_MAX = 20_000;

    /**
     * A page that came.
     *
     * @param before the cookie that it was asked for with; empty for the first one
     * @param seconds by the clock from when it was read until it was there
     * @param latest the version that there was when it was there
     */
    private record Taken(
            Optional<String> before, List<ShownRow> rows, TableSchema schema, Set<Long> seconds, int latest) {}

    private final PagingWorld world;
    private final PagedQuery query;
    private final String name;
    private final List<Taken> pages = new ArrayList<>();
    private Optional<String> cookie = Optional.empty();
    /** What the process that read the last page has of it; null when another one goes on. */
    private ScanPages open;
    /** When it began; -1 before. */
    private int firstVersion = -1;

    private int firstTick;
    private boolean isOver;

    PagedReading(PagingWorld world, PagedQuery query, String name) {
        this.world = world;
        this.query = query;
        this.name = name;
    }

    boolean isOver() {
        return isOver;
    }

    Optional<String> cookie() {
        return cookie;
    }

    PagedQuery query() {
        return query;
    }

    /** Rows of all pages so far. */
    List<ShownRow> rows() {
        return pages.stream().flatMap(page -> page.rows().stream()).toList();
    }

    int pageCount() {
        return pages.size();
    }

    /** From here on another process reads it, which has the cookie alone. */
    void carry() {
        open = null;
    }

    /** The last page is asked for again. */
    void goBack() {
        if (!pages.isEmpty()) {
            cookie = pages.remove(pages.size() - 1).before();
            isOver = false;
            open = null;
            if (cookie.isEmpty()) {
                firstVersion = -1;
            }
        }
    }

    /**
     * Asks for the next page, and checks it.
     *
     * @param rowsMax of this page alone, beside its limits
     */
    void read(PagingClient client, PageLimits limits, int rowsMax) throws IOException {
        if (firstVersion < 0) {
            firstVersion = world.history().latest();
            firstTick = world.ticks();
        }
        boolean hasCome = false;
        try {
            if (open == null) {
                Scan scan = query.of(client.table()).limits(limits);
                open = cookie.isPresent() ? scan.pages(cookie.get()) : scan.pages();
            }
            ScanPages reading = open;
            Page page = reading.next(rowsMax).orElseThrow();
            hasCome = true;
            take(reading, page);
        } finally {
            if (!hasCome) {
                open = null;
                firstVersion = cookie.isPresent() ? firstVersion : -1;
            }
        }
    }

    private void take(ScanPages reading, Page page) throws IOException {
        Set<Long> seconds = world.secondsSince(firstTick);
        seconds.removeIf(second -> second < page.nowSeconds());
        List<ShownRow> rows;
        try (FragmentCursor cursor = reading.cursor(page)) {
            rows = ShownRow.of(FragmentList.copyOf(cursor));
        }
        assertThat(rows).as("%s: rows of a page", this).hasSize(page.rowCount());
        Taken taken =
                new Taken(cookie, rows, page.schema(), seconds, world.history().latest());
        shouldBeInOrder(taken);
        rows.forEach(row -> shouldHaveBeenThere(row, taken));
        pages.add(taken);
        assertThat(pages).as("%s: pages", this).hasSizeLessThan(PAGES_MAX);
        isOver = !reading.hasNext();
        cookie = reading.cookie();
        assertThat(cookie.isPresent()).as("%s: cookie", this).isNotEqualTo(isOver);
        if (isOver) {
            open = null;
            shouldHaveAll();
        }
        world.log(this + " has a page of " + rows.size() + " rows, stopReason=" + page.stopReason());
    }

    private void shouldBeInOrder(Taken taken) {
        List<ShownRow> rows = taken.rows();
        Optional<ShownRow> before = Optional.empty();
        for (int i = pages.size() - 1; i >= 0 && before.isEmpty(); i--) {
            List<ShownRow> earlier = pages.get(i).rows();
            before = earlier.isEmpty() ? Optional.empty() : Optional.of(earlier.get(earlier.size() - 1));
        }
        for (ShownRow row : rows) {
            if (before.isPresent() && query.compare(before.get(), row, taken.schema()) >= 0) {
                throw new AssertionError(
                        this + ": row comes twice or too late, row=" + row + ", before=" + before.get());
            }
            before = Optional.of(row);
        }
    }

    /** As it came, at some moment from the beginning on; where pages are merged, its static values maybe at another moment. */
    private void shouldHaveBeenThere(ShownRow row, Taken taken) {
        boolean isThere = false;
        boolean isRowThere = row.row() == null;
        boolean isStaticThere = row.staticRow() == null;
        Set<ShownRow> others = new LinkedHashSet<>();
        for (Map<String, ShownRow> shown :
                world.history().shown(row.key(), firstVersion, taken.latest(), taken.schema(), taken.seconds())) {
            ShownRow there = shown.get(row.place());
            if (there != null) {
                others.add(there);
                isThere |= there.text().equals(row.text()) && query.wants(there, taken.schema());
                isRowThere |= there.rowText().equals(row.rowText());
            }
            isStaticThere |=
                    shown.values().stream().anyMatch(any -> any.staticText().equals(row.staticText()));
        }
        boolean isPutTogether = world.isMerged() && firstVersion < taken.latest();
        isThere |= isPutTogether && isRowThere && isStaticThere && query.wants(row, taken.schema());
        if (!isThere) {
            throw new AssertionError(this + ": row was never there, or is not wanted, row=" + row + ", there were="
                    + others + ", versions=" + firstVersion + ".." + taken.latest());
        }
    }

    /** What was there all the time has come. */
    private void shouldHaveAll() {
        List<ShownRow> rows = rows();
        if (rows.size() > query.limit()) {
            throw new AssertionError(this + ": more rows than wanted, rows=" + rows.size());
        }
        boolean isLimited = rows.size() == query.limit();
        Set<String> places = new HashSet<>();
        rows.forEach(row -> places.add(row.place()));
        Taken last = pages.get(pages.size() - 1);
        for (ShownRow row : constant(last.latest())) {
            boolean isReached = !isLimited || query.compare(row, rows.get(rows.size() - 1), last.schema()) < 0;
            if (isReached && !places.contains(row.place())) {
                throw new AssertionError(this + ": row is lost, row=" + row);
            }
        }
    }

    /** Rows that were there, and wanted, in all versions, by all schemas that a page had, whenever the clock was looked at. */
    private List<ShownRow> constant(int latest) {
        Set<Long> seconds = world.secondsSince(firstTick);
        Set<TableSchema> schemas = new HashSet<>();
        pages.forEach(page -> schemas.add(page.schema()));
        List<ShownRow> constant = new ArrayList<>();
        for (DecoratedKey key : world.history().keys(firstVersion, firstVersion)) {
            Map<String, ShownRow> left = null;
            for (TableSchema schema : schemas) {
                for (Map<String, ShownRow> shown : world.history().shown(key, firstVersion, latest, schema, seconds)) {
                    left = left == null ? new LinkedHashMap<>(shown) : left;
                    left.keySet()
                            .removeIf(place -> !shown.containsKey(place) || !query.wants(shown.get(place), schema));
                }
            }
            constant.addAll(left == null ? List.of() : left.values());
        }
        return constant;
    }

    @Override
    public String toString() {
        return name;
    }
}
