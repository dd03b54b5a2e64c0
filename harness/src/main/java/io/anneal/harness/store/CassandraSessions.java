package io.anneal.harness.store;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.typesafe.config.ConfigException;
import io.anneal.dualdao.cassandra.DriverFailures;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Opens sessions of the Java driver. The local data centre is that of the contact points unless a configuration file of the driver
 * names one; that file, in the driver's own form ({@code datastax-java-driver { … }}), also has TLS, credentials and all else.
 * Requests ask {@code LOCAL_QUORUM} unless it says otherwise.
 */
public final class CassandraSessions {
    /** Below the file's settings, above the driver's. Its threads do not keep a process alive. */
    private static final String DEFAULTS = """
            datastax-java-driver {
              basic.request.consistency = LOCAL_QUORUM
              basic.request.timeout = 5 seconds
              basic.load-balancing-policy.class = DcInferringLoadBalancingPolicy
              advanced.netty.daemon = true
            }
            """;

    private CassandraSessions() {}

    /**
     * Connects, and tries one query.
     *
     * @param url as {@link CassandraAddress} has it
     * @throws IllegalArgumentException if the URL is none
     * @throws StoreUnavailableException if nobody answers there within some seconds for each contact point, or not as a Cassandra
     *     that takes us in
     */
    public static CqlSession open(String url, Optional<Path> driverConfiguration) throws StoreUnavailableException {
        return open(CassandraAddress.parse(url), driverConfiguration);
    }

    /** The same, of an address taken apart. */
    public static CqlSession open(CassandraAddress address, Optional<Path> driverConfiguration)
            throws StoreUnavailableException {
        List<InetSocketAddress> contacts = resolved(address);
        DriverConfigLoader loader = loader(driverConfiguration);
        CqlSession session;
        try {
            session = CqlSession.builder()
                    .withConfigLoader(loader)
                    .addContactPoints(contacts)
                    .build();
        } catch (ConfigException | IllegalArgumentException | IllegalStateException e) {
            throw unavailable(
                    address, "driver refuses its settings: " + e.getMessage(), settings(driverConfiguration), e);
        } catch (DriverException e) {
            throw unreachable(address, e);
        }
        boolean answered = false;
        try {
            session.execute("SELECT release_version FROM system.local");
            answered = true;
            return session;
        } catch (NoNodeAvailableException e) {
            throw unavailable(
                    address,
                    "no node is in the local data centre, localDataCentre=" + localDataCentre(session)
                            + ", dataCentres=" + dataCentres(session),
                    settings(driverConfiguration),
                    e);
        } catch (DriverException e) {
            throw unreachable(address, e);
        } finally {
            if (!answered) {
                session.close();
            }
        }
    }

    private static List<InetSocketAddress> resolved(CassandraAddress address) throws StoreUnavailableException {
        List<InetSocketAddress> contacts = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (InetSocketAddress contact : address.contacts()) {
            InetSocketAddress resolved = new InetSocketAddress(contact.getHostString(), contact.getPort());
            if (resolved.isUnresolved()) {
                unknown.add(contact.getHostString());
            } else {
                contacts.add(resolved);
            }
        }
        if (contacts.isEmpty()) {
            throw unavailable(address, "no such host, hosts=" + unknown, "check the name, or give an address", null);
        }
        return contacts;
    }

    private static DriverConfigLoader loader(Optional<Path> file) throws StoreUnavailableException {
        if (file.isEmpty()) {
            return DriverConfigLoader.fromString(DEFAULTS);
        }
        Path path = file.get().toAbsolutePath();
        if (!Files.isReadable(path)) {
            throw new StoreUnavailableException(
                    "driver's configuration can't be read, path=" + path + "; give a file that there is", null);
        }
        try {
            // Included, not read here, so that it may include others beside it. What comes later in the text counts.
            DriverConfigLoader loader =
                    DriverConfigLoader.fromString(DEFAULTS + "include required(file(\"" + quoted(path) + "\"))\n");
            loader.getInitialConfig();
            return loader;
        } catch (ConfigException e) {
            throw new StoreUnavailableException(
                    "driver's configuration is wrong, path=" + path + ", reason=" + e.getMessage()
                            + "; the driver's manual has its form: datastax-java-driver { ... }",
                    e);
        }
    }

    private static String quoted(Path path) {
        return path.toString().replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static String settings(Optional<Path> driverConfiguration) {
        return driverConfiguration
                .map(path -> "check the driver's configuration, path=" + path)
                .orElse(
                        "give a configuration file of the driver that sets basic.load-balancing-policy.local-datacenter");
    }

    private static String localDataCentre(CqlSession session) {
        return session.getContext()
                .getConfig()
                .getDefaultProfile()
                .getString(DefaultDriverOption.LOAD_BALANCING_LOCAL_DATACENTER, "none");
    }

    private static String dataCentres(CqlSession session) {
        return session.getMetadata().getNodes().values().stream()
                .map(Node::getDatacenter)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new))
                .toString();
    }

    private static StoreUnavailableException unreachable(CassandraAddress address, DriverException failure) {
        return unavailable(
                address,
                DriverFailures.reason(failure),
                "check that Cassandra runs there, and what its log says of this client",
                failure);
    }

    private static StoreUnavailableException unavailable(
            CassandraAddress address, String reason, String advice, Throwable cause) {
        return new StoreUnavailableException(
                "Cassandra can't be used, url=" + address.url() + ", reason=" + reason + "; " + advice, cause);
    }
}
