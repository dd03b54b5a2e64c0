package io.anneal.cli.store;

import com.fasterxml.jackson.core.JsonGenerator;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.Subcommand;
import io.anneal.store.directory.StoreDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal store check}: says of everything in a store's directory whether it is right. Changes nothing. */
@Command(
        name = "check",
        description = "Checks manifests, every live SSTable and the commit log, and finds files that nobody lists;"
                + " exits with 1 if something is wrong. The store must not be open.")
final class StoreCheckCommand extends Subcommand {
    @Parameters(paramLabel = "DIR", description = "The store's directory.")
    private Path directory;

    @Option(
            names = "--extended",
            description = "Check every value against its type, and that each partition lies in its shard, too.")
    private boolean extended;

    @Override
    protected int execute() throws IOException {
        // As SSTables are named: all findings alike.
        StoreDirectory store = StoreDirectory.of(directory.toAbsolutePath());
        Optional<String> owner = store.owner();
        if (owner.isPresent()) {
            throw new IllegalStateException("store is in use and changes while it is checked: close it,"
                    + " or take a snapshot and verify that, directory=" + directory + ", " + owner.get());
        }
        List<StoreFinding> findings = new ArrayList<>();
        new StoreCheck(store, extended, this::progress, finding -> {
                    findings.add(finding);
                    if (!json()) {
                        out().println(finding.line());
                    }
                })
                .run();
        boolean right = findings.stream().noneMatch(f -> f.verdict() == StoreFinding.Verdict.WRONG);
        if (json()) {
            printJson(findings, right);
        }
        return right ? ExitCode.YES : ExitCode.NO;
    }

    private void printJson(List<StoreFinding> findings, boolean right) throws IOException {
        JsonGenerator json = resultFields();
        json.writeBooleanField("ok", right);
        json.writeArrayFieldStart("findings");
        for (StoreFinding finding : findings) {
            json.writeStartObject();
            json.writeStringField("verdict", finding.verdict().name().toLowerCase(Locale.ROOT));
            json.writeStringField("subject", finding.subject());
            if (finding.reason().isPresent()) {
                json.writeStringField("code", finding.reason().get().code());
                json.writeStringField("reason", finding.reason().get().message());
            } else {
                json.writeStringField("what", finding.what());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
