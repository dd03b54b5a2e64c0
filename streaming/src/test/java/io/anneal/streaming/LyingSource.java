package io.anneal.streaming;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Message;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerStream;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.Answers;
import io.anneal.node.Node;
import io.anneal.node.ReplicaFacts;
import io.anneal.node.TableHistory;
import io.anneal.streaming.message.FilePart;
import io.anneal.streaming.message.RowsPart;
import io.anneal.streaming.message.SourceStep;
import io.anneal.streaming.message.StreamVerb;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** A node that answers a target what a test wants. */
final class LyingSource implements Closeable {
    private static final UUID SESSION = new UUID(1, 2);

    private final Node node;
    private final InetSocketAddress address;

    private Consumer<ByteWriter> inventory = out -> inventory(out, "", 0, 0, 0);
    private Consumer<ByteWriter> contents = out -> {};
    private Function<FilePart, byte[]> bytes = part -> new byte[0];
    private Consumer<PeerStream> rows = PeerStream::end;
    private Consumer<ByteWriter> survey = out -> out.writeUnsignedVInt(0);

    LyingSource() throws IOException {
        node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
        node.handlers().registerStream(StreamVerb.SOURCE, stream -> new Answers(stream, new Lies()).start());
        node.handlers()
                .registerStream(
                        StreamVerb.FILE,
                        stream -> stream.readMessage(FilePart.MAX_BYTES).thenAccept(question -> {
                            ByteReader in = new ByteReader().wrap(question);
                            in.readByte();
                            stream.write(ByteBuffer.wrap(bytes.apply(FilePart.decode(in))));
                            stream.end();
                        }));
        node.handlers()
                .registerStream(
                        StreamVerb.ROWS,
                        stream -> stream.readMessage(RowsPart.MAX_BYTES).thenAccept(question -> rows.accept(stream)));
        node.handlers()
                .register(
                        StreamVerb.SURVEY,
                        (peer, question) -> CompletableFuture.completedFuture(ByteBuffer.wrap(encoded(survey))));
        address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    StreamSource source() {
        return StreamSource.at(node.peers(), address);
    }

    /** What errors name. */
    String peer() {
        return "peer=" + PeerAddress.text(address);
    }

    /** What it answers when it is opened. */
    void inventory(Consumer<ByteWriter> value) {
        inventory = value;
    }

    /** What it answers when it is to describe an SSTable. */
    void contents(Consumer<ByteWriter> value) {
        contents = value;
    }

    /** What it sends of a file, or of an SSTable in part. */
    void bytes(Function<FilePart, byte[]> value) {
        bytes = value;
    }

    void rows(Consumer<PeerStream> value) {
        rows = value;
    }

    void survey(Consumer<ByteWriter> value) {
        survey = value;
    }

    /** Files and parts of version nb and of 1,000 bytes each. */
    static void inventory(ByteWriter out, String tableId, int files, int parts, long rowBytes) {
        Texts.write(out, SESSION);
        new ReplicaFacts(
                        "liar",
                        Optional.of(tableId).filter(id -> !id.isEmpty()),
                        List.of(),
                        Optional.empty(),
                        TableHistory.UNKNOWN)
                .encode(out);
        out.writeByte(0);
        sstables(out, files, "nb", "1", 1000);
        sstables(out, parts, "nb", "1", 1000);
        out.writeLong(rowBytes);
        Texts.write(out, SESSION);
    }

    static void sstables(ByteWriter out, int count, String version, String generation, long lengthBytes) {
        out.writeUnsignedVInt(count);
        for (int i = 0; i < count; i++) {
            Texts.write(out, version);
            Texts.write(out, generation + i);
            out.writeLong(lengthBytes);
        }
    }

    private static byte[] encoded(Consumer<ByteWriter> what) {
        ByteWriter out = new ByteWriter(256);
        what.accept(out);
        return out.toByteArray();
    }

    private final class Lies implements Answers.Answerer {
        @Override
        public CompletableFuture<byte[]> answer(int kind, Message question, ByteReader content) {
            return CompletableFuture.completedFuture(encoded(kind == SourceStep.OPEN.code() ? inventory : contents));
        }

        @Override
        public String refusalCode(Throwable cause) {
            return StreamCode.REFUSED;
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
