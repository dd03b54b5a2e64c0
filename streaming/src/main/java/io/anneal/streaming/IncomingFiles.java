package io.anneal.streaming;

import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.ReceivedFile;
import io.anneal.sstable.ReceivedSSTable;
import io.anneal.sstable.StagedSSTable;
import io.anneal.streaming.message.FileContents;
import java.io.IOException;

/** An SSTable that comes as it is. */
final class IncomingFiles implements IncomingSSTable {
    private final FileContents contents;
    private final ReceivedSSTable received;

    IncomingFiles(FileContents contents, StagedSSTable staged) throws IOException {
        this.contents = contents;
        received = ReceivedSSTable.open(staged, contents.files(), OutputFile.CREATE_NEW);
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
