package io.anneal.streaming;

import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SectionTarget;
import java.io.IOException;

/** An SSTable that is made of another's sections. */
final class IncomingSections implements IncomingSSTable {
    private final SectionTarget sections;
    private final Descriptor descriptor;

    /** @param descriptor of the SSTable that is made */
    IncomingSections(SectionTarget sections, Descriptor descriptor) {
        this.sections = sections;
        this.descriptor = descriptor;
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public void fetch(SourceSession source, int number, PieceCount count) throws IOException {
        try (SourceSession.Asked asked = source.ask(number, Component.DATA, sections)) {
            asked.fetch(count);
        }
    }

    @Override
    public boolean isBroken() {
        return sections.isBroken();
    }

    @Override
    public Descriptor publish() throws IOException {
        return sections.publish();
    }

    @Override
    public void close() throws IOException {
        sections.close();
    }
}
