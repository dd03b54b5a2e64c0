package io.anneal.harness.store;

import com.datastax.oss.driver.api.core.CqlSession;
import io.anneal.dualdao.cassandra.CassandraPhaseStore;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.JdbcPhaseStore;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.PhaseStore;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** A phase store by its URL: {@code file:DIR}, {@code jdbc:...}, {@code cassandra://HOST:PORT/KEYSPACE} or {@code memory:}. */
public final class PhaseStoreUrl {
    private static final String FILE = "file:";
    private static final String MEMORY = "memory:";
    private static final String JDBC = "jdbc:";

    /** Opens what the URL names. */
    private interface Opening {
        PhaseStore open(Optional<Path> driverConfiguration, boolean makesTables) throws StoreUnavailableException;
    }

    private final String text;
    private final Opening opening;

    private PhaseStoreUrl(String text, Opening opening) {
        this.text = text;
        this.opening = opening;
    }

    /**
     * Looks at the text alone.
     *
     * @throws IllegalArgumentException if it is no URL of a phase store: says what is
     */
    public static PhaseStoreUrl parse(String text) {
        if (text.startsWith(CassandraAddress.SCHEME)) {
            CassandraAddress address = CassandraAddress.parse(text);
            return new PhaseStoreUrl(text, (file, makes) -> cassandra(address, file, makes));
        } else if (text.startsWith(FILE)) {
            Path directory = StoreUrl.path(text, text.substring(FILE.length()));
            return new PhaseStoreUrl(text, (file, makes) -> new FilePhaseStore(directory));
        } else if (text.startsWith(JDBC)) {
            return new PhaseStoreUrl(text, (file, makes) -> jdbc(text, file, makes));
        } else if (text.equals(MEMORY)) {
            return new PhaseStoreUrl(text, (file, makes) -> new MemoryPhaseStore());
        }
        throw new IllegalArgumentException("not the URL of a phase store, url=" + text
                + "; write file:DIR, jdbc:..., cassandra://HOST:PORT/KEYSPACE or memory:");
    }

    /** As it was given. */
    public String text() {
        return text;
    }

    /**
     * Opens it. The caller closes it.
     *
     * @param driverConfiguration a file of the Java driver's settings, for Cassandra; of properties as {@code user}, for JDBC
     * @param makesTables whether a keyspace or a database gets the tables that it lacks: for who begins a migration
     * @throws StoreUnavailableException if Cassandra can't be reached
     * @throws io.anneal.dualdao.phase.PhaseStoreException if it is reached and refuses
     */
    public PhaseStore open(Optional<Path> driverConfiguration, boolean makesTables) throws StoreUnavailableException {
        return opening.open(driverConfiguration, makesTables);
    }

    private static PhaseStore jdbc(String url, Optional<Path> properties, boolean makesTables)
            throws StoreUnavailableException {
        DataSource database = UrlDataSource.of(url, properties);
        try {
            database.getConnection().close();
            if (makesTables) {
                JdbcPhaseStore.createSchema(database);
            }
        } catch (SQLException e) {
            throw new StoreUnavailableException(
                    "database can't be used, url=" + url + ", reason=" + e.getMessage()
                            + "; the JDBC driver must be on the class path",
                    e);
        }
        return new JdbcPhaseStore(database);
    }

    private static PhaseStore cassandra(
            CassandraAddress address, Optional<Path> driverConfiguration, boolean makesTables)
            throws StoreUnavailableException {
        CqlSession session = CassandraSessions.open(address, driverConfiguration);
        boolean opened = false;
        try {
            if (makesTables) {
                CassandraPhaseStore.createSchema(session, address.keyspace());
            }
            PhaseStore store = CassandraPhaseStore.owning(session, address.keyspace());
            opened = true;
            return store;
        } finally {
            if (!opened) {
                session.close();
            }
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
