package io.anneal.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.commitlog.CorruptCommitLogException;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.store.StoreUnavailableException;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.repair.RepairException;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.sstable.UnsupportedSSTableException.Feature;
import io.anneal.table.CorruptManifestException;
import io.anneal.table.FailedSyncException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ErrorReportTest {
    private static final Path FILE = Path.of("/data/nb-1-big-Data.db");

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new CorruptSSTableException(FILE, 17, "chunk checksum differs"), "ANL-1001", 1),
                Arguments.of(new UnsupportedVersionException(FILE.toString(), "zz", "nb", "nb"), "ANL-1002", 1),
                Arguments.of(new NoSuchFileException(FILE.toString()), "ANL-1003", 1),
                Arguments.of(new NotDirectoryException(FILE.toString()), "ANL-1004", 1),
                Arguments.of(new AccessDeniedException(FILE.toString()), "ANL-1005", 1),
                Arguments.of(new FailedSyncException("file=" + FILE), "ANL-1014", 1),
                Arguments.of(new StorageException("write", FILE, new IOException("No space left")), "ANL-1007", 1),
                Arguments.of(
                        new StorageException("create", FILE, new AccessDeniedException(FILE.toString())),
                        "ANL-1005",
                        1),
                Arguments.of(
                        StorageException.after(
                                StorageException.ofFault(FILE, new OutOfMemoryError("heap, file=" + FILE))),
                        "ANL-4004",
                        1),
                Arguments.of(
                        StorageException.after(StorageException.ofFault(FILE, new AssertionError("file=" + FILE))),
                        "ANL-9001",
                        5),
                Arguments.of(new IOException("Broken pipe, file=" + FILE), "ANL-1008", 1),
                Arguments.of(
                        new UnsupportedSSTableException(FILE, Feature.COMPRESSOR, "Snappy", "[LZ4]"), "ANL-1009", 1),
                Arguments.of(new CorruptManifestException(FILE, 3, "no such fact"), "ANL-1010", 1),
                Arguments.of(new CorruptCommitLogException(FILE, 4096, "section is broken"), "ANL-1011", 1),
                Arguments.of(new SchemaException(FILE + ":1:2: no table"), "ANL-2001", 1),
                Arguments.of(new UnsupportedTypeException("custom type, file=" + FILE), "ANL-2002", 1),
                Arguments.of(new UnsupportedOperationException("counters, file=" + FILE), "ANL-2002", 1),
                Arguments.of(new InvalidValueException("too short, sstable=" + FILE), "ANL-2003", 1),
                Arguments.of(new PeerException(FILE.toString(), "handshake", "token-wrong", "refused"), "ANL-3001", 1),
                Arguments.of(new PeerException(FILE.toString(), "repair.open", "refused", "no table"), "ANL-3003", 1),
                Arguments.of(
                        new PeerException(FILE.toString(), "request agent.hold", "refused", "no table"), "ANL-3010", 1),
                Arguments.of(
                        new PeerException(FILE.toString(), "request agent.import", "over", "restarted"), "ANL-3010", 1),
                Arguments.of(
                        new PeerException(FILE.toString(), "request agent.status", "connect-failed", "gone"),
                        "ANL-3001",
                        1),
                Arguments.of(new CorruptFrameException(FILE.toString(), 3, "bad magic"), "ANL-3002", 1),
                Arguments.of(new RepairException("refused, replica=" + FILE), "ANL-3003", 1),
                Arguments.of(new StoreUnavailableException("no store, url=" + FILE, null), "ANL-3005", 1),
                Arguments.of(
                        new GateException(new Readiness(
                                Phase.WRITE_BOTH,
                                Phase.READ_TARGET,
                                List.of(new Gate("backfill", false, "none of " + FILE, true)))),
                        "ANL-5001",
                        3),
                Arguments.of(new PhaseStoreException("unreadable, file=" + FILE), "ANL-5002", 1),
                Arguments.of(new PhaseChangedException(FILE.toString(), 3), "ANL-5003", 1),
                Arguments.of(new JournalException("unreadable, file=" + FILE), "ANL-5005", 1),
                Arguments.of(new IllegalArgumentException("file is no component, file=" + FILE), "ANL-4001", 2),
                Arguments.of(new IllegalStateException("directory is in use, file=" + FILE), "ANL-4002", 1),
                Arguments.of(new NotAvailableException("later, file=" + FILE), "ANL-4003", 2),
                Arguments.of(new OutOfMemoryError("heap, file=" + FILE), "ANL-4004", 5),
                Arguments.of(new ArithmeticException("by zero, file=" + FILE), "ANL-9001", 5));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldSayWhatWhereAndWhatToDo(Throwable failure, String code, int exitCode) {
        ErrorReport report = ErrorReport.of(failure);
        assertThat(report.code()).isEqualTo(code);
        assertThat(report.exitCode()).isEqualTo(exitCode);
        assertThat(report.line())
                .startsWith("anneal: error " + code + ": ")
                .contains(FILE.toString())
                .endsWith("; " + report.advice())
                .doesNotContain("\n");
    }

    @Test
    void shouldAdviseToChangeTheCompressionWhereThatIsWhatIsNotSupported() {
        assertThat(Feature.values())
                .filteredOn(feature -> ErrorReport.of(new UnsupportedSSTableException(FILE, feature, "a", "[b]"))
                        .advice()
                        .contains("compression"))
                .containsExactly(Feature.COMPRESSOR);
    }

    @Test
    void shouldLookThroughWrappers() {
        Throwable wrapped = new CompletionException(new UncheckedIOException(new NoSuchFileException(FILE.toString())));
        assertThat(ErrorReport.of(wrapped).code()).isEqualTo("ANL-1003");
    }

    @Test
    void shouldJoinLinesOfMessage() {
        assertThat(ErrorReport.of(new IOException("first\n  second")).message()).endsWith("first second");
    }

    @Test
    void shouldNotSteerTheTerminalWithWhatAMessageHolds() {
        assertThat(ErrorReport.of(new IOException("a\u001b[2Jb\u0007\n c")).line())
                .contains("a\\u001b[2Jb\\u0007 c")
                .matches("\\P{Cntrl}*");
    }

    @Test
    void shouldAdviseByThePeersCode() {
        for (String code : List.of("tls-refused", "tls-name", "tls-expected", "not-tls", "connect-failed", "closed")) {
            assertThat(ErrorReport.of(new PeerException("host:1", "tls", code, "reason"))
                            .advice())
                    .as(code)
                    .doesNotContain("token");
        }
        assertThat(ErrorReport.of(new PeerException("host:1", "tls", "tls-name", "reason"))
                        .advice())
                .contains("certificate");
        assertThat(ErrorReport.of(new PeerException("host:1", "handshake", "token-wrong", "reason"))
                        .advice())
                .contains("--token-file");
    }

    @Test
    void shouldExplainEveryCodeInTheDocuments() throws IOException {
        String documented = Files.readString(Path.of("../docs/errors.md"));
        String launcher =
                Files.readString(Path.of("../anneal")) + Files.readString(Path.of("src/main/dist/bin/anneal"));
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(documented).contains("| " + code.code() + " |");
        }
        Pattern.compile("fail (ANL-\\d+)")
                .matcher(launcher)
                .results()
                .forEach(match -> assertThat(documented).contains("| " + match.group(1) + " |"));
    }
}
