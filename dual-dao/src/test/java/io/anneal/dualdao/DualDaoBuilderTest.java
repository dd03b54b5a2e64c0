package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Increment;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.transaction.JdbcTransactions;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link DualDaoBuilder#build} refuses. */
final class DualDaoBuilderTest {
    private static final KeyCodec<Long> CODEC = KeyCodec.LONG;

    interface CountDao {
        @Read
        String read(@Key long id);

        @Increment
        void add(@Key long id, int count);

        @Conditional
        boolean swap(@Key long id, String from, String to);
    }

    interface ReadDao {
        @Read
        String read(@Key long id);
    }

    interface UnfinishedDao {
        String read(long id);

        void save(long id, String value);
    }

    sealed interface SealedDao permits SealedOne {
        @Read
        String read(@Key long id);
    }

    record SealedOne() implements SealedDao {
        @Override
        public String read(long id) {
            return "";
        }
    }

    @Test
    void shouldSayAllThatIsMissingAtOnce() {
        assertThat(problems(DualDao.builder(UnfinishedDao.class)))
                .containsExactly(
                        ".origin(...) is missing",
                        ".target(...) is missing",
                        ".mode(...) is missing; MIGRATION to move, TEST to try the target out",
                        ".phases(...) is missing: where the phase lives, such as new FilePhaseStore(directory)",
                        "read(long): nobody says what it does; annotate it, @Read by its name, or say .method(\"read\","
                                + " m -> m.read().key(0))",
                        "save(long, String): nobody says what it does; annotate it, @Write by its name, or say"
                                + " .method(\"save\", m -> m.write().key(0))");
    }

    @Test
    void shouldListTheProblemsInTheMessageALineEach() {
        DualDaoConfigException refused = catchThrowableOfType(
                DualDaoConfigException.class,
                () -> complete(ReadDao.class).mode(null).poll(Duration.ZERO).build());

        assertThat(refused)
                .hasMessage("dual DAO can't be built, name=ReadDao, problems=2\n"
                        + " - .mode(...) is missing; MIGRATION to move, TEST to try the target out\n"
                        + " - .poll(...) must be positive, duration=PT0S");
    }

    @Test
    void shouldRefuseOneStoreOnBothSides() {
        ReadDao one = dao(ReadDao.class);

        assertThat(problems(complete(ReadDao.class).origin(one).target(one)))
                .containsExactly(
                        "origin and target are the same object; give two stores, or say .sameStoreOnPurpose() in"
                                + " Mode.TEST");
        assertThat(problems(complete(ReadDao.class).identity(dao -> "cluster-1")))
                .containsExactly("origin and target are the same store, store=cluster-1; give two stores, or say"
                        + " .sameStoreOnPurpose() in Mode.TEST");
        assertThat(problems(complete(ReadDao.class).origin(one).target(one).sameStoreOnPurpose()))
                .containsExactly(
                        ".sameStoreOnPurpose() is for Mode.TEST, which then shows how much two equal sides differ");
        assertThat(problems(complete(ReadDao.class).identity(Object::toString).name(" ")))
                .as("two stores by their own names")
                .containsExactly(".name(...) is blank");
    }

    @Test
    void shouldRefuseAPersistentPhaseWithoutAMemoryOfIt() {
        String missing =
                ".directory(...) is missing: without it this instance can't tell a lost phase store from a new one,"
                        + " and forgets which keys a side lacks; say .withoutDirectory() to go without";

        assertThat(problems(complete(ReadDao.class).phases(store(true)))).containsExactly(missing);
        assertThat(problems(complete(ReadDao.class)
                        .phases(store(true))
                        .withoutDirectory()
                        .directory(Path.of("d"))))
                .containsExactly(".directory(...) and .withoutDirectory() can't both be meant");
    }

    @Test
    void shouldRefuseWhatIsDoneOnceWithoutACopyThatOverwrites() {
        assertThat(problems(complete(CountDao.class)))
                .filteredOn(problem -> problem.contains("copy"))
                .containsExactly(
                        "add: INCREMENT needs .copy(codec, copy), since it is done on one side and its result taken to the"
                                + " other",
                        "swap: CONDITIONAL needs .copy(codec, copy), since it is done on one side and its result taken to"
                                + " the other");
        assertThat(problems(complete(CountDao.class).copy(CODEC, new Copy<>(KeyCopy.Guarantee.IF_ABSENT))))
                .filteredOn(problem -> problem.contains("copy"))
                .containsExactly(
                        "add: INCREMENT needs a copy that overwrites, not IF_ABSENT, since it is done on one side and its"
                                + " result taken to the other",
                        "swap: CONDITIONAL needs a copy that overwrites, not IF_ABSENT, since it is done on one side and its"
                                + " result taken to the other");
    }

    @Test
    void shouldRefuseAJournalThatNothingWorksOff() {
        assertThat(problems(complete(ReadDao.class).writes(WritePolicy.ORIGIN_THEN_JOURNAL)))
                .containsExactly(".writes(ORIGIN_THEN_JOURNAL) needs .copy(codec, copy), which works the journal off");
    }

    @Test
    void shouldRefuseTransactionsWhoseWritesNothingTakesToTheOtherSide() {
        for (Mode mode : Mode.values()) {
            assertThat(problems(complete(ReadDao.class).mode(mode).transactions(new JdbcTransactions())))
                    .containsExactly(
                            ".transactions(...) needs .copy(codec, copy), since what one wrote is taken to the other"
                                    + " side when it has ended");
        }
    }

    @Test
    void shouldRefuseADurabilityOfNoJournal() {
        assertThat(problems(complete(ReadDao.class).durability(Durability.POWER_CUT)))
                .containsExactly(".durability(...) is of the journal in .directory(...), and there is none");
    }

    @Test
    void shouldRefuseReadRepairThatCouldUndoWrites() {
        ReadRepair some = new ReadRepair(10);

        assertThat(problems(complete(ReadDao.class).readRepair(some)))
                .containsExactly(".readRepair(...) needs .copy(codec, copy)");
        assertThat(problems(complete(ReadDao.class)
                        .readRepair(some)
                        .copy(CODEC, new Copy<ReadDao>(KeyCopy.Guarantee.NONE))))
                .containsExactly(
                        ".readRepair(...) with a copy of guarantee NONE would undo newer writes of other instances;"
                                + " the copy must keep SOURCE_TIMESTAMPS or write IF_ABSENT");
        assertThat(problems(complete(ReadDao.class).mode(Mode.TEST).readRepair(some)))
                .containsExactly(".readRepair(...) does nothing in Mode.TEST, where no read falls back");
        assertThat(problems(complete(ReadDao.class).readRepair(new ReadRepair(-1))))
                .containsExactly(".readRepair(...) is negative");
    }

    @Test
    void shouldRefuseNumbersOutOfRange() {
        assertThat(problems(complete(ReadDao.class)
                        .compareSample(101)
                        .speculative(100)
                        .timingSample(3)
                        .shadow(new ShadowConfig(0, 1))
                        .keyWait(Duration.ZERO)
                        .poll(Duration.ofSeconds(-1))
                        .targetTimeout(Duration.ZERO)
                        .quietWindow(Duration.ofSeconds(-1))
                        .mismatchReread(Duration.ofMillis(-1))))
                .containsExactly(
                        ".compareSample(...) is not 0 to 100, percent=101",
                        ".speculative(...) is no percentile, percentile=100.0",
                        ".timingSample(...) is no power of two, calls=3",
                        ".shadow(...) has no room, threads=0, queueLength=1",
                        ".poll(...) must be positive, duration=PT-1S",
                        ".targetTimeout(...) must be positive, duration=PT0S",
                        ".keyWait(...) must be positive, duration=PT0S",
                        ".quietWindow(...) is negative, duration=PT-1S",
                        ".mismatchReread(...) is negative, delay=PT-0.001S");
    }

    @Test
    void shouldRefuseNullWhereThereIsADefault() {
        assertThat(problems(complete(ReadDao.class)
                        .missing(null)
                        .writes(null)
                        .fallback(null)
                        .partitions(null)
                        .readRepair(null)
                        .mismatchReread(null)
                        .shadow(null)
                        .metrics(null)
                        .environment(null)
                        .keyWait(null)
                        .transactions(null)
                        .poll(null)
                        .quietWindow(null)
                        .closeTimeout(null)
                        .returns(null)))
                .containsExactly(
                        ".missing(null)",
                        ".writes(null)",
                        ".fallback(null)",
                        ".partitions(null)",
                        ".readRepair(null)",
                        ".mismatchReread(null)",
                        ".shadow(null)",
                        ".metrics(null)",
                        ".environment(null)",
                        ".keyWait(null)",
                        ".transactions(null)",
                        ".poll(null)",
                        ".quietWindow(null)",
                        ".closeTimeout(null)",
                        ".returns(null)");
    }

    @Test
    void shouldRefusePoliciesThatLackTheirOtherHalf() {
        assertThat(problems(complete(ReadDao.class)
                        .fallback(new FallbackPolicy(true, true, true))
                        .partitions(Partitions.merged(null))
                        .copy(null, new Copy<>(KeyCopy.Guarantee.SOURCE_TIMESTAMPS))))
                .containsExactly(
                        ".fallback(...) on timeout needs .targetTimeout(...): else the target is never late",
                        ".partitions(merged(null)): nothing to merge with",
                        ".copy(null, ...): without a codec no key can be read back from the journal");
    }

    @Test
    void shouldRefuseTypesThatNoProxyCanStandInFor() {
        assertThat(problems(complete(SealedDao.class)))
                .containsExactly("a sealed interface can't be implemented, type=" + SealedDao.class.getName());
        assertThat(problems(DualDao.builder(String.class)
                        .origin("a")
                        .target("b")
                        .mode(Mode.MIGRATION)
                        .phases(store(false))))
                .containsExactly(
                        "not an interface, type=java.lang.String; DualDao.functional(...) does without a proxy");
    }

    @Test
    void shouldRefuseServicesThatCannotBeLoaded(@TempDir Path directory) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(ReturnAdapter.class.getName()), "no.such.Adapter");
        String name = PhaseSource.class.getName();
        byte[] bytes;
        try (InputStream in =
                PhaseSource.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            bytes = in.readAllBytes();
        }
        ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {
            @Override
            protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
                return wanted.equals(name)
                        ? defineClass(name, bytes, 0, bytes.length)
                        : super.loadClass(wanted, resolve);
            }

            @Override
            protected Enumeration<URL> findResources(String wanted) throws IOException {
                Path file = directory.resolve(wanted);
                return Files.exists(file)
                        ? Collections.enumeration(List.of(file.toUri().toURL()))
                        : Collections.emptyEnumeration();
            }
        };

        assertThat(problems(complete(loader.loadClass(name))))
                .singleElement()
                .asString()
                .startsWith("a service can't be loaded, reason=")
                .contains("no.such.Adapter");
    }

    @Test
    void shouldRefuseOperationsThatShareANameOrAreNone() {
        OperationSpec<ReadDao, Long, String> read =
                OperationSpec.of("read", OperationKind.READ, id -> id, ReadDao::read);

        assertThat(problems(complete(ReadDao.class).operation(read)))
                .containsExactly("two operations have the name read");
        assertThat(problems(DualDao.functional(ReadDao.class)
                        .origin(dao(ReadDao.class))
                        .target(dao(ReadDao.class))
                        .mode(Mode.MIGRATION)
                        .phases(store(false))))
                .containsExactly("no operation; say .operation(OperationSpec.of(...)) for each");
    }

    private record Copy<D>(KeyCopy.Guarantee guarantee) implements KeyCopy<D, Long> {
        @Override
        public CompletionStage<Void> copy(Long key, D from, D to, long takenAwayBeforeMicros) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<?> read(Long key, D dao) {
            return CompletableFuture.completedStage(null);
        }
    }

    private static <D> DualDaoBuilder<D> complete(Class<D> type) {
        return DualDao.builder(type)
                .origin(type == SealedDao.class ? type.cast(new SealedOne()) : dao(type))
                .target(type == SealedDao.class ? type.cast(new SealedOne()) : dao(type))
                .mode(Mode.MIGRATION)
                .phases(store(false));
    }

    private static List<String> problems(DualDaoBuilder<?> builder) {
        return catchThrowableOfType(DualDaoConfigException.class, builder::build)
                .problems();
    }

    private static <D> D dao(Class<D> type) {
        Object unusable = new Object();
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            if (method.getName().equals("toString")) {
                return unusable.toString();
            }
            throw new AssertionError("not to be called, method=" + method);
        }));
    }

    private static PhaseStore store(boolean persistent) {
        Class<?>[] types = {PhaseStore.class};
        return (PhaseStore) Proxy.newProxyInstance(PhaseStore.class.getClassLoader(), types, (proxy, method, args) -> {
            if (method.getName().equals("persistent")) {
                return persistent;
            }
            throw new AssertionError("not to be called, method=" + method);
        });
    }
}
