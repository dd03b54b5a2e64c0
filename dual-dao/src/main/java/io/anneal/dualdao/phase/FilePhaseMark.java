package io.anneal.dualdao.phase;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A memory beside the instance: the file {@code NAME.mark} of a directory, in the format that {@link FilePhaseStore}
 * describes, with one line of kind {@code mark}: version, phase, highest phase. Keep the directory from one run to the
 * next, and apart from the phase store. Any thread and several processes may use the same directory.
 *
 * <p>A file that is torn, empty, cut short or of an unknown version is a {@link PhaseStoreException}: somebody who takes it
 * away says that its memory doesn't matter.
 */
public final class FilePhaseMark implements PhaseMark {
    private static final String KIND = "mark";

    private final Path directory;

    /** The directory is created with the first memory. */
    public FilePhaseMark(Path directory) {
        this.directory = directory;
    }

    @Override
    public Optional<Seen> read(String name) {
        Path file = file(name);
        return PhaseFile.read(file, KIND, PhaseText::seen).map(lines -> {
            if (lines.size() != 1) {
                throw new PhaseStoreException(
                        "phase file is damaged, file=" + file + ", line=2, reason=it holds " + lines.size() + " marks");
            }
            return lines.get(0);
        });
    }

    @Override
    public void remember(String name, Seen seen) {
        PhaseFile.locked(directory.resolve(PhaseText.fileName(name) + ".mark.lock"), () -> {
            boolean newer =
                    read(name).map(before -> seen.version() > before.version()).orElse(true);
            if (newer) {
                PhaseFile.replace(file(name), KIND, List.of(PhaseText.line(seen)));
            }
            return newer;
        });
    }

    private Path file(String name) {
        return directory.resolve(PhaseText.fileName(name) + ".mark");
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
