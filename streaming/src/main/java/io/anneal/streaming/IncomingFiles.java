package io.anneal.streaming;

import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.ReceivedFile;
import io.anneal.sstable.ReceivedSSTable;
import io.anneal.sstable.StagedSSTable;
import io.anneal.streaming.message.FileContents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An SSTable that comes as it is. */
final class IncomingFiles implements IncomingSSTable {
    /**
     * Files no longer than this are all asked for at once: of small SSTables nothing else takes as long as the way there and back.
     * They have room in what a stream may send before it is read, so none waits for the others for long.
     */
    private static final int SMALL_BYTES = 16 << 10;

    private final FileContents contents;
    private final ReceivedSSTable received;

    IncomingFiles(FileContents contents, StagedSSTable staged) throws IOException {
        this.contents = contents;
        received = ReceivedSSTable.open(staged, contents.files(), OutputFile.CREATE_NEW);
    }

    private IncomingFiles(FileContents contents, ReceivedSSTable received) {
        this.contents = contents;
        this.received = received;
    }

    /** Goes on with files that were kept. */
    static IncomingFiles reopen(FileContents contents, StagedSSTable staged, Map<Component, Long> positions)
            throws IOException {
        return new IncomingFiles(
                contents, ReceivedSSTable.reopen(staged, contents.files(), positions, OutputFile.CREATE_NEW));
    }

    /** Makes what has come last; returns how much that is of each file. */
    Map<Component, Long> sync() throws IOException {
        return received.sync();
    }

    /** Lets go of the files, and leaves them. */
    void suspend() throws IOException {
        received.suspend();
    }

    @Override
    public Descriptor descriptor() {
        return received.descriptor();
    }

    @Override
    public void fetch(SourceSession source, int number, PieceCount count) throws IOException {
        List<SourceSession.Asked> small = new ArrayList<>();
        try {
            for (Component component : contents.files().keySet()) {
                ReceivedFile into = received.file(component);
                if (into.missingBytes() > 0 && into.missingBytes() <= SMALL_BYTES) {
                    small.add(source.ask(number, component, into));
                }
            }
            for (SourceSession.Asked file : small) {
                file.fetch(count);
            }
        } finally {
            small.forEach(SourceSession.Asked::close);
        }
        for (Component component : contents.files().keySet()) {
            ReceivedFile into = received.file(component);
            if (into.missingBytes() > 0) {
                try (SourceSession.Asked file = source.ask(number, component, into)) {
                    file.fetch(count);
                }
            }
        }
    }

    @Override
    public boolean isBroken() {
        return false;
    }

    @Override
    public Descriptor publish() throws IOException {
        return received.publish();
    }

    @Override
    public void close() throws IOException {
        received.close();
    }
}
