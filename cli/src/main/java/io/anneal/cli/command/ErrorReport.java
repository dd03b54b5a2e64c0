package io.anneal.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.agent.AgentPeer;
import io.anneal.agent.LiveNodeException;
import io.anneal.bench.peer.CassandraPeerException;
import io.anneal.commitlog.CorruptCommitLogException;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.OrderFailedException;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.environment.FutureFailure;
import io.anneal.fragment.CorruptItemException;
import io.anneal.harness.store.StoreUnavailableException;
import io.anneal.io.PrintableText;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.job.JobFailedException;
import io.anneal.migrate.bulk.BulkRefusedException;
import io.anneal.migrate.page.PageAddressException;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.CredentialFileException;
import io.anneal.net.PeerException;
import io.anneal.node.ReplicaException;
import io.anneal.paging.PagingCookieException;
import io.anneal.paging.ReplicasUnavailableException;
import io.anneal.repair.RepairCode;
import io.anneal.repair.RepairException;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.FormerColumnOrderException;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.store.directory.AmbiguousTableException;
import io.anneal.store.directory.CorruptSnapshotException;
import io.anneal.store.directory.CorruptStoreException;
import io.anneal.store.directory.DataNotFoundException;
import io.anneal.streaming.StreamException;
import io.anneal.table.CorruptManifestException;
import io.anneal.table.FailedSyncException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a user is told of an exception: one line that says what, where and what to do. The only place that knows which
 * exception has which code.
 *
 * @param message one line, without code and advice
 */
public record ErrorReport(String code, String message, String advice, int exitCode) {
    private static final Pattern FACT = Pattern.compile(", ([A-Za-z][A-Za-z0-9-]*)=");

    private static ErrorReport of(ErrorCode code, String message) {
        return of(code, message, code.advice());
    }

    private static ErrorReport of(ErrorCode code, String message, String advice) {
        int exitCode = switch (code) {
            case USAGE, NOT_AVAILABLE, COOKIE -> ExitCode.USAGE;
            case GATE -> ExitCode.GATE;
            // Neither is an answer of any command.
            case INTERNAL, OUT_OF_MEMORY -> ExitCode.UNANSWERED;
            default -> ExitCode.NO;
        };
        String line = message == null || message.isBlank() ? code.name() : message.strip();
        return new ErrorReport(code.code(), PrintableText.of(line.replaceAll("\\R\\s*", " ")), advice, exitCode);
    }

    /** Wrappers of threads and streams are taken off first. */
    public static ErrorReport of(Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        while (cause instanceof UncheckedIOException) {
            cause = FutureFailure.cause(cause.getCause());
        }
        return cause instanceof IOException ? ofInputOutput((IOException) cause) : ofOther(cause);
    }

    private static ErrorReport ofInputOutput(IOException failure) {
        String message = failure.getMessage();
        if (failure instanceof OutputException) {
            return of(ErrorCode.INPUT_OUTPUT, message, "make room where the output goes, and run again");
        } else if (failure instanceof CorruptSSTableException) {
            return of(ErrorCode.CORRUPT_SSTABLE, "SSTable is corrupt: " + message);
        } else if (failure instanceof FormerColumnOrderException) {
            return of(ErrorCode.FORMER_COLUMN_ORDER, message);
        } else if (failure instanceof FailedSyncException) {
            return of(ErrorCode.FAILED_SYNC, message);
        } else if (failure instanceof CorruptManifestException || failure instanceof CorruptStoreException) {
            return of(ErrorCode.CORRUPT_STORE, message);
        } else if (failure instanceof CorruptSnapshotException) {
            return of(ErrorCode.CORRUPT_SNAPSHOT, message);
        } else if (failure instanceof CorruptCommitLogException) {
            return of(ErrorCode.CORRUPT_COMMIT_LOG, message);
        } else if (failure instanceof UnsupportedVersionException version) {
            return of(ErrorCode.UNSUPPORTED_VERSION, message, FileAdvice.of(version.subject()));
        } else if (failure instanceof DataNotFoundException missing) {
            return of(
                    ErrorCode.NOT_FOUND,
                    missing.getReason() + ", path=" + missing.getFile(),
                    FileAdvice.of(missing.sought()));
        } else if (failure instanceof NoSuchFileException missing) {
            String reason = missing.getReason() == null ? "no such file or directory" : missing.getReason();
            return of(ErrorCode.NOT_FOUND, reason + ", path=" + missing.getFile());
        } else if (failure instanceof NotDirectoryException) {
            return of(ErrorCode.NOT_A_DIRECTORY, "not a directory, path=" + message);
        } else if (failure instanceof AccessDeniedException) {
            return of(ErrorCode.ACCESS_DENIED, "access denied, path=" + message);
        } else if (failure instanceof AmbiguousTableException) {
            return of(ErrorCode.AMBIGUOUS_TABLE, message);
        } else if (failure instanceof UnsupportedSSTableException unsupported) {
            return of(ErrorCode.UNSUPPORTED_SSTABLE, message, advice(unsupported.feature()));
        } else if (failure instanceof CorruptItemException) {
            return of(ErrorCode.CORRUPT_FRAME, message);
        } else if (failure instanceof StorageException storage) {
            return of(storageCode(storage), message);
        } else if (failure instanceof RepairException && isOfReplicaHere(failure.getCause())) {
            return ofOther(failure.getCause());
        } else if (failure instanceof RepairException large && isTooLarge(large.peerCode())) {
            return of(ErrorCode.MEMORY, message);
        } else if (failure instanceof PeerException large && isTooLarge(Optional.of(large.code()))) {
            return of(ErrorCode.MEMORY, message);
        } else if (failure instanceof RepairException refused) {
            return of(
                    ErrorCode.REPAIR,
                    message,
                    refused.waiver().map(RepairAdvice::of).orElse(ErrorCode.REPAIR.advice()));
        } else if (failure instanceof ReplicaException refused) {
            return of(
                    ErrorCode.REPAIR,
                    message,
                    refused.waiver().map(RepairAdvice::of).orElseGet(() -> RepairAdvice.of(refused.remedy())));
        } else if (failure instanceof ReplicasUnavailableException) {
            return failure.getCause() instanceof PeerException peer
                    ? of(ErrorCode.PEER, message, PeerAdvice.of(peer.code()))
                    : of(ErrorCode.PEER, message);
        } else if (failure instanceof PeerException peer) {
            if (AgentPeer.isRefusal(peer)) {
                return of(ErrorCode.LIVE_NODE, message, PeerAdvice.ofAgent(peer));
            }
            return peer.code().equals(RepairCode.REFUSED)
                    ? of(ErrorCode.REPAIR, message, PeerAdvice.ofRefusal(peer))
                    : of(ErrorCode.PEER, message, PeerAdvice.of(peer.code()));
        } else if (failure instanceof StreamException stream) {
            return stream.peerCode()
                    .map(code -> of(ErrorCode.PEER, message, PeerAdvice.of(code)))
                    .orElseGet(() -> of(
                            ErrorCode.STREAM,
                            message,
                            stream.waiver().map(RepairAdvice::of).orElse(ErrorCode.STREAM.advice())));
        } else if (failure instanceof LiveNodeException node) {
            return node.isUnreachable()
                    ? of(ErrorCode.LIVE_NODE, message, PeerAdvice.ofUnreachableNode())
                    : of(ErrorCode.LIVE_NODE, message);
        } else if (failure instanceof ClusterRefusedException refused) {
            return of(ErrorCode.LIVE_NODE, message, refused.advice());
        } else if (failure instanceof RunRefusedException refused) {
            return of(ErrorCode.RUN, message, refused.advice().orElse(ErrorCode.RUN.advice()));
        } else if (failure instanceof CredentialFileException) {
            return of(ErrorCode.CREDENTIALS, message);
        } else if (failure instanceof BindException) {
            return of(ErrorCode.LISTEN, message);
        } else if (failure instanceof StoreUnavailableException) {
            return of(ErrorCode.STORE_UNAVAILABLE, message);
        } else if (failure instanceof JobFailedException) {
            return of(ErrorCode.BULK, message);
        } else if (failure instanceof PageAddressException) {
            return of(ErrorCode.PAGE_ADDRESS, message);
        } else if (failure instanceof CorruptFrameException) {
            return of(ErrorCode.CORRUPT_FRAME, message);
        }
        return of(ErrorCode.INPUT_OUTPUT, "input or output failed: " + (message == null ? failure : message));
    }

    private static String advice(UnsupportedSSTableException.Feature feature) {
        return switch (feature) {
            case COMPRESSOR -> "change the table's compression and run nodetool upgradesstables -a";
            case INDEX ->
                "name its table's own directory; an index is only read by 'anneal sstable dump', 'metadata' and 'verify'";
            case TOKEN_RANGE -> "read all of the table, without token ranges";
            case TYPE, PARTITIONER, SECTIONS -> ErrorCode.UNSUPPORTED_SSTABLE.advice();
        };
    }

    private static boolean isTooLarge(Optional<String> code) {
        return code.equals(Optional.of(RepairCode.TOO_LARGE));
    }

    /** What a store or a schema of this process says has the code that it has without a repair. */
    private static boolean isOfReplicaHere(Throwable cause) {
        return cause instanceof IllegalStateException || cause instanceof SchemaException;
    }

    private static ErrorCode storageCode(StorageException failure) {
        if (failure.isDisk()) {
            if (failure.reason() instanceof NotDirectoryException) {
                return ErrorCode.NOT_A_DIRECTORY;
            }
            return failure.reason() instanceof AccessDeniedException
                    ? ErrorCode.ACCESS_DENIED
                    : ErrorCode.STORAGE_FAILED;
        }
        return failure.reason() instanceof OutOfMemoryError ? ErrorCode.MEMORY : ErrorCode.INTERNAL;
    }

    private static ErrorReport ofOther(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof SchemaException schema) {
            return of(ErrorCode.SCHEMA, message, FileAdvice.of(schema.subject()));
        } else if (failure instanceof UnsupportedTypeException || failure instanceof UnsupportedOperationException) {
            return of(ErrorCode.UNSUPPORTED_TYPE, message);
        } else if (failure instanceof InvalidValueException) {
            return of(ErrorCode.INVALID_VALUE, message);
        } else if (failure instanceof GateException || failure instanceof BulkRefusedException) {
            return of(ErrorCode.GATE, message);
        } else if (failure instanceof OrderFailedException) {
            return of(ErrorCode.BULK, message);
        } else if (failure instanceof PhaseStoreException) {
            return of(ErrorCode.PHASE_STORE, message);
        } else if (failure instanceof PhaseChangedException) {
            return of(ErrorCode.PHASE_CHANGED, message);
        } else if (failure instanceof JournalException) {
            return of(ErrorCode.JOURNAL, message);
        } else if (failure instanceof CassandraPeerException) {
            return of(ErrorCode.CASSANDRA, message);
        } else if (failure instanceof NotAvailableException) {
            return of(ErrorCode.NOT_AVAILABLE, message);
        } else if (failure instanceof PagingCookieException) {
            return of(ErrorCode.COOKIE, message);
        } else if (failure instanceof IllegalArgumentException) {
            return of(ErrorCode.USAGE, message);
        } else if (failure instanceof OutOfMemoryError) {
            return of(ErrorCode.OUT_OF_MEMORY, "out of memory, reason=" + message);
        } else if (failure instanceof IllegalStateException) {
            return of(ErrorCode.STATE, message);
        }
        return of(ErrorCode.INTERNAL, "unexpected " + failure);
    }

    /** A mistake on the command line of a command, by its whole name. */
    public static ErrorReport usage(String message, String command) {
        return of(ErrorCode.USAGE, message, "see '" + command + " --help'");
    }

    /** Returns what the message tells as {@code name=value}, in its order; of a name that it has twice the first. */
    public Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        Matcher fact = FACT.matcher(message);
        boolean isFact = fact.find();
        while (isFact) {
            String name = fact.group(1);
            int from = fact.end();
            isFact = fact.find();
            facts.putIfAbsent(name, message.substring(from, isFact ? fact.start() : message.length()));
        }
        return facts;
    }

    /** Writes the fields of an object: code, message, facts, and what to do. */
    public void write(JsonGenerator json) throws IOException {
        json.writeStringField("code", code);
        json.writeStringField("message", message);
        json.writeObjectFieldStart("facts");
        for (Map.Entry<String, String> fact : facts().entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeEndObject();
        json.writeStringField("advice", advice);
    }

    /** {@code anneal: error ANL-1001: what, where; what to do}. */
    public String line() {
        return "anneal: error " + code + ": " + message + "; " + advice;
    }
}
