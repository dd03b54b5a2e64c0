package io.anneal.bench.oldrepair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.UUID;

/** What a replica takes in: SSTables that are its as soon as all has come. One thread. */
final class RowIntake implements Closeable {
    /** A store asks for none. */
    private static final UUID ANY_ID = new UUID(0, 0);

    private final Receiving run;
    private final StagedWriter writer;

    RowIntake(Replica replica) {
        run = replica.receive(ANY_ID, Receiving.NO_DEADLINE);
        writer = run.newWriter();
    }

    /** Writes the fragment that the cursor stands at. */
    void add(FragmentCursor cursor) throws IOException {
        writer.appendCurrent(cursor);
    }

    void addAll(FragmentCursor cursor) throws IOException {
        writer.append(cursor);
    }

    void complete() throws IOException {
        writer.finish();
        run.complete();
    }

    @Override
    public void close() throws IOException {
        try (run) {
            writer.close();
        }
    }
}
