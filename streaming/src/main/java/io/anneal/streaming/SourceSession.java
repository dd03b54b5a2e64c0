package io.anneal.streaming;

import io.anneal.sstable.Component;
import io.anneal.sstable.IncomingBytes;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.SectionContents;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** The target's side of one session with a source, which holds what it has of one moment until this is closed. One thread. */
interface SourceSession extends Closeable {
    /** For errors. */
    String name();

    Inventory inventory();

    /** Asks what an SSTable's files are; another one is asked for once the answer is there. */
    CompletableFuture<FileContents> describe(int sstable);

    SectionContents describePart(int sstable) throws IOException;

    /** Asks for what is missing of a file, or of an SSTable's sections. */
    Asked ask(int sstable, Component component, IncomingBytes into);

    /** Fetches all rows that are in no file that is sent whole or in part, from where the decoder is. */
    void rows(FragmentDecoder into, PieceCount received) throws IOException;

    /** Bytes on their way. What is not fetched to its end is not wanted any more when this is closed. */
    interface Asked extends Closeable {
        /** Fetches them on this thread: while it waits no other one does. */
        void fetch(PieceCount received) throws IOException;

        @Override
        void close();
    }
}
