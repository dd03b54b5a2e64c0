package io.anneal.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.Formats;
import io.anneal.store.TableSource;
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
        description = "Checks every checksum, the order and every index entry; exits with 1 if one is wrong.")
final class SSTableVerifyCommand extends Subcommand {
    /**
     * One SSTable's verdict.
     *
     * @param notes what could not be checked of one that is right
     * @param reason empty when it is right
     */
    private record Verdict(Descriptor descriptor, List<String> notes, Optional<ErrorReport> reason) {}

    @Mixin
    private SSTableFiles files;

    @Option(names = "--extended", description = "Check every value against its type, too.")
    private boolean extended;

    @Override
    int execute() throws IOException {
        List<Verdict> verdicts = new ArrayList<>();
        for (Path file : files.files()) {
            Optional<TableSchema> schema = files.givenSchema(file);
            for (Descriptor descriptor : TableSource.descriptors(file)) {
                Verdict verdict = verify(schema, descriptor);
                verdicts.add(verdict);
                if (!json()) {
                    print(verdict);
                }
            }
        }
        if (json()) {
            printJson(verdicts);
        }
        if (verdicts.isEmpty()) {
            say("no SSTables here");
        }
        return verdicts.stream().allMatch(v -> v.reason().isEmpty()) ? ExitCode.YES : ExitCode.NO;
    }

    private Verdict verify(Optional<TableSchema> schema, Descriptor descriptor) {
        try (SSTableReader reader = Formats.open(descriptor);
                Progress progress = progress(descriptor.baseName()).total(reader.dataLengthBytes())) {
            List<String> notes = reader.verify();
            if (extended) {
                new ValueCheck(reader, schema.orElse(reader.headerSchema()), progress).run();
            }
            return new Verdict(descriptor, notes, Optional.empty());
        } catch (IOException | InvalidValueException e) {
            // A wrong SSTable is this command's answer, and the next one is still to be looked at.
            return new Verdict(descriptor, List.of(), Optional.of(ErrorReport.of(e)));
        }
    }

    private void print(Verdict verdict) {
        String text = verdict.reason()
                .map(r -> "wrong " + verdict.descriptor() + ": " + r.code() + ": " + r.message())
                .orElse("ok    " + verdict.descriptor());
        out().println(text);
        verdict.notes().forEach(note -> out().println("note  " + verdict.descriptor() + ": " + note));
    }

    private void printJson(List<Verdict> verdicts) throws IOException {
        try (JsonResult result = new JsonResult(out(), "sstable verify")) {
            JsonGenerator json = result.fields();
            json.writeArrayFieldStart("sstables");
            for (Verdict verdict : verdicts) {
                json.writeStartObject();
                json.writeStringField("sstable", verdict.descriptor().toString());
                json.writeBooleanField("ok", verdict.reason().isEmpty());
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
}
