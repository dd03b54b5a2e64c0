package io.anneal.streaming;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.RequestException;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Answers;
import io.anneal.node.Node;
import io.anneal.node.Replicas;
import io.anneal.sstable.Component;
import io.anneal.sstable.SectionSource;
import io.anneal.store.LiveFiles.OpenFile;
import io.anneal.store.LiveFiles.PinnedFile;
import io.anneal.streaming.message.FilePart;
import io.anneal.streaming.message.RowsPart;
import io.anneal.streaming.message.StreamVerb;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The source's side of streaming on a node. Safe for any thread. */
public final class StreamService {
    /** As little as this is better sent as rows, merged with those of other SSTables. */
    static final long SECTIONS_MIN_BYTES = 1 << 20;

    private final Replicas replicas;
    private final Executor executor;
    private final HostEnvironment environment;
    private final long sectionsMinBytes;
    private final Map<UUID, HeldSource> sources = new ConcurrentHashMap<>();

    /**
     * @param replicas what the node has
     * @param executor opens replicas and reads rows; it belongs to the caller
     * @param environment gives session ids
     */
    public StreamService(Replicas replicas, Executor executor, HostEnvironment environment) {
        this(replicas, executor, environment, SECTIONS_MIN_BYTES);
    }

    /** @param sectionsMinBytes of an SSTable that has less than this of the ranges the rows are sent; 1 MiB by default */
    public StreamService(Replicas replicas, Executor executor, HostEnvironment environment, long sectionsMinBytes) {
        Objects.requireNonNull(replicas, "replicas");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(environment, "environment");
        this.sectionsMinBytes = sectionsMinBytes;
        this.replicas = replicas;
        this.executor = executor;
        this.environment = environment;
    }

    /** For the replicas of a node, with its threads. */
    public static StreamService of(Node node, HostEnvironment environment) {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(environment, "environment");
        return new StreamService(node.replicas(), node.executor(), environment);
    }

    /** Registers the verbs of a source. */
    public void register(VerbHandlers handlers) {
        Objects.requireNonNull(handlers, "handlers");
        handlers.registerStream(
                StreamVerb.SOURCE,
                stream -> new ServedSource(stream, replicas, executor, environment, sources, sectionsMinBytes).start());
        handlers.register(StreamVerb.SURVEY, (peer, question) -> SourceSurvey.answer(replicas, question));
        handlers.registerStream(StreamVerb.FILE, this::file);
        handlers.registerStream(StreamVerb.ROWS, this::rows);
    }

    static void requireVersion(int version) throws RequestException {
        if (version != StreamVerb.VERSION) {
            throw new RequestException(
                    StreamCode.VERSION,
                    "version of streaming is not spoken here, version=" + version + ", spoken=" + StreamVerb.VERSION);
        }
    }

    private HeldSource retained(UUID sessionId) throws RequestException {
        HeldSource source = sources.get(sessionId);
        if (source == null || !source.retain()) {
            throw new RequestException(StreamCode.NO_SESSION, "nothing is held under this id, session=" + sessionId);
        }
        return source;
    }

    void file(PeerStream stream) {
        stream.readMessage(FilePart.MAX_BYTES).whenComplete((question, failure) -> {
            if (failure != null) {
                return; // It has ended the stream.
            }
            try {
                ByteReader in = new ByteReader().wrap(question);
                requireVersion(in.readUnsignedByte());
                send(FilePart.decode(in), stream);
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                stream.reset(PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
            } catch (IOException | RuntimeException | Error failed) {
                refuse(stream, failed);
            }
        });
    }

    private void send(FilePart part, PeerStream stream) throws IOException {
        HeldSource source = retained(part.sessionId());
        boolean sending = false;
        try {
            if (source.isPart(part.sstable())) {
                ServedSections sections = sections(source, part, stream);
                sending = true;
                sections.goOn();
                return;
            }
            PinnedFile file = source.file(part.sstable(), part.component());
            if (part.position() < 0 || part.position() > file.lengthBytes()) {
                throw new RequestException(
                        StreamCode.REFUSED,
                        "position lies outside of the file, position=" + part.position() + ", lengthBytes="
                                + file.lengthBytes());
            }
            OpenFile open = file.open();
            // Not when the end is out: a reset fails that at once, while the socket may still read from the file.
            stream.write(open.channel(), part.position(), file.lengthBytes() - part.position())
                    .whenComplete((done, failure) -> source.release(open));
            sending = true;
            stream.end();
        } finally {
            if (!sending) {
                source.release();
            }
        }
    }

    private static ServedSections sections(HeldSource source, FilePart part, PeerStream stream) throws IOException {
        HeldSource.Part held = source.part(part.sstable());
        if (part.component() != Component.DATA || part.position() < 0) {
            throw new RequestException(
                    StreamCode.REFUSED,
                    "only data is sent in part, component=" + part.component().fileSuffix() + ", position="
                            + part.position());
        }
        OpenFile data = held.sstable().files().get(Component.DATA).open();
        SectionSource blocks = null;
        try {
            blocks = held.sections().open();
            return new ServedSections(stream, source, blocks, data, part.position());
        } finally {
            if (blocks == null) {
                data.close();
            }
        }
    }

    private void rows(PeerStream stream) {
        stream.readMessage(RowsPart.MAX_BYTES).whenComplete((question, failure) -> {
            if (failure != null) {
                return; // It has ended the stream.
            }
            try {
                ByteReader in = new ByteReader().wrap(question);
                requireVersion(in.readUnsignedByte());
                RowsPart part = RowsPart.decode(in);
                new ServedRows(stream, retained(part.sessionId()), part.place()).goOn();
            } catch (ByteUnderflowException | IllegalArgumentException malformed) {
                stream.reset(PeerException.MALFORMED, "request is malformed, cause=" + malformed.getMessage());
            } catch (IOException | RuntimeException | Error failed) {
                refuse(stream, failed);
            }
        });
    }

    static void refuse(PeerStream stream, Throwable failed) {
        RequestException refusal = Answers.refusal(stream.verb(), 0, failed, StreamCode::of);
        stream.reset(refusal.code(), refusal.getMessage());
    }
}
