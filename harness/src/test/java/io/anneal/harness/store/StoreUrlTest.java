package io.anneal.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseMark.Seen;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoreUrlTest {
    private static final StoreSettings SETTINGS = StoreSettings.of("origin", Delayer.NONE);
    private static final List<Item> ITEMS = List.of(new Item("b", "c", "d"));

    @TempDir
    private Path directory;

    private OpenStore open(String url) throws IOException {
        return StoreUrl.parse(url).open(SETTINGS);
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Test
    void shouldOpenAnEmbeddedStoreThatLasts() throws IOException {
        String url = "embedded:" + directory.resolve("s");
        try (OpenStore store = open(url)) {
            answer(store.dao().write(7, ITEMS));
            assertThat(store.url().lasting()).isTrue();
        }
        try (OpenStore store = open(url)) {
            assertThat(answer(store.dao().read(7))).isEqualTo(new Partition(7, ITEMS));
        }
    }

    @Test
    void shouldNameTheUrlOfAStoreThatIsOpenAlready() throws IOException {
        String url = "embedded:" + directory.resolve("s");
        try (OpenStore store = open(url)) {
            assertThat(store.dao().identity()).startsWith("embedded:");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> open(url))
                    .withMessageContaining(url)
                    .withMessageContaining("nobody else");
        }
    }

    @Test
    void shouldRememberTheNewestPhaseInAnEmbeddedStore() throws IOException {
        Seen older = new Seen(2, Phase.WRITE_BOTH, Phase.WRITE_BOTH);
        Seen newer = new Seen(3, Phase.ORIGIN_ONLY, Phase.WRITE_BOTH);
        String url = "embedded:" + directory.resolve("s");
        try (OpenStore store = open(url)) {
            PhaseMark mark = store.mark().orElseThrow();
            assertThat(mark.read("m")).isEmpty();
            mark.remember("m", newer);
            mark.remember("m", older);
            assertThat(mark.read("other")).isEmpty();
        }
        try (OpenStore store = open(url)) {
            assertThat(store.mark().orElseThrow().read("m")).contains(newer);
        }
    }

    @Test
    void shouldRememberAgainWhatSomebodyDeletedToStartOver() throws IOException {
        Seen before = new Seen(7, Phase.READ_TARGET, Phase.READ_TARGET);
        Seen first = new Seen(1, Phase.ORIGIN_ONLY, Phase.ORIGIN_ONLY);
        try (OpenStore store = open("embedded:" + directory.resolve("s"))) {
            PhaseMark mark = store.mark().orElseThrow();
            mark.remember("m", before);
            marks(store).row().key("name", "m").deletePartition();
            assertThat(mark.read("m")).isEmpty();
            mark.remember("m", first);
            assertThat(mark.read("m")).contains(first);
        }
    }

    @Test
    void shouldSayThatADeletionHidesWhatIsRemembered() throws IOException {
        try (OpenStore store = open("embedded:" + directory.resolve("s"))) {
            marks(store)
                    .row()
                    .key("name", "m")
                    .timestampMicros(Long.MAX_VALUE - 1)
                    .deletePartition();
            PhaseMark mark = store.mark().orElseThrow();
            assertThatExceptionOfType(PhaseStoreException.class)
                    .isThrownBy(() -> mark.remember("m", new Seen(1, Phase.ORIGIN_ONLY, Phase.ORIGIN_ONLY)))
                    .withMessageContaining("name=m")
                    .withMessageContaining("version=1")
                    .withMessageContaining("deleted");
        }
    }

    private static Table marks(OpenStore store) {
        return ((EmbeddedPartitionDao) store.dao())
                .store().tables().stream()
                        .filter(table -> table.schema().name().equals("phase_mark"))
                        .findAny()
                        .orElseThrow();
    }

    @Test
    void shouldOpenMemoryByItsRoleOrName() throws IOException {
        try (OpenStore store = open("memory:");
                OpenStore named = open("memory:cache?latencyMillis=0")) {
            assertThat(store.dao().identity()).isEqualTo("memory:origin");
            assertThat(named.dao().identity()).isEqualTo("memory:cache");
            assertThat(store.url().lasting()).isFalse();
            assertThat(store.mark()).isEmpty();
        }
    }

    @Test
    void shouldTakeFaultsOfAMemoryStoreFromItsUrl() throws IOException {
        try (OpenStore store = open("memory:?failing=1")) {
            assertThat(store.dao().read(7).toCompletableFuture()).isCompletedExceptionally();
        }
    }

    @Test
    void shouldOpenADaoOfTheCallersOwn() throws IOException {
        try (OpenStore store = open("dao:" + OwnDao.class.getName())) {
            assertThat(store.dao().identity()).isEqualTo("own");
        }
    }

    @Test
    void shouldSayWhyADaoCannotBeMade() {
        assertRefused("dao:no.such.Dao", "--classpath");
        assertRefused("dao:java.lang.String", "implement it");
        assertRefused("dao:" + MemoryPartitionDao.class.getName(), "constructor");
        assertRefused("dao:" + ThrowingDao.class.getName(), "no luck today");
    }

    private void assertRefused(String url, String part) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> open(url))
                .withMessageContaining(url)
                .withMessageContaining(part);
    }

    @Test
    void shouldNameAnEntryOfTheClassPathThatIsNotThere() {
        StoreSettings settings = SETTINGS.withClassPath(List.of(directory.resolve("no.jar")));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> StoreUrl.parse("dao:A").open(settings))
                .withMessageContaining("no.jar");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "embedded:",
                "mysql://h/db",
                "dao:",
                "cassandra://",
                "cassandra://h:9042",
                "cassandra://h:9042/",
                "cassandra://h:99999/ks",
                "cassandra://h:x/ks",
                "cassandra://a,,b/ks",
                "cassandra://h/no-such-name",
                "memory:?speed=1",
                "memory:?failing=much",
                "memory:?failing=0.6&lossy=0.6",
            })
    void shouldRefuseWhatIsNoUrlOfAStore(String url) {
        assertThatIllegalArgumentException().isThrownBy(() -> StoreUrl.parse(url));
    }

    @Test
    void shouldTakeAddressesOfCassandraApart() {
        CassandraAddress address = CassandraAddress.parse("cassandra://a,b:9142,[::1]:19042/Ks_1");
        assertThat(address.url()).isEqualTo("cassandra://a:9042,b:9142,[::1]:19042/Ks_1");
        assertThat(address.keyspace()).isEqualTo("Ks_1");
        assertThat(CassandraAddress.parse(address.url())).isEqualTo(address);
    }

    @Test
    void shouldSayInTimeThatNobodyIsThere() {
        // Port 1 of this machine: refused at once.
        assertTimeout(
                Duration.ofMinutes(5),
                () -> assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> open("cassandra://127.0.0.1:1/ks"))
                        .withMessageContaining("cassandra://127.0.0.1:1/ks")
                        .withMessageContaining("reason=")
                        .withMessageContaining("check that Cassandra runs there")
                        .withMessageNotContaining("\n"));
    }

    @Test
    void shouldNameADriversConfigurationThatIsWrong() throws IOException {
        Path file = directory.resolve("driver.conf");
        StoreSettings settings = SETTINGS.withDriverConfiguration(Optional.of(file));
        StoreUrl url = StoreUrl.parse("cassandra://127.0.0.1:1/ks");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> url.open(settings))
                .withMessageContaining("driver.conf")
                .withMessageContaining("can't be read");
        Files.writeString(file, "datastax-java-driver { basic");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> url.open(settings))
                .withMessageContaining("driver.conf")
                .withMessageContaining("is wrong");
        Files.writeString(file, "datastax-java-driver.advanced.ssl-engine-factory.class = NoSuchFactory");
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> url.open(settings))
                .withMessageContaining("driver.conf")
                .withMessageContaining("NoSuchFactory");
    }

    @Test
    void shouldOpenPhaseStores() throws IOException {
        try (PhaseStore store = PhaseStoreUrl.parse("memory:").open(Optional.empty(), true)) {
            assertThat(store.read("m")).isEmpty();
            assertThat(store.persistent()).isFalse();
        }
        try (PhaseStore store =
                PhaseStoreUrl.parse("file:" + directory.resolve("phases")).open(Optional.empty(), true)) {
            assertThat(store).isInstanceOf(FilePhaseStore.class);
        }
        for (String wrong : List.of("", "file:", "memory", "http://h", "cassandra://h")) {
            assertThatIllegalArgumentException().isThrownBy(() -> PhaseStoreUrl.parse(wrong));
        }
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(
                        () -> PhaseStoreUrl.parse("cassandra://127.0.0.1:1/ks").open(Optional.empty(), false));
    }

    /** A caller's own. */
    public static class OwnDao implements PartitionDao {
        private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

        public OwnDao() {}

        @Override
        public CompletionStage<Partition> read(long a) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> write(long a, List<Item> items) {
            return DONE;
        }

        @Override
        public CompletionStage<Void> replace(long a, List<Item> items) {
            return DONE;
        }

        @Override
        public CompletionStage<Void> delete(long a) {
            return DONE;
        }

        @Override
        public CompletionStage<Void> deleteItem(long a, String b, String c) {
            return DONE;
        }

        @Override
        public String identity() {
            return "own";
        }

        @Override
        public void close() {}
    }

    /** One whose store is not there. */
    public static final class ThrowingDao extends OwnDao {
        public ThrowingDao() {
            throw new IllegalStateException("no luck today");
        }
    }
}
