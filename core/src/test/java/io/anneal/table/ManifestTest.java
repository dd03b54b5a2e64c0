package io.anneal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.AtomicFile;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ManifestTest {
    private static final UUID ID = UUID.fromString("2d987f40-e54c-11f1-9953-9ddbc8d5a59d");
    private static final ManifestContent EMPTY = ManifestContent.empty("ks", "t", ID, new ShardRule(4, 12));
    private static final CommitLogPosition PLACE = new CommitLogPosition(7, 4096);

    @TempDir
    private Path directory;

    private static ManifestContent filled() {
        return EMPTY.withFlushed(2, PLACE)
                .withWriting(List.of("1", "2", "3", "4"))
                .withSSTables(
                        List.of(
                                new ListedSSTable("1", ListedSSTable.SHARED),
                                new ListedSSTable("2", 3),
                                new ListedSSTable("3gd_0yz", 0)),
                        List.of())
                .withSSTables(List.of(new ListedSSTable("3", 0)), List.of("2"))
                .withRepaired(List.of(new TokenRange(-5, 5)), 1_600_000_000L);
    }

    private Manifest create(ManifestContent content) throws IOException {
        return Manifest.create(directory, content, OutputFile.CREATE_NEW);
    }

    private Path file() {
        return directory.resolve(Manifest.FILE);
    }

    /** A manifest of these lines under its right checksum. */
    private void write(String... lines) throws IOException {
        String text = String.join("\n", lines) + "\n";
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file(), text + "crc32 %08x\n".formatted(crc.getValue()));
    }

    @Test
    void shouldReadWhatWasWritten() throws IOException {
        create(filled());
        assertThat(Manifest.read(directory)).isEqualTo(filled());
        assertThat(Files.readAllLines(file()))
                .startsWith(
                        "anneal-manifest 1",
                        "table ks.t 2d987f40-e54c-11f1-9953-9ddbc8d5a59d",
                        "shards 4 12",
                        "flushed 2 7 4096",
                        "sstable 1 shared",
                        "sstable 3gd_0yz 0",
                        "sstable 3 0",
                        "writing 4",
                        "obsolete 2",
                        "repaired -5 5 1600000000");
    }

    @Test
    void shouldHaveAVersionOfItsOwnOnceTheLogIsRenumbered() throws IOException {
        Manifest manifest = create(filled());

        manifest.update(ManifestContent::withRenumberedLog);

        assertThat(Files.readAllLines(file())).startsWith("anneal-manifest 2", "table ks.t " + ID);
        assertThat(Manifest.read(directory))
                .isEqualTo(filled().withRenumberedLog())
                .isNotEqualTo(filled());
        manifest.update(
                content -> content.withWriting(List.of("99")).withStale(7).withAllFlushed(content.highestFlushed()));
        assertThat(Manifest.read(directory).hasRenumberedLog()).isTrue();
    }

    @Test
    void shouldReplaceFileBeforeMemory() throws IOException {
        Manifest manifest = create(EMPTY);
        assertThat(manifest.update(c -> c.withWriting(List.of("9")))).isEqualTo(manifest.content());
        assertThat(Manifest.read(directory).writing()).containsExactly("9");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file());
        }
    }

    @Test
    void shouldKeepOldContentWhenTheNewCannotBeWritten() throws IOException {
        create(EMPTY);
        Manifest manifest = Manifest.open(directory, path -> {
            throw new FileSystemException(path.toString(), null, "No space left on device");
        });
        assertThatThrownBy(() -> manifest.update(c -> c.withWriting(List.of("9"))))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("MANIFEST")
                .hasMessageContaining("No space left");
        assertThat(manifest.content()).isEqualTo(EMPTY);
        assertThat(Manifest.read(directory)).isEqualTo(EMPTY);
        assertThat(manifest.isLost()).isFalse();
    }

    @Test
    void shouldReplaceWhatACrashLeftOfAReplacement() throws IOException {
        Manifest manifest = create(EMPTY);
        Files.writeString(AtomicFile.temporary(file()), "half a man");
        manifest.update(c -> c.withWriting(List.of("9")));
        assertThat(Manifest.read(directory).writing()).containsExactly("9");
    }

    @Test
    void shouldNameMissingManifest() {
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining(file().toString());
    }

    @Test
    void shouldNameManifestThatCannotBeRead() throws IOException {
        Files.createDirectory(file());
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(file().toString());
    }

    @Test
    void shouldTellOtherReleasesManifestFromAWrongOne() throws IOException {
        Files.writeString(file(), "anneal-manifest 3\nand so on");
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining("found=3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "manifest 1\n", "anneal-manifest\n", "anneal-manifest x\n"})
    void shouldRefuseWhatIsNoManifest(String text) throws IOException {
        Files.writeString(file(), text);
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining("no manifest");
    }

    @Test
    void shouldNoticeEveryChangedOrMissingByte() throws IOException {
        create(filled());
        byte[] bytes = Files.readAllBytes(file());
        for (int i = 0; i < bytes.length; i++) {
            byte[] changed = bytes.clone();
            changed[i] ^= 1;
            assertUnreadable(changed);
            assertUnreadable(Arrays.copyOf(bytes, i));
        }
    }

    private void assertUnreadable(byte[] bytes) throws IOException {
        Files.write(file(), bytes);
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOfAny(CorruptManifestException.class, UnsupportedVersionException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "flushed 4 1 1,no such shard",
        "flushed 1 1,words are missing",
        "flushed x 1 1,x",
        "sstable 5 4,no such shard",
        "sstable 5 -1,-1",
        "sstable A-5 shared,cannot be listed",
        "writing 1 2,too many",
        "writing ../x,no part of a file name",
        "repaired 1 2,words are missing",
        "shards 0 0,shard rule is out of range",
        "table ks-t 2d987f40-e54c-11f1-9953-9ddbc8d5a59d,not keyspace.table",
        "tables,no such fact"
    })
    void shouldSayWhichLineIsWrong(String line, String reason) throws IOException {
        write("anneal-manifest 1", "table ks.t " + ID, "shards 4 12", line);
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void shouldSayTheLinesNumber() throws IOException {
        write("anneal-manifest 1", "table ks.t " + ID, "shards 4 12", "flushed 1 1");
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOfSatisfying(
                        CorruptManifestException.class,
                        e -> assertThat(e.line()).isEqualTo(4));
    }

    @Test
    void shouldRefuseContradictions() throws IOException {
        write("anneal-manifest 1", "table ks.t " + ID);
        assertThatThrownBy(() -> Manifest.read(directory)).hasMessageContaining("does not name table and shards");
        write("anneal-manifest 1", "table ks.t " + ID, "shards 1 0", "sstable 5 0", "obsolete 5");
        assertThatThrownBy(() -> Manifest.read(directory))
                .isInstanceOf(CorruptManifestException.class)
                .hasMessageContaining("stands here twice")
                .hasMessageContaining("generation=5");
    }

    @Test
    void shouldNeverStepBackWhenFlushed() {
        assertThat(EMPTY.flushed(0)).isEqualTo(CommitLogPosition.NONE);
        ManifestContent flushed = EMPTY.withFlushed(0, PLACE).withFlushed(0, new CommitLogPosition(6, 9));
        assertThat(flushed.flushed(0)).isEqualTo(PLACE);
        assertThat(flushed.withAllFlushed(new CommitLogPosition(7, 1)).flushed())
                .containsEntry(0, PLACE)
                .containsEntry(3, new CommitLogPosition(7, 1));
    }

    @Test
    void shouldShareEverythingUnderAnotherRule() {
        ManifestContent resharded = filled().withShards(new ShardRule(2, 12), PLACE);
        assertThat(resharded.sstables()).allMatch(s -> s.shard() == ListedSSTable.SHARED);
        assertThat(resharded.flushed()).containsOnlyKeys(0, 1).containsEntry(1, PLACE);
    }

    @Test
    void shouldMakeEverythingObsoleteWhenTruncated() {
        ManifestContent truncated = filled().truncated(PLACE, 7);
        assertThat(truncated.sstables()).isEmpty();
        assertThat(truncated.obsolete()).containsExactlyInAnyOrder("1", "2", "3gd_0yz", "3");
        assertThat(truncated.flushed(1)).isEqualTo(PLACE);
        assertThat(truncated.truncatedMicros()).hasValue(7);
        assertThat(truncated.withFlushed(1, PLACE).withDated(OptionalLong.of(9)).truncatedMicros())
                .hasValue(7);
    }

    @Test
    void shouldForgetFilesThatAreGone() {
        ManifestContent content = filled().withoutFiles(List.of("2", "4", "1"));
        assertThat(content.obsolete()).isEmpty();
        assertThat(content.writing()).isEmpty();
        assertThat(content.sstables()).hasSize(3);
    }

    @Test
    void shouldRefuseToRemoveWhatIsNotLive() {
        assertThatThrownBy(() -> filled().withSSTables(List.of(), List.of("4")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("generation=4")
                .hasMessageContaining("ks.t");
    }

    @Test
    void shouldKeepTheLaterRepairTimeOfARange() {
        TokenRange range = new TokenRange(1, 2);
        ManifestContent content = EMPTY.withRepaired(List.of(range), 10)
                .withRepaired(List.of(range), 20)
                .withRepaired(List.of(range), 15);
        assertThat(content.repairTimes()).containsExactly(new RepairTime(range, 20));
    }

    @Test
    void shouldForgetRepairsThatNewerOnesCover() {
        ManifestContent content = EMPTY.withRepaired(List.of(new TokenRange(0, 10)), 10)
                .withRepaired(List.of(new TokenRange(10, 20)), 20)
                .withRepaired(List.of(new TokenRange(5, 15)), 15);
        assertThat(content.repairTimes())
                .containsExactly(
                        new RepairTime(new TokenRange(0, 5), 10),
                        new RepairTime(new TokenRange(5, 10), 15),
                        new RepairTime(new TokenRange(10, 20), 20));
        assertThat(content.withRepaired(List.of(new TokenRange(-5, 12)), 30).repairTimes())
                .containsExactly(
                        new RepairTime(new TokenRange(-5, 12), 30), new RepairTime(new TokenRange(12, 20), 20));
        assertThat(content.withRepaired(List.of(new TokenRange(20, 0)), 15)
                        .withRepaired(List.of(TokenRange.FULL), 20)
                        .repairTimes())
                .containsExactly(new RepairTime(TokenRange.FULL, 20));
        assertThat(content.withRepaired(List.of(new TokenRange(7, 7)), 40).repairTimes())
                .containsExactly(new RepairTime(TokenRange.FULL, 40));
    }

    @Test
    void shouldSayOfEachTokenWhenItWasRepairedLast() {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        ManifestContent content = EMPTY;
        List<RepairTime> told = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            RepairTime time = new RepairTime(new TokenRange(token(random), token(random)), random.nextInt(20) + 1);
            told.add(time);
            content = content.withRepaired(List.of(time.range()), time.seconds());
            for (int token = -12; token <= 12; token++) {
                assertThat(last(content.repairTimes(), token))
                        .as("seed=%d, token=%d", seed, token)
                        .isEqualTo(last(told, token));
            }
            assertThat(last(content.repairTimes(), Long.MIN_VALUE))
                    .as("seed=%d", seed)
                    .isEqualTo(last(told, Long.MIN_VALUE));
        }
    }

    private static long token(Random random) {
        return random.nextInt(10) == 0 ? Long.MIN_VALUE : random.nextInt(20) - 10;
    }

    private static long last(List<RepairTime> times, long token) {
        return times.stream()
                .filter(time -> time.range().contains(token))
                .mapToLong(RepairTime::seconds)
                .max()
                .orElse(0);
    }

    @Test
    void shouldStaySmallHoweverManyRangesAreRepairedAndNeverSayLaterThanItWas() {
        ManifestContent content = EMPTY;
        List<TokenRange> ranges = TokenRange.FULL.split(3_000);
        for (int i = 0; i < ranges.size(); i++) {
            content = content.withRepaired(List.of(ranges.get(i)), 1_000 + i);
        }
        assertThat(content.repairTimes()).hasSizeLessThanOrEqualTo(1_024);
        for (int i = 0; i < ranges.size(); i++) {
            assertThat(last(content.repairTimes(), ranges.get(i).right())).isBetween(1_000L, 1_000L + i);
        }
        for (int i = 0; i < 3_000; i++) {
            content = content.withRepaired(List.of(new TokenRange(10 * i, 10 * i + 5)), 9_000 + i);
        }
        assertThat(content.repairTimes()).hasSizeLessThanOrEqualTo(1_024);
    }

    @Test
    void shouldRefuseNamesThatAreNoFileNames() {
        assertThatThrownBy(() -> ManifestContent.empty("ks", "a/b", ID, new ShardRule(1, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ks.a/b");
    }
}
