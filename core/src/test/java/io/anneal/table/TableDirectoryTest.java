package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.big.BigFormat;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TableDirectoryTest {
    private static final String ID = "2d987f40-e54c-11f1-9953-9ddbc8d5a59d";
    private static final String NAME = "t-2d987f40e54c11f199539ddbc8d5a59d";
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .id(ID)
            .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
            .column("v", CqlTypes.TEXT, Column.Kind.REGULAR)
            .build();
    private static final CommitLogPosition WRITTEN = new CommitLogPosition(1, 32);
    private static final ShardRule RULE = new ShardRule(2, 12);

    private static final SSTableFormats FORMATS = new SSTableFormats() {
        private final BigFormat format = new BigFormat();

        @Override
        public void requireWritable(TableOptions options) {}

        @Override
        public SSTableReader open(Descriptor descriptor) throws IOException {
            return format.open(descriptor);
        }

        @Override
        public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
                throws IOException {
            return format.write(directory, generation, schema, config);
        }
    };

    @TempDir
    private Path data;

    private TableDirectory create() throws IOException {
        return create(data);
    }

    private static TableDirectory create(Path data) throws IOException {
        return TableDirectory.create(data, SCHEMA, RULE, WRITTEN, FORMATS, OutputFile.CREATE_NEW);
    }

    private static TableDirectory reopen(TableDirectory table) throws IOException {
        return TableDirectory.open(table.directory(), FORMATS, OutputFile.CREATE_NEW);
    }

    /** Files that look like an SSTable's to those who only see names. */
    private static Descriptor place(Path directory, String generation) throws IOException {
        Files.createDirectories(directory);
        Descriptor descriptor = new Descriptor(directory, "nb", generation, "big");
        for (Component component : List.of(Component.DATA, Component.STATISTICS, Component.TOC)) {
            Files.writeString(descriptor.file(component), component + " of " + generation);
        }
        return descriptor;
    }

    private static Descriptor addLive(TableDirectory table, int shard) throws IOException {
        String generation = table.startWriting(1).get(0);
        Descriptor descriptor = place(table.directory(), generation);
        table.update(c -> c.withSSTables(List.of(new ListedSSTable(generation, shard)), List.of()));
        return descriptor;
    }

    private static List<String> names(Path directory) throws IOException {
        return Directories.list(directory).stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    @Test
    void shouldLayATableOutAsCassandraDoes() throws IOException {
        TableDirectory table = create();
        assertThat(table.directory()).isEqualTo(data.resolve("ks").resolve(NAME));
        assertThat(names(table.directory())).containsExactly("MANIFEST", "schema.cql");
        TableDirectory again = reopen(table);
        assertThat(again.schema()).isEqualTo(table.schema());
        assertThat(again.content())
                .isEqualTo(
                        ManifestContent.empty("ks", "t", table.tableId(), RULE).withAllFlushed(WRITTEN));
        assertThat(table.tableId()).hasToString(ID);
        assertThat(TableCatalogue.list(data)).containsExactly(table.directory());
    }

    @Test
    void shouldRefuseToMakeATableTwiceOrWithoutId() throws IOException {
        create();
        assertThatThrownBy(this::create)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(NAME);
        TableSchema nameless = TableSchema.builder("ks", "u")
                .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
                .build();
        assertThatThrownBy(() -> TableDirectory.create(data, nameless, RULE, WRITTEN, FORMATS, OutputFile.CREATE_NEW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ks.u");
        assertThat(nameless.withId(ID).id()).contains(ID);
    }

    @Test
    void shouldLeaveNoTableWhenMakingFails() throws IOException {
        assertThatThrownBy(() -> TableDirectory.create(data, SCHEMA, RULE, WRITTEN, FORMATS, file -> {
                    throw new IOException("No space left on device");
                }))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("schema.cql");
        assertThat(TableCatalogue.list(data)).isEmpty();
        TableCatalogue.sweep(data);
        assertThat(names(data.resolve("ks"))).isEmpty();
        create();
    }

    @Test
    void shouldListNoTablesWhereThereAreNone() throws IOException {
        assertThat(TableCatalogue.list(data.resolve("missing"))).isEmpty();
        Files.createDirectories(data.resolve("ks/other"));
        Files.writeString(data.resolve("ks").resolve("u-2d987f40e54c11f199539ddbc8d5a59d"), "a file");
        Files.writeString(data.resolve("file"), "");
        assertThat(TableCatalogue.list(data)).isEmpty();
    }

    @Test
    void shouldWriteSSTablesUnderAscendingGenerations() throws IOException {
        TableDirectory table = create();
        try (FragmentWriter writer = table.target(SCHEMA).start(SSTableWriterConfig.defaults(1))) {
            assertThat(writer.dataLengthBytes()).isZero();
            assertThat(Manifest.read(table.directory()).writing()).containsExactly("1");
        }
        assertThat(table.startWriting(2)).containsExactly("2", "3");
        table.abandon(List.of("1", "2", "3"));
        assertThat(addLive(table, 1).generation()).isEqualTo("4");
        assertThat(Manifest.read(table.directory()).writing()).isEmpty();
        assertThat(reopen(table).startWriting(1)).containsExactly("5");
    }

    @Test
    void shouldDeleteAtOpenWhatWasBeingWritten() throws IOException {
        TableDirectory table = create();
        Descriptor live = addLive(table, 0);
        place(table.directory(), table.startWriting(1).get(0));
        Files.writeString(table.directory().resolve(".anneal-staged.nb-3-big-Data.db.part"), "x");
        Files.writeString(table.directory().resolve(".MANIFEST.new"), "x");

        TableDirectory again = reopen(table);

        assertThat(names(table.directory()))
                .containsExactly(
                        "MANIFEST", "nb-1-big-Data.db", "nb-1-big-Statistics.db", "nb-1-big-TOC.txt", "schema.cql");
        assertThat(again.sstables()).containsExactly(Map.entry(new ListedSSTable("1", 0), live));
        assertThat(Manifest.read(table.directory()).writing()).isEmpty();
    }

    @Test
    void shouldDeleteAtOpenWhatIsNoLongerLive() throws IOException {
        TableDirectory table = create();
        Descriptor input = addLive(table, 0);
        table.update(c -> c.withSSTables(List.of(), List.of("1")));
        assertThat(input.has(Component.DATA)).isTrue();

        TableDirectory again = reopen(table);

        assertThat(input.has(Component.DATA)).isFalse();
        assertThat(again.content().obsolete()).isEmpty();
        assertThat(table.directory().resolve(TableSweep.UNLISTED)).doesNotExist();
    }

    @Test
    void shouldMoveAsideWhatNobodyKnows() throws IOException {
        TableDirectory table = create();
        place(table.directory(), "17");
        TableDirectory again = reopen(table);
        Path unlisted = table.directory().resolve(TableSweep.UNLISTED);
        assertThat(names(unlisted))
                .containsExactly("nb-17-big-Data.db", "nb-17-big-Statistics.db", "nb-17-big-TOC.txt");
        assertThat(again.startWriting(1)).containsExactly("18");

        place(table.directory(), "17");
        reopen(table);
        assertThat(names(unlisted.resolve("2"))).hasSize(3);
        assertThat(names(table.directory())).containsExactly("MANIFEST", "schema.cql", "unlisted");
    }

    /** Their names tell no generation of the store's, whatever they hold. */
    @Test
    void shouldMoveAsideWhatNobodyReads() throws IOException {
        TableDirectory table = create();
        addLive(table, 0);
        String written = table.startWriting(1).get(0);
        List<String> unread = List.of("1-Data.db", written + "-Data.db", "ks-t-ka-1-Data.db", "ks-t-ka-1-Index.db");
        for (String name : unread) {
            Files.writeString(table.directory().resolve(name), name);
        }
        assertThat(TableDirectory.unlisted(table.directory(), table.content())).hasSize(3);

        assertThat(reopen(table).sstables()).hasSize(1);

        assertThat(names(table.directory().resolve(TableSweep.UNLISTED))).containsExactlyElementsOf(unread);
    }

    @Test
    void shouldNameALiveSSTableThatIsMissing() throws IOException {
        TableDirectory table = create();
        Descriptor live = addLive(table, 0);
        Files.delete(live.file(Component.DATA));
        assertThatThrownBy(() -> reopen(table))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("generation=1")
                .hasMessageContaining("ks.t")
                .hasMessageContaining(table.directory().toString());
    }

    @Test
    void shouldNameTwoSSTablesOfOneGeneration() throws IOException {
        TableDirectory table = create();
        addLive(table, 0);
        Files.writeString(table.directory().resolve("oa-1-big-Data.db"), "x");
        assertThatThrownBy(() -> reopen(table))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("nb-1-big")
                .hasMessageContaining("oa-1-big");
    }

    @Test
    void shouldRefuseSchemaTextThatIsMissingOrAnothers() throws IOException {
        TableDirectory table = create();
        Path schema = table.directory().resolve(TableDirectory.SCHEMA_FILE);
        String text = Files.readString(schema);
        for (String wrong : List.of(text.replace("ks.t", "ks.u"), text.replace(ID, ID.replace('2', '3')), "CREATE")) {
            Files.writeString(schema, wrong);
            assertThatThrownBy(() -> reopen(table))
                    .isInstanceOf(CorruptManifestException.class)
                    .hasMessageContaining(schema.toString());
        }
        Files.delete(schema);
        assertThatThrownBy(() -> reopen(table))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining("schema.cql");
    }

    @Test
    void shouldRefuseAnotherTablesManifest() throws IOException {
        TableDirectory table = create();
        Path moved = table.directory().resolveSibling("u" + NAME.substring(1));
        Files.move(table.directory(), moved);
        assertThatThrownBy(() -> TableDirectory.open(moved, FORMATS, OutputFile.CREATE_NEW))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining("another table's")
                .hasMessageContaining("ks.t");
    }

    @Test
    void shouldDeleteObsoleteButNeverLive() throws IOException {
        TableDirectory table = create();
        Descriptor descriptor = addLive(table, 0);
        assertThatThrownBy(() -> table.delete(descriptor))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nb-1-big");
        assertThat(descriptor.has(Component.DATA)).isTrue();

        table.update(c -> c.withSSTables(List.of(), List.of("1")));
        table.delete(descriptor);
        assertThat(names(table.directory())).containsExactly("MANIFEST", "schema.cql");
        table.startWriting(1);
        assertThat(table.content().obsolete()).isEmpty();
    }

    @Test
    void shouldLinkForeignSSTables() throws IOException {
        TableDirectory table = create();
        Path elsewhere = data.resolve("elsewhere");
        List<Descriptor> foreign = List.of(place(elsewhere, "3gd_0yz"), place(elsewhere, "1"));

        List<Descriptor> linked = table.link(foreign);

        assertThat(linked).extracting(Descriptor::baseName).containsExactly("nb-1-big", "nb-2-big");
        assertThat(Files.isSameFile(
                        linked.get(0).file(Component.DATA), foreign.get(0).file(Component.DATA)))
                .isTrue();
        assertThat(linked.get(1).file(Component.TOC)).hasContent("TOC of 1");
        assertThat(table.content().writing()).containsExactly("1", "2");
        reopen(table);
        assertThat(names(table.directory())).containsExactly("MANIFEST", "schema.cql");
        assertThat(names(elsewhere)).hasSize(6);
    }

    @Test
    void shouldCopyForeignSSTablesOfAnotherFileSystem() throws IOException {
        TableDirectory table = create();
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Descriptor foreign = place(files.getPath("/in"), "1");
            assertThat(table.link(List.of(foreign)).get(0).file(Component.DATA)).hasContent("DATA of 1");
        }
    }

    @Test
    void shouldNameForeignFileThatCannotBeLinked() throws IOException {
        TableDirectory table = create();
        Descriptor foreign = place(data.resolve("elsewhere"), "1");
        Files.writeString(table.directory().resolve("nb-1-big-Data.db"), "in the way");
        assertThatThrownBy(() -> table.link(List.of(foreign)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("nb-1-big-Data.db");
    }

    @Test
    void shouldLinkSnapshots() throws IOException {
        TableDirectory table = create();
        Descriptor live = addLive(table, 0);
        Path snapshot = table.snapshot("before.1", List.of(live), Instant.EPOCH);
        assertThat(snapshot).isEqualTo(table.directory().resolve("snapshots/before.1"));
        assertThat(names(snapshot))
                .containsExactly(
                        "manifest.json",
                        "nb-1-big-Data.db",
                        "nb-1-big-Statistics.db",
                        "nb-1-big-TOC.txt",
                        "schema.cql");
        assertThat(snapshot.resolve("manifest.json"))
                .hasContent("{\"files\":[\"nb-1-big-Data.db\"],\"created_at\":\"1970-01-01T00:00:00Z\","
                        + "\"expires_at\":null,\"ephemeral\":false}");
        assertThat(Files.isSameFile(snapshot.resolve("nb-1-big-Data.db"), live.file(Component.DATA)))
                .isTrue();

        assertThatThrownBy(() -> table.snapshot("before.1", List.of(), Instant.EPOCH))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before.1");
        for (String wrong : List.of("", "..", "a/b", ".making-x")) {
            assertThatThrownBy(() -> table.snapshot(wrong, List.of(), Instant.EPOCH))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name=" + wrong);
        }
    }

    @Test
    void shouldLeaveNoHalfSnapshot() throws IOException {
        TableDirectory table = create();
        Descriptor missing = new Descriptor(table.directory().resolve("a-file"), "nb", "1", "big");
        Files.writeString(table.directory().resolve("snapshots"), "in the way");
        assertThatThrownBy(() -> table.snapshot("s", List.of(missing), Instant.EPOCH))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("snapshots");
        Files.delete(table.directory().resolve("snapshots"));
        place(table.directory().resolve("snapshots/.making-s"), "1");
        reopen(table);
        assertThat(names(table.directory().resolve("snapshots"))).isEmpty();
    }

    @Test
    void shouldDropATableAtOnce() throws IOException {
        TableDirectory table = create();
        addLive(table, 0);
        table.drop();
        assertThat(names(data.resolve("ks"))).isEmpty();
        assertThat(TableCatalogue.list(data)).isEmpty();
    }

    @Test
    void shouldKeepSnapshotsOfADroppedTable() throws IOException {
        TableDirectory table = create();
        place(table.directory().resolve("snapshots/before"), "1");
        // As after a crash between the renaming and the deletion.
        Files.move(table.directory(), table.directory().resolveSibling(".dropped-" + NAME));
        assertThat(TableCatalogue.list(data)).isEmpty();

        TableCatalogue.sweep(data);

        assertThat(names(data.resolve("ks"))).containsExactly(NAME);
        assertThat(names(table.directory())).containsExactly("snapshots");
        assertThat(names(table.directory().resolve("snapshots/before"))).hasSize(3);
        assertThat(TableCatalogue.list(data)).isEmpty();
    }

    @Test
    void shouldNotTakeATableWithoutManifestForEmpty() throws IOException {
        TableDirectory table = create();
        addLive(table, 0);
        Files.delete(table.directory().resolve("MANIFEST"));
        assertThat(TableCatalogue.list(data)).hasSize(1);
        assertThatThrownBy(() -> reopen(table)).isInstanceOf(CorruptManifestException.class);
        assertThat(names(table.directory())).contains("nb-1-big-Data.db");
    }

    @Test
    void shouldLiveOnFileSystemsThatAreNoDisks() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            TableDirectory table = create(files.getPath("/store/data"));
            addLive(table, 0);
            assertThat(table.link(List.of(place(files.getPath("/in"), "1")))).hasSize(1);
            assertThat(reopen(table).sstables()).hasSize(1);
            table.drop();
            assertThat(TableCatalogue.list(files.getPath("/store/data"))).isEmpty();
        }
    }
}
