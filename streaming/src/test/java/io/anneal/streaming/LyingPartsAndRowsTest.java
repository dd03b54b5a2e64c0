package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.StoreReplicas;
import io.anneal.node.TableHistory;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.DataSection;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionSource;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.streaming.message.SectionContents;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a source may say of parts of SSTables, of rows, and of what it has: what cannot be is refused, and nothing of it is there. */
@Timeout(60)
class LyingPartsAndRowsTest {
    private static final String ID = "11111111222233334444555555555555";
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";
    private static final String OTHER = "CREATE TABLE ks.other (k int, c int, v text, w text, PRIMARY KEY (k, c))";
    private static final TokenRange WANTED = new TokenRange(-6_000_000_000_000_000_000L, 6_000_000_000_000_000_000L);
    private static final TokenRange UNWANTED = new TokenRange(6_000_000_000_000_000_000L, Long.MAX_VALUE);
    private static final int KEPT_BYTES = 64 << 10;
    private static final int SAID_BYTES = Integer.MAX_VALUE;

    @TempDir
    private Path directory;

    private Store honest;
    private Table table;
    private Store target;
    private LyingSource source;

    @BeforeEach
    void start() throws IOException {
        honest = Store.open(directory.resolve("honest"));
        table = honest.createTable(SCHEMA);
        write(table);
        target = Store.open(directory.resolve("target"));
        target.createTable(SCHEMA);
        source = new LyingSource();
    }

    private static void write(Table into) throws IOException {
        for (int k = 0; k < 100; k++) {
            for (int c = 0; c < 3; c++) {
                into.row().key("k", k).clustering("c", c).set("v", "v" + k).insert();
            }
        }
        into.flush();
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        honest.close();
        target.close();
    }

    private StreamReport stream() throws IOException {
        return StreamPlan.into(new StoreReplicas(target))
                .add("ks.t", source.source(), WANTED)
                .run(HostEnvironment.system());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> !file.endsWith("receiving")).sorted().toList();
        }
    }

    /** With the peer's name, nothing left, and a store that goes on. */
    private void assertRefused(String reason) throws IOException {
        List<Path> before = files();
        assertThatThrownBy(this::stream)
                .isInstanceOf(PeerException.class)
                .hasMessageContaining(source.peer())
                .hasMessageContaining(reason);
        assertThat(files()).isEqualTo(before);
        assertThat(target.table("ks.t").sstableCount()).isZero();
        target.table("ks.t").row().key("k", 1).clustering("c", 1).set("v", "on").insert();
        assertThat(target.table("ks.t").row(Map.of("k", 1, "c", 1))).isPresent();
    }

    // ---- parts

    /** What an honest source says of its SSTable, changed, and what it sends, changed. */
    private void part(Lie<SectionManifest> said, Lie<byte[]> sent) throws IOException {
        try (LiveFiles files = table.liveFiles()) {
            LiveFiles.PinnedSSTable sstable = files.sstables().get(0);
            SSTableSections sections = files.sections(sstable, WANTED.unwrap()).orElseThrow();
            byte[] statistics = sstable.files().get(Component.STATISTICS).readAll();
            SectionContents contents = new SectionContents(said.of(sections.manifest(statistics)));
            byte[] bytes = sent.of(sent(sections, sstable));
            source.inventory(out -> LyingSource.inventory(out, "", 0, 1, 0));
            source.contents(contents::encode);
            source.bytes(part -> Arrays.copyOfRange(bytes, (int) part.position(), bytes.length));
        }
    }

    private interface Lie<T> {
        T of(T truth) throws IOException;
    }

    private static byte[] sent(SSTableSections sections, LiveFiles.PinnedSSTable sstable) throws IOException {
        byte[] data = sstable.files().get(Component.DATA).readAll();
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        try (SectionSource blocks = sections.open()) {
            while (blocks.next()) {
                byte[] head = new byte[blocks.head().remaining()];
                blocks.head().get(head);
                sent.write(head);
                sent.write(data, (int) blocks.chunksPosition(), (int) blocks.chunksLengthBytes());
            }
        }
        return sent.toByteArray();
    }

    private static SectionManifest with(SectionManifest truth, long dataLengthBytes, List<DataSection> sections) {
        return new SectionManifest(
                truth.statistics(), truth.compression(), truth.chunkLengthBytes(), dataLengthBytes, sections);
    }

    @Test
    void shouldTakeAPartAsItIs() throws IOException {
        part(said -> said, sent -> sent);

        assertThat(stream().parts()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAPartThatIsShorterOrLongerThanSaid() throws IOException {
        part(said -> said, sent -> Arrays.copyOf(sent, sent.length / 2));
        assertRefused("sections end before all of them have come");
        part(said -> said, sent -> Arrays.copyOf(sent, sent.length + 100));
        assertRefused("comes behind the end");
    }

    @Test
    void shouldRefuseAPartOfOtherBytes() throws IOException {
        part(said -> said, sent -> {
            sent[sent.length / 2] ^= 1;
            return sent;
        });
        assertRefused("chunk");
    }

    /** The first block's head says how long it is itself; the chunks' head how long they are. */
    @Test
    void shouldAllocateNothingForLengthsThatAreOnlySaid() throws IOException {
        part(said -> said, sent -> {
            ByteBuffer.wrap(sent).putInt(0, SAID_BYTES);
            return sent;
        });
        assertRefused("head of a block has another length");
        part(said -> said, sent -> {
            ByteWriter out = new ByteWriter(64);
            out.writeInt(1 + 1 + 5);
            out.writeByte(2);
            out.writeUnsignedVInt(1);
            out.writeUnsignedVInt(SAID_BYTES);
            return out.toByteArray();
        });
        assertRefused("chunk");
        part(said -> with(said, Long.MAX_VALUE, List.of(new DataSection(0, Long.MAX_VALUE))), sent -> sent);
        assertRefused("chunk");
    }

    /** A chunk never becomes longer than its grid says, whatever it decompresses to. */
    @Test
    void shouldRefuseAChunkThatDecompressesToAnotherLength() throws IOException {
        part(
                said -> new SectionManifest(
                        said.statistics(),
                        said.compression().withChunkLengthBytes(1024),
                        1024,
                        said.dataLengthBytes(),
                        said.sections()),
                sent -> sent);

        assertRefused("chunk");
    }

    @Test
    void shouldRefuseWhatCannotBeSaidOfAPart() throws IOException {
        part(said -> said, sent -> sent);
        for (Consumer<ByteWriter> lie : List.<Consumer<ByteWriter>>of(
                out -> manifest(out, "NoSuchCompressor", 16384, 1000, 10, 900),
                out -> manifest(out, "LZ4Compressor", Integer.MAX_VALUE, 1000, 10, 900),
                out -> manifest(out, "LZ4Compressor", -16384, 1000, 10, 900),
                out -> manifest(out, "LZ4Compressor", 16384, -1, 10, 900),
                out -> manifest(out, "LZ4Compressor", 16384, 1000, -10, 900),
                out -> manifest(out, "LZ4Compressor", 16384, 1000, 10, Long.MAX_VALUE),
                out -> out.writeUnsignedVInt(SAID_BYTES),
                out -> {
                    manifest(out, "LZ4Compressor", 16384, 1000, 10, 900);
                    out.clear();
                })) {
            source.contents(lie);
            assertRefused("answer is malformed");
        }
        source.contents(out -> manifest(out, "LZ4Compressor", 16384, 1000, 10, 900));
        assertRefused("Statistics.db");
    }

    private static void manifest(
            ByteWriter out, String compressor, int chunkLengthBytes, long dataLengthBytes, long start, long end) {
        Texts.write(out, compressor);
        out.writeInt(Integer.MAX_VALUE);
        out.writeUnsignedVInt(0);
        out.writeInt(chunkLengthBytes);
        out.writeLong(dataLengthBytes);
        out.writeUnsignedVInt(1);
        out.writeLong(start);
        out.writeLong(end);
        out.writeUnsignedVInt(3);
        out.writeBytes(new byte[3]);
    }

    // ---- rows

    private void rows(Consumer<PeerStream> sent) {
        source.inventory(out -> LyingSource.inventory(out, "", 0, 0, 1000));
        source.rows(sent);
    }

    private static void send(PeerStream stream, byte[]... messages) {
        MessageStream out = stream.messages();
        for (byte[] message : messages) {
            out.write(ServedRows.KIND, ByteBuffer.wrap(message));
        }
        stream.end();
    }

    /** Rows of a range of a table, a message for each partition. */
    private static List<byte[]> encoded(Table of, TokenRange range, TableSchema schema) throws IOException {
        List<byte[]> partitions = new ArrayList<>();
        FragmentEncoder encoder = new FragmentEncoder(schema, KEPT_BYTES);
        for (TokenRange.Linear part : range.unwrap()) {
            try (FragmentCursor cursor = of.scan(part)) {
                while (cursor.advance() != null) {
                    encoder.add(cursor);
                    if (cursor.kind() == FragmentKind.PARTITION_END) {
                        ByteBuffer rows = encoder.bytes();
                        byte[] bytes = new byte[rows.remaining()];
                        rows.get(bytes);
                        encoder.clear();
                        partitions.add(bytes);
                    }
                }
            }
        }
        return partitions;
    }

    private List<byte[]> encoded(TokenRange range) throws IOException {
        return encoded(table, range, table.schema());
    }

    @Test
    void shouldTakeRowsAsTheyAre() throws IOException {
        List<byte[]> right = encoded(WANTED);
        rows(stream -> send(stream, right.toArray(byte[][]::new)));

        assertThat(stream().rows()).isEqualTo(3L * right.size());
    }

    @Test
    void shouldRefuseRowsThatWereNotAskedFor() throws IOException {
        List<byte[]> unwanted = encoded(UNWANTED);
        rows(stream -> send(stream, unwanted.get(0)));

        assertRefused("row lies outside of what was asked for");
    }

    @Test
    void shouldRefuseRowsThatAreOutOfOrder() throws IOException {
        List<byte[]> right = encoded(WANTED);
        rows(stream -> send(stream, right.get(1), right.get(0)));
        assertRefused("fragment is none that the target can write");
        rows(stream -> send(stream, right.get(0), right.get(1), right.get(0)));
        assertRefused("fragment is none that the target can write");
        rows(stream -> send(stream, right.get(0), right.get(0)));
        assertRefused("fragment is none that the target can write");
    }

    @Test
    void shouldRefuseARangeDeletionThatNeverEnds() throws IOException {
        table.rangeDeletion().key("k", 7).from("c", 1, true).delete();
        FragmentEncoder encoder = new FragmentEncoder(table.schema(), KEPT_BYTES);
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            while (cursor.advance() != null && cursor.kind() != FragmentKind.RANGE_TOMBSTONE_CHANGE) {
                continue; // To the one that begins it.
            }
            encoder.add(cursor);
        }
        ByteBuffer begun = encoder.bytes();
        rows(stream -> {
            stream.messages().write(ServedRows.KIND, begun);
            stream.end();
        });

        assertRefused("fragment is none that the target can write");
    }

    @Test
    void shouldRefuseRowsOfAnotherTable() throws IOException {
        Table other = honest.createTable(OTHER);
        for (int k = 0; k < 10; k++) {
            other.row()
                    .key("k", k)
                    .clustering("c", 1)
                    .set("v", "v")
                    .set("w", "w")
                    .insert();
        }
        List<byte[]> rows = encoded(other, TokenRange.FULL, other.schema());
        rows(stream -> send(stream, rows.toArray(byte[][]::new)));

        assertRefused("item is corrupt");
    }

    @Test
    void shouldRefuseNonsenseForRows() throws IOException {
        List<byte[]> right = encoded(WANTED);
        for (int at = 0; at < right.get(0).length; at++) {
            byte[] cut = Arrays.copyOf(right.get(0), at);
            rows(stream -> send(stream, cut));
            // Some of it may be whole rows: then all of them are there.
            try {
                stream();
                target.table("ks.t").truncate();
            } catch (PeerException refused) {
                assertThat(refused).hasMessageContaining(source.peer());
            }
        }
    }

    @Test
    void shouldRefuseAMessageThatSaysItHas2GiB() throws IOException {
        rows(stream -> {
            stream.write(ByteBuffer.allocate(5).putInt(SAID_BYTES).put((byte) 1).flip());
            stream.end();
        });
        assertRefused("message is longer than is taken");
    }

    // ---- what it has

    @Test
    void shouldRefuseATableThatWasMadeAgain() {
        source.inventory(out -> LyingSource.inventory(out, ID.replace('1', '2'), 0, 0, 0));

        assertThatThrownBy(this::stream)
                .isInstanceOf(ReplicaException.class)
                .hasMessageContaining("table was dropped and made again");
    }

    @Test
    void shouldRefuseLengthsThatCannotBe() throws IOException {
        for (long lengthBytes : new long[] {-1, Long.MIN_VALUE}) {
            source.inventory(out -> {
                Texts.write(out, new UUID(1, 2));
                new ReplicaFacts("liar", Optional.empty(), List.of(), Optional.empty(), TableHistory.UNKNOWN)
                        .encode(out);
                out.writeByte(0);
                LyingSource.sstables(out, 1, "nb", "1", lengthBytes);
                LyingSource.sstables(out, 0, "nb", "1", 0);
                out.writeLong(0);
                Texts.write(out, new UUID(1, 2));
            });
            assertRefused("negative");
        }
        source.inventory(out -> LyingSource.inventory(out, "", 0, 0, -1));
        assertRefused("negative");
    }

    /** So many that the list of them would not fit the heap; each of them is a few bytes on the wire. */
    @Test
    void shouldRefuseMoreSSTablesThanATableHas() throws IOException {
        source.inventory(out -> LyingSource.inventory(out, "", (1 << 20) + 1, 0, 0));

        assertRefused("number of SSTables is out of range");
    }

    /** Where to cut is found in a moment, however many there are; what cannot be is refused. */
    @Test
    void shouldCutWhereSourcesSayTheyHaveVeryMuch() throws IOException {
        source.survey(out -> {
            out.writeUnsignedVInt(50_000);
            for (int i = 0; i < 50_000; i++) {
                out.writeLong(i * 1_000_000_000L);
                out.writeLong(i * 1_000_000_000L + 500_000_000_000L);
                out.writeLong(Long.MAX_VALUE);
            }
        });
        assertThat(new RangeCuts(List.of(SourceSurvey.ask(source.source(), "ks.t"))).cut(TokenRange.FULL, 4))
                .hasSize(4);
        source.survey(out -> {
            out.writeUnsignedVInt(1);
            out.writeLong(1);
            out.writeLong(2);
            out.writeLong(-1);
        });
        assertThatThrownBy(() -> SourceSurvey.ask(source.source(), "ks.t"))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("answer is malformed");
        source.survey(out -> out.writeUnsignedVInt(SAID_BYTES));
        assertThatThrownBy(() -> SourceSurvey.ask(source.source(), "ks.t"))
                .isInstanceOf(PeerException.class)
                .hasMessageContaining("answer is malformed");
    }
}
