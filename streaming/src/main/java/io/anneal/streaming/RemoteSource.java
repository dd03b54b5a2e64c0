package io.anneal.streaming;

import io.anneal.io.ByteWriter;
import io.anneal.net.Connection;
import io.anneal.net.Message;
import io.anneal.net.MessageStream;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.Waiting;
import io.anneal.node.Questions;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.IncomingBytes;
import io.anneal.streaming.message.FileContents;
import io.anneal.streaming.message.FilePart;
import io.anneal.streaming.message.Inventory;
import io.anneal.streaming.message.OpenSource;
import io.anneal.streaming.message.RowsPart;
import io.anneal.streaming.message.SectionContents;
import io.anneal.streaming.message.SourceStep;
import io.anneal.streaming.message.StreamVerb;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A session with a source on another node. The connection belongs to the caller. */
final class RemoteSource implements SourceSession {
    private final Connection connection;
    private final Questions questions;
    private final Inventory inventory;

    private RemoteSource(Connection connection, Questions questions, Inventory inventory) {
        this.connection = connection;
        this.questions = questions;
        this.inventory = inventory;
    }

    static RemoteSource open(Connection connection, OpenSource wanted) throws IOException {
        Questions questions = new Questions(connection, StreamVerb.SOURCE, PeerAddress.text(connection.address()));
        RemoteSource source = null;
        try {
            Inventory inventory = Waiting.result(questions.ask(
                    SourceStep.OPEN.code(),
                    out -> {
                        out.writeByte(StreamVerb.VERSION);
                        wanted.encode(out);
                    },
                    Inventory::decode));
            source = new RemoteSource(connection, questions, inventory);
            return source;
        } finally {
            if (source == null) {
                questions.stream().reset(StreamCode.ABORTED, "target has ended the session");
            }
        }
    }

    /** Its address. */
    @Override
    public String name() {
        return PeerAddress.text(connection.address());
    }

    @Override
    public Inventory inventory() {
        return inventory;
    }

    @Override
    public CompletableFuture<FileContents> describe(int sstable) {
        return questions.ask(SourceStep.DESCRIBE.code(), out -> out.writeInt(sstable), FileContents::decode);
    }

    @Override
    public SectionContents describePart(int sstable) throws IOException {
        return Waiting.result(
                questions.ask(SourceStep.DESCRIBE.code(), out -> out.writeInt(sstable), SectionContents::decode));
    }

    @Override
    public Asked ask(int sstable, Component component, IncomingBytes into) {
        PeerStream stream = connection.open(StreamVerb.FILE);
        ByteWriter out = new ByteWriter(64);
        new FilePart(inventory.sessionId(), sstable, component, into.position()).encode(out);
        stream.write(ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        stream.end();
        return new Streamed(stream, into);
    }

    private static final class Streamed implements Asked {
        private final PeerStream stream;
        private final IncomingBytes into;
        private boolean done;

        Streamed(PeerStream stream, IncomingBytes into) {
            this.stream = stream;
            this.into = into;
        }

        @Override
        public void fetch(PieceCount received) throws IOException {
            long before = into.position();
            while (stream.readHere(this::append)) {
                received.came(into.position() - before);
                before = into.position();
            }
            done = true;
        }

        private void append(ByteBuffer piece) throws IOException {
            try {
                into.append(piece);
            } catch (CorruptSSTableException lie) {
                // The source's fault: a line in its log, none in ours, where the failure is told.
                throw new RequestException(StreamCode.DAMAGED, lie.getMessage());
            }
        }

        @Override
        public void close() {
            if (!done) {
                stream.reset(StreamCode.ABORTED, "target takes no more of the file");
            }
        }
    }

    @Override
    public void rows(FragmentDecoder into, PieceCount received) throws IOException {
        MessageStream messages = connection.open(StreamVerb.ROWS).messages();
        ByteWriter out = new ByteWriter(64);
        new RowsPart(inventory.sessionId(), into.place()).encode(out);
        boolean done = false;
        try {
            messages.stream().write(ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
            messages.stream().end();
            Optional<Message> next = Waiting.result(messages.read());
            while (next.isPresent()) {
                try (Message message = next.get()) {
                    byte[] bytes = message.bytes();
                    into.decode(bytes);
                    received.came(bytes.length);
                }
                next = Waiting.result(messages.read());
            }
            into.end();
            done = true;
        } finally {
            if (!done) {
                messages.stream().reset(StreamCode.ABORTED, "target takes no more rows");
            }
        }
    }

    @Override
    public void close() {
        questions.stream().end();
    }
}
