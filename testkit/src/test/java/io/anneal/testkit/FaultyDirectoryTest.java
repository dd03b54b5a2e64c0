package io.anneal.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without faults it is a directory as any other. */
class FaultyDirectoryTest {
    @TempDir
    private Path temporary;

    private FaultyDirectory directory;
    private Path path;

    @BeforeEach
    void open() throws IOException {
        directory = FaultyDirectory.create(temporary);
        path = directory.path();
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private static List<String> names(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldReadWhatWasWritten() throws IOException {
        Path file = path.resolve("a.txt");
        Files.writeString(file, "one\n");
        Files.writeString(file, "two\n", StandardOpenOption.APPEND);

        assertThat(Files.readAllLines(file)).containsExactly("one", "two");
        assertThat(Files.readAllBytes(file)).isEqualTo("one\ntwo\n".getBytes(UTF_8));
        assertThat(Files.size(file)).isEqualTo(8);
        Files.writeString(file, "x");
        assertThat(Files.readString(file)).isEqualTo("x");
    }

    @Test
    void shouldMoveItsPositionAsAnyChannel() throws IOException {
        Path file = path.resolve("a");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertThat(channel.write(ByteBuffer.wrap("abcdef".getBytes(UTF_8)))).isEqualTo(6);
            assertThat(channel.position()).isEqualTo(6);
            channel.write(ByteBuffer.wrap("XY".getBytes(UTF_8)), 2);
            assertThat(channel.position()).isEqualTo(6);
            channel.truncate(5);
            assertThat(channel.position()).isEqualTo(5);
            assertThat(channel.size()).isEqualTo(5);
            ByteBuffer[] parts = {ByteBuffer.wrap("1".getBytes(UTF_8)), ByteBuffer.wrap("23".getBytes(UTF_8))};
            assertThat(channel.write(parts)).isEqualTo(3);
            ByteBuffer read = ByteBuffer.allocate(10);
            assertThat(channel.position(1).read(read)).isEqualTo(7);
            assertThat(channel.read(read)).isEqualTo(-1);
            assertThat(new String(read.array(), 0, 7, UTF_8)).isEqualTo("bXYe123");
        }
        assertThat(Files.readString(file)).isEqualTo("abXYe123");
    }

    @Test
    void shouldTransferAndMapForReading() throws IOException {
        Path file = path.resolve("a");
        Files.write(file, new byte[200_000]);
        Path copy = path.resolve("b");
        try (FileChannel source = FileChannel.open(file);
                FileChannel target = FileChannel.open(copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertThat(source.transferTo(0, 150_000, target)).isEqualTo(150_000);
            assertThat(target.transferFrom(source, 150_000, 60_000)).isEqualTo(60_000);
            assertThat(source.map(FileChannel.MapMode.READ_ONLY, 0, 10).remaining())
                    .isEqualTo(10);
            assertThatThrownBy(() -> source.map(FileChannel.MapMode.READ_WRITE, 0, 10))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
        assertThat(Files.size(copy)).isEqualTo(210_000);
    }

    @Test
    void shouldRefuseWhatAChannelWasNotOpenedFor() throws IOException {
        Path file = Files.createFile(path.resolve("a"));
        try (FileChannel reading = FileChannel.open(file);
                FileChannel writing = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> reading.write(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> reading.truncate(0)).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> writing.read(ByteBuffer.allocate(1)))
                    .isInstanceOf(NonReadableChannelException.class);
        }
        assertThatThrownBy(() -> FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> FileChannel.open(path, StandardOpenOption.WRITE))
                .isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> FileChannel.open(path.resolve("b"), StandardOpenOption.WRITE))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createFile(path.resolve("none/b"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createFile(file.resolve("b"))).isInstanceOf(FileSystemException.class);
    }

    @Test
    void shouldListAndWalk() throws IOException {
        Path deep = Files.createDirectories(path.resolve("one/two/three"));
        Files.createDirectories(deep);
        Files.writeString(deep.resolve("a.db"), "a");
        Files.writeString(deep.resolve("b.txt"), "b");

        assertThat(names(deep)).containsExactly("a.db", "b.txt");
        List<Path> found = new ArrayList<>();
        try (var files = Files.newDirectoryStream(deep, "*.db")) {
            files.forEach(found::add);
        }
        assertThat(found).containsExactly(deep.resolve("a.db"));
        try (Stream<Path> files = Files.walk(path)) {
            assertThat(files.map(file -> path.relativize(file).toString()))
                    .containsExactlyInAnyOrder(
                            "", "one", "one/two", "one/two/three", "one/two/three/a.db", "one/two/three/b.txt");
        }
        assertThatThrownBy(() -> Files.newDirectoryStream(deep.resolve("a.db")))
                .isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.delete(deep)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.createDirectory(deep)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.deleteIfExists(deep.resolve("c"))).isFalse();
    }

    @Test
    void shouldMoveFilesAndDirectories() throws IOException {
        Path one = Files.createDirectory(path.resolve("one"));
        Path file = Files.writeString(one.resolve("a"), "a");
        Path other = Files.writeString(path.resolve("b"), "b");

        assertThatThrownBy(() -> Files.move(file, other)).isInstanceOf(FileAlreadyExistsException.class);
        Files.move(file, other, StandardCopyOption.ATOMIC_MOVE);
        assertThat(Files.readString(other)).isEqualTo("a");
        assertThat(file).doesNotExist();
        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        Path two = Files.move(one, path.resolve("two"));
        assertThat(Files.readString(two.resolve("a"))).isEqualTo("a");
        assertThat(names(path)).containsExactly("two");
        assertThatThrownBy(() -> Files.move(two, two.resolve("in"))).isInstanceOf(FileSystemException.class);
        assertThatThrownBy(() -> Files.move(one, path.resolve("three"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void shouldKeepAFileUnderItsOtherNameWhenOneIsDeleted() throws IOException {
        Path file = Files.writeString(path.resolve("a"), "a");
        Path link = Files.createLink(path.resolve("b"), file);

        assertThat(Files.isSameFile(file, link)).isTrue();
        Files.delete(file);
        assertThat(Files.readString(link)).isEqualTo("a");
        assertThatThrownBy(() -> Files.createLink(link, path)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void shouldReadOnWhenTheFileIsDeleted() throws IOException {
        Path file = Files.writeString(path.resolve("a"), "abc");
        try (FileChannel channel = FileChannel.open(file)) {
            Files.delete(file);
            for (int i = 0; i < 200; i++) {
                Files.delete(Files.createFile(path.resolve("b")));
                force(path);
            }
            assertThat(channel.read(ByteBuffer.allocate(5))).isEqualTo(3);
        }
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Test
    void shouldShowAttributes() throws IOException {
        Path file = Files.createFile(
                path.resolve("a"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        Files.setLastModifiedTime(file, time);

        assertThat(Files.isDirectory(path)).isTrue();
        assertThat(Files.isRegularFile(file)).isTrue();
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey())
                .isNotEqualTo(
                        Files.readAttributes(path, BasicFileAttributes.class).fileKey());
        assertThat(Files.isWritable(file)).isTrue();
        assertThatThrownBy(() -> Files.size(path.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.getFileAttributeView(path.resolve("none"), BasicFileAttributeView.class)
                        .readAttributes())
                .isInstanceOf(NoSuchFileException.class);
        assertThat(Files.notExists(path.resolve("none"))).isTrue();
        assertThat(Files.getFileStore(file).getUsableSpace()).isPositive();
    }

    @Test
    void shouldNameFilesAsAnyPath() throws IOException {
        Path file = Files.createFile(path.resolve("a"));

        assertThat(file.getParent())
                .isEqualTo(path)
                .isEqualTo(file.resolveSibling("b").getParent());
        assertThat(path.resolve("x/../a").toRealPath()).isEqualTo(file.toRealPath());
        assertThat(path.relativize(file)).isEqualTo(file.getFileName());
        assertThat(file.startsWith(path)).isTrue();
        assertThat(path.getParent()).isEqualTo(file.getRoot());
        assertThat(file.toUri().getScheme()).isEqualTo("faulty");
        assertThat(file).isNotEqualTo(Path.of(file.toString()));
        assertThatThrownBy(() -> path.resolve("none").toRealPath()).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(file::toFile).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void shouldLockWithinTheProcess() throws IOException {
        Path file = Files.createFile(path.resolve("LOCK"));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileChannel other = FileChannel.open(file, StandardOpenOption.WRITE)) {
            FileLock lock = channel.tryLock();
            assertThat(lock.isValid()).isTrue();
            assertThatThrownBy(other::tryLock).isInstanceOf(OverlappingFileLockException.class);
            lock.release();
            assertThat(other.tryLock().isValid()).isTrue();
        }
    }

    @Test
    void shouldCopyBetweenFileSystems() throws IOException {
        Path ordinary = Files.writeString(temporary.resolve("ordinary"), "text");
        Path file =
                Files.copy(ordinary, Files.createDirectory(path.resolve("in")).resolve("a"));
        Files.copy(file, path.resolve("b"));
        directory.copyTo(temporary.resolve("out"));

        assertThat(temporary.resolve("out/in/a")).hasContent("text");
        assertThat(temporary.resolve("out/b")).hasContent("text");
        assertThatThrownBy(() -> Files.copy(file, path.resolve("b"))).isInstanceOf(FileAlreadyExistsException.class);
        Files.copy(file, path.resolve("b"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void shouldLeaveNothingBehindWhenItIsClosed() throws IOException {
        Files.createDirectories(path.resolve("a/b"));
        FileChannel channel =
                FileChannel.open(path.resolve("a/c"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel.write(ByteBuffer.allocate(10));
        channel.force(true);
        directory.close();
        directory.close();

        assertThat(channel.isOpen()).isFalse();
        assertThat(temporary).isEmptyDirectory();
        assertThatThrownBy(directory::path).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Files.size(path)).isInstanceOf(IOException.class);
    }
}
