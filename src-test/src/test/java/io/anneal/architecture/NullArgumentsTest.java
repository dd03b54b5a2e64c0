package io.anneal.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.KeyRun;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.io.ByteBudget;
import io.anneal.job.JobControl;
import io.anneal.job.RangeJob;
import io.anneal.job.RangeUnit;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import io.anneal.metrics.TableSelection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.KeptDirectory;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.node.Ring;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.paging.Consistency;
import io.anneal.paging.PagedTable;
import io.anneal.paging.Paging;
import io.anneal.paging.PagingCookie;
import io.anneal.paging.PagingService;
import io.anneal.paging.PagingState;
import io.anneal.paging.RemotePages;
import io.anneal.paging.Scan;
import io.anneal.paging.ScanPage;
import io.anneal.paging.ScanPages;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.query.Condition;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.ReadQuery;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairMetrics;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableAlteration;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.RangeDeletionBuilder;
import io.anneal.store.RowBuilder;
import io.anneal.store.RowRange;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.StoreBatch;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.store.directory.TableSource;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamRunner;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No null that is not meant gets into a library's insides: each is refused where it is given, by the name of the argument. */
final class NullArgumentsTest {
    /** What users begin with, and what that gives them. */
    private static final List<Class<?>> TYPES = List.of(
            Store.class,
            StoreConfig.class,
            HostEnvironment.class,
            Table.class,
            TableMutation.class,
            RowBuilder.class,
            RangeDeletionBuilder.class,
            StoreBatch.class,
            TableRow.class,
            TableRows.class,
            RowRange.class,
            SSTables.class,
            SSTableWriter.class,
            SSTableWriter.Builder.class,
            Mutation.class,
            CqlSchema.class,
            TableSchema.class,
            TableSchema.Builder.class,
            TableAlteration.class,
            JavaValues.class,
            TokenRange.class,
            Node.class,
            Ring.class,
            Ring.Part.class,
            CassandraReplicas.class,
            StoreReplicas.class,
            StagingArea.class,
            RangeJob.class,
            RangeJob.Builder.class,
            JobControl.class,
            Repair.class,
            RepairMember.class,
            RepairEnvironment.class,
            RepairService.class,
            RepairRunner.class,
            StreamPlan.class,
            StreamSource.class,
            StreamTarget.class,
            StreamService.class,
            StreamRunner.class,
            Paging.class,
            PagedTable.class,
            Scan.class,
            ScanPages.class,
            ScanPage.class,
            PagingCookie.class,
            PagingState.class,
            PagingService.class,
            RemotePages.class,
            Condition.class,
            DualDao.class,
            KeyRun.class,
            PhaseControl.class);

    /** Arguments of which null is meant, or refused in another way: with what it is of. */
    private static final Set<String> OTHERWISE = Set.of(
            // Null deletes, as in CQL.
            "RowBuilder.set.value",
            "RowBuilder.setAt.value",
            // As the value of a column or type: refused by the column's name, or the type's.
            "RowBuilder.key.value",
            "RowBuilder.clustering.value",
            "RowBuilder.add.elements",
            "RowBuilder.prepend.elements",
            "RowBuilder.remove.element",
            "RangeDeletionBuilder.key.value",
            "RangeDeletionBuilder.clustering.value",
            "RangeDeletionBuilder.from.value",
            "RangeDeletionBuilder.to.value",
            "JavaValues.toBytes.value",
            "Condition.of.value",
            "Scan.where.value",
            // No cookie is a wrong one.
            "Scan.nextPage.cookie",
            "Scan.pages.cookie",
            "PagingCookie.read.cookie");

    @TempDir
    private static Path directory;

    private static final Map<Class<?>, Object> SAMPLES = new HashMap<>();
    private static final Map<Class<?>, Object> ONES = Map.of(
            int.class,
            1,
            long.class,
            1L,
            short.class,
            (short) 1,
            byte.class,
            (byte) 1,
            double.class,
            1.0,
            float.class,
            1f);

    private static final List<AutoCloseable> OPENED = new ArrayList<>();

    /** What a dual DAO stands in for. */
    public interface NameDao {
        @Read
        String find(@Key long id);

        @Write
        void save(@Key long id, String name);
    }

    private record NoNames(String store) implements NameDao {
        @Override
        public String find(long id) {
            return null;
        }

        @Override
        public void save(long id, String name) {
            // Nothing is kept.
        }
    }

    private record NoCopy() implements KeyCopy<NameDao, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.NONE;
        }

        @Override
        public CompletionStage<Object> read(Long key, NameDao dao) {
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<Void> copy(Long key, NameDao from, NameDao to, long takenAwayBeforeMicros) {
            return CompletableFuture.completedStage(null);
        }
    }

    private static <T> T opened(T resource) {
        OPENED.add((AutoCloseable) resource);
        return resource;
    }

    private static <T> void sample(Class<T> type, T value) {
        SAMPLES.put(type, value);
    }

    @BeforeAll
    static void makeSamples() throws Exception {
        sample(Path.class, directory);
        sample(String.class, "ks.t");
        sample(Object.class, "x");
        sample(Class.class, String.class);
        sample(Duration.class, Duration.ofSeconds(1));
        sample(Instant.class, Instant.EPOCH);
        sample(UUID.class, new UUID(1, 1));
        sample(Optional.class, Optional.empty());
        sample(List.class, List.of());
        sample(Set.class, Set.of());
        sample(Map.class, Map.of());
        sample(LinkedHashMap.class, new LinkedHashMap<>());
        sample(byte[].class, new byte[16]);
        sample(InetSocketAddress.class, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        makeStoreSamples();
        makeNodeSamples();
        makePagingSamples();
        makeDualDaoSamples();
    }

    private static void makeStoreSamples() throws IOException {
        sample(HostEnvironment.class, HostEnvironment.system());
        sample(StoreConfig.class, StoreConfig.defaults());
        sample(TokenRange.class, TokenRange.FULL);
        sample(TokenRange.Linear.class, TokenRange.Linear.ALL);
        sample(Slices.class, Slices.ALL);
        sample(CqlType.class, CqlTypes.INT);
        String text = "CREATE TABLE ks.t (k int, c int, v text, PRIMARY KEY (k, c))";
        CqlSchema schema = CqlSchema.parse(text, "text");
        sample(CqlSchema.class, schema);
        sample(TableAlteration.class, TableAlteration.of("ks.t"));
        Store store = opened(Store.open(directory.resolve("store")));
        sample(Store.class, store);
        Table table = store.createTable(text);
        table.row().key("k", 1).clustering("c", 1).set("v", "x").insert();
        table.flush();
        sample(Table.class, table);
        sample(TableSchema.class, table.schema());
        sample(TableOptions.class, table.schema().options());
        sample(TableSchema.Builder.class, TableSchema.builder("ks", "t"));
        sample(TableMutation.class, table.mutation());
        sample(RowBuilder.class, table.row());
        sample(RangeDeletionBuilder.class, table.rangeDeletion());
        sample(StoreBatch.class, store.batch());
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).clustering("c", 1).insert();
        Mutation built = mutation.build();
        sample(Mutation.class, built);
        sample(MutationLimit.class, new MutationLimit(1 << 20, ""));
        sample(TableSelection.class, TableSelection.ALL);
        sample(SSTableWriterConfig.class, SSTableWriterConfig.defaults(1));
        sample(DecoratedKey.class, built.key());
        sample(RowRange.class, RowRange.ALL);
        sample(TableRows.class, opened(table.rows()));
        sample(TableRow.class, table.row(Map.of("k", 1, "c", 1)).orElseThrow());
        Path files = table.snapshot("s");
        sample(SSTables.class, opened(SSTables.open(files)));
        sample(TableSource.class, TableSource.of(List.of(files), Optional.empty()));
        sample(SSTableVersion.class, SSTableVersion.NB);
        sample(EncodingBase.class, EncodingBase.EPOCH);
        sample(Compression.class, Compression.of(table.schema().options()));
        sample(StagingDirectory.class, opened(StagingDirectory.open(directory.resolve("written"))));
        SSTableWriter.Builder writer = SSTableWriter.builder(table.schema());
        sample(SSTableWriter.Builder.class, writer);
        sample(
                SSTableWriter.class,
                opened(SSTableWriter.builder(table.schema())
                        .to(directory.resolve("rows"))
                        .unsorted(1 << 20)));
    }

    private static void makeNodeSamples() throws Exception {
        NetConfig config = NetConfig.of(
                new NodeIdentity(new UUID(1, 1), "", Map.of()),
                Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION));
        sample(NetConfig.class, config);
        Node node = opened(Node.open(config, 2, new SecureRandom()));
        sample(Node.class, node);
        sample(Replicas.class, node.replicas());
        sample(ByteBudget.class, node.budget());
        sample(VerbHandlers.class, node.handlers());
        Ring ring = Ring.of(List.of(TokenRange.FULL), Set.of("n1"));
        sample(Ring.class, ring);
        sample(Ring.Part.class, ring.parts().get(0));
        sample(StoreReplicas.class, new StoreReplicas((Store) SAMPLES.get(Store.class)));
        sample(CassandraReplicas.class, new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty()));
        sample(StagingArea.class, opened(StagingArea.open(directory.resolve("staging"), "owner", Clock.systemUTC())));
        sample(KeptDirectory.class, KeptDirectory.open(directory.resolve("kept"), new SecureRandom(), Instant.EPOCH));
        RangeJob.Builder<RangeUnit> job = RangeJob.builder(
                "job",
                text -> new RangeUnit(text, TokenRange.FULL, new TokenRanges(List.of(TokenRange.FULL)), List.of()),
                HostEnvironment.system());
        sample(RangeJob.Builder.class, job);
        sample(RangeJob.class, opened(job.open(List::of)));
        sample(JobControl.class, new JobControl());
        sample(Repair.class, Repair.of("ks.t"));
        sample(
                RepairEnvironment.class,
                new RepairEnvironment(HostEnvironment.system(), node.executor(), node.budget()));
        sample(RepairMetrics.class, opened(new RepairMetrics("", System::nanoTime)));
        sample(RepairService.class, new RepairService(node.replicas(), node.executor(), node.budget()));
        sample(RepairRunner.class, RepairRunner.of(node, HostEnvironment.system()));
        sample(StreamPlan.class, StreamPlan.of());
        sample(StreamSource.class, StreamSource.here((StoreReplicas) SAMPLES.get(StoreReplicas.class)));
        sample(StreamTarget.class, StreamTarget.here((StoreReplicas) SAMPLES.get(StoreReplicas.class)));
        sample(StreamService.class, StreamService.of(node, HostEnvironment.system()));
        sample(StreamRunner.class, StreamRunner.of(node, HostEnvironment.system(), 0));
    }

    private static void makePagingSamples() throws IOException {
        Node node = (Node) SAMPLES.get(Node.class);
        Table table = (Table) SAMPLES.get(Table.class);
        Paging paging = opened(Paging.open());
        sample(Paging.class, paging);
        sample(PagingMetrics.class, opened(new PagingMetrics("", System::nanoTime)));
        PagingService service = opened(
                PagingService.of(node, HostEnvironment.system(), opened(new PagingMetrics("", System::nanoTime))));
        service.register(node.handlers());
        sample(PagingService.class, service);
        node.replicas().add("r", (StoreReplicas) SAMPLES.get(StoreReplicas.class));
        sample(
                RemotePages.class,
                RemotePages.open(
                        node.peers(),
                        node.listen((InetSocketAddress) SAMPLES.get(InetSocketAddress.class)),
                        "",
                        "ks",
                        "t"));
        sample(QuerierLimits.class, QuerierLimits.DEFAULT);
        sample(PageLimits.class, PageLimits.DEFAULT);
        sample(Consistency.class, Consistency.ONE);
        PagedTable paged = paging.table(table);
        sample(PagedTable.class, paged);
        sample(Scan.class, paged.scan());
        ScanPages pages = opened(paged.scan().pages());
        sample(ScanPages.class, pages);
        sample(Page.class, pages.next().orElseThrow());
        sample(Condition.class, Condition.of(table.schema(), "v", Condition.Operator.EQUAL, "x"));
        sample(Condition.Operator.class, Condition.Operator.EQUAL);
        ReadQuery query = ReadQuery.ofRanges(List.of(TokenRange.FULL));
        sample(ReadQuery.class, query);
        sample(PagingCookie.class, PagingCookie.of(table.schema(), query));
        sample(PagingState.class, PagingState.start(new UUID(1, 1)));
    }

    private static void makeDualDaoSamples() {
        MemoryPhaseStore phases = opened(new MemoryPhaseStore());
        PhaseControl.of(phases, "names", Clock.systemUTC(), ControlPolicy.DEFAULTS)
                .create("test", "samples");
        DualDao<NameDao> dual = opened(DualDao.builder(NameDao.class)
                .name("names")
                .mode(Mode.MIGRATION)
                .origin(new NoNames("one"))
                .target(new NoNames("two"))
                .withoutDirectory()
                .phases(phases)
                .copy(KeyCodec.LONG, new NoCopy())
                .build());
        sample(DualDao.class, dual);
        sample(PhaseControl.class, dual.control());
        sample(WorkStart.class, dual.control().begin());
        sample(ControlPolicy.class, dual.control().policy());
        sample(KeyRun.class, dual.backfill(KeySource.of("none", List.<Long>of())));
    }

    @AfterAll
    static void closeSamples() throws Exception {
        for (int i = OPENED.size() - 1; i >= 0; i--) {
            OPENED.get(i).close();
        }
    }

    private static Stream<Class<?>> types() {
        return TYPES.stream();
    }

    @ParameterizedTest
    @MethodSource("types")
    void shouldRefuseEachNullByTheArgumentsName(Class<?> type) throws ReflectiveOperationException {
        List<String> accepted = new ArrayList<>();
        for (Executable executable : executables(type)) {
            Parameter[] parameters = executable.getParameters();
            for (int i = 0; i < parameters.length; i++) {
                assertThat(parameters[i].isNamePresent()).isTrue();
                if (parameters[i].getType().isPrimitive() || OTHERWISE.contains(name(executable, parameters[i]))) {
                    continue;
                }
                String outcome = outcome(executable, i);
                if (!outcome.equals(NullPointerException.class.getName() + ": " + parameters[i].getName())) {
                    accepted.add(name(executable, parameters[i]) + " of " + executable + " -> " + outcome);
                }
            }
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldListNoArgumentThatThereIsNot() {
        Set<String> names = new TreeSet<>();
        for (Class<?> type : TYPES) {
            for (Executable executable : executables(type)) {
                Stream.of(executable.getParameters()).forEach(parameter -> names.add(name(executable, parameter)));
            }
        }
        assertThat(names).containsAll(OTHERWISE);
    }

    private static String name(Executable executable, Parameter parameter) {
        String own = executable instanceof Method ? executable.getName() : "new";
        return executable.getDeclaringClass().getSimpleName() + "." + own + "." + parameter.getName();
    }

    private static List<Executable> executables(Class<?> type) {
        List<Executable> executables = new ArrayList<>(List.of(type.getConstructors()));
        for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())
                    && !method.isSynthetic()
                    && !method.getName().equals("equals")) {
                executables.add(method);
            }
        }
        return executables;
    }

    /** What comes of a call with null for one argument and something for the others. */
    private static String outcome(Executable executable, int nullIndex) throws ReflectiveOperationException {
        Object[] arguments = new Object[executable.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == nullIndex ? null : sampleOf(executable.getParameterTypes()[i]);
        }
        try {
            if (executable instanceof Constructor<?> constructor) {
                constructor.newInstance(arguments);
            } else {
                Object object =
                        Modifier.isStatic(executable.getModifiers()) ? null : sampleOf(executable.getDeclaringClass());
                ((Method) executable).invoke(object, arguments);
            }
            return "nothing";
        } catch (InvocationTargetException e) {
            return e.getCause().toString();
        }
    }

    private static Object sampleOf(Class<?> type) {
        Object sample = SAMPLES.get(type);
        if (sample != null) {
            return sample;
        }
        if (type.isArray()) {
            return Array.newInstance(type.getComponentType(), 0);
        }
        if (type.isPrimitive()) {
            return type == boolean.class ? Boolean.FALSE : ONES.get(type);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        assertThat(type.isInterface()).as("a sample is needed of " + type).isTrue();
        return proxy(type);
    }

    private static <T> T proxy(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                NullArgumentsTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null));
    }
}
