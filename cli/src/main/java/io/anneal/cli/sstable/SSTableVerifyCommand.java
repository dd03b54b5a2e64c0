package io.anneal.cli.sstable;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ErrorReport;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Progress;
import io.anneal.cli.command.Subcommand;
import io.anneal.cli.command.ValueCheck;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FormerColumnOrderException;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal sstable verify}: says of each SSTable whether every byte is right. */
@Command(
        name = "verify",
        description =
                "Checks every checksum, the order and every index entry; exits with 1 if one is wrong, with 5 if an"
                        + " SSTable could not be looked at.")
final class SSTableVerifyCommand extends Subcommand {
    /** What is known of an SSTable. */
    private enum Finding {
        RIGHT,
        WRONG,
        /** It could not be looked at, as a file that is not there or of an unknown version. */
        UNKNOWN
    }

    /**
     * One SSTable's verdict.
     *
     * @param notes what could not be checked of one that is right
     * @param reason empty when it is right
     */
    private record Verdict(String name, Finding finding, List<String> notes, Optional<ErrorReport> reason) {}

    @Mixin
    private SSTableFiles files;

    @Option(names = "--extended", description = "Check every value against its type, too.")
    private boolean extended;

    private final List<Verdict> verdicts = new ArrayList<>();

    @Override
    public int errorExitCode() {
        return ExitCode.UNANSWERED;
    }

    @Override
    protected int execute() throws IOException {
        for (Path file : files.files()) {
            try {
                Optional<TableSchema> schema = files.givenSchema(file);
                for (Descriptor descriptor : TableSource.descriptors(file, files.files())) {
                    add(verify(schema, descriptor));
                }
            } catch (IOException e) {
                add(failed(file.toString(), e));
            }
        }
        if (json()) {
            printJson();
        }
        if (verdicts.isEmpty()) {
            say("no SSTables here");
        }
        if (found(Finding.UNKNOWN)) {
            return errorExitCode();
        }
        return found(Finding.WRONG) ? ExitCode.NO : ExitCode.YES;
    }

    private boolean found(Finding finding) {
        return verdicts.stream().anyMatch(verdict -> verdict.finding() == finding);
    }

    private void add(Verdict verdict) {
        verdicts.add(verdict);
        if (!json()) {
            print(verdict);
        }
    }

    private Verdict verify(Optional<TableSchema> schema, Descriptor descriptor) {
        try (SSTableReader reader = Formats.open(descriptor);
                Progress progress = progress(descriptor.baseName()).total(reader.dataLengthBytes())) {
            List<String> notes = reader.verify();
            if (extended) {
                new ValueCheck(reader, schema.orElse(reader.headerSchema()), progress).run();
            }
            return new Verdict(descriptor.toString(), Finding.RIGHT, notes, Optional.empty());
        } catch (IOException | InvalidValueException | SchemaException e) {
            // A wrong SSTable is this command's answer, and the next one is still to be looked at.
            return failed(descriptor.toString(), e);
        }
    }

    private Verdict failed(String name, Exception failure) {
        boolean isAnswer = failure instanceof CorruptSSTableException
                || failure instanceof FormerColumnOrderException
                || failure instanceof InvalidValueException;
        return isAnswer
                ? new Verdict(name, Finding.WRONG, List.of(), Optional.of(ErrorReport.of(failure)))
                : new Verdict(name, Finding.UNKNOWN, List.of(), Optional.of(tell(failure)));
    }

    private void print(Verdict verdict) {
        switch (verdict.finding()) {
            case RIGHT -> {
                out().println("ok    " + verdict.name());
                verdict.notes().forEach(note -> out().println("note  " + verdict.name() + ": " + note));
            }
            case WRONG ->
                verdict.reason()
                        .ifPresent(
                                r -> out().println("wrong " + verdict.name() + ": " + r.code() + ": " + r.message()));
            // Was told as an error.
            case UNKNOWN -> {}
        }
    }

    private void printJson() throws IOException {
        JsonGenerator json = resultFields();
        json.writeArrayFieldStart("sstables");
        for (Verdict verdict : verdicts) {
            json.writeStartObject();
            json.writeStringField("sstable", verdict.name());
            json.writeBooleanField("ok", verdict.finding() == Finding.RIGHT);
            json.writeBooleanField("wrong", verdict.finding() == Finding.WRONG);
            if (!verdict.notes().isEmpty()) {
                json.writeArrayFieldStart("notes");
                for (String note : verdict.notes()) {
                    json.writeString(note);
                }
                json.writeEndArray();
            }
            if (verdict.reason().isPresent()) {
                json.writeStringField("code", verdict.reason().get().code());
                json.writeStringField("reason", verdict.reason().get().message());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
