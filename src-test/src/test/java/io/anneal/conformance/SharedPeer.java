package io.anneal.conformance;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.PeerSSTableVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Hands the Cassandra nodes of this test run to every test that asks for {@link Peers}, or for the one that writes
 * {@code nb} as a {@link CassandraPeer}: started when the first asks, stopped after the last test of all. Tests keep apart
 * by a keyspace of their own. Their logs stay in {@code target/cassandra-peer/VERSION/log}.
 */
public final class SharedPeer implements ParameterResolver {
    private static final Path DIRECTORY = Path.of("target", "cassandra-peer");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == CassandraPeer.class || type == Peers.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        // The root store closes what it holds when the run ends.
        Peers peers = context.getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(SharedPeer.class, key -> create(), Peers.class);
        return parameter.getParameter().getType() == Peers.class ? peers : peers.of(PeerSSTableVersion.NB);
    }

    private static Peers create() {
        try {
            delete(DIRECTORY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Peers(DIRECTORY);
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> entries = Files.walk(directory)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        }
    }
}
