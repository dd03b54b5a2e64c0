package io.anneal.cli.migrate;

import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.harness.PhaseText;
import io.anneal.harness.store.PhaseStoreUrl;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which migration a command is about, and where its phase is. */
final class MigrationOptions {
    @Option(
            names = "--name",
            required = true,
            paramLabel = "NAME",
            description = "The migration's name, the same for all instances.")
    private String name;

    @Option(
            names = "--phase-store",
            required = true,
            paramLabel = "URL",
            description = "Where the phase is kept: file:DIR, jdbc:... or cassandra://HOST:PORT/KEYSPACE.")
    private String phaseStore;

    @Option(
            names = "--phase-store-conf",
            paramLabel = "FILE",
            description = "Settings of the Java driver for a phase store in Cassandra; properties, as user, for jdbc:.")
    private Path phaseStoreConf;

    String name() {
        return name;
    }

    /** Opens the phase store. */
    void addChecks(Subcommand command, OptionChecks checks) {
        checks.add("--phase-store", () -> {
            command.require(
                    !phaseStore.startsWith("memory:"),
                    "--phase-store memory: ends with the process of 'anneal migrate run'; give file:DIR");
            command.read("--phase-store", () -> PhaseStoreUrl.parse(phaseStore));
        });
    }

    OpenPhases open(Subcommand command, boolean makesTables) throws IOException {
        return open(command, makesTables, ControlPolicy.DEFAULTS);
    }

    OpenPhases open(Subcommand command, boolean makesTables, ControlPolicy policy) throws IOException {
        PhaseStore store = PhaseStoreUrl.parse(phaseStore).open(Optional.ofNullable(phaseStoreConf), makesTables);
        return new OpenPhases(
                store, name, PhaseControl.of(store, name, command.environment().clock(), policy));
    }

    /** A phase store that a command has open, and the control of the migration that it is about. */
    record OpenPhases(PhaseStore store, String name, PhaseControl control) implements AutoCloseable {
        /** What a record means for calls, sentence by sentence. */
        List<String> meaning(PhaseRecord entry) {
            return PhaseText.meaning(entry, PhaseText.testing(store.heartbeats(name)));
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
