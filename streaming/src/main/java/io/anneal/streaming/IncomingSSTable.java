package io.anneal.streaming;

import io.anneal.sstable.Descriptor;
import java.io.Closeable;
import java.io.IOException;

/** An SSTable on its way in, which goes on where it is when its source is asked again. One thread. */
interface IncomingSSTable extends Closeable {
    Descriptor descriptor();

    /** Fetches what is missing. */
    void fetch(SourceSession source, int number, PieceCount received) throws IOException;

    /** Whether what came so far is of no use, so that it must come again from the beginning. */
    boolean isBroken();

    /** Checks all of it and gives it its name. */
    Descriptor publish() throws IOException;
}
