package io.anneal.dualdao.phase;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How far work on all keys has come, in a file of the format that {@link FilePhaseStore} describes, with one line of kind {@code
 * work}: the note that the work began to write. One thread at a time.
 */
public final class WorkMark {
    private static final String KIND = "work";

    private final Path file;

    public WorkMark(Path directory, String name, PhaseNote.Kind kind) {
        file = directory.resolve(PhaseText.fileName(name) + "." + kind.name().toLowerCase(Locale.ROOT));
    }

    /**
     * What was last written.
     *
     * @throws PhaseStoreException if the file is damaged: take it away, the work then begins anew
     */
    public Optional<PhaseNote> read() {
        return PhaseFile.read(file, KIND, PhaseText::note)
                .flatMap(lines -> lines.stream().findFirst());
    }

    public void write(PhaseNote unfinished) {
        PhaseFile.replace(file, KIND, List.of(PhaseText.line(unfinished)));
    }

    /** The work is done. */
    public void clear() {
        PhaseFile.replace(file, KIND, List.of());
    }
}
