package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerException;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.TableHistory;
import io.anneal.sstable.Component;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.streaming.message.FilePart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
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

/** A source may say what it likes: nothing of it is kept that is not what was announced, and nothing lies where it should not. */
@Timeout(60)
class LyingSourceTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final UUID SESSION = new UUID(1, 2);

    /** How long it says a file is that it does not want to be believed. */
    private static final long HUGE_BYTES = 1L << 60;

    @TempDir
    private Path directory;

    private Store honest;
    private Store target;
    private LiveFiles files;
    private LyingSource source;

    /** What it lies about. */
    private String version = "nb";

    private String generation = "1";
    private Consumer<ByteWriter> contents = out -> contents(out, 0, 0);
    private int flippedByte = -1;
    /** How often. */
    private int flips = Integer.MAX_VALUE;

    private int excessBytes;
    private TokenRange wanted = TokenRange.FULL;

    @BeforeEach
    void start() throws IOException {
        honest = Store.open(directory.resolve("honest"));
        Table table = honest.createTable(SCHEMA);
        for (int k = 0; k < 100; k++) {
            table.row().key("k", k).set("v", "v" + k).insert();
        }
        files = table.liveFiles();
        target = Store.open(directory.resolve("target"));
        target.createTable(SCHEMA);
        source = new LyingSource();
        source.inventory(out -> {
            Texts.write(out, SESSION);
            new ReplicaFacts("liar", Optional.empty(), List.of(), Optional.empty(), TableHistory.UNKNOWN).encode(out);
            out.writeByte(0);
            LyingSource.sstables(out, 1, version, generation, 1000);
            LyingSource.sstables(out, 0, version, generation, 0);
            out.writeLong(0);
            Texts.write(out, SESSION);
        });
        source.contents(out -> contents.accept(out));
        source.bytes(this::bytes);
    }

    @AfterEach
    void stop() throws IOException {
        source.close();
        files.close();
        honest.close();
        target.close();
    }

    /** Of the first SSTable; its data said to be so much longer, with a checksum that is wrong in these bits. */
    private void contents(ByteWriter out, long longer, int crcBits) {
        try {
            LiveFiles.PinnedSSTable sstable = files.sstables().get(0);
            List<Component> sent = sstable.files().keySet().stream()
                    .filter(component -> component != Component.TOC)
                    .toList();
            out.writeUnsignedVInt(sent.size());
            for (Component component : sent) {
                boolean lied = component == Component.DATA;
                Texts.write(out, component.fileSuffix());
                out.writeLong(sstable.content(component).lengthBytes() + (lied ? longer : 0));
                out.writeInt(sstable.content(component).crc32() ^ (lied ? crcBits : 0));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] bytes(FilePart part) {
        try {
            Path file = files.sstables().get(0).descriptor().file(part.component());
            byte[] bytes = Files.readAllBytes(file);
            byte[] rest = Arrays.copyOfRange(bytes, (int) part.position(), bytes.length + excessBytes);
            if (flippedByte >= 0 && part.component() == Component.STATISTICS && flips-- > 0) {
                rest[flippedByte] ^= 1;
            }
            return rest;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private StreamReport stream() throws IOException {
        return StreamPlan.into(new StoreReplicas(target))
                .add("ks.t", source.source(), wanted)
                .run(HostEnvironment.system());
    }

    private void assertRefused(String... reasons) throws IOException {
        List<Path> before = files();
        assertThatThrownBy(this::stream)
                .isInstanceOf(PeerException.class)
                .hasMessageContaining(source.peer())
                .hasMessageContainingAll((CharSequence[]) reasons);
        assertThat(files()).isEqualTo(before);
        assertThat(target.table("ks.t").sstableCount()).isZero();
        target.table("ks.t").row().key("k", 1).set("v", "goes on").insert();
        assertThat(target.table("ks.t").row(Map.of("k", 1))).isPresent();
    }

    /** But for the directory in which files are received. */
    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> !file.endsWith("receiving")).sorted().toList();
        }
    }

    @Test
    void shouldTakeWhatIsTrue() throws IOException {
        assertThat(stream().sstables()).isEqualTo(1);
        assertThat(target.table("ks.t").sstableCount()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAFileThatIsShorterThanAnnounced() throws IOException {
        contents = out -> contents(out, HUGE_BYTES, 0);

        assertRefused("file is shorter than was announced");
    }

    @Test
    void shouldRefuseAFileThatIsLongerThanAnnounced() throws IOException {
        excessBytes = 100_000;

        assertRefused("file is longer than was announced");
    }

    @Test
    void shouldRefuseAFileOfAnotherChecksum() throws IOException {
        contents = out -> contents(out, 0, 1);

        assertRefused("file is not what was announced", "Data.db");
    }

    @Test
    void shouldRefuseABitThatIsWrong() throws IOException {
        flippedByte = 30;

        assertRefused("file is not what was announced", "Statistics.db", "sstable=nb-10-big", "code=stream-damaged");
    }

    @Test
    void shouldTakeOnceMoreWhatCameWrong() throws IOException {
        flippedByte = 30;
        flips = 1;

        assertThat(stream().sstables()).isEqualTo(1);
        assertThat(target.table("ks.t").sstableCount()).isEqualTo(1);
    }

    @Test
    void shouldRefuseAnSSTableThatHasMoreThanWasAskedFor() throws IOException {
        wanted = new TokenRange(0, 1000);

        assertRefused("SSTable has more than was asked for", "(0,1000]");
    }

    @Test
    void shouldRefuseAVersionThatTheTargetDoesNotTake() throws IOException {
        version = "da";
        Path owned = directory.resolve("owned/ks/t-11111111222233334444555555555555");
        Files.createDirectories(owned);
        Files.writeString(owned.resolve("schema.cql"), SCHEMA + ";");
        try (StagingArea staging = StagingArea.open(
                directory.resolve("staging"), directory.resolve("owned").toString(), InstantSource.system())) {
            StreamPlan plan = StreamPlan.into(new CassandraReplicas(
                            List.of(directory.resolve("owned")), Optional.empty(), Optional.of(staging)))
                    .add("ks.t", source.source(), wanted);

            assertThatThrownBy(() -> plan.run(HostEnvironment.system()))
                    .hasMessageContaining("version that the target does not take, version=da");
        }
    }

    @Test
    void shouldRefuseAVersionThatDoesNotExist() throws IOException {
        version = "../nb";

        assertRefused("version of an SSTable is unknown");
    }

    @Test
    void shouldUseNoNameOfTheSource() throws IOException {
        generation = "../../../../etc";

        assertThat(stream().sstables()).isEqualTo(1);
        assertThat(directory.resolve("etc")).doesNotExist();
    }

    @Test
    void shouldRefuseAComponentThatDoesNotExist() throws IOException {
        contents = out -> {
            out.writeUnsignedVInt(1);
            Texts.write(out, "../../Data.db");
            out.writeLong(1);
            out.writeInt(1);
        };

        assertRefused("component is not sent or unknown");
    }

    @Test
    void shouldRefuseAnSSTableWithoutStatistics() throws IOException {
        contents = out -> {
            out.writeUnsignedVInt(1);
            Texts.write(out, "Data.db");
            out.writeLong(1);
            out.writeInt(1);
        };

        assertRefused("announced without what it needs");
    }

    @Test
    void shouldRefuseBytesBehindAnAnswer() throws IOException {
        contents = out -> {
            contents(out, 0, 0);
            out.writeByte(7);
        };

        assertRefused("answer is malformed", "bytes stand behind it, count=1");
    }

    @Test
    void shouldRefuseACountThatNothingStandsBehind() throws IOException {
        contents = out -> out.writeUnsignedVInt(Integer.MAX_VALUE);

        assertRefused("answer is malformed");
    }

    /** What a node that is told to fetch from it logs. */
    private List<String> logged(String reason) throws IOException {
        PrintStream usual = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try (TestNode node = TestNode.of(new StoreReplicas(target))) {
            assertThatThrownBy(() -> StreamPlan.into(node.target())
                            .add("ks.t", source.source(), wanted)
                            .run(HostEnvironment.system()))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining(reason);
        } finally {
            System.setErr(usual);
        }
        return log.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("WARN ") || line.contains("ERROR ") || line.contains("\tat "))
                .toList();
    }

    private static void assertRunFailed(String line, String reason) {
        assertThat(line).contains("run failed", "table=ks.t", reason);
    }

    @Test
    void shouldLogALieOnce() throws IOException {
        Map<String, Runnable> lies = Map.of(
                "component is not sent or unknown",
                () -> contents = out -> {
                    out.writeUnsignedVInt(1);
                    Texts.write(out, "../../Data.db");
                    out.writeLong(1);
                    out.writeInt(1);
                },
                "announced without what it needs",
                () -> contents = out -> {
                    out.writeUnsignedVInt(1);
                    Texts.write(out, "Data.db");
                    out.writeLong(1);
                    out.writeInt(1);
                },
                "answer is malformed",
                () -> contents = out -> out.writeUnsignedVInt(Integer.MAX_VALUE));
        for (Map.Entry<String, Runnable> lie : lies.entrySet()) {
            lie.getValue().run();

            assertThat(logged(lie.getKey()))
                    .singleElement()
                    .asString()
                    .satisfies(line -> assertRunFailed(line, lie.getKey()));
        }
    }

    @Test
    void shouldLogTwiceWhatComesWrongTwice() throws IOException {
        Map<String, Runnable> lies = Map.of(
                "file is longer than was announced",
                () -> excessBytes = 100_000,
                "file is shorter than was announced",
                () -> contents = out -> contents(out, HUGE_BYTES, 0),
                "file is not what was announced",
                () -> contents = out -> contents(out, 0, 1));
        generation = "../etc\nWARN forged ";
        for (Map.Entry<String, Runnable> lie : lies.entrySet()) {
            excessBytes = 0;
            contents = out -> contents(out, 0, 0);
            lie.getValue().run();

            List<String> logged = logged(lie.getKey());

            assertThat(logged).as("%s", logged).hasSize(2);
            assertThat(logged.get(0)).contains("comes once more", lie.getKey(), "sstable=nb-../etc\\u000aWARN");
            assertRunFailed(logged.get(1), lie.getKey());
        }
    }
}
