package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.StorageException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The platform says of a disk that does not read only that it does not, not where. */
class ReadErrorsTest {
    private static final Set<Component> NEVER_READ = EnumSet.of(Component.DIGEST, Component.CRC);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(names = {"NB", "OA", "DA"})
    void shouldNameTheFileWhenADiskDoesNotReadIt(SSTableVersion version) throws IOException {
        RandomFragments fragments = new RandomFragments(7, 40, TableOptions.UNKNOWN);
        FragmentList written = fragments.next(1);
        try (FaultyDirectory disk = FaultyDirectory.create(directory)) {
            Descriptor sstable;
            try (FragmentWriter writer = Formats.write(
                    disk.path(),
                    "1",
                    fragments.schema(),
                    SSTableWriterConfig.defaults(40).withVersion(version))) {
                writer.append(written.cursor());
                sstable = writer.finish();
            }
            int read = 0;
            for (Component component : Component.values()) {
                if (!Files.exists(sstable.file(component)) || NEVER_READ.contains(component)) {
                    continue;
                }
                disk.inject(Fault.on(Operation.READ).named(name -> name.endsWith(component.fileSuffix())));
                Throwable failure = catchThrowable(() -> readAll(sstable, written));
                disk.heal();
                if (failure != null) {
                    read++;
                    assertThat(failure)
                            .as("%s", component)
                            .isInstanceOf(StorageException.class)
                            .hasMessageContaining("file=" + sstable.file(component))
                            .hasMessageContaining("action=read");
                }
            }
            assertThat(read).isGreaterThanOrEqualTo(5);
        }
    }

    private static void readAll(Descriptor sstable, FragmentList written) throws IOException {
        try (SSTableReader reader = Formats.open(sstable)) {
            for (DecoratedKey key : written.fragments().stream()
                    .map(FragmentList.Fragment::key)
                    .distinct()
                    .toList()) {
                Optional<SSTableCursor> found = reader.read(written.schema(), key, Slices.ALL, false);
                if (found.isPresent()) {
                    try (FragmentCursor cursor = found.get()) {
                        FragmentList.copyOf(cursor);
                    }
                }
            }
            try (FragmentCursor cursor = reader.scan(written.schema(), TokenRange.Linear.ALL)) {
                FragmentList.copyOf(cursor);
            }
        }
    }
}
