package io.anneal.store;

import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.StagedWriter;
import java.io.IOException;
import java.util.List;

/** Writes what comes in order, as it comes. One thread. */
final class SortedSink implements WriteSink {
    private final StagedWriter writer;
    private final FragmentAssembler assembler;

    SortedSink(TableSchema schema, StagedWriter writer) {
        this.writer = writer;
        assembler = new FragmentAssembler(schema, writer::appendCurrent);
    }

    @Override
    public void add(Write write) throws IOException {
        assembler.add(write);
    }

    @Override
    public List<Descriptor> finish() throws IOException {
        assembler.finish();
        return writer.finish();
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
