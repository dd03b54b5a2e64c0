package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.store.LiveFiles;
import io.anneal.store.LiveFiles.OpenFile;
import io.anneal.store.LiveFiles.PinnedFile;
import io.anneal.store.LiveFiles.PinnedSSTable;
import io.anneal.store.SSTableWriter;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of replicas that are held while tables go on without them. */
@Timeout(60)
class LiveFilesTest {
    private static final String TEXT = "CREATE TABLE shop.orders (id int PRIMARY KEY, item text);";

    private static final StoreConfig CONFIG = StoreConfig.defaults().withShardCount(1);

    @TempDir
    private Path directory;

    private static void write(Table table, int first, int count) throws IOException {
        for (int id = first; id < first + count; id++) {
            table.row().key("id", id).set("item", "a spoon").insert();
        }
    }

    private static LiveFiles pin(Store store) throws IOException {
        try (Replica replica = new StoreReplicas(store).open("shop", "orders", Optional.empty())) {
            return replica.pin(tokens -> true);
        }
    }

    private static byte[] bytes(PinnedFile file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.lengthBytes()));
        try (OpenFile open = file.open()) {
            while (bytes.hasRemaining() && open.channel().read(bytes, bytes.position()) > 0) {
                assertThat(bytes.position()).isPositive();
            }
        }
        return bytes.array();
    }

    /** Reads each byte of each component; the data by its digest. */
    private static void shouldBeWhole(LiveFiles files) throws IOException {
        for (PinnedSSTable sstable : files.sstables()) {
            CRC32 crc = new CRC32();
            crc.update(bytes(sstable.files().get(Component.DATA)));
            assertThat(new String(bytes(sstable.files().get(Component.DIGEST)), StandardCharsets.US_ASCII))
                    .isEqualTo(Long.toString(crc.getValue()));
            List<String> listed = new String(bytes(sstable.files().get(Component.TOC)), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
            assertThat(sstable.files().keySet())
                    .extracting(Component::fileSuffix)
                    .containsExactlyInAnyOrderElementsOf(listed);
            for (PinnedFile file : sstable.files().values()) {
                assertThat(bytes(file)).hasSize((int) file.lengthBytes());
            }
        }
    }

    private static List<Descriptor> descriptors(LiveFiles files) {
        return files.sstables().stream().map(PinnedSSTable::descriptor).toList();
    }

    private static void awaitGone(List<Descriptor> sstables) {
        while (sstables.stream().anyMatch(sstable -> sstable.has(Component.DATA))) {
            assertThat(Thread.interrupted()).isFalse();
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldKeepFilesThatAreCompactedUntilTheyAreClosed() throws IOException {
        try (Store store = Store.open(directory, CONFIG)) {
            Table table = store.createTable(TEXT);
            write(table, 0, 10);
            table.flush();
            write(table, 10, 10);
            List<Descriptor> before;
            try (LiveFiles files = pin(store)) {
                assertThat(table.sstableCount())
                        .as("what was in memory is in files")
                        .isEqualTo(2);
                assertThat(files.sstables()).hasSize(2);
                assertThat(files.schema().qualifiedName()).isEqualTo("shop.orders");
                assertThat(files.sstables().get(0).level()).isZero();
                assertThat(files.sstables().get(0).repairedAtMillis()).isZero();
                TokenRange.Linear tokens = files.sstables().get(0).tokens().orElseThrow();
                assertThat(tokens.first()).isLessThan(tokens.last());
                before = descriptors(files);

                table.compact();

                assertThat(table.sstableCount()).isEqualTo(1);
                assertThat(before).allMatch(sstable -> sstable.has(Component.DATA));
                shouldBeWhole(files);
            }
            awaitGone(before);
            try (LiveFiles files = pin(store)) {
                assertThat(descriptors(files)).hasSize(1).doesNotContainAnyElementsOf(before);
            }
        }
    }

    @Test
    void shouldOpenNoFileThatIsNotWanted() throws IOException {
        try (Store store = Store.open(directory, CONFIG)) {
            Table table = store.createTable(TEXT);
            write(table, 0, 10);
            table.flush();
            write(table, 10, 1);
            TokenRange.Linear single;
            try (LiveFiles all = table.liveFiles()) {
                assertThat(all.sstables()).hasSize(2);
                single = all.sstables().get(1).tokens().orElseThrow();
            }
            assertThat(single.first()).isEqualTo(single.last());

            try (LiveFiles one = table.liveFiles(single::equals)) {
                assertThat(one.sstables())
                        .singleElement()
                        .satisfies(sstable -> assertThat(sstable.tokens()).contains(single));
                shouldBeWhole(one);
            }
            try (LiveFiles none = table.liveFiles(tokens -> false)) {
                assertThat(none.sstables()).isEmpty();
                assertThat(none.isTableEmpty()).isFalse();
            }
            table.truncate();
            try (LiveFiles none = table.liveFiles(tokens -> true)) {
                assertThat(none.isTableEmpty()).isTrue();
            }
        }
    }

    /** Of thousands of SSTables they would be more than a process may open. */
    @Test
    void shouldHoldNoFileOfAStoreOpen() throws IOException {
        Path open = Path.of("/proc/self/fd");
        assumeThat(open).isDirectory();
        try (Store store = Store.open(directory, CONFIG)) {
            write(store.createTable(TEXT), 0, 10);
            try (LiveFiles files = pin(store)) {
                shouldBeWhole(files);
                try (Stream<Path> descriptors = Files.list(open)) {
                    assertThat(descriptors.filter(LiveFilesTest::isFilter).toList())
                            .isEmpty();
                }
            }
        }
    }

    private static boolean isFilter(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().endsWith(Component.FILTER.fileSuffix());
        } catch (IOException closed) {
            return false;
        }
    }

    @Test
    void shouldKeepFilesThatAreTruncatedUntilTheyAreClosed() throws IOException {
        try (Store store = Store.open(directory, CONFIG)) {
            Table table = store.createTable(TEXT);
            write(table, 0, 10);
            List<Descriptor> before;
            try (LiveFiles files = pin(store)) {
                before = descriptors(files);
                table.truncate();
                assertThat(table.sstableCount()).isZero();
                assertThat(before).allMatch(sstable -> sstable.has(Component.DATA));
                shouldBeWhole(files);
            }
            awaitGone(before);
        }
    }

    @Test
    void shouldSayThatATableIsDropped() throws IOException {
        try (Store store = Store.open(directory, CONFIG)) {
            write(store.createTable(TEXT), 0, 10);
            try (LiveFiles files = pin(store)) {
                store.dropTable("shop.orders");

                assertThat(descriptors(files)).noneMatch(sstable -> sstable.has(Component.DATA));
                assertThatThrownBy(() -> shouldBeWhole(files))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("shop.orders");

                write(store.createTable(TEXT), 0, 10);
                store.flush();
                assertThatThrownBy(() -> shouldBeWhole(files))
                        .as("others have their names now")
                        .isInstanceOf(IllegalStateException.class);
                store.dropTable("shop.orders");
            }
            assertThatThrownBy(() -> pin(store)).isInstanceOf(ReplicaException.class);
        }
    }

    @Test
    void shouldBeWholeWhateverTheTableDoesMeanwhile() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        AtomicBoolean enough = new AtomicBoolean();
        try (Store store = Store.open(directory, CONFIG)) {
            Table table = store.createTable(TEXT);
            Future<?> busy = executor.submit(() -> {
                for (int i = 0; !enough.get(); i++) {
                    write(table, i * 10, 10);
                    table.flush();
                    if (i % 3 == 2) {
                        table.compact();
                    }
                    if (i % 5 == 4) {
                        table.truncate();
                    }
                }
                return null;
            });
            for (int i = 0; i < 20; i++) {
                try (LiveFiles files = pin(store)) {
                    shouldBeWhole(files);
                }
            }
            enough.set(true);
            busy.get();
        } finally {
            executor.shutdownNow();
        }
    }

    private Path cassandra() throws IOException {
        TableSchema schema =
                CqlSchema.parse(TEXT, "orders.cql").table("shop", "orders").orElseThrow();
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(directory).timestampMicros(1).unsorted(1 << 20)) {
            for (int id = 0; id < 10; id++) {
                writer.row().key("id", id).set("item", "a spoon").insert();
            }
            writer.finish();
        }
        Path table = directory.resolve("shop").resolve("orders");
        Files.writeString(table.resolve("schema.cql"), TEXT);
        return table;
    }

    private static void deleteAll(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private Replica replica() throws IOException {
        return new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty())
                .open("shop", "orders", Optional.empty());
    }

    @Test
    void shouldReadFilesThatCassandraDeletes() throws IOException {
        Path table = cassandra();
        LiveFiles files;
        try (Replica replica = replica()) {
            files = replica.pin(tokens -> true);
        }
        deleteAll(table);

        assertThat(files.sstables()).hasSize(1);
        assertThat(files.lengthBytes()).isPositive();
        shouldBeWhole(files);
        files.close();
        assertThatThrownBy(() -> shouldBeWhole(files)).isInstanceOf(IOException.class);
    }

    @Test
    void shouldNameTheFileThatWasDeletedBeforeItWasHeld() throws IOException {
        Path table = cassandra();
        try (Replica replica = replica()) {
            deleteAll(table);

            assertThatThrownBy(() -> replica.pin(tokens -> true))
                    .isInstanceOf(NoSuchFileException.class)
                    .hasMessageContaining("Data.db")
                    .hasMessageContaining("deleted");
        }
    }

    @Test
    void shouldNoteAReplicaWithoutSSTables() throws IOException {
        Path table = cassandra();
        try (Stream<Path> files = Files.list(table)) {
            for (Path file :
                    files.filter(file -> Descriptor.of(file).isPresent()).toList()) {
                Files.delete(file);
            }
        }
        try (Replica replica = replica()) {
            assertThat(replica.notes()).anyMatch(note -> note.contains("no SSTable"));
        }
        CassandraReplicas ofNode =
                new CassandraReplicas(List.of(directory), Optional.empty(), Optional.empty()).withViewsAndCdcChecked();
        try (Replica replica = ofNode.open("shop", "orders", Optional.empty())) {
            assertThat(replica.notes()).as("the node said where they are").isEmpty();
        }
    }

    @Test
    void shouldNotNoteAStoreWhoseRowsAreInMemory() throws IOException {
        try (Store store = Store.open(directory, CONFIG)) {
            write(store.createTable(TEXT), 0, 10);
            try (Replica replica = new StoreReplicas(store).open("shop", "orders", Optional.empty())) {
                assertThat(replica.notes()).isEmpty();
            }
        }
    }
}
