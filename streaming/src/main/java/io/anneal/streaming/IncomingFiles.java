package io.anneal.streaming;

import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.ReceivedFile;
import io.anneal.sstable.ReceivedSSTable;
import io.anneal.sstable.StagedSSTable;
import io.anneal.streaming.message.FileContents;
import java.io.IOException;
import java.util.Map;

/** An SSTable that comes as it is. */
final class IncomingFiles implements IncomingSSTable {
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
    public void fetch(RemoteSource source, int number, PieceCount count) throws IOException {
        for (Component component : contents.files().keySet()) {
            ReceivedFile into = received.file(component);
            if (into.missingBytes() > 0) {
                source.fetch(number, component, into, count);
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
