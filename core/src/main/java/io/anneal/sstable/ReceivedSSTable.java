package io.anneal.sstable;

import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * An SSTable that comes from elsewhere byte for byte. It appears whole or not at all, and only if each file is what was
 * announced. Names are given here; of the sender's only version and format are left. Its files may be written side by side,
 * each by one thread at a time.
 */
public final class ReceivedSSTable implements Closeable {
    /** Without these nothing can be read. */
    private static final Set<Component> NEEDED = EnumSet.of(Component.DATA, Component.STATISTICS);

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final Map<Component, ReceivedFile> files = new EnumMap<>(Component.class);
    private boolean published;

    private ReceivedSSTable(StagedSSTable staged, OutputFile.Opener opener) {
        this.staged = staged;
        this.opener = opener;
    }

    /**
     * Opens all its files, empty.
     *
     * @param expected by component, TOC left out: it is written here
     * @throws IllegalArgumentException when no SSTable has just these components
     */
    public static ReceivedSSTable open(
            StagedSSTable staged, Map<Component, FileContent> expected, OutputFile.Opener opener) throws IOException {
        if (!expected.keySet().containsAll(NEEDED) || expected.containsKey(Component.TOC)) {
            throw new IllegalArgumentException("SSTable is announced without what it needs, components="
                    + expected.keySet() + ", needed=" + NEEDED);
        }
        ReceivedSSTable received = new ReceivedSSTable(staged, opener);
        boolean opened = false;
        try {
            for (Map.Entry<Component, FileContent> file : expected.entrySet()) {
                received.files.put(
                        file.getKey(), ReceivedFile.create(staged.file(file.getKey()), file.getValue(), opener));
            }
            opened = true;
            return received;
        } finally {
            if (!opened) {
                received.close();
            }
        }
    }

    /**
     * Goes on with one that was kept.
     *
     * @param positions how much of each file is right
     * @throws CorruptSSTableException when files are not as they were noted
     */
    public static ReceivedSSTable reopen(
            StagedSSTable staged,
            Map<Component, FileContent> expected,
            Map<Component, Long> positions,
            OutputFile.Opener opener)
            throws IOException {
        ReceivedSSTable received = new ReceivedSSTable(staged, opener);
        boolean opened = false;
        try {
            for (Map.Entry<Component, FileContent> file : expected.entrySet()) {
                received.files.put(
                        file.getKey(),
                        ReceivedFile.reopen(
                                staged.file(file.getKey()),
                                file.getValue(),
                                positions.getOrDefault(file.getKey(), 0L)));
            }
            opened = true;
            return received;
        } finally {
            if (!opened) {
                received.close();
            }
        }
    }

    /** Makes what has come last; returns how much that is of each file. */
    public Map<Component, Long> sync() throws IOException {
        Map<Component, Long> positions = new EnumMap<>(Component.class);
        for (Map.Entry<Component, ReceivedFile> file : files.entrySet()) {
            positions.put(file.getKey(), file.getValue().sync());
        }
        Directories.sync(descriptor().directory());
        return positions;
    }

    /** Lets go of the files, and leaves them. */
    public void suspend() throws IOException {
        for (ReceivedFile file : files.values()) {
            file.close();
        }
    }

    public Descriptor descriptor() {
        return staged.descriptor();
    }

    /** @throws IllegalArgumentException when none of this component was announced */
    public ReceivedFile file(Component component) {
        ReceivedFile file = files.get(component);
        if (file == null) {
            throw new IllegalArgumentException(
                    "component was not announced, component=" + component + ", sstable=" + descriptor());
        }
        return file;
    }

    /**
     * Checks and syncs all files, and gives them their names.
     *
     * @throws CorruptSSTableException when a file is not what was announced
     */
    public Descriptor publish() throws IOException {
        for (ReceivedFile file : files.values()) {
            file.complete();
        }
        staged.publish(files.keySet(), opener);
        published = true;
        return descriptor();
    }

    /** Removes everything that was not published. */
    @Override
    public void close() throws IOException {
        if (published) {
            return;
        }
        try {
            for (ReceivedFile file : files.values()) {
                file.close();
            }
        } finally {
            staged.discard();
        }
    }
}
