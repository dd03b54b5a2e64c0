package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.net.SimulatedNetwork;
import io.anneal.paging.Consistency;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.Condition.Operator;
import io.anneal.paging.query.PageLimits;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * One seed: three to six nodes of a ring with stores, whose table is read page by page while it is written, flushed, compacted and
 * altered, and while everything goes wrong that can; then what was begun is read to its end with nothing in its way.
 */
final class PagingCampaign implements AutoCloseable {
    private static final int KEYS = 12;
    private static final int COLUMNS_MAX = 20;
    private static final int ROWS_OF_WIDE_PARTITION = 30;
    private static final int TOKENS_MAX = 4;
    private static final int OWNERS_MAX = 3;
    private static final long NEXT_TABLE = 1L << 33;
    /** More than all timestamps of a draw. */
    private static final int DRAW_MICROS = 1_000;

    /** Longer than a world lasts. */
    private static final long GC_GRACE_SECONDS = 864_000;

    private static final int READINGS_MAX = 4;
    private static final int SECRET_BYTES = 16;
    private static final String DURATION = "duration";
    private static final SSTableVersion[] VERSIONS = {SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.DA};

    /** One owner; any number; or so many that one may lag. */
    private static final List<List<Consistency>> LEVELS = List.of(
            List.of(Consistency.ONE), List.of(Consistency.values()), List.of(Consistency.QUORUM, Consistency.ALL));

    private final Random random;
    private final RandomFragments fragments;
    private final PagingWorld world;
    /** Whether each host has everything, and one is read. */
    private final boolean isWhole;

    private final Set<String> unsure;
    private final List<PagedReading> readings = new ArrayList<>();
    private Optional<PagingClient> client = Optional.empty();
    private boolean mayFail;
    private int draws;
    private int readingCount;
    private int pagesTried;
    private int pagesRead;

    PagingCampaign(Path parent, long seed) throws IOException {
        random = new Random(seed);
        List<Consistency> levels = LEVELS.get(random.nextInt(LEVELS.size()));
        // A reader that one replica kept shows what another one may have purged by now: together they would bring it
        // back.
        boolean purges = levels.size() == 1 && random.nextBoolean();
        long gcGraceSeconds = purges ? random.nextInt(2 * RandomFragments.DELETION_SPREAD_SECONDS) : GC_GRACE_SECONDS;
        fragments = fragments(seed, new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of()));
        TableSchema schema = fragments.schema().withId(new UUID(random.nextLong(), random.nextLong()).toString());
        Optional<TableChange> change =
                random.nextBoolean() ? Optional.of(TableChange.any(schema, 0, random)) : Optional.empty();
        unsure = new LinkedHashSet<>();
        change.ifPresent(altered -> Stream.concat(
                        altered.after().staticColumns().stream(), altered.after().regularColumns().stream())
                .filter(column ->
                        column.dropped() || schema.column(column.name()).isEmpty())
                .forEach(column -> unsure.add(column.name())));
        ManualClock clock = ManualClock.at(
                Instant.ofEpochSecond(RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS));
        ReplicaHost.Setting setting = new ReplicaHost.Setting(
                new SimulatedNetwork(seed), schema, change, clock, clock, Long.MAX_VALUE, Optional.of(querierLimits()));
        List<StoreHost> hosts = new ArrayList<>();
        for (int number = 1; number <= 3 + Math.min(random.nextInt(4), random.nextInt(4)); number++) {
            hosts.add(new StoreHost(
                    setting, number, VERSIONS[random.nextInt(VERSIONS.length)], parent, random.nextLong()));
        }
        isWhole = random.nextInt(4) == 0;
        List<Long> keys = fragments.keys().stream().map(DecoratedKey::token).toList();
        world = new PagingWorld(
                setting,
                hosts,
                isWhole
                        ? Ownership.full(List.copyOf(hosts))
                        : Ownership.ring(
                                List.copyOf(hosts),
                                1 + random.nextInt(OWNERS_MAX),
                                1 + random.nextInt(TOKENS_MAX),
                                keys,
                                random),
                isWhole ? List.of(Consistency.ONE) : levels);
    }

    /** Wide tables take long to model, and of keys that are equal in different bytes only one would be looked up. */
    private static RandomFragments fragments(long seed, TableOptions options) {
        RandomFragments drawn = RandomFragments.withDistinctClusterings(seed, KEYS, options);
        boolean fits = drawn.schema().regularColumns().size() <= COLUMNS_MAX
                && drawn.schema().partitionKey().stream()
                        .noneMatch(column -> column.type().equals(CqlTypes.DECIMAL));
        return fits ? drawn.wideRows(ROWS_OF_WIDE_PARTITION) : fragments(seed + NEXT_TABLE, options);
    }

    private QuerierLimits querierLimits() {
        return QuerierLimits.DEFAULT
                .withBytes(random.nextInt(3) == 0 ? 1 + random.nextInt(1 << 20) : 64 << 20)
                .withIdle(Duration.ofMillis(1 + random.nextInt(20_000)))
                .withObsoleteBytes(random.nextInt(3) == 0 ? random.nextInt(1_000) : 64 << 20)
                .withReadAheads(random.nextInt(3));
    }

    PagingWorld world() {
        return world;
    }

    int pagesTried() {
        return pagesTried;
    }

    int pagesRead() {
        return pagesRead;
    }

    void run() throws IOException {
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            write();
            chore();
        }
        for (int episode = 1 + random.nextInt(3); episode > 0; episode--) {
            episode();
        }
        readToTheEnd();
        for (int i = 0; i < 3; i++) {
            shouldEqualOneRead();
        }
        closeClient();
        world.shouldEndWithNothingHeld();
    }

    private void episode() throws IOException {
        PagingFaults faults = new PagingFaults(this, world, random);
        for (int i = random.nextInt(4); i > 0; i--) {
            faults.add();
        }
        for (int i = 5 + random.nextInt(25); i > 0; i--) {
            if (random.nextInt(3) == 0) {
                faults.addLife();
            }
            mayFail |= faults.hurts();
            step();
        }
        faults.end();
        if (mayFail) {
            world.settle();
            world.alterAll();
            mayFail = false;
            anotherProcess();
        }
    }

    private void step() throws IOException {
        switch (random.nextInt(14)) {
            case 0 -> write();
            case 1 -> chore();
            case 2 -> world.network().runFor(Duration.ofMillis(random.nextInt(20_000)));
            case 3 -> anotherProcess();
            case 4 -> passTime();
            case 5 -> alterBetweenPages();
            default -> readSome();
        }
    }

    private void readSome() throws IOException {
        if (readings.isEmpty() || readings.size() < READINGS_MAX && random.nextInt(4) == 0) {
            readings.add(new PagedReading(world, query(), "reading " + ++readingCount));
            world.log("reading " + readingCount + " of "
                    + readings.get(readings.size() - 1).query());
        }
        PagedReading reading = readings.get(random.nextInt(readings.size()));
        switch (random.nextInt(12)) {
            case 0 -> reading.goBack();
            case 1, 2 -> reading.carry();
            case 3 -> {
                // Nobody goes on with it.
                readings.remove(reading);
                return;
            }
            default -> {}
        }
        if (reading.isOver()) {
            readings.remove(reading);
        } else {
            read(reading, limits());
        }
    }

    /** From here on another process reads, which has nothing but cookies. */
    private void anotherProcess() {
        closeClient();
        readings.forEach(PagedReading::carry);
    }

    private void closeClient() {
        client.ifPresent(PagingClient::close);
        client = Optional.empty();
    }

    /** One page, if it comes. */
    private void read(PagedReading reading, PageLimits limits) throws IOException {
        pagesTried++;
        try {
            if (client.isPresent() && !client.get().table().schema().equals(world.schema())) {
                anotherProcess();
            }
            if (client.isEmpty()) {
                List<StoreHost> hosts = isWhole ? List.of(anyHost()) : world.stores();
                client = Optional.of(
                        PagingClient.open(world, hosts, world.setting().host(), random.nextInt(4) == 0));
            }
            reading.read(client.get(), limits, random.nextBoolean() ? limits.rows() : Integer.MAX_VALUE);
            pagesRead++;
        } catch (IOException | IllegalArgumentException failed) {
            world.log(reading + " has no page, reason=" + failed);
            if (!mayFail || !isKnown(failed)) {
                throw new AssertionError("page did not come, " + reading, failed);
            }
            if (random.nextBoolean()) {
                anotherProcess();
            }
        }
    }

    /** Whoever opens a table while it is altered may meet two. */
    private static boolean isKnown(Exception failed) {
        return failed instanceof IOException || failed.getMessage().startsWith("replicas have different schemas");
    }

    private void readToTheEnd() throws IOException {
        for (PagedReading reading : readings) {
            while (!reading.isOver()) {
                switch (random.nextInt(12)) {
                    case 0 -> write();
                    case 1 -> chore();
                    case 2 -> passTime();
                    case 3 -> anotherProcess();
                    case 4 -> reading.goBack();
                    case 5 -> alterBetweenPages();
                    default -> {}
                }
                read(reading, limits());
            }
        }
        readings.clear();
    }

    /** Of what nobody changes meanwhile. */
    private void shouldEqualOneRead() throws IOException {
        PagedQuery query = query();
        PagedReading paged = new PagedReading(world, query, "paged reading");
        PagedReading whole = new PagedReading(world, query, "whole reading");
        world.log("readings of " + query);
        while (!paged.isOver()) {
            if (random.nextInt(6) == 0) {
                chore();
            }
            if (random.nextInt(6) == 0) {
                world.network().runFor(Duration.ofMillis(random.nextInt(20_000)));
            }
            read(paged, limits());
        }
        read(whole, PageLimits.DEFAULT);
        assertThat(whole.pageCount()).isEqualTo(1);
        List<ShownRow> wanted = world.history().rows(world.nowSeconds()).stream()
                .filter(row -> query.wants(row, world.schema()))
                .sorted((left, right) -> query.compare(left, right, world.schema()))
                .limit(query.limit())
                .toList();
        RepairWorld.shouldShow(() -> "whole reading of " + query, texts(wanted), texts(whole.rows()));
        RepairWorld.shouldShow(() -> "paged reading of " + query, texts(wanted), texts(paged.rows()));
    }

    private static List<String> texts(List<ShownRow> rows) {
        return rows.stream().map(ShownRow::toString).toList();
    }

    // What goes on meanwhile.

    void write() throws IOException {
        FragmentList draw = random.nextInt(4) == 0 ? fragments.nextWide(ROWS_OF_WIDE_PARTITION) : fragments.next(0.4);
        long laterMicros = (long) ++draws * DRAW_MICROS;
        long laterSeconds =
                world.nowSeconds() - RandomFragments.DELETION_BASE_SECONDS - RandomFragments.DELETION_SPREAD_SECONDS;
        world.write(MovedFragments.of(draw, micros -> micros + laterMicros, seconds -> seconds + laterSeconds));
    }

    private StoreHost anyHost() {
        return world.stores().get(random.nextInt(world.stores().size()));
    }

    private void chore() throws IOException {
        StoreHost host = anyHost();
        if (host.isRunning() && !mayFail) {
            if (random.nextBoolean()) {
                host.flush();
            } else {
                host.compact();
            }
        }
    }

    /** Who goes on finds readers of the table before. */
    private void alterBetweenPages() throws IOException {
        if (!mayFail && random.nextInt(3) == 0) {
            for (StoreHost host : world.stores()) {
                world.alter(host);
            }
        }
    }

    void passTime() {
        world.passTime(Duration.ofSeconds(random.nextInt(random.nextBoolean() ? 10 : 4_000)));
    }

    // What is read.

    private PageLimits limits() {
        PageLimits limits = PageLimits.DEFAULT.withRows(1 + random.nextInt(random.nextBoolean() ? 5 : 60));
        if (random.nextInt(3) == 0) {
            limits = limits.withBytes(1 + random.nextInt(2_000));
        }
        if (random.nextInt(3) == 0) {
            limits = limits.withTombstones(1 + random.nextInt(10));
        }
        return random.nextInt(3) == 0 ? limits.withFiltered(1 + random.nextInt(10)) : limits;
    }

    private PagedQuery query() {
        TableSchema schema = world.schema();
        List<ShownRow> rows = world.history().rows(world.nowSeconds());
        List<Condition> conditions = new ArrayList<>();
        boolean isByKey = !rows.isEmpty() && random.nextBoolean();
        if (isByKey) {
            schema.partitionKey().forEach(column -> fix(column, rows, conditions));
            if (random.nextInt(3) > 0) {
                slice(rows, conditions);
            }
        }
        if (!rows.isEmpty() && random.nextInt(3) == 0) {
            filter(rows, conditions);
        }
        byte[] secret = new byte[random.nextInt(4) == 0 ? SECRET_BYTES : 0];
        random.nextBytes(secret);
        return new PagedQuery(
                isByKey || random.nextBoolean() ? List.of() : ranges(),
                conditions,
                isByKey && random.nextBoolean(),
                random.nextInt(4) > 0,
                random.nextInt(4) == 0 ? 1 + random.nextInt(30) : Long.MAX_VALUE,
                secret);
    }

    /** Disjoint ones, in the order of the ring from anywhere on. */
    private List<TokenRange> ranges() {
        List<DecoratedKey> keys = fragments.keys();
        long[] ends = random.longs(2L + 2 * random.nextInt(3))
                .map(end -> random.nextBoolean()
                        ? keys.get(random.nextInt(keys.size())).token()
                        : end)
                .sorted()
                .distinct()
                .toArray();
        List<TokenRange> ranges = new ArrayList<>();
        int first = random.nextInt(ends.length);
        for (int i = 0; i < ends.length; i++) {
            if (ranges.isEmpty() || random.nextInt(3) > 0) {
                ranges.add(new TokenRange(ends[(first + i) % ends.length], ends[(first + i + 1) % ends.length]));
            }
        }
        return ranges;
    }

    /** Of any row, if a condition may ask for it: not all types that may be found empty may be written so. */
    private Optional<byte[]> value(Column column, List<ShownRow> rows) {
        ShownRow any = rows.get(random.nextInt(rows.size()));
        return Optional.ofNullable(PagedQuery.value(any, column, world.schema()))
                .filter(value -> isValid(column.type(), value));
    }

    private static boolean isValid(CqlType type, byte[] value) {
        try {
            type.validate(value, 0, value.length);
            return true;
        } catch (InvalidValueException e) {
            return false;
        }
    }

    private void fix(Column column, List<ShownRow> rows, List<Condition> conditions) {
        List<byte[]> values = new ArrayList<>();
        for (int i = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1; i > 0; i--) {
            value(column, rows)
                    .filter(value -> values.stream().noneMatch(known -> Arrays.equals(known, value)))
                    .ifPresent(values::add);
        }
        if (!values.isEmpty()) {
            conditions.add(new Condition(column.name(), values.size() == 1 ? Operator.EQUAL : Operator.IN, values));
        }
    }

    /** Of the first clustering columns values, of the next one bounds. */
    private void slice(List<ShownRow> rows, List<Condition> conditions) {
        for (Column column : world.schema().clustering()) {
            if (random.nextBoolean()) {
                int before = conditions.size();
                fix(column, rows, conditions);
                if (conditions.size() == before) {
                    return;
                }
                continue;
            }
            if (!column.type().ascending().cqlName().equals(DURATION)) {
                bound(column, random.nextBoolean() ? Operator.GREATER : Operator.AT_LEAST, rows, conditions);
                bound(column, random.nextBoolean() ? Operator.LESS : Operator.AT_MOST, rows, conditions);
            }
            return;
        }
    }

    private void bound(Column column, Operator operator, List<ShownRow> rows, List<Condition> conditions) {
        if (random.nextInt(3) > 0) {
            value(column, rows)
                    .ifPresent(value -> conditions.add(new Condition(column.name(), operator, List.of(value))));
        }
    }

    /** A condition that is tried on each row, on a column that there is all the time. */
    private void filter(List<ShownRow> rows, List<Condition> conditions) {
        List<Column> columns = Stream.of(
                        world.schema().partitionKey(),
                        world.schema().clustering(),
                        world.schema().staticColumns(),
                        world.schema().regularColumns())
                .flatMap(List::stream)
                .filter(column -> isPlain(column) && !unsure.contains(column.name()))
                .toList();
        Column column = columns.get(random.nextInt(columns.size()));
        boolean isOrdered = !column.type().ascending().cqlName().equals(DURATION);
        Operator[] operators = Operator.values();
        Operator operator = isOrdered
                ? operators[random.nextInt(operators.length)]
                : random.nextBoolean() ? Operator.EQUAL : Operator.NOT_EQUAL;
        value(column, rows).ifPresent(value -> conditions.add(new Condition(column.name(), operator, List.of(value))));
    }

    private static boolean isPlain(Column column) {
        CqlType type = column.type().ascending();
        return !type.isMultiCell() && !type.isCounter() && !column.dropped();
    }

    @Override
    public void close() throws IOException {
        closeClient();
        world.close();
    }
}
