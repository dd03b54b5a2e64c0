package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.Directories;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptDirectoryTest {
    private static final String TABLE = "0123456789abcdef0123456789abcdef";
    private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

    @TempDir
    private Path parent;

    private final Random random = new Random(7);

    private Path directory() {
        return parent.resolve("kept");
    }

    private KeptDirectory open() throws IOException {
        return KeptDirectory.open(directory(), random, NOW);
    }

    @Test
    void shouldKeepItsSeedAndWhatItIsGiven() throws IOException {
        KeptDirectory first = open();
        assertThat(first.read(TABLE, Function.identity())).isEmpty();
        first.update(TABLE, before -> {
            assertThat(before).isEmpty();
            return Optional.of(new byte[] {1, 2});
        });

        KeptDirectory again = open();

        assertThat(again.seed()).isEqualTo(first.seed());
        assertThat(again.read(TABLE, Function.identity())).contains(new byte[] {1, 2});
        again.update(TABLE, before -> Optional.empty());
        assertThat(again.read(TABLE, Function.identity())).isEmpty();
    }

    @Test
    void shouldBeReadByItsOwnerAlone() throws IOException {
        open();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
    }

    @Test
    void shouldMakeAnotherSeedWhereTheFileIsWrong() throws IOException {
        long seed = open().seed();
        Path file = directory().resolve("seed");
        String text = Files.readString(file);
        for (String wrong : new String[] {
            "",
            "seed",
            text.replace("seed ", "sead "),
            text.replace("anneal-seed 1", "anneal-seed 2"),
            text.substring(0, text.length() - 2)
        }) {
            Files.writeString(file, wrong);
            long made = open().seed();

            assertThat(made).as(wrong).isNotEqualTo(seed);
            assertThat(open().seed()).as(wrong).isEqualTo(made);
        }
    }

    @Test
    void shouldRemoveWhatNobodyHasWrittenForLong() throws IOException {
        KeptDirectory kept = open();
        kept.update(TABLE, before -> Optional.of(new byte[1]));
        Path file = directory().resolve(TABLE + ".kept");
        Files.setLastModifiedTime(file, FileTime.from(NOW.minus(KeptDirectory.KEPT)));
        assertThat(open().read(TABLE, Function.identity())).isPresent();
        Files.setLastModifiedTime(
                file, FileTime.from(NOW.minus(KeptDirectory.KEPT).minus(Duration.ofSeconds(1))));

        KeptDirectory later = open();

        assertThat(later.read(TABLE, Function.identity())).isEmpty();
        assertThat(later.seed()).isEqualTo(kept.seed());
    }

    @Test
    void shouldKeepNothingOfOtherTables() throws IOException {
        KeptDirectory kept = open();
        String other = TABLE.replace('a', '0');
        for (String table : List.of(TABLE, other)) {
            kept.update(table, before -> Optional.of(new byte[1]));
        }

        kept.retain(Set.of(TABLE));

        assertThat(kept.read(TABLE, Function.identity())).isPresent();
        assertThat(kept.read(other, Function.identity())).isEmpty();
        assertThat(open().seed()).isEqualTo(kept.seed());
    }

    /** A node's agent starts all the same. */
    @Test
    void shouldLeaveWhatCannotBeRemoved() throws IOException {
        KeptDirectory kept = open();
        Path inTheWay =
                Files.createDirectories(directory().resolve(TABLE + ".kept").resolve("in the way"));
        Files.setLastModifiedTime(inTheWay.getParent(), FileTime.from(Instant.EPOCH));

        kept.retain(Set.of());

        assertThat(open().seed()).isEqualTo(kept.seed());
        assertThat(inTheWay).exists();
    }

    @Test
    void shouldCountWhatIsTooLargeForNothing() throws IOException {
        KeptDirectory kept = open();
        for (String name : List.of(TABLE + ".kept", "seed")) {
            try (FileChannel file =
                    FileChannel.open(directory().resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.wrap(new byte[1]), 3L << 30);
            }
        }

        assertThat(kept.read(TABLE, Function.identity())).isEmpty();
        kept.update(TABLE, before -> {
            assertThat(before).isEmpty();
            return Optional.of(new byte[] {3});
        });
        assertThat(kept.read(TABLE, Function.identity())).contains(new byte[] {3});
        assertThat(open().seed()).isEqualTo(open().seed()).isNotEqualTo(kept.seed());
    }

    @Test
    void shouldMakeItsDirectoryAnewWhereSomebodyHasRemovedIt() throws IOException {
        KeptDirectory kept = open();
        Directories.deleteTree(directory());
        assertThat(kept.read(TABLE, Function.identity())).isEmpty();

        kept.update(TABLE, before -> Optional.of(new byte[] {3}));

        assertThat(kept.read(TABLE, Function.identity())).contains(new byte[] {3});
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
                .isEqualTo("rwx------");
    }

    @Test
    void shouldTellWhatCannotBeReadOrWritten() throws IOException {
        KeptDirectory kept = open();
        Files.createDirectories(directory().resolve(TABLE + ".kept").resolve("in the way"));

        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> kept.read(TABLE, Function.identity()))
                .withMessageContaining(TABLE);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> kept.update(TABLE, before -> Optional.of(new byte[1])))
                .withMessageContaining(TABLE);
    }

    @Test
    void shouldRefuseWhatIsNoTableId() throws IOException {
        KeptDirectory kept = open();

        assertThatThrownBy(() -> kept.read("../../etc", Function.identity()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("../../etc");
    }
}
