package io.anneal.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each thing that goes wrong, and what is left of it. */
class FaultTest {
    @TempDir
    private Path temporary;

    private FaultyDirectory directory;
    private Path path;
    private FileChannel channel;

    @BeforeEach
    void open() throws IOException {
        directory = FaultyDirectory.create(temporary);
        path = directory.path();
        channel = FileChannel.open(
                path.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private int write(String text) throws IOException {
        return channel.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static void force(Path file) throws IOException {
        try (FileChannel opened = FileChannel.open(file, StandardOpenOption.READ)) {
            opened.force(true);
        }
    }

    @Test
    void shouldTakeAShortWriteThenNoneWhenTheDiskFillsUp() throws IOException {
        directory.fillUpAfter(5);

        assertThat(write("abc")).isEqualTo(3);
        assertThat(write("def")).isEqualTo(2);
        assertThatThrownBy(() -> write("f")).isInstanceOf(IOException.class).hasMessage("No space left on device");
        assertThat(channel.size()).isEqualTo(5);
        assertThat(channel.position()).isEqualTo(5);
        assertThat(Files.getFileStore(path).getUsableSpace()).isZero();
    }

    @Test
    void shouldOverwriteWhenTheDiskIsFull() throws IOException {
        write("abcdef");
        directory.fillUpAfter(0);
        channel.position(2);

        assertThat(write("XY")).isEqualTo(2);
        assertThat(write("1234")).isEqualTo(2);
        assertThat(Files.readString(path.resolve("log"))).isEqualTo("abXY12");
    }

    @Test
    void shouldWriteAgainWhenHealed() throws IOException {
        directory.fillUpAfter(0);
        directory.inject(Fault.on(Operation.FORCE));
        directory.heal();

        assertThat(write("abc")).isEqualTo(3);
        channel.force(true);
    }

    @Test
    void shouldFailWritesOfMatchingNamesOnly() throws IOException {
        directory.inject(Fault.on(Operation.WRITE).named(name -> name.endsWith(".db")));
        Path data = Files.createFile(path.resolve("a.db"));

        assertThat(write("abc")).isEqualTo(3);
        assertThatThrownBy(() -> Files.writeString(data, "x"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("operation=WRITE")
                .hasMessageContaining("file=a.db");
        assertThat(data).isEmptyFile();
    }

    @Test
    void shouldWriteShort() throws IOException {
        directory.inject(Fault.on(Operation.WRITE).shortening(2).after(1).times(2));

        assertThat(write("abc")).isEqualTo(3);
        assertThat(write("def")).isEqualTo(2);
        assertThat(write("ghi")).isEqualTo(2);
        assertThat(write("jkl")).isEqualTo(3);
        assertThat(Files.readString(path.resolve("log"))).isEqualTo("abcdeghjkl");
    }

    @Test
    void shouldComeAgainWithTheRestWhenFilesWritesShort() throws IOException {
        directory.inject(Fault.on(Operation.WRITE).shortening(3));

        assertThat(Files.readString(Files.writeString(path.resolve("a"), "a longer text")))
                .isEqualTo("a longer text");
    }

    @Test
    void shouldFailTheForceThatWasChosen() throws IOException {
        directory.inject(Fault.on(Operation.FORCE).after(1).times(1));

        channel.force(true);
        assertThatThrownBy(() -> channel.force(false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("operation=FORCE");
        channel.force(true);
        assertThat(directory.count(Operation.FORCE)).isEqualTo(3 + 1);
    }

    @Test
    void shouldPromiseNothingSinceTheLastGoodForceWhenOneFailed() throws IOException {
        force(path);
        write("abc");
        channel.force(true);
        write("def");
        directory.inject(Fault.on(Operation.FORCE));
        assertThatThrownBy(() -> channel.force(true)).isInstanceOf(IOException.class);
        directory.heal();
        write("ghi");
        channel.force(true);
        directory.crash();

        assertThat(Files.readString(directory.path().resolve("log"))).isEqualTo("abc");
    }

    @Test
    void shouldPromiseNoNamesWhenTheForceOfADirectoryFailed() throws IOException {
        force(path);
        Files.createFile(path.resolve("a"));
        directory.inject(Fault.on(Operation.FORCE).named("faulty"::equals).times(1));
        assertThatThrownBy(() -> force(path)).isInstanceOf(IOException.class);
        Files.createFile(path.resolve("b"));
        force(path);
        directory.crash();

        assertThat(directory.path().resolve("log")).exists();
        assertThat(directory.path().resolve("a")).doesNotExist();
        assertThat(directory.path().resolve("b")).doesNotExist();
    }

    @Test
    void shouldFailChangesOfNames() throws IOException {
        Path a = Files.createFile(path.resolve("a"));
        Path b = path.resolve("b");
        directory.inject(Fault.on(Operation.RENAME, Operation.DELETE, Operation.LINK, Operation.CREATE));

        assertThatThrownBy(() -> Files.move(a, b, StandardCopyOption.ATOMIC_MOVE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("operation=RENAME");
        assertThatThrownBy(() -> Files.delete(a)).hasMessageContaining("operation=DELETE");
        assertThatThrownBy(() -> Files.createLink(b, a)).hasMessageContaining("operation=LINK");
        assertThatThrownBy(() -> Files.createDirectory(b)).hasMessageContaining("operation=CREATE");
        assertThat(a).exists();
        assertThat(b).doesNotExist();
    }

    @Test
    void shouldMatchARenameByEitherName() throws IOException {
        Path a = Files.createFile(path.resolve("a"));
        directory.inject(Fault.on(Operation.RENAME).named("b"::equals));

        assertThatThrownBy(() -> Files.move(a, path.resolve("b"))).isInstanceOf(IOException.class);
        Path c = Files.move(a, path.resolve("c"));
        assertThat(c).exists();
    }

    @Test
    void shouldFailReads() throws IOException {
        write("abc");
        directory.inject(Fault.on(Operation.READ).named("log"::equals));

        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 0)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Files.readAllBytes(path.resolve("log"))).isInstanceOf(IOException.class);
        assertThat(Files.list(path)).hasSize(1);
    }

    @Test
    void shouldCutThePowerInsteadOfTheOperation() throws IOException {
        force(path);
        write("abc");
        channel.force(true);
        directory.inject(Fault.on(Operation.DELETE).cuttingPower(1));
        assertThatThrownBy(() -> Files.delete(path.resolve("log")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("power was cut, operation=DELETE, file=log");

        assertThatThrownBy(() -> write("d")).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> Files.delete(path.resolve("log"))).isInstanceOf(IOException.class);
        assertThat(Files.readString(directory.path().resolve("log"))).isEqualTo("abc");
    }

    @Test
    void shouldRefuseFaultsThatMakeNoSense() {
        assertThatThrownBy(() -> Fault.on(Operation.FORCE).shortening(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Fault.on(Operation.WRITE).shortening(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> directory.fillUpAfter(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
