package io.anneal.conformance;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.CassandraPeerConfig;
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
 * Hands the one Cassandra node of this test run to every test that asks for a {@link CassandraPeer} parameter: started
 * when the first asks, stopped after the last test of all. Tests keep apart by a keyspace of their own. Its logs stay
 * in {@code target/cassandra-peer/log}.
 */
public final class SharedPeer implements ParameterResolver {
    private static final Path DIRECTORY = Path.of("target", "cassandra-peer");

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == CassandraPeer.class;
    }

    @Override
    public CassandraPeer resolveParameter(ParameterContext parameter, ExtensionContext context) {
        // The root store closes what it holds when the run ends.
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(SharedPeer.class, key -> start(), CassandraPeer.class);
    }

    private static CassandraPeer start() {
        try {
            delete(DIRECTORY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return CassandraPeer.start(CassandraPeerConfig.in(DIRECTORY));
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
