package io.anneal.streaming;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.node.Answers;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.store.LiveFiles;
import io.anneal.streaming.message.StreamVerb;
import io.anneal.streaming.message.Survey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks a source for a {@link Survey}, and answers with one. */
final class SourceSurvey {
    private SourceSurvey() {}

    static Survey ask(StreamSource source, String qualifiedTable) throws IOException {
        int dot = qualifiedTable.indexOf('.');
        return source instanceof StreamSource.There there
                ? ask(there, qualifiedTable.substring(0, dot), qualifiedTable.substring(dot + 1))
                : of(
                        ((StreamSource.Here) source).tables(),
                        qualifiedTable.substring(0, dot),
                        qualifiedTable.substring(dot + 1));
    }

    private static Survey ask(StreamSource.There source, String keyspace, String table) throws IOException {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(StreamVerb.VERSION);
        Texts.write(out, source.replica());
        Texts.write(out, keyspace);
        Texts.write(out, table);
        Connection connection = source.connector().open(source.address());
        ByteBuffer answer = connection.call(StreamVerb.SURVEY, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        try {
            return Survey.decode(new ByteReader().wrap(answer));
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw new PeerException(
                    source.name(),
                    StreamVerb.SURVEY.name(),
                    PeerException.MALFORMED,
                    "answer is malformed, cause=" + e.getMessage(),
                    e);
        }
    }

    static CompletionStage<ByteBuffer> answer(Replicas replicas, ByteBuffer question) throws RequestException {
        try {
            ByteReader in = new ByteReader().wrap(question);
            StreamService.requireVersion(in.readUnsignedByte());
            Survey survey = of(replicas.get(Texts.read(in)), Texts.read(in), Texts.read(in));
            ByteWriter out = new ByteWriter(1024);
            survey.encode(out);
            return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new RequestException(
                    PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
        } catch (IOException | RuntimeException failed) {
            throw Answers.refusal(StreamVerb.SURVEY, 0, failed, StreamCode::of);
        }
    }

    private static Survey of(ReplicaSource tables, String keyspace, String table) throws IOException {
        try (Replica replica = tables.open(keyspace, table, Optional.empty());
                LiveFiles files = replica.pin(tokens -> true)) {
            return new Survey(files.sstables().stream()
                    .map(sstable ->
                            new Survey.Extent(sstable.tokens().orElse(TokenRange.Linear.ALL), sstable.lengthBytes()))
                    .toList());
        }
    }
}
