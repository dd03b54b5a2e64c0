package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.OrderFailedException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.Side;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Back-fill and verification by keys, of a synchronous DAO that knows nothing of times. */
final class KeyRunTest {
    interface Names {
        @Read
        String find(@Key long id);

        @Write
        void save(@Key long id, String name);

        @Delete
        void remove(@Key long id);
    }

    private static final class MapNames implements Names {
        final ConcurrentSkipListMap<Long, String> names = new ConcurrentSkipListMap<>();
        final ConcurrentSkipListSet<Long> failing = new ConcurrentSkipListSet<>();
        volatile boolean down;

        @Override
        public String find(long id) {
            return names.get(id);
        }

        @Override
        public void save(long id, String name) {
            if (down || failing.contains(id)) {
                throw new IllegalStateException("disk is full");
            }
            names.put(id, name);
        }

        @Override
        public void remove(long id) {
            names.remove(id);
        }
    }

    private record Copy(Guarantee guarantee) implements KeyCopy<Names, Long> {
        @Override
        public CompletionStage<Void> copy(Long id, Names from, Names to, long takenAwayBeforeMicros) {
            String name = from.find(id);
            if (name == null) {
                to.remove(id);
            } else {
                to.save(id, name);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<String> read(Long id, Names dao) {
            return CompletableFuture.completedStage(dao.find(id));
        }
    }

    /** The keys of a map, in their order; asked where it began. */
    private final class Keys implements KeySource<Long> {
        private final MapNames dao;
        private final List<Optional<Long>> begun = new ArrayList<>();
        private long failsAt = Long.MAX_VALUE;
        private boolean failsByError;
        private CountDownLatch reached;
        private Instant writtenAt;
        private LongConsumer whenListed = id -> {};

        Keys(MapNames dao) {
            this.dao = dao;
        }

        @Override
        public String identity() {
            return "names";
        }

        @Override
        public Iterator<Listed<Long>> after(Optional<Long> last) {
            begun.add(last);
            Iterator<Long> each = dao.names
                    .tailMap(last.orElse(Long.MIN_VALUE), false)
                    .keySet()
                    .iterator();
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return each.hasNext();
                }

                @Override
                public Listed<Long> next() {
                    long next = each.next();
                    whenListed.accept(next);
                    if (next == failsAt && reached != null) {
                        reached.countDown();
                        // As a driver that answers an interrupt with an exception of its own.
                        while (!Thread.interrupted()) {
                            LockSupport.park();
                        }
                    }
                    if (next == failsAt && failsByError) {
                        throw new NoClassDefFoundError("Driver");
                    }
                    if (next == failsAt) {
                        throw new IllegalStateException("connection is closed");
                    }
                    return new Listed<>(next, Optional.ofNullable(writtenAt));
                }
            };
        }
    }

    private final MapNames origin = new MapNames();
    private final MapNames target = new MapNames();
    private final MemoryPhaseStore phases = new MemoryPhaseStore();
    private final List<Duration> slept = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private long tickNanos = 1_000_000_000;
    private volatile Runnable whileAsleep = () -> {};
    private UnaryOperator<ExecutorService> forOrders = UnaryOperator.identity();
    private DualDao<Names> dual;

    @TempDir
    private Path directory;

    private final Keys listedForOrders = new Keys(origin);

    @AfterEach
    void close() {
        if (dual != null) {
            dual.close();
        }
    }

    private DualDao<Names> start(Mode mode, KeyCopy.Guarantee guarantee) {
        if (phases.read("names").isEmpty()) {
            PhaseControl.of(phases, "names", Clock.systemUTC(), ControlPolicy.DEFAULTS)
                    .create("test", "begin");
        }
        DualEnvironment system = DualEnvironment.system();
        dual = DualDao.builder(Names.class)
                .name("names")
                .instance("one")
                .mode(mode)
                .origin(origin)
                .target(target)
                .phases(phases)
                .directory(directory)
                .copy(KeyCodec.LONG, new Copy(guarantee))
                .keys(listedForOrders, new Keys(target))
                .poll(Duration.ofHours(1))
                .quietWindow(Duration.ZERO)
                // Time goes on by a look at the clock.
                .environment(new DualEnvironment(
                        system.clock(),
                        () -> nanos.addAndGet(tickNanos),
                        duration -> {
                            slept.add(duration);
                            whileAsleep.run();
                        },
                        threads(system.threads())))
                .build();
        return dual;
    }

    private DualEnvironment.Threads threads(DualEnvironment.Threads real) {
        return new DualEnvironment.Threads() {
            @Override
            public ScheduledExecutorService scheduler() {
                return real.scheduler();
            }

            @Override
            public ExecutorService shadow(ShadowConfig config) {
                ExecutorService executor = real.shadow(config);
                return config.threads() == 1 ? forOrders.apply(executor) : executor;
            }
        };
    }

    private void advance(boolean force) {
        dual.control().advance("test", "step", force);
        dual.poll();
    }

    private void walk(Phase to) {
        while (dual.phase().phase() != to) {
            advance(true);
            if (dual.phase().phase() == Phase.READ_TARGET) {
                dual.control().readShare(100, "test", "all");
                dual.poll();
            }
        }
    }

    private void fill(MapNames dao, int count) {
        for (long id = 0; id < count; id++) {
            dao.names.put(id, "name-" + id);
        }
    }

    private List<String> missing() {
        return dual.control().readiness().missing().stream().map(Gate::name).toList();
    }

    @Test
    void shouldCopyAndCompareWhatWasThereBeforeSoThatTheGatesOpen() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        assertThat(missing()).contains("backfill", "verification");

        KeyRunResult copied = dual.backfill(new Keys(origin)).parallel(3).run();
        KeyRunResult compared = dual.verify(new Keys(origin), new Keys(target)).run();

        assertThat(copied.keys()).isEqualTo(1_000);
        assertThat(copied.clean()).isTrue();
        assertThat(target.names).isEqualTo(origin.names);
        assertThat(compared.keys()).isEqualTo(2_000);
        assertThat(compared.clean()).isTrue();
        dual.poll();
        assertThat(missing()).isEmpty();
        assertThat(phases.heartbeats("names"))
                .extracting(beat -> beat.instance())
                .containsExactly("one");
    }

    private BulkOrders.Order order(PhaseNote.Kind kind, int keysPerSecond) {
        BulkOrders.Order order = place(BulkOrders.Order.of(kind, false, keysPerSecond, "ada"), false);
        dual.poll();
        return order;
    }

    private BulkOrders.Order place(BulkOrders.Order order, boolean replaces) {
        return new BulkOrders(dual.control()).place(order, replaces);
    }

    private PhaseNote await(BulkOrders.Order order) throws InterruptedException {
        PhaseControl.Sleeper polling = duration -> {
            PhaseControl.Sleeper.THREAD.sleep(Duration.ofMillis(5));
            dual.poll();
        };
        PhaseNote done = new BulkOrders(dual.control()).await(order, Duration.ofMinutes(10), polling, keys -> {});
        // The run still takes its mark out of the directory.
        for (int looks = 0; dual.keyRunning.get() && looks < 2_000; looks++) {
            PhaseControl.Sleeper.THREAD.sleep(Duration.ofMillis(5));
        }
        return done;
    }

    @Test
    void shouldCopyAndCompareWhatIsOrdered() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        PhaseNote copied = await(order(PhaseNote.Kind.BACKFILL, 0));
        PhaseNote compared = await(order(PhaseNote.Kind.VERIFICATION, 0));

        assertThat(copied.kind()).isEqualTo(PhaseNote.Kind.BACKFILL);
        assertThat(copied.who()).isEqualTo("ada");
        assertThat(compared.facts()).containsEntry(Facts.ROWS, "2000").containsEntry(Facts.MISMATCHES, "0");
        assertThat(target.names).isEqualTo(origin.names);
        assertThat(missing()).isEmpty();
    }

    @Test
    void shouldTellWhyAnOrderFailedAndNotTryAgain() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        listedForOrders.failsAt = 5;

        BulkOrders.Order order = order(PhaseNote.Kind.BACKFILL, 0);

        assertThatThrownBy(() -> await(order))
                .isInstanceOf(OrderFailedException.class)
                .hasMessageContaining("instance=one, reason=connection is closed");
        assertThat(due(new BulkOrders(dual.control()), "one")).isEmpty();
    }

    @Test
    @Timeout(60)
    void shouldTellOfAnOrderThatAnErrorEnded() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        listedForOrders.failsAt = 5;
        listedForOrders.failsByError = true;

        BulkOrders.Order order = order(PhaseNote.Kind.BACKFILL, 0);

        assertThatThrownBy(() -> await(order))
                .isInstanceOf(OrderFailedException.class)
                .hasMessageContaining("java.lang.NoClassDefFoundError: Driver");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void shouldLeaveAnOrderWhoseWorkFailsBecauseItsInstanceEnds(boolean byError) throws InterruptedException {
        fill(origin, 10);
        List<ExecutorService> ofOrders = new ArrayList<>();
        forOrders = executor -> {
            ofOrders.add(executor);
            return executor;
        };
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        listedForOrders.failsAt = 5;
        listedForOrders.failsByError = byError;
        listedForOrders.reached = new CountDownLatch(1);
        order(PhaseNote.Kind.BACKFILL, 0);
        listedForOrders.reached.await();

        dual.close();

        assertThat(ofOrders.get(0).awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(phases.notes("names")).last().matches(note -> note.kind() == PhaseNote.Kind.ORDER, "still there");
    }

    @Test
    void shouldTryAgainWhatBeganBeforeAllWereThere() throws InterruptedException {
        fill(origin, 10);
        List<Runnable> taken = new ArrayList<>();
        forOrders = executor -> new AbstractExecutorService() {
            @Override
            public void execute(Runnable run) {
                taken.add(run);
            }

            @Override
            public void shutdown() {
                executor.shutdown();
            }

            @Override
            public List<Runnable> shutdownNow() {
                return executor.shutdownNow();
            }

            @Override
            public boolean isShutdown() {
                return executor.isShutdown();
            }

            @Override
            public boolean isTerminated() {
                return executor.isTerminated();
            }

            @Override
            public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
                return executor.awaitTermination(timeout, unit);
            }
        };
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        order(PhaseNote.Kind.BACKFILL, 0);
        long version = dual.control().current().version();
        Map<String, String> facts = Map.of(Facts.KIND, "dao");
        phases.heartbeat("names", new Heartbeat("two", version, false, Instant.now(), facts));

        taken.remove(0).run();
        assertThat(phases.notes("names")).last().matches(note -> note.kind() == PhaseNote.Kind.ORDER, "still there");
        dual.poll();
        assertThat(taken).as("not before the second acts by the phase").isEmpty();

        phases.heartbeat("names", new Heartbeat("two", version, true, Instant.now(), facts));
        dual.poll();
        taken.remove(0).run();
        assertThat(phases.notes("names")).last().matches(note -> note.kind() == PhaseNote.Kind.BACKFILL, "done");
        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldGoOnWithAnOrderWhenItsInstanceStartsAgain() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        CountDownLatch asleep = new CountDownLatch(1);
        whileAsleep = () -> {
            if (!origin.names.isEmpty() && target.names.size() > 300) {
                asleep.countDown();
                LockSupport.park();
            }
        };
        tickNanos = 500_000_000;
        BulkOrders.Order order = order(PhaseNote.Kind.BACKFILL, 1);
        asleep.await();
        dual.close();
        whileAsleep = () -> {};
        assertThat(dual.phaseStore().notes("names"))
                .extracting(PhaseNote::kind)
                .doesNotContain(PhaseNote.Kind.BACKFILL, PhaseNote.Kind.ORDER_FAILED);

        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);

        assertThat(await(order).kind()).isEqualTo(PhaseNote.Kind.BACKFILL);
        assertThat(target.names).isEqualTo(origin.names);
        assertThat(listedForOrders.begun).hasSize(2);
        assertThat(listedForOrders.begun.get(1)).isPresent();
    }

    @Test
    void shouldEndEachOrderByItsOwnNoteAlone() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        BulkOrders.Order asked = place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, false, 0, "ada"), false);

        BulkOrders.Order back = BulkOrders.Order.of(PhaseNote.Kind.BACKFILL, false, 0, "bob");
        assertThatThrownBy(() -> place(back, false))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("a verification that ada ordered at")
                .hasMessageContaining("--replace");
        dual.backfill(new Keys(origin)).run();
        dual.verify(new Keys(origin)).run();

        PhaseNote done = await(asked);
        assertThat(done.kind()).isEqualTo(PhaseNote.Kind.VERIFICATION);
        assertThat(done.who()).isEqualTo("ada");
        assertThat(await(place(back, false)).who()).isEqualTo("bob");
    }

    @Test
    void shouldEndAnOrderByTheWholeOfItThatSomebodyElseDidSince() throws InterruptedException {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        PhaseControl control = dual.control();
        WorkStart now = control.begin();
        WorkStart early = new WorkStart(now.version(), now.at().minusSeconds(1), now.acknowledged());
        BulkOrders orders = new BulkOrders(control);
        BulkOrders.Order asked = place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, true, 0, "ada"), false);
        PhaseControl.Sleeper nobody = duration -> {};
        Map<String, String> whole = Map.of(Facts.WHOLE, "true", Facts.ROWS, "7", Facts.MISMATCHES, "0");

        control.finish(early, PhaseNote.Kind.VERIFICATION, "before", whole);
        control.finish(
                control.begin(), PhaseNote.Kind.VERIFICATION, "part", Map.of(Facts.ROWS, "7", Facts.MISMATCHES, "0"));
        control.finish(control.begin(), PhaseNote.Kind.BACKFILL, "other", whole);
        control.finish(
                control.begin(),
                PhaseNote.Kind.VERIFICATION,
                "differs",
                Map.of(Facts.WHOLE, "true", Facts.ROWS, "7", Facts.MISMATCHES, "1"));
        PhaseNote done = control.finish(control.begin(), PhaseNote.Kind.VERIFICATION, "work", whole);
        assertThat(orders.await(asked, Duration.ofMinutes(1), nobody, keys -> {}))
                .isEqualTo(done);

        BulkOrders.Order back = place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, true, 0, "ada"), false);
        control.finish(early, PhaseNote.Kind.REVERSE_BACKFILL, "part", Map.of(Facts.ROWS, "7", Facts.MISMATCHES, "0"));
        PhaseNote reversed = control.finish(early, PhaseNote.Kind.REVERSE_BACKFILL, "work", whole);
        assertThat(orders.await(back, Duration.ofMinutes(1), nobody, keys -> {}))
                .isEqualTo(reversed);
    }

    @Test
    void shouldLetAnOrderTakeThePlaceOfOneThatNobodyDoes() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        BulkOrders.Order first = place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, false, 0, "ada"), false);

        BulkOrders.Order second = place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, true, 0, "bob"), true);

        assertThatThrownBy(() -> await(first))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("replaced by an order of bob");
        assertThat(await(second).who()).isEqualTo("bob");
        assertThat(target.names).as("by the second, which repairs").isEqualTo(origin.names);
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"ORIGIN_ONLY", "TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldRefuseAnOrderAtOnceThatNobodyWouldDoInThePhase(Phase phase) {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        walk(phase);
        int notes = phases.notes("names").size();

        assertThatThrownBy(() -> order(PhaseNote.Kind.BACKFILL, 0))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("back-fill is for phase 2");
        if (phase != Phase.TARGET_FIRST) {
            assertThatThrownBy(() -> order(PhaseNote.Kind.VERIFICATION, 0))
                    .isInstanceOf(GateException.class)
                    .hasMessageContaining("2, 3 and 3b");
        }

        assertThat(phases.notes("names")).hasSize(notes);
    }

    @Test
    void shouldTellOfAnInstanceThatRefusesAsOfAGate() {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        walk(Phase.READ_TARGET);

        BulkOrders.Order order = order(PhaseNote.Kind.BACKFILL, 0);

        assertThatThrownBy(() -> await(order))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("SOURCE_TIMESTAMPS");
    }

    @Test
    void shouldEndAnOrderThatNobodyDoesInTimeByTheClock() {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        AtomicLong seconds = new AtomicLong(dual.environment().clock().millis() / 1_000);
        PhaseControl slow =
                PhaseControl.of(phases, "names", () -> Instant.ofEpochSecond(seconds.get()), ControlPolicy.DEFAULTS);
        BulkOrders orders = new BulkOrders(slow);
        BulkOrders.Order order = orders.place(BulkOrders.Order.of(PhaseNote.Kind.VERIFICATION, false, 0, "ada"), false);
        int[] looks = {0};

        assertThatThrownBy(() -> orders.await(
                        order,
                        Duration.ofSeconds(10),
                        asked -> {
                            looks[0]++;
                            seconds.addAndGet(4);
                        },
                        keys -> {}))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("no instance did it")
                .hasMessageContaining("waited=10s");

        assertThat(looks[0])
                .as("a store that answers slowly takes from the time, too")
                .isEqualTo(3);
        assertThat(phases.notes("names")).last().matches(note -> note.kind() == PhaseNote.Kind.ORDER_FAILED, "ended");
        dual.poll();
        assertThat(due(new BulkOrders(dual.control()), "one")).isEmpty();
    }

    @Test
    void shouldEndTheWaitForAnOrderWhenThePhaseIsChanged() {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        BulkOrders.Order order = place(BulkOrders.Order.of(PhaseNote.Kind.BACKFILL, false, 0, "ada"), false);
        advance(true);

        assertThatThrownBy(() -> await(order))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("the phase was changed");
    }

    private Optional<BulkOrders.Order> due(BulkOrders orders, String instance) {
        return orders.due(instance, phases.notes("names"));
    }

    private void beat(String instance, String kind, Instant at) {
        Map<String, String> facts = Map.of(Facts.KIND, kind, Facts.LISTS_KEYS, "true");
        long version = dual.control().current().version();
        phases.heartbeat("names", new Heartbeat(instance, version, true, at, facts));
    }

    @Test
    void shouldLeaveAnOrderToTheFirstByNameThatIsHeardOf() {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        Instant now = Instant.now();
        BulkOrders orders = new BulkOrders(dual.control());
        beat("also", "dao", now);
        order(PhaseNote.Kind.BACKFILL, 0);
        assertThat(due(orders, "one")).isEmpty();
        assertThat(due(orders, "also")).isPresent();

        beat("also-backfill", "backfill", now);
        assertThat(due(orders, "also")).isEmpty();

        Instant longAgo = now.minus(Duration.ofDays(1));
        beat("also", "dao", longAgo);
        beat("also-backfill", "backfill", longAgo);
        assertThat(due(orders, "one")).isPresent();

        phases.forget("names", "also");
        phases.forget("names", "also-backfill");
        advance(true);
        assertThat(due(orders, "one")).isEmpty();
    }

    @Test
    void shouldTakeARunOffThatWasKilled() throws InterruptedException {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        beat("gone-backfill", "backfill", Instant.now().minus(Duration.ofDays(1)));
        beat("alive-backfill", "backfill", Instant.now());

        dual.verify(new Keys(origin)).run();

        assertThat(phases.heartbeats("names")).extracting(Heartbeat::instance).contains("alive-backfill");
        assertThat(phases.heartbeats("names")).extracting(Heartbeat::instance).doesNotContain("gone-backfill");
    }

    @Test
    void shouldRefuseASourceWithoutKeys() {
        assertThatThrownBy(() -> KeySource.of("x", null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> KeySource.<Long>of("x", () -> null).after(Optional.empty()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("identity=x");
    }

    @Test
    void shouldTakeAnyCollectionOfKeys() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        assertThat(dual.backfill(KeySource.of("some", List.of(1L, 2L, 2L, 77L)))
                        .run()
                        .keys())
                .isEqualTo(4);

        assertThat(target.names).isEqualTo(Map.of(1L, "name-1", 2L, "name-2"));
    }

    @Test
    void shouldGoOnWhereItStopped() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        Keys keys = new Keys(origin);
        keys.failsAt = 600;
        assertThatThrownBy(() -> dual.backfill(keys).run()).hasMessageContaining("connection is closed");
        dual.close();

        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        keys.failsAt = Long.MAX_VALUE;
        KeyRunResult copied = dual.backfill(keys).run();

        assertThat(keys.begun).containsExactly(Optional.empty(), Optional.of(511L));
        assertThat(copied.keys()).isEqualTo(1_000);
        assertThat(target.names).isEqualTo(origin.names);
        dual.backfill(keys).run();
        assertThat(keys.begun).last().isEqualTo(Optional.empty());
    }

    @Test
    void shouldBeginAnewWhenTheOriginAloneWasWrittenMeanwhile() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        Keys keys = new Keys(origin);
        keys.failsAt = 600;
        assertThatThrownBy(() -> dual.backfill(keys).run()).hasMessageContaining("connection is closed");
        dual.control().rollback("test", "back");
        dual.poll();
        dual.dao().save(5, "written in the origin alone");
        advance(false);

        keys.failsAt = Long.MAX_VALUE;
        dual.backfill(keys).run();

        assertThat(keys.begun).last().isEqualTo(Optional.empty());
        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldKeepKeysInTheJournalThatCanNotBeCopied() throws InterruptedException {
        fill(origin, 100);
        target.failing.add(42L);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        assertThat(dual.backfill(new Keys(origin)).run().left()).isOne();

        assertThat(dual.control().notes())
                .last()
                .satisfies(note -> assertThat(note.facts()).containsEntry(Facts.LEFT, "1"));
        assertThat(dual.journal().contains(Side.TARGET, "42")).isTrue();
        dual.poll();
        assertThat(missing()).contains("dirty-target").doesNotContain("backfill");
        target.failing.clear();
        dual.redrive();
        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldLeaveNoNoteOfWhatAClosedDualDaoWasAskedFor() {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        dual.close();

        assertThatThrownBy(() -> dual.backfill(new Keys(origin)).run())
                .isInstanceOf(KeyRunException.class)
                .hasMessageContaining("was closed");
        assertThatThrownBy(() -> dual.verify(new Keys(origin)).run())
                .isInstanceOf(KeyRunException.class)
                .hasMessageContaining("was closed");

        assertThat(phases.notes("names")).isEmpty();
        assertThat(phases.heartbeats("names")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = PhaseNote.Kind.class,
            names = {"BACKFILL", "VERIFICATION"})
    void shouldEndARunWhoseDualDaoIsClosedMeanwhile(PhaseNote.Kind kind) {
        fill(origin, 1_000);
        fill(target, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        Keys keys = new Keys(origin);
        keys.whenListed = id -> {
            if (id == 300) {
                dual.close();
            }
        };

        assertThatThrownBy(() -> (kind == PhaseNote.Kind.BACKFILL ? dual.backfill(keys) : dual.verify(keys)).run())
                .isInstanceOf(KeyRunException.class)
                .hasMessageContaining("was closed");

        assertThat(phases.notes("names")).isEmpty();
        assertThat(phases.heartbeats("names")).isEmpty();
    }

    @Test
    void shouldStopWhenTheTargetTakesNothing() {
        fill(origin, 1_000);
        target.down = true;
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        assertThatThrownBy(() -> dual.backfill(new Keys(origin)).run())
                .isInstanceOf(KeyRunException.class)
                .hasMessageContaining("disk is full");

        assertThat(missing()).contains("backfill");
        assertThat(phases.heartbeats("names")).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Phase.class,
            names = {"ORIGIN_ONLY", "READ_TARGET", "TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldRefuseWhereACopyWithoutTimesCouldBeRead(Phase phase) {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        walk(phase);

        assertThatThrownBy(() -> dual.backfill(new Keys(origin)).run())
                .isInstanceOf(KeyRunException.class)
                .hasMessageContaining("phase=" + phase.label());
    }

    @Test
    void shouldCopyInPhaseThreeWithTheTimesOfTheSource() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.SOURCE_TIMESTAMPS);
        walk(Phase.READ_TARGET);

        dual.backfill(new Keys(origin)).run();

        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldCopyInTestMode() throws InterruptedException {
        fill(origin, 10);
        start(Mode.TEST, KeyCopy.Guarantee.NONE);
        advance(false);

        dual.backfill(new Keys(origin)).run();

        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldKeepToTheRate() throws InterruptedException {
        fill(origin, 250);
        tickNanos = 500_000_000;
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        dual.backfill(new Keys(origin)).keysPerSecond(10).run();

        // 10 keys of a batch would take a second, and the clock went on by half of one.
        assertThat(slept).hasSize(25).first().isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void shouldNotOpenAGateByAQueryThatMatchesNothing() throws InterruptedException {
        fill(origin, 100);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        KeySource<Long> nothing = KeySource.of("names of nobody", List.of());

        dual.backfill(nothing).run();
        KeyRunResult found = dual.verify(nothing).run();

        assertThat(found.keys()).isZero();
        assertThat(missing()).contains("verification");
    }

    @Test
    void shouldTellWhatDiffersAndNotLetTheNextStepBe() throws InterruptedException {
        fill(origin, 100);
        fill(target, 100);
        target.names.put(7L, "other");
        target.names.remove(8L);
        target.names.put(1_000L, "in the target alone");
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);

        KeyRunResult found = dual.verify(new Keys(origin), new Keys(target)).run();

        assertThat(found.mismatches()).isEqualTo(3);
        assertThat(found.samples()).anyMatch(text -> text.startsWith("7; ") && text.contains("name-7 and other"));
        assertThat(slept).hasSize(3);
        assertThat(missing()).contains("verification");
        assertThat(dual.control().notes().get(0).facts()).containsEntry(Facts.MISMATCHES, "3");

        KeyRunResult repaired =
                dual.verify(new Keys(origin), new Keys(target)).repair().run();
        assertThat(repaired.repaired()).isEqualTo(3);
        assertThat(repaired.clean()).isTrue();
        assertThat(target.names).isEqualTo(origin.names);
    }

    @Test
    void shouldBelieveOnlyWhatDiffersEachTime() throws InterruptedException {
        fill(origin, 100);
        fill(target, 100);
        target.names.put(7L, "older");
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        whileAsleep = () -> target.names.put(7L, "name-7");

        assertThat(dual.verify(new Keys(origin)).run().clean()).isTrue();
    }

    @Test
    void shouldTellWhatSomebodyWrotePastTheDualDao() throws InterruptedException {
        fill(origin, 10);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        dual.backfill(new Keys(origin)).run();
        origin.names.put(3L, "past it");
        Keys keys = new Keys(origin);
        keys.writtenAt = Instant.now().plusSeconds(10);

        KeyRunResult found = dual.verify(keys).run();

        assertThat(found.writtenPast()).isOne();
        assertThat(found.mismatches()).isOne();
    }

    @Test
    void shouldNotGoOnWithAComparisonFromBeforeABackfill() throws InterruptedException {
        fill(origin, 1_000);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        Keys keys = new Keys(origin);
        keys.failsAt = 600;
        assertThatThrownBy(() -> dual.verify(keys).run()).hasMessageContaining("connection is closed");
        keys.failsAt = Long.MAX_VALUE;
        dual.backfill(new Keys(origin)).run();

        assertThat(dual.verify(keys).run().clean()).isTrue();

        assertThat(keys.begun).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void shouldLeaveTheNoteOfTheWayBack() throws InterruptedException {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        walk(Phase.WRITE_TARGET);
        dual.dao().save(1, "in the target alone");
        dual.control().reverse("test", "back");
        dual.poll();

        KeyRunResult found = dual.verify(new Keys(origin), new Keys(target)).run();

        assertThat(found.clean()).isTrue();
        assertThat(origin.names).isEqualTo(Map.of(1L, "in the target alone"));
        assertThat(dual.control().notes())
                .extracting(PhaseNote::kind)
                .contains(PhaseNote.Kind.REVERSE_BACKFILL, PhaseNote.Kind.VERIFICATION);
        assertThat(dual.control().rollback("test", "back").phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldForgetForGoodWhenItIsFinished() {
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        walk(Phase.WRITE_TARGET);
        dual.dao().save(1, "a");
        assertThatThrownBy(() -> dual.control().finish("test", ""))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("phase 5");
        advance(true);
        dual.dao().save(2, "b");
        assertThat(dual.journal().remembered()).isPositive();

        dual.control().finish("test", "it was long enough");
        dual.control().finish("test", "again");
        dual.poll();
        dual.dao().save(3, "c");

        assertThat(dual.journal().remembered()).isZero();
        assertThat(dual.journal().entries(Side.ORIGIN, 10))
                .extracting(KeyJournal.Entry::key)
                .containsExactly("(everything)");
        assertThat(dual.control().notes().stream().filter(note -> note.kind() == PhaseNote.Kind.FINISHED))
                .hasSize(1);
        assertThatThrownBy(() -> dual.control().reverse("test", "back"))
                .isInstanceOf(GateException.class)
                .hasMessageContaining("finished");
        dual.close();
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        dual.poll();
        dual.dao().save(4, "d");
        assertThat(dual.journal().size(Side.ORIGIN)).isOne();
        assertThat(dual.journal().remembered()).isZero();
    }

    @Test
    void shouldNotTakeBackWhatIsWrittenMeanwhile() throws InterruptedException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        System.out.println("seed=" + seed);
        Random random = new Random(seed);
        fill(origin, 500);
        start(Mode.MIGRATION, KeyCopy.Guarantee.NONE);
        advance(false);
        AtomicBoolean over = new AtomicBoolean();
        Thread service = new Thread(() -> {
            for (int i = 0; !over.get(); i++) {
                long id = random.nextInt(500);
                if (random.nextInt(4) == 0) {
                    dual.dao().remove(id);
                } else {
                    dual.dao().save(id, "new-" + i);
                }
            }
        });
        service.start();
        dual.backfill(new Keys(origin)).run();
        over.set(true);
        service.join();
        dual.redrive();

        assertThat(target.names).as("seed=%d", seed).isEqualTo(origin.names);
    }
}
