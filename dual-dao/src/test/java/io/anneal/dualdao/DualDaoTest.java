package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.LaterAdapter.Later;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.journal.FileKeyJournal;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.journal.PersistentJournal;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Local;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.route.DualOperation;
import io.anneal.dualdao.route.OutcomePerSide;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The handle, with real parts behind it. */
final class DualDaoTest {
    private static final String NAME = "users";

    /** Has every way of answering. */
    interface UserDao {
        @Read
        String find(@Key long id) throws IOException;

        @Read
        CompletionStage<String> findLater(@Key long id);

        @Read
        Later<String> findMuchLater(@Key long id);

        @Write
        void save(@Key long id, String name) throws IOException;

        @Local
        String identity();

        default String rename(long id, String name) throws IOException {
            String before = find(id);
            save(id, name);
            return before;
        }
    }

    private static final class MapDao implements UserDao {
        private final String identity;
        private final Map<Long, String> names = new ConcurrentHashMap<>();
        private volatile Throwable failure;
        private volatile Callable<Void> beforeAnswer = () -> null;

        MapDao(String identity) {
            this.identity = identity;
        }

        @Override
        public String find(long id) {
            fail();
            return names.get(id);
        }

        @Override
        public CompletionStage<String> findLater(long id) {
            try {
                beforeAnswer.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return failure == null
                    ? CompletableFuture.completedFuture(names.get(id))
                    : CompletableFuture.failedFuture(failure);
        }

        @Override
        public Later<String> findMuchLater(long id) {
            return new Later<>(findLater(id));
        }

        @Override
        public void save(long id, String name) {
            fail();
            names.put(id, name);
        }

        private void fail() {
            if (failure != null) {
                throw DualDaoTest.<RuntimeException>sneaky(failure);
            }
        }

        @Override
        public String identity() {
            return identity;
        }
    }

    private record MapCopy() implements KeyCopy<UserDao, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.NONE;
        }

        @Override
        public CompletionStage<Void> copy(Long key, UserDao from, UserDao to, long takenAwayBeforeMicros) {
            String name = ((MapDao) from).names.get(key);
            if (name == null) {
                ((MapDao) to).names.remove(key);
            } else {
                ((MapDao) to).names.put(key, name);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> read(Long key, UserDao dao) {
            return CompletableFuture.completedStage(((MapDao) dao).names.get(key));
        }
    }

    private final MapDao origin = new MapDao("the origin");
    private final MapDao target = new MapDao("the target");
    private final PhaseStore phases = new MemoryPhaseStore();
    private DualDao<UserDao> dual;

    @AfterEach
    void close() {
        if (dual != null) {
            dual.close();
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private DualDaoBuilder<UserDao> builder() {
        return DualDao.builder(UserDao.class)
                .name(NAME)
                .instance("one")
                .origin(origin)
                .target(target)
                .mode(Mode.MIGRATION)
                .phases(phases)
                .poll(Duration.ofHours(1));
    }

    private void begin(PhaseStore store) {
        store.create(NAME, PhaseRecord.first("test", Instant.EPOCH, "begin"));
    }

    /** Puts a phase in force past all gates, and has the instance take it up. */
    private void go(Phase phase) {
        PhaseRecord current = phases.read(NAME).orElseThrow();
        phases.compareAndSet(NAME, current.version(), current.changed(phase, 100, "test", Instant.EPOCH, "on"));
        dual.poll();
    }

    private void start() {
        begin(phases);
        dual = builder().build();
    }

    @Test
    void shouldServeThePhaseInForce() throws IOException {
        start();
        dual.dao().save(1, "Ann");
        assertThat(target.names).isEmpty();

        go(Phase.WRITE_BOTH);
        dual.dao().save(2, "Bob");
        target.names.put(2L, "Bob of the target");
        assertThat(dual.dao().find(2)).isEqualTo("Bob");

        go(Phase.READ_TARGET);
        assertThat(dual.dao().find(1)).as("missing in the target").isEqualTo("Ann");
        assertThat(dual.dao().find(2)).isEqualTo("Bob of the target");
        assertThat(dual.phase().phase()).isEqualTo(Phase.READ_TARGET);
    }

    @Test
    void shouldRouteWhatAMethodWithABodyCalls() throws IOException {
        start();
        go(Phase.WRITE_BOTH);
        dual.dao().rename(1, "Ann");

        assertThat(dual.dao().rename(1, "Anna")).isEqualTo("Ann");
        assertThat(target.names).containsEntry(1L, "Anna");
    }

    @Test
    void shouldAnswerLaterAsTheMethodDoes() {
        start();
        origin.names.put(1L, "Ann");

        assertThat(dual.dao().findLater(1).toCompletableFuture().join()).isEqualTo("Ann");
        assertThat(dual.dao().findMuchLater(1).inside().toCompletableFuture().join())
                .isEqualTo("Ann");
    }

    @Test
    void shouldCallWhatIsLocalOnOneSide() {
        start();
        assertThat(dual.dao().identity()).isEqualTo("the origin");
        for (Phase phase : Phase.values()) {
            go(phase);
        }
        assertThat(dual.dao().identity()).isEqualTo("the target");
    }

    @Test
    void shouldThrowWhatTheSideThrowsDeclaredOrNot() {
        start();
        for (Throwable failure : new Throwable[] {
            new IOException("declared"),
            new SQLException("undeclared"),
            new IllegalStateException("unchecked"),
            new StackOverflowError("an error")
        }) {
            origin.failure = failure;
            assertThatThrownBy(() -> dual.dao().find(1)).isSameAs(failure);
            assertThatThrownBy(() -> dual.dao().save(1, "Ann")).isSameAs(failure);
            assertThat(OutcomePerSide.of(failure)).isPresent();
        }
    }

    @Test
    void shouldFailLaterAnswersWithWhatTheSideFailedWith() {
        start();
        SQLException failure = new SQLException("later");
        origin.failure = failure;

        assertThatThrownBy(() -> dual.dao().findLater(1).toCompletableFuture().join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isSameAs(failure);
    }

    @Test
    void shouldSayWhatBecameOfEachSide() {
        start();
        go(Phase.WRITE_BOTH);
        SQLException failure = new SQLException("target is down");
        target.failure = failure;

        assertThatThrownBy(() -> dual.dao().save(1, "Ann")).isSameAs(failure);
        OutcomePerSide outcome = OutcomePerSide.of(failure).orElseThrow();
        assertThat(outcome.origin()).isEqualTo(SideOutcome.OK);
        assertThat(outcome.target()).isEqualTo(SideOutcome.FAILED);
        assertThat(dual.journal().contains(Side.TARGET, "1")).isTrue();
    }

    @Test
    void shouldCopyFromTheJournalWhenAsked() throws IOException {
        begin(phases);
        dual = builder().copy(KeyCodec.LONG, new MapCopy()).build();
        go(Phase.WRITE_BOTH);
        target.failure = new IllegalStateException("down");
        assertThatThrownBy(() -> dual.dao().save(1, "Ann")).isInstanceOf(IllegalStateException.class);
        target.failure = null;

        assertThat(dual.redrive()).isEqualTo(1);
        assertThat(target.names).containsEntry(1L, "Ann");
        assertThat(dual.journal().size(Side.TARGET)).isZero();
    }

    @Test
    void shouldTellInHeartbeatsWhatGatesAskFor() {
        start();
        go(Phase.WRITE_BOTH);
        target.failure = new IllegalStateException("down");
        assertThatThrownBy(() -> dual.dao().save(1, "Ann")).isInstanceOf(IllegalStateException.class);
        dual.poll();

        Heartbeat heartbeat = phases.heartbeats(NAME).get(0);
        assertThat(heartbeat.instance()).isEqualTo("one");
        assertThat(heartbeat.drained()).isTrue();
        assertThat(heartbeat.facts())
                .containsEntry(Facts.KIND, "dao")
                .containsEntry(Facts.MODE, "MIGRATION")
                .containsEntry(Facts.PARTITIONS, "gated")
                .containsEntry(Facts.REMEMBERS_WRITES, "true")
                .containsEntry(Facts.DIRTY_TARGET, "1")
                .containsEntry(Facts.DIRTY_ORIGIN, "0")
                .containsKeys(Facts.HOST, Facts.PID, Facts.STARTED_MILLIS)
                .doesNotContainKey(Facts.JOURNAL);
    }

    @Test
    void shouldPollByItself() throws InterruptedException {
        begin(phases);
        dual = builder().poll(Duration.ofMillis(1)).build();
        PhaseRecord first = phases.read(NAME).orElseThrow();
        phases.compareAndSet(NAME, 1, first.changed(Phase.WRITE_BOTH, 100, "test", Instant.EPOCH, "on"));

        assertThat(dual.control().awaitAcknowledged(Duration.ofSeconds(20), PhaseControl.Sleeper.THREAD))
                .isTrue();
        assertThat(dual.phase().phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldPollAgainAfterAPollThatBroke(boolean error) throws InterruptedException {
        begin(phases);
        AtomicBoolean breaks = new AtomicBoolean();
        CountDownLatch broken = new CountDownLatch(1);
        KeyJournal journal = new PersistentJournal() {
            @Override
            public int size(Side lacking) {
                if (breaks.getAndSet(false)) {
                    broken.countDown();
                    throw DualDaoTest.<RuntimeException>sneaky(
                            error ? new AssertionError("once") : new IOException("once"));
                }
                return super.size(lacking);
            }
        };
        dual = builder()
                .poll(Duration.ofMillis(1))
                .journal(journal)
                .copy(KeyCodec.LONG, new MapCopy())
                .build();
        breaks.set(true);
        broken.await();
        PhaseRecord first = phases.read(NAME).orElseThrow();
        phases.compareAndSet(NAME, 1, first.changed(Phase.WRITE_BOTH, 100, "test", Instant.EPOCH, "on"));

        assertThat(dual.control().awaitAcknowledged(Duration.ofSeconds(20), PhaseControl.Sleeper.THREAD))
                .isTrue();
    }

    @Test
    void shouldEndAlthoughThePhaseStoreHangs() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        AtomicBoolean hangs = new AtomicBoolean();
        PhaseStore store = (PhaseStore) Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    if (hangs.get()) {
                        hanging.countDown();
                        awaitWhateverInterrupts(letGo);
                    }
                    return method.invoke(phases, arguments);
                });
        begin(phases);
        dual = builder()
                .phases(store)
                .poll(Duration.ofMillis(1))
                .closeTimeout(Duration.ofMillis(20))
                .build();
        UserDao dao = dual.dao();
        hangs.set(true);
        hanging.await();
        Thread closing = new Thread(dual::close);
        closing.start();
        closing.join(60_000);

        assertThat(closing.isAlive()).isFalse();
        assertThatThrownBy(() -> dao.find(1)).isInstanceOf(IllegalStateException.class);
        assertThat(phases.heartbeats(NAME)).hasSize(1);
        letGo.countDown();
        closing.join();
    }

    private static void awaitWhateverInterrupts(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // it hangs
            }
        }
    }

    @Test
    void shouldRefuseToStartWithoutAPhaseRecord() {
        assertThatThrownBy(() -> builder().build()).isInstanceOf(PhaseStoreException.class);
        assertThat(phases.heartbeats(NAME)).isEmpty();
    }

    @Test
    void shouldLeaveThePhaseStoreWhenClosed() {
        start();
        assertThat(phases.heartbeats(NAME)).hasSize(1);
        UserDao dao = dual.dao();
        dual.close();
        dual.close();

        assertThat(phases.heartbeats(NAME)).isEmpty();
        assertThatThrownBy(() -> dao.find(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldStayRegisteredWhenClosedWhileACallHangs() throws InterruptedException {
        begin(phases);
        dual = builder().closeTimeout(Duration.ofMillis(20)).build();
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        origin.beforeAnswer = () -> {
            called.countDown();
            letGo.await();
            return null;
        };
        Thread caller = new Thread(() -> dual.dao().findLater(1));
        caller.start();
        called.await();
        dual.close();

        assertThat(phases.heartbeats(NAME))
                .as("nobody knows in which phase the call goes on")
                .hasSize(1);
        letGo.countDown();
        caller.join();
    }

    @Test
    void shouldKeepItsPlaceAndItsJournalWhenClosedWhileACallHangs(@TempDir Path directory) throws InterruptedException {
        begin(phases);
        dual = builder()
                .directory(directory)
                .closeTimeout(Duration.ofMillis(20))
                .build();
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        origin.beforeAnswer = () -> {
            called.countDown();
            letGo.await();
            return null;
        };
        Thread caller = new Thread(() -> dual.dao().findLater(1));
        caller.start();
        called.await();
        dual.close();

        assertThatThrownBy(() -> builder().directory(directory).build())
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("in use");
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(PhaseStoreException.class)
                .hasMessageContaining("another run has this instance's name");
        assertThat(phases.heartbeats(NAME)).hasSize(1);
        letGo.countDown();
        caller.join();
    }

    @Test
    void shouldEndItsWaitWhenInterruptedWhileClosing() throws InterruptedException {
        start();
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        origin.beforeAnswer = () -> {
            called.countDown();
            letGo.await();
            return null;
        };
        Thread caller = new Thread(() -> dual.dao().findLater(1));
        caller.start();
        called.await();
        Thread.currentThread().interrupt();
        dual.close();

        assertThat(Thread.interrupted()).isTrue();
        letGo.countDown();
        caller.join();
    }

    @Test
    void shouldKeepJournalAndPhaseInItsDirectory(@TempDir Path directory) throws IOException {
        FilePhaseStore files = new FilePhaseStore(directory.resolve("phases"));
        begin(files);
        Path own = directory.resolve("own");
        try (DualDao<UserDao> first = builder().phases(files).directory(own).build()) {
            first.control().advance("test", "to 2");
            first.poll();
            target.failure = new IllegalStateException("down");
            assertThatThrownBy(() -> first.dao().save(1, "Ann")).isInstanceOf(IllegalStateException.class);
            first.poll();
            assertThat(files.heartbeats(NAME).get(0).facts().get(Facts.JOURNAL))
                    .isEqualTo(Files.readString(own.resolve("users-UserDao/journal.id"))
                            .strip());
        }
        try (DualDao<UserDao> second = builder().phases(files).directory(own).build()) {
            assertThat(second.journal().contains(Side.TARGET, "1")).isTrue();
        }

        FilePhaseStore lost = new FilePhaseStore(directory.resolve("lost"));
        begin(lost);
        assertThatThrownBy(() -> builder().phases(lost).directory(own).build()).isInstanceOf(PhaseStoreException.class);
        try (DualDao<UserDao> third = builder().phases(files).directory(own).build()) {
            assertThat(third.phase().phase())
                    .as("a refused start lets go of the directory")
                    .isEqualTo(Phase.WRITE_BOTH);
        }
        try (Stream<Path> left = Files.list(own)) {
            assertThat(left).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldAskAPhaseStoreThatMayBeFarAwayAsLittleAsItCan(Phase phase) {
        begin(phases);
        List<String> asked = new ArrayList<>();
        PhaseStore counted = (PhaseStore) Proxy.newProxyInstance(
                PhaseStore.class.getClassLoader(), new Class<?>[] {PhaseStore.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    return method.invoke(phases, arguments);
                });
        dual = builder()
                .phases(counted)
                .copy(KeyCodec.LONG, new MapCopy())
                .keys(KeySource.of("users", List.of(1L)))
                .build();
        while (dual.phase().phase() != phase) {
            go(Phase.values()[dual.phase().phase().ordinal() + 1]);
        }
        dual.control().note("ada", "something that all have seen");
        dual.poll();
        asked.clear();

        dual.poll();

        boolean quiet = phase == Phase.ORIGIN_ONLY || phase == Phase.WRITE_TARGET;
        assertThat(asked)
                .containsExactlyElementsOf(
                        quiet ? List.of("read", "heartbeat") : List.of("read", "heartbeat", "notes"));
    }

    @Test
    void shouldGoOnAsItWasBuiltWhenItsBuilderIsUsedAgain() throws InterruptedException {
        begin(phases);
        origin.names.put(1L, "Ann");
        List<Long> listed = List.of(1L);
        DualDaoBuilder<UserDao> builder = builder().copy(KeyCodec.LONG, new MapCopy());
        dual = builder.build();
        go(Phase.WRITE_BOTH);

        PhaseStore other = new MemoryPhaseStore();
        begin(other);
        builder.phases(other).instance("two").copy(KeyCodec.LONG, null).environment(null);
        assertThat(dual.phaseStore()).isSameAs(phases);
        assertThat(dual.backfill(KeySource.of("users", listed)).run().keys()).isEqualTo(1);
        assertThat(target.names).containsEntry(1L, "Ann");

        builder.environment(DualEnvironment.system()).method("find", method -> method.write());
        try (DualDao<UserDao> second = builder.build()) {
            assertThat(second.phaseStore()).isSameAs(other);
            assertThat(second.instance()).isEqualTo("two");
        }
        assertThat(dual.phase().phase()).isEqualTo(Phase.WRITE_BOTH);
    }

    @Test
    void shouldSyncTheJournalWhereTheOriginAloneAcknowledges(@TempDir Path directory) {
        begin(phases);
        try (DualDao<UserDao> both = builder().directory(directory).build()) {
            assertThat(durability(both)).isEqualTo(Durability.PROCESS_KILL);
        }
        DualDaoBuilder<UserDao> alone = builder()
                .directory(directory)
                .copy(KeyCodec.LONG, new MapCopy())
                .writes(WritePolicy.ORIGIN_THEN_JOURNAL);
        try (DualDao<UserDao> built = alone.build()) {
            assertThat(durability(built)).isEqualTo(Durability.POWER_CUT);
        }
        try (DualDao<UserDao> told = alone.durability(Durability.PROCESS_KILL).build()) {
            assertThat(durability(told)).isEqualTo(Durability.PROCESS_KILL);
        }
    }

    private static Durability durability(DualDao<?> of) {
        return ((FileKeyJournal) of.journal()).durability();
    }

    @Test
    void shouldKeepKeysInMemoryInTestModeSinceAFileWouldHoldUpCallers(@TempDir Path directory) {
        begin(phases);
        dual = builder().mode(Mode.TEST).directory(directory).build();

        dual.journal().add(Side.TARGET, "1", "");
        dual.close();

        dual = builder().directory(directory).build();
        assertThat(dual.journal().contains(Side.TARGET, "1")).isFalse();
    }

    @Test
    void shouldTakeItsPlaceAgainAfterACrashInTestMode(@TempDir Path directory) {
        begin(phases);
        dual = builder().mode(Mode.TEST).directory(directory).build();
        Heartbeat left = phases.heartbeats(NAME).get(0);
        dual.close();
        phases.heartbeat(NAME, left);

        dual = builder().mode(Mode.TEST).directory(directory).build();

        assertThat(phases.heartbeats(NAME)).singleElement().isNotEqualTo(left);
    }

    @Test
    void shouldOfferOperationsWithoutAProxy() throws Exception {
        begin(phases);
        try (DualDao<MapDao> functional = DualDao.functional(MapDao.class)
                .name(NAME)
                .origin(origin)
                .target(target)
                .mode(Mode.MIGRATION)
                .phases(phases)
                .operation(OperationSpec.<MapDao, Long, String>of("find", OperationKind.READ, id -> id, MapDao::find))
                .operation(OperationSpec.<MapDao, Long, CompletionStage<String>>of(
                                "findLater", OperationKind.READ, id -> id, MapDao::findLater)
                        .withReturns(ReturnAdapter.stage()))
                .build()) {
            origin.names.put(1L, "Ann");

            assertThat(functional.<Long, String>operation("find").call(1L)).isEqualTo("Ann");
            assertThat(functional
                            .<Long, CompletionStage<String>>operation("findLater")
                            .call(1L)
                            .toCompletableFuture()
                            .join())
                    .isEqualTo("Ann");
            assertThatThrownBy(functional::dao)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("built without a proxy, name=users");
        }
    }

    @Test
    void shouldGiveTheOperationOfAMethod() throws Exception {
        start();
        origin.names.put(1L, "Ann");

        DualOperation<Object[], String> find = dual.operation("find");
        assertThat(find.call(new Object[] {1L})).isEqualTo("Ann");
        assertThatThrownBy(() -> dual.operation("fnid"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no such operation, operation=fnid, operations=[");
    }

    @Test
    void shouldMeasureABatch() throws Exception {
        start();

        assertThat(dual.<String>batch("page", () -> dual.dao().find(1))).isNull();
        assertThat(dual.stats().snapshot().batches())
                .anySatisfy(batch -> assertThat(batch.name()).isEqualTo("page"));
    }

    @Test
    void shouldShowInJmxAndSwitchWhereAllowed() throws Exception {
        begin(phases);
        dual = builder().jmx(false).build();
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.anneal.dualdao:type=DualDao,name=\"users\",instance=\"one\"");
        DualDaoMXBean shown = JMX.newMXBeanProxy(server, name, DualDaoMXBean.class);

        assertThat(shown.getName()).isEqualTo(NAME);
        assertThat(shown.getInstance()).isEqualTo("one");
        assertThat(shown.getPhase()).isEqualTo("1");
        assertThat(shown.getVersion()).isEqualTo(1);
        assertThat(shown.getReadSharePercent()).isEqualTo(100);
        assertThat(shown.isSwitchAllowed()).isFalse();
        assertThat(shown.getInstances()).singleElement().asString().isEqualTo("one: version 1");
        assertThat(shown.getReadiness()).isNotEmpty();
        assertThat(shown.getHistory()).singleElement().asString().contains("phase 1", "test: begin");
        assertThat(shown.getHeldUp()).isEmpty();
        assertThat(shown.getStoreFailures()).isZero();
        assertThatThrownBy(() -> shown.advance("me", "now"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not allowed");
        dual.close();
        assertThat(server.isRegistered(name)).isFalse();

        dual = builder().jmx(true).build();
        assertThat(shown.advance("me", "now")).contains("phase 2", "me: now");
        dual.poll();
        assertThat(shown.rollback("me", "back")).contains("phase 1");
        assertThatThrownBy(() -> shown.advance("me", "too early"))
                .isInstanceOf(IllegalStateException.class)
                .as("not acknowledged yet")
                .hasMessageContaining("instances");
    }

    @Test
    void shouldStandForItself() {
        start();

        assertThat(dual.dao())
                .isEqualTo(dual.dao())
                .hasToString("DualDao[type=" + UserDao.class.getName() + ", name=users, instance=one]");
        assertThat(dual).hasToString(dual.dao().toString());
    }
}
