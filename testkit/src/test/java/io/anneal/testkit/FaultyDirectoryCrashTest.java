package io.anneal.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crash leaves: what was forced, and of the rest nothing, or what the naive models here allow. */
class FaultyDirectoryCrashTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final int SECTOR_BYTES = 512;
    private static final int SEEDS = Integer.getInteger("anneal.crash.seeds", 300);

    @TempDir
    private Path temporary;

    private FaultyDirectory directory;

    @BeforeEach
    void open() throws IOException {
        directory = FaultyDirectory.create(temporary);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private Path path(String name) {
        return directory.path().resolve(name);
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Test
    void shouldLoseBytesThatWereNotForced() throws IOException {
        Path file = Files.writeString(path("a"), "forced");
        force(file);
        force(directory.path());
        Files.writeString(file, " and not", StandardOpenOption.APPEND);
        assertThat(Files.readString(file)).isEqualTo("forced and not");
        directory.crash();

        assertThat(Files.readString(path("a"))).isEqualTo("forced");
        directory.crash();
        assertThat(Files.readString(path("a"))).isEqualTo("forced");
    }

    @Test
    void shouldUndoATruncationThatWasNotForced() throws IOException {
        force(Files.writeString(path("a"), "long text"));
        force(directory.path());
        Files.writeString(path("a"), "short");
        directory.crash();

        assertThat(Files.readString(path("a"))).isEqualTo("long text");
    }

    @Test
    void shouldLoseAForcedFileWhoseNameWasNotForced() throws IOException {
        force(Files.writeString(path("a"), "forced"));
        directory.crash();

        assertThat(path("a")).doesNotExist();
    }

    @Test
    void shouldKeepANameWithoutBytesWhenTheFileWasNotForced() throws IOException {
        Files.writeString(path("a"), "lost");
        force(directory.path());
        directory.crash();

        assertThat(path("a")).isEmptyFile();
    }

    @Test
    void shouldUndoChangesOfNamesThatWereNotForced() throws IOException {
        for (String name : List.of("deleted", "moved", "replaced", "kept")) {
            force(Files.writeString(path(name), name));
        }
        Files.createDirectory(path("emptied"));
        force(Files.writeString(path("emptied/in"), "in"));
        force(path("emptied"));
        force(directory.path());

        Files.delete(path("deleted"));
        Files.move(path("moved"), path("replaced"), StandardCopyOption.ATOMIC_MOVE);
        Files.createLink(path("link"), path("kept"));
        Files.delete(path("emptied/in"));
        Files.delete(path("emptied"));
        directory.crash();

        Map<String, String> found = new TreeMap<>();
        try (var files = Files.walk(directory.path())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                found.put(directory.path().relativize(file).toString(), Files.readString(file));
            }
        }
        assertThat(found)
                .isEqualTo(Map.of(
                        "deleted",
                        "deleted",
                        "moved",
                        "moved",
                        "replaced",
                        "replaced",
                        "kept",
                        "kept",
                        "emptied/in",
                        "in"));
    }

    @Test
    void shouldKeepFilesOfADirectoryThatWasRenamedAndForced() throws IOException {
        Files.createDirectory(path("new"));
        force(Files.writeString(path("new/a"), "a"));
        force(path("new"));
        Files.move(path("new"), path("table"));
        Files.createFile(path("table/b"));
        force(directory.path());
        directory.crash();

        assertThat(path("new")).doesNotExist();
        assertThat(Files.readString(path("table/a"))).isEqualTo("a");
        assertThat(path("table/b")).doesNotExist();
    }

    @Test
    void shouldForceARenameWithEitherDirectory() throws IOException {
        for (String forced : List.of("one", "two")) {
            Files.createDirectories(path(forced + "/one"));
            Files.createDirectories(path(forced + "/two"));
            Files.createFile(path(forced + "/one/a"));
            for (String name : List.of("", forced, forced + "/one", forced + "/two")) {
                force(path(name));
            }
            Files.move(path(forced + "/one/a"), path(forced + "/two/a"));
            force(path(forced + "/" + forced));
            directory.crash();

            assertThat(path(forced + "/one/a")).doesNotExist();
            assertThat(path(forced + "/two/a")).exists();
        }
    }

    @Test
    void shouldCloseEverythingAndReleaseLocks() throws IOException {
        Path before = directory.path();
        Path file = Files.writeString(path("a"), "abc");
        force(file);
        force(before);
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileLock lock = channel.lock();
        MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 3);
        channel.write(ByteBuffer.allocate(100), 3);
        directory.crash();

        assertThat(channel.isOpen()).isFalse();
        assertThat(lock.isValid()).isFalse();
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1))).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> channel.force(true)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> Files.delete(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("crashed");
        assertThatThrownBy(() -> Files.createFile(before.resolve("b"))).isInstanceOf(IOException.class);
        assertThat(Files.exists(file)).isFalse();
        assertThat(before.getFileSystem().isOpen()).isFalse();
        assertThat(mapped.get(1)).isEqualTo((byte) 'b');
        try (FileChannel next = FileChannel.open(path("a"), StandardOpenOption.WRITE)) {
            assertThat(next.tryLock().isValid()).isTrue();
        }
    }

    @Test
    void shouldLoseNothingWhenOnlyTheProcessDies() throws IOException {
        Path before = directory.path();
        Files.writeString(path("a"), "abc");
        directory.kill();

        assertThatThrownBy(() -> Files.size(before)).isInstanceOf(IOException.class);
        assertThat(Files.readString(path("a"))).isEqualTo("abc");
        directory.crash();
        assertThat(path("a")).doesNotExist();
    }

    @Test
    void shouldForceEachWriteWhenOpenedSo() throws IOException {
        Files.createFile(path("a"));
        force(directory.path());
        Files.writeString(path("a"), "abc", StandardOpenOption.DSYNC);
        directory.crash();

        assertThat(Files.readString(path("a"))).isEqualTo("abc");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void shouldLeaveOfAFileOnlyWhatMaySurvive(int changesMax) throws IOException {
        int lost = 0;
        int kept = 0;
        int torn = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            FileModel model = new FileModel();
            Path file = Files.createFile(path("file" + seed));
            force(directory.path());
            for (int round = 0; round < 2; round++) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
                    for (int i = random.nextInt(changesMax + 1); i > 0; i--) {
                        model.change(channel, random);
                    }
                    if (round == 0) {
                        channel.force(false);
                        model.forced();
                    }
                }
            }
            byte[] before = Files.readAllBytes(file);
            directory.crash(seed);
            byte[] after = Files.readAllBytes(path("file" + seed));

            model.check(after, seed);
            lost += model.isForced(after) && !Arrays.equals(before, after) ? 1 : 0;
            kept += !model.isForced(after) && Arrays.equals(before, after) ? 1 : 0;
            torn += !model.isForced(after) && !Arrays.equals(before, after) ? 1 : 0;
        }
        assertThat(lost).as("lost").isPositive();
        assertThat(kept).as("kept").isPositive();
        assertThat(torn).as("torn").isPositive();
    }

    /** What each sector may hold, all combinations of changes tried out. */
    private static final class FileModel {
        private static final int SECTORS = 24;

        private byte[] forced = new byte[0];
        private byte[] current = new byte[0];
        private int longest;
        private int shortest;
        private List<Set<List<Byte>>> sectors;

        FileModel() {
            forced();
        }

        void forced() {
            forced = current.clone();
            longest = forced.length;
            shortest = forced.length;
            sectors = new ArrayList<>();
            for (int i = 0; i < SECTORS; i++) {
                sectors.add(new HashSet<>(Set.of(sector(forced, i))));
            }
        }

        private static List<Byte> sector(byte[] content, int index) {
            List<Byte> bytes = new ArrayList<>();
            byte[] padded = Arrays.copyOf(content, SECTORS * SECTOR_BYTES);
            for (int i = 0; i < SECTOR_BYTES; i++) {
                bytes.add(padded[index * SECTOR_BYTES + i]);
            }
            return bytes;
        }

        void change(FileChannel channel, SplittableRandom random) throws IOException {
            int from = random.nextInt(SECTORS * SECTOR_BYTES);
            if (random.nextInt(5) == 0) {
                channel.truncate(from);
                if (from >= current.length) {
                    return;
                }
                current = Arrays.copyOf(current, from);
                shortest = Math.min(shortest, from);
                apply(from, SECTORS * SECTOR_BYTES, (byte) 0);
                return;
            }
            byte[] bytes = new byte[1 + random.nextInt(SECTORS * SECTOR_BYTES - from)];
            byte value = (byte) (1 + random.nextInt(100));
            Arrays.fill(bytes, value);
            channel.write(ByteBuffer.wrap(bytes), from);
            current = Arrays.copyOf(current, Math.max(current.length, from + bytes.length));
            Arrays.fill(current, from, from + bytes.length, value);
            longest = Math.max(longest, current.length);
            apply(from, from + bytes.length, value);
        }

        private void apply(int from, int to, byte value) {
            for (int index = 0; index < SECTORS; index++) {
                int begin = Math.max(0, from - index * SECTOR_BYTES);
                int end = Math.min(SECTOR_BYTES, to - index * SECTOR_BYTES);
                Set<List<Byte>> more = new HashSet<>();
                for (List<Byte> candidate : sectors.get(index)) {
                    List<Byte> changed = new ArrayList<>(candidate);
                    for (int i = begin; i < end; i++) {
                        changed.set(i, value);
                    }
                    more.add(changed);
                }
                sectors.get(index).addAll(more);
            }
        }

        boolean isForced(byte[] content) {
            return Arrays.equals(content, forced);
        }

        void check(byte[] content, long seed) {
            assertThat(content.length).as("seed=%d", seed).isBetween(shortest, longest);
            for (int index = 0; index < SECTORS; index++) {
                boolean allowed = sectors.get(index).contains(sector(content, index));
                assertThat(allowed).as("seed=%d, sector=%d", seed, index).isTrue();
            }
        }
    }

    @Test
    void shouldLeaveOfNamesOnlyWhatMaySurvive() throws IOException {
        int lost = 0;
        int kept = 0;
        int between = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            NameModel model = new NameModel(Files.createDirectory(path("seed" + seed)));
            force(directory.path());
            for (int i = random.nextInt(15); i > 0; i--) {
                model.change(random);
            }
            List<Map<String, String>> before = model.read(path("seed" + seed));
            directory.crash(seed);
            List<Map<String, String>> after = model.read(path("seed" + seed));

            List<List<Map<String, String>>> allowed = model.allowed();
            assertThat(allowed).as("seed=%d", seed).contains(after);
            boolean all = after.equals(before);
            boolean none = after.equals(allowed.get(0));
            lost += none && !all ? 1 : 0;
            kept += all && !none ? 1 : 0;
            between += !all && !none ? 1 : 0;
        }
        assertThat(lost).as("lost").isPositive();
        assertThat(kept).as("kept").isPositive();
        assertThat(between).as("between").isPositive();
    }

    /** Two directories: each first so many changes of one with each first so many of the other, tried out. */
    private static final class NameModel {
        private static final int DIRECTORIES = 2;

        /** A change as one of the directories sees it; what is in two has one number. */
        private record Change(int number, String removed, String added, String content) {}

        private final List<Path> directories = new ArrayList<>();
        private final List<List<Change>> changes = List.of(new ArrayList<>(), new ArrayList<>());
        private final int[] forced = new int[DIRECTORIES];
        private int lastNumber;

        NameModel(Path path) throws IOException {
            for (int i = 0; i < DIRECTORIES; i++) {
                directories.add(Files.createDirectory(path.resolve("d" + i)));
            }
            force(path);
        }

        void change(SplittableRandom random) throws IOException {
            int one = random.nextInt(DIRECTORIES);
            int two = random.nextInt(DIRECTORIES);
            String name = "n" + random.nextInt(4);
            String other = "n" + random.nextInt(4);
            Path source = directories.get(one).resolve(name);
            Path target = directories.get(two).resolve(other);
            lastNumber++;
            String content = Files.exists(source) ? Files.readString(source) : null;
            switch (random.nextInt(5)) {
                case 0 -> {
                    force(directories.get(one));
                    forced[one] = changes.get(one).size();
                }
                case 1 -> {
                    if (content != null) {
                        Files.delete(source);
                        changes.get(one).add(new Change(lastNumber, name, null, null));
                    }
                }
                case 2 -> {
                    if (content != null && Files.notExists(target)) {
                        Files.createLink(target, source);
                        changes.get(two).add(new Change(lastNumber, null, other, content));
                    }
                }
                case 3 -> {
                    if (content != null && Files.notExists(target)) {
                        move(one, name, two, other, content);
                    } else if (content != null && !Files.isSameFile(source, target)) {
                        move(one, name, two, other, content);
                    }
                }
                default -> {
                    if (content == null) {
                        content = "content " + lastNumber;
                        force(Files.writeString(source, content));
                        changes.get(one).add(new Change(lastNumber, null, name, content));
                    }
                }
            }
        }

        private void move(int one, String name, int two, String other, String content) throws IOException {
            Files.move(
                    directories.get(one).resolve(name),
                    directories.get(two).resolve(other),
                    StandardCopyOption.ATOMIC_MOVE);
            if (one == two) {
                changes.get(one).add(new Change(lastNumber, name, other, content));
            } else {
                changes.get(one).add(new Change(lastNumber, name, null, null));
                changes.get(two).add(new Change(lastNumber, null, other, content));
            }
        }

        List<List<Map<String, String>>> allowed() {
            List<List<Map<String, String>>> allowed = new ArrayList<>();
            for (int first = forced[0]; first <= changes.get(0).size(); first++) {
                for (int second = forced[1]; second <= changes.get(1).size(); second++) {
                    if (agree(first, second)) {
                        allowed.add(List.of(state(0, first), state(1, second)));
                    }
                }
            }
            return allowed;
        }

        private boolean agree(int first, int second) {
            List<Integer> ones = changes.get(0).stream().map(Change::number).toList();
            List<Integer> twos = changes.get(1).stream().map(Change::number).toList();
            for (int number : ones) {
                int at = twos.indexOf(number);
                if (at >= 0 && ones.indexOf(number) < first != at < second) {
                    return false;
                }
            }
            return true;
        }

        private Map<String, String> state(int index, int count) {
            Map<String, String> state = new HashMap<>();
            for (Change change : changes.get(index).subList(0, count)) {
                state.remove(change.removed());
                if (change.added() != null) {
                    state.put(change.added(), change.content());
                }
            }
            return state;
        }

        List<Map<String, String>> read(Path path) throws IOException {
            List<Map<String, String>> found = new ArrayList<>();
            for (int i = 0; i < DIRECTORIES; i++) {
                Map<String, String> entries = new HashMap<>();
                try (var files = Files.newDirectoryStream(path.resolve("d" + i))) {
                    for (Path file : files) {
                        entries.put(file.getFileName().toString(), new String(Files.readAllBytes(file), UTF_8));
                    }
                }
                found.add(entries);
            }
            return found;
        }
    }
}
