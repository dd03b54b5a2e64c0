package io.anneal.node;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;

/** Which tables a replica offers of a keyspace, for who asks over a connection. Safe for any thread. */
public final class ReplicaTables {
    /** The names of a keyspace's tables; the number is on the wire. */
    static final Verb TABLES = new Verb(49, "replica.tables");

    private static final int VERSION = 1;
    /** Far more than a keyspace has. */
    private static final int COUNT_MAX = 1 << 16;
    /** As Cassandra and stores take them, which name directories by them: a peer's list names nothing else. */
    private static final Pattern NAME = Pattern.compile("[\\w-]{1,255}");

    private final Replicas replicas;

    public ReplicaTables(Replicas replicas) {
        this.replicas = replicas;
    }

    /** Registers the verb; it is answered on the executor of the handlers. */
    public void register(VerbHandlers handlers) {
        handlers.register(TABLES, (peer, question) -> answer(question));
    }

    /**
     * Asks a replica on another node.
     *
     * @param name of the replica, as {@link Replicas#get} takes it
     * @return names without the keyspace, in the order of the alphabet; none if it has nothing of the keyspace
     */
    public static List<String> ask(Connection connection, String name, String keyspace) throws IOException {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(VERSION);
        Texts.write(out, name);
        Texts.write(out, keyspace);
        ByteBuffer answer = connection.call(TABLES, ByteBuffer.wrap(out.array(), 0, out.lengthBytes()));
        try {
            return decode(new ByteReader().wrap(answer));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new PeerException(
                    PeerAddress.text(connection.address()),
                    TABLES.name(),
                    PeerException.MALFORMED,
                    "answer is malformed, cause=" + malformed.getMessage(),
                    malformed);
        }
    }

    private static List<String> decode(ByteReader in) {
        int count = in.readUnsignedVInt32();
        if (count < 0 || count > COUNT_MAX) {
            throw new IllegalArgumentException("too many tables, count=" + count + ", countMax=" + COUNT_MAX);
        }
        List<String> tables = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String table = Texts.read(in);
            if (!NAME.matcher(table).matches()) {
                throw new IllegalArgumentException("name is no table's, name=" + table);
            }
            tables.add(table);
        }
        if (in.remainingBytes() > 0) {
            throw new IllegalArgumentException("bytes stand behind it, count=" + in.remainingBytes());
        }
        return tables.stream().distinct().sorted().toList();
    }

    private CompletionStage<ByteBuffer> answer(ByteBuffer question) throws RequestException {
        try {
            ByteReader in = new ByteReader().wrap(question);
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new RequestException(
                        PeerException.MALFORMED, "version of lists of tables is not spoken here, version=" + version);
            }
            List<String> tables = replicas.get(Texts.read(in)).tables(Texts.read(in));
            ByteWriter out = new ByteWriter(256);
            Texts.write(out, tables);
            return CompletableFuture.completedFuture(ByteBuffer.wrap(out.toByteArray()));
        } catch (ByteUnderflowException | IllegalArgumentException malformed) {
            throw new RequestException(
                    PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
        } catch (IOException | RuntimeException failed) {
            throw Answers.refusal(TABLES, 0, failed, cause -> PartitionReads.REFUSED);
        }
    }
}
