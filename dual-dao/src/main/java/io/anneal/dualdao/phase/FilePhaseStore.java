package io.anneal.dualdao.phase;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A phase store in a directory that all instances reach: those of one machine, or of several by a file system with locks and
 * atomic renames. Any thread may call, and any number of processes.
 *
 * <p>The files of the migration {@code NAME}; in names every character but letters, digits, {@code -} and {@code _} is
 * escaped by {@code %} and its hexadecimal digits:
 *
 * <pre>
 * NAME.phase             kind records: every record ever in force, oldest first, the last is in force
 * NAME.notes             kind notes
 * NAME.instances/ID.beat kind instance: the last heartbeat, one line
 * NAME.lock              locked while one of the first two is changed
 *
 * file     anneal-phase FORMAT KIND                     its version, 2 of records, else 1; and what the file holds
 *          CHECKSUM FIELD FIELD ...                     any number
 *          CHECKSUM end COUNT                           of the lines between
 * records  version phase readSharePercent highest at who why
 * notes    at version who kind fact=value ...
 * instance instance version drained at fact=value ...
 * </pre>
 *
 * Lines end with a line feed and are UTF-8. Phases are {@code 1} to {@code 5} and {@code 3b}, times ISO 8601. In fields
 * a percent sign, a space, an equals sign and control characters are {@code %} and two hexadecimal digits; an empty field is a
 * percent sign alone. The checksum is CRC-32 in eight hexadecimal digits, of the header and the contents of all lines so
 * far, its own included, without checksums and line feeds. This format is promised: later versions of this library read it; a later
 * format has another version, and this library then refuses to read or change it. In format 1 records have a field more, before the
 * highest phase: whether reads fall back. It is read, and refused where it says so of a phase 4 in force.
 *
 * <p>A file is replaced by writing the new one beside it, forcing it to the disk and renaming it, so that readers need no lock and
 * see the old or the new one. Hence what is torn, empty, cut short (between lines, too) or unknown was damaged by something
 * else and is a {@link PhaseStoreException} with file, line and reason. A file of an older state that is whole in itself can't be told here: that is what
 * {@link PhaseMark}s are for.
 */
public final class FilePhaseStore implements PhaseStore {
    private static final String RECORDS = PhaseFile.RECORDS;
    private static final String NOTES = "notes";
    private static final String INSTANCE = "instance";
    private static final String BEAT = ".beat";

    private final Path directory;

    /** The directory is created with the first record, by {@link #create}. */
    public FilePhaseStore(Path directory) {
        this.directory = directory;
    }

    @Override
    public Optional<PhaseRecord> read(String name) {
        List<PhaseRecord> history = history(name);
        return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1));
    }

    @Override
    public void create(String name, PhaseRecord first) {
        locked(name, () -> {
            if (!history(name).isEmpty()) {
                throw new IllegalStateException(
                        "there is a phase record already, name=" + name + ", file=" + phaseFile(name));
            }
            PhaseFile.replace(phaseFile(name), RECORDS, List.of(PhaseText.line(first)));
            return first;
        });
    }

    @Override
    public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        if (next.version() != expectedVersion + 1) {
            throw new IllegalArgumentException(
                    "not the next version, expectedVersion=" + expectedVersion + ", version=" + next.version());
        }
        return locked(name, () -> {
            List<PhaseRecord> history = new ArrayList<>(history(name));
            boolean expected =
                    !history.isEmpty() && history.get(history.size() - 1).version() == expectedVersion;
            if (expected) {
                history.add(next);
                PhaseFile.clear(phaseFile(name));
                PhaseFile.replace(
                        phaseFile(name),
                        RECORDS,
                        history.stream().map(PhaseText::line).toList());
            }
            return expected;
        });
    }

    @Override
    public List<PhaseRecord> history(String name) {
        Path file = phaseFile(name);
        List<PhaseText.Filed> filed =
                PhaseFile.read(file, RECORDS, PhaseText::filed).orElse(List.of());
        List<PhaseRecord> history =
                filed.stream().map(PhaseText.Filed::phaseRecord).toList();
        for (int i = 0; i < history.size(); i++) {
            if (history.get(i).version() != i + 1) {
                throw new PhaseStoreException("phase file is damaged, file=" + file + ", line=" + (i + 2)
                        + ", reason=version " + history.get(i).version() + " stands where " + (i + 1) + " belongs");
            }
        }
        if (history.isEmpty() && Files.exists(file)) {
            throw new PhaseStoreException(
                    "phase file is damaged, file=" + file + ", line=2, reason=it holds no record");
        }
        if (!history.isEmpty()) {
            PhaseText.Filed last = filed.get(filed.size() - 1);
            last.phaseRecord().refuseFallback(name, last.fallback());
        }
        return history;
    }

    /** Takes no lock: whoever holds it must not keep instances from showing that they live. */
    @Override
    public void heartbeat(String name, Heartbeat heartbeat) {
        checkCreated(name);
        Path file = instanceFile(name, heartbeat.instance());
        try {
            PhaseFile.createDirectory(file.getParent());
        } catch (IOException e) {
            throw new PhaseStoreException(
                    "directory can't be made, directory=" + file.getParent() + ", reason=" + e, e);
        }
        PhaseFile.replace(file, INSTANCE, List.of(PhaseText.line(heartbeat)));
    }

    @Override
    public List<Heartbeat> heartbeats(String name) {
        List<Heartbeat> heartbeats = new ArrayList<>();
        for (Path file : instanceFiles(name)) {
            // One that is forgotten meanwhile is not there.
            PhaseFile.read(file, INSTANCE, PhaseText::heartbeat).ifPresent(lines -> {
                if (lines.size() != 1) {
                    throw new PhaseStoreException("phase file is damaged, file=" + file + ", line=2, reason=it holds "
                            + lines.size() + " heartbeats");
                }
                heartbeats.add(lines.get(0));
            });
        }
        return heartbeats;
    }

    @Override
    public void forget(String name, String instance) {
        Path file = instanceFile(name, instance);
        try {
            // What crashes left goes first, so that a second attempt finds the rest.
            PhaseFile.clear(file);
            if (Files.deleteIfExists(file)) {
                Uninterrupted.syncDirectory(file.getParent());
            }
        } catch (IOException e) {
            throw new PhaseStoreException("phase file can't be deleted, file=" + file + ", reason=" + e, e);
        }
    }

    @Override
    public void addNote(String name, PhaseNote note) {
        checkCreated(name);
        locked(name, () -> {
            List<PhaseNote> notes = new ArrayList<>(notes(name));
            notes.add(note);
            PhaseFile.clear(notesFile(name));
            PhaseFile.replace(
                    notesFile(name), NOTES, notes.stream().map(PhaseText::line).toList());
            return note;
        });
    }

    @Override
    public List<PhaseNote> notes(String name) {
        return PhaseFile.read(notesFile(name), NOTES, PhaseText::note).orElse(List.of());
    }

    @Override
    public boolean persistent() {
        return true;
    }

    /** Does nothing: no file stays open between two calls. */
    @Override
    public void close() {}

    private <T> T locked(String name, Supplier<T> work) {
        return PhaseFile.locked(directory.resolve(PhaseText.fileName(name) + ".lock"), work);
    }

    private void checkCreated(String name) {
        if (!Files.exists(phaseFile(name))) {
            throw new PhaseStoreException("no phase record of that name, name=" + name + ", file=" + phaseFile(name));
        }
    }

    private Path phaseFile(String name) {
        return directory.resolve(PhaseText.fileName(name) + ".phase");
    }

    private Path notesFile(String name) {
        return directory.resolve(PhaseText.fileName(name) + ".notes");
    }

    private Path instanceFile(String name, String instance) {
        return instances(name).resolve(PhaseText.fileName(instance) + BEAT);
    }

    private Path instances(String name) {
        return directory.resolve(PhaseText.fileName(name) + ".instances");
    }

    private List<Path> instanceFiles(String name) {
        return PhaseFile.files(instances(name), "", BEAT);
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
