package io.anneal.repair.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.TableHistory;
import io.anneal.node.Waiver;
import io.anneal.repair.hashes.HashRanges;
import io.anneal.repair.hashes.RangeSums;
import io.anneal.repair.hashes.Sketch;
import io.anneal.testkit.HandMadeTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is encoded is read back; bytes from elsewhere are a typed failure or another message, and nothing else. */
class MessagesTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final UUID ID = new UUID(0x0123456789ABCDEFL, -1);
    private static final DecoratedKey KEY = DecoratedKey.of(new byte[] {1, 2, 3});

    private record Layout(String name, Object message, Consumer<ByteWriter> encoder, Function<ByteReader, ?> decoder) {}

    private static final List<TokenRange> RANGES = List.of(
            new TokenRange(5, -5),
            new TokenRange(-5, 0),
            new TokenRange(1L << 62, 1L << 63),
            new TokenRange(Long.MAX_VALUE, Long.MIN_VALUE),
            TokenRange.FULL);
    private static final OpenSession OPEN = new OpenSession(
                    ID,
                    "ks",
                    "täble",
                    "CREATE TABLE",
                    RANGES,
                    1_700_000_000L,
                    -5,
                    1 << 20,
                    3,
                    true,
                    Optional.of(ID),
                    16)
            .withLeft(Optional.of(new UUID(3, 4)));
    private static final SyncVote VOTE = new SyncVote(RingPosition.of(KEY, PositionInPartition.STATIC), 5);
    private static final RunRepair RUN = new RunRepair(
            "127.0.0.1:3",
            "n1",
            "ks",
            "t",
            RANGES,
            List.of(new RunRepair.Follower("127.0.0.1:1", ""), new RunRepair.Follower("127.0.0.1:2", "n2")),
            1 << 20,
            false,
            true,
            Optional.empty(),
            Set.of(Waiver.NO_GC_GRACE),
            16,
            new ReadRate(3000, 7),
            ID,
            5_000_000_000L,
            Optional.of(Duration.ofSeconds(10)),
            true,
            false);
    private static final SessionFinished FINISHED = new SessionFinished(
            RepairCounts.NONE.with(RepairCount.ROWS_READ, 1).with(RepairCount.NETWORK_BYTES, Long.MAX_VALUE),
            5,
            List.of("a", ""));
    private static final SessionOpened OPENED = new SessionOpened(
            new ReplicaFacts(
                    "/data",
                    Optional.of("2e52ce90e54c11f199539ddbc8d5a59d"),
                    List.of(ID, new UUID(1, -1)),
                    Optional.of(Instant.ofEpochSecond(1_700_000_000L)),
                    new TableHistory(true, OptionalLong.of(1_700_000_000_000_000L), 5)),
            99,
            1 << 20,
            true,
            true,
            List.of("a note"),
            OptionalLong.of(1_700_000_000_000L));
    private static final SessionTerms TERMS =
            new SessionTerms(99, 1 << 20, 1_800_000_000L, 1_700_000_000_000_000L, new ReadRate(1000, 1 << 20));
    private static final WindowSummary SUMMARY =
            new WindowSummary(new WindowSummary.Sum(1, -2, 3), new WindowSummary.Sum(4, 5, -6), true);

    private static final RangeSums RANGE_SUMS = RangeSums.of(new long[] {1, 1L << 60, -1});
    private static final HashRanges HASH_RANGES = RANGE_SUMS.differing(RangeSums.of(new long[0]));

    private static final List<Layout> LAYOUTS = List.of(
            new Layout("open", OPEN, OPEN::encode, OpenSession::decode),
            new Layout("opened", OPENED, OPENED::encode, SessionOpened::decode),
            new Layout("terms", TERMS, TERMS::encode, SessionTerms::decode),
            new Layout("vote", VOTE, VOTE::encode, in -> SyncVote.decode(in, 2)),
            new Layout("summary", SUMMARY, SUMMARY::encode, WindowSummary::decode),
            new Layout("finished", FINISHED, FINISHED::encode, SessionFinished::decode),
            new Layout("run", RUN, RUN::encode, RunRepair::decode),
            new Layout("phase", Phase.ROWS, out -> Contents.write(Phase.ROWS, out), Contents::readPhase),
            new Layout("ranges", RANGES, out -> Contents.write(RANGES, out), Contents::readRanges),
            new Layout("hash ranges", HASH_RANGES, HASH_RANGES::encode, HashRanges::decode),
            new Layout("range sums", RANGE_SUMS, RANGE_SUMS::encode, RangeSums::decode));

    /** Nothing that a peer says begins a line of a log or steers a terminal. */
    @Test
    void shouldEscapeWhatDoesNotPrintInTextsOfAPeer() {
        String text = "täble 😀\u001b[2J\n";
        ByteWriter out = new ByteWriter(64);
        new SessionOpened(
                        new ReplicaFacts(text, Optional.empty(), List.of(), Optional.empty(), TableHistory.UNKNOWN),
                        99,
                        1,
                        true,
                        false,
                        List.of(text),
                        OptionalLong.empty())
                .encode(out);

        SessionOpened opened = SessionOpened.decode(new ByteReader(out.toByteArray()));

        String escaped = "täble 😀\\u001b[2J\\u000a";
        assertThat(opened.name()).isEqualTo(escaped);
        assertThat(opened.notes()).containsExactly(escaped);
    }

    @Test
    void shouldKeepLinesOfSchema() {
        String schema = "CREATE TABLE ks.t (\n    a int PRIMARY KEY\n)";
        ByteWriter out = new ByteWriter(64);
        new OpenSession(ID, "ks", "t", schema, List.of(), 1, 1, 1, 2, false, Optional.empty(), 1).encode(out);

        assertThat(OpenSession.decode(new ByteReader(out.toByteArray())).schemaText())
                .isEqualTo(schema);
    }

    @Test
    void shouldRefuseTableIdThatIsNone() {
        ByteWriter out = new ByteWriter(64);
        new ReplicaFacts("n1", Optional.of("\u001b[2J"), List.of(), Optional.empty(), TableHistory.UNKNOWN).encode(out);

        assertThatThrownBy(() -> ReplicaFacts.decode(new ByteReader(out.toByteArray())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("table id", "\\u001b[2J");
    }

    @Test
    void shouldSpendAFewBytesOnARangeBesideAnother() {
        ByteWriter out = new ByteWriter(64);

        Contents.write(List.of(new TokenRange(-1L << 60, 0), new TokenRange(0, 100), new TokenRange(110, 120)), out);

        assertThat(out.lengthBytes()).isLessThanOrEqualTo(1 + 2 * Long.BYTES + 2 + 2 * 2);
    }

    @Test
    void shouldReadBackWhatWasEncoded() {
        for (Layout layout : LAYOUTS) {
            assertThat(layout.decoder().apply(new ByteReader(encode(layout))))
                    .as(layout.name())
                    .hasToString(layout.message().toString());
        }
    }

    @Test
    void shouldSayUnderflowWhenMessageIsCutShortAnywhere() {
        for (Layout layout : LAYOUTS) {
            byte[] whole = encode(layout);
            for (int length = 0; length < whole.length; length++) {
                ByteReader in = new ByteReader(Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> layout.decoder().apply(in))
                        .as("%s cut to %d", layout.name(), length)
                        .isInstanceOfAny(ByteUnderflowException.class, IllegalArgumentException.class);
            }
        }
    }

    @Test
    void shouldFailInNoOtherWayWhenBytesAreFlippedOrRandom() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 3_000; seed++) {
            Random random = new Random(seed);
            Layout layout = LAYOUTS.get(random.nextInt(LAYOUTS.size()));
            byte[] bytes = encode(layout);
            if (random.nextInt(4) == 0) {
                random.nextBytes(bytes);
            }
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                layout.decoder().apply(new ByteReader(bytes));
            } catch (ByteUnderflowException | IllegalArgumentException expected) {
                assertThat(expected.getMessage()).isNotBlank();
            } catch (RuntimeException other) {
                fail("seed=" + seed + ", layout=" + layout.name(), other);
            }
        }
    }

    @Test
    void shouldRefuseDeadlineThatIsNoMoment() {
        for (long seconds : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE - 1}) {
            ByteWriter terms = new ByteWriter(8);
            terms.writeLong(99);
            terms.writeInt(1);
            terms.writeLong(seconds);
            terms.writeLong(SessionTerms.NO_CUTOFF);
            ReadRate.UNLIMITED.encode(terms);
            assertThatThrownBy(() -> SessionTerms.decode(new ByteReader(terms.toByteArray())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("seconds=" + seconds);

            ByteWriter finished = new ByteWriter(8);
            RepairCounts.NONE.encode(finished);
            finished.writeLong(seconds);
            Texts.write(finished, List.of());
            assertThatThrownBy(() -> SessionFinished.decode(new ByteReader(finished.toByteArray())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("seconds=" + seconds);
        }
    }

    /** Of a version that counts more, and of one that counts less. */
    @Test
    void shouldReadTheCountsThatItKnows() {
        long[] numbers =
                LongStream.rangeClosed(1, RepairCount.values().length + 2).toArray();
        for (int length : new int[] {0, 1, numbers.length}) {
            ByteWriter out = new ByteWriter(64);
            out.writeUnsignedVInt(length);
            for (int i = 0; i < length; i++) {
                out.writeLong(numbers[i]);
            }
            out.writeByte(77);
            ByteReader in = new ByteReader(out.toByteArray());

            assertThat(RepairCounts.decode(in)).isEqualTo(RepairCounts.of(Arrays.copyOf(numbers, length)));
            assertThat(in.readByte()).isEqualTo((byte) 77);
        }
    }

    /** Fewer symbols than were asked for are an answer, of a replica with few rows; more are none, nor is a part of one. */
    @Test
    void shouldReadSymbolsThatCameWithSums() {
        WindowAnswer answer = new WindowAnswer(SUMMARY, Sketch.of(new long[] {5, -6}, 0, 7));
        ByteWriter out = new ByteWriter(64);
        answer.encode(out);
        byte[] bytes = out.toByteArray();

        assertThat(WindowAnswer.decode(new ByteReader(bytes), 7)).isEqualTo(answer);
        assertThat(WindowAnswer.decode(new ByteReader(bytes), 100)).isEqualTo(answer);
        assertThatThrownBy(() -> WindowAnswer.decode(new ByteReader(bytes), 6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("symbolsMax=6");
        assertThatThrownBy(() -> WindowAnswer.decode(new ByteReader(Arrays.copyOf(bytes, bytes.length - 1)), 100))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReadHashesBackAndRefuseHalfOfOne() {
        long[] hashes = {Long.MIN_VALUE, 0, 7};
        ByteWriter out = new ByteWriter(8);
        Contents.write(hashes, out);

        assertThat(Contents.readHashes(new ByteReader(out.toByteArray()))).isEqualTo(hashes);
        assertThat(Contents.readHashes(new ByteReader(new byte[0]))).isEmpty();
        byte[] cut = Arrays.copyOf(out.toByteArray(), 23);
        assertThatThrownBy(() -> Contents.readHashes(new ByteReader(cut)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lengthBytes=23");
    }

    @Test
    void shouldReadPlaceOfRowBack() {
        RingPosition place = RingPosition.of(KEY, PositionInPartition.after(HandMadeTable.clustering(1, 2)));
        ByteWriter out = new ByteWriter(8);
        Contents.write(place, out);

        RingPosition read = RingPosition.decode(new ByteReader(out.toByteArray()), 2);

        assertThat(read.position().prefix().compareBytes(place.position().prefix()))
                .isZero();
        assertThat(read.position().weight()).isEqualTo(place.position().weight());
        assertThatThrownBy(() -> RingPosition.decode(new ByteReader(out.toByteArray()), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("componentsMax=1");
    }

    @Test
    void shouldAllocateNothingForCountThatIsNotTrue() {
        ByteWriter out = new ByteWriter(8);
        out.writeUnsignedVInt(Integer.MAX_VALUE);

        assertThatThrownBy(() -> Texts.readList(new ByteReader(out.toByteArray())))
                .isInstanceOf(ByteUnderflowException.class);
        assertThatThrownBy(() -> Texts.read(new ByteReader(out.toByteArray())))
                .isInstanceOf(ByteUnderflowException.class);
    }

    private static byte[] encode(Layout layout) {
        ByteWriter out = new ByteWriter(8);
        layout.encoder().accept(out);
        return out.toByteArray();
    }
}
