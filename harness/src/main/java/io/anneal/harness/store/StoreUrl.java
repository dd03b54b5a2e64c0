package io.anneal.harness.store;

import com.datastax.oss.driver.api.core.CqlSession;
import io.anneal.dualdao.cassandra.CassandraPhaseMark;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.migrate.service.EmbeddedPhaseMark;
import io.anneal.store.directory.StoreFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A store by its URL: {@code embedded:DIR}, {@code cassandra://HOST:PORT/KEYSPACE}, {@code memory:} or
 * {@code memory:NAME?latencyMillis=5&failing=0.01}, {@code dao:CLASS}. A class implements {@link PartitionDao} and has a public
 * constructor without parameters.
 */
public final class StoreUrl {
    private static final String EMBEDDED = "embedded:";
    private static final String MEMORY = "memory:";
    private static final String DAO = "dao:";
    private static final String FORMS = "write embedded:DIR, cassandra://HOST:PORT/KEYSPACE, memory: or dao:CLASS";

    /** Opens what the URL names. */
    private interface Opening {
        OpenStore open(StoreUrl url, StoreSettings settings) throws IOException;
    }

    private final String text;
    private final boolean lasting;
    private final Opening opening;

    private StoreUrl(String text, boolean lasting, Opening opening) {
        this.text = text;
        this.lasting = lasting;
        this.opening = opening;
    }

    /**
     * Looks at the text alone.
     *
     * @throws IllegalArgumentException if it is no URL of a store: says what is
     */
    public static StoreUrl parse(String text) {
        if (text.startsWith(CassandraAddress.SCHEME)) {
            CassandraAddress address = CassandraAddress.parse(text);
            return new StoreUrl(text, true, (url, settings) -> cassandra(url, address, settings));
        } else if (text.startsWith(EMBEDDED)) {
            Path directory = path(text, text.substring(EMBEDDED.length()));
            return new StoreUrl(text, true, (url, settings) -> embedded(url, directory, settings));
        } else if (text.startsWith(MEMORY)) {
            MemoryUrl memory = MemoryUrl.parse(text);
            return new StoreUrl(
                    text,
                    false,
                    (url, settings) -> new OpenStore(url, memory.open(settings), Optional.empty(), Optional.empty()));
        } else if (text.startsWith(DAO) && text.length() > DAO.length()) {
            DaoClass named = new DaoClass(text.substring(DAO.length()));
            return new StoreUrl(text, true, named::open);
        }
        throw new IllegalArgumentException("not the URL of a store, url=" + text + "; " + FORMS);
    }

    static Path path(String url, String path) {
        try {
            if (!path.isBlank()) {
                return Path.of(path);
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("URL names no path, url=" + url + ", reason=" + e.getMessage(), e);
        }
        throw new IllegalArgumentException("URL names no path, url=" + url + "; write a path after the colon");
    }

    /** As it was given. */
    public String text() {
        return text;
    }

    /** Whether what is written there may outlive this process. */
    public boolean lasting() {
        return lasting;
    }

    /**
     * Opens it. The caller closes it.
     *
     * @throws StoreUnavailableException if it can't be opened: names the URL, the reason, and what to do
     */
    public OpenStore open(StoreSettings settings) throws IOException {
        return opening.open(this, settings);
    }

    private static OpenStore embedded(StoreUrl url, Path directory, StoreSettings settings) throws IOException {
        if (!settings.makesTables() && StoreFile.read(directory).isEmpty()) {
            throw new StoreUnavailableException(
                    "there is no embedded store, url=" + url.text + "; check the path", null);
        }
        EmbeddedPartitionDao dao;
        try {
            dao = EmbeddedPartitionDao.open(directory, settings.environment());
        } catch (IOException | IllegalStateException e) {
            throw new StoreUnavailableException(
                    "embedded store can't be opened, url=" + url.text + ", reason=" + e.getMessage()
                            + "; give a directory that nobody else has open, on a disk that works",
                    e);
        }
        boolean opened = false;
        try {
            OpenStore open =
                    new OpenStore(url, dao, Optional.of(EmbeddedPhaseMark.open(dao.store())), Optional.empty());
            opened = true;
            return open;
        } finally {
            if (!opened) {
                dao.close();
            }
        }
    }

    private static OpenStore cassandra(StoreUrl url, CassandraAddress address, StoreSettings settings)
            throws IOException {
        CqlSession session = CassandraSessions.open(address, settings.driverConfiguration());
        boolean opened = false;
        try {
            CassandraPhaseMark mark = new CassandraPhaseMark(session, address.keyspace());
            if (settings.makesTables()) {
                CassandraPartitionDao.createSchema(session, address.keyspace());
                mark.createSchema();
            }
            PartitionDao dao = CassandraPartitionDao.owning(
                    session, address.keyspace(), settings.environment().clock());
            OpenStore open = new OpenStore(url, dao, Optional.<PhaseMark>of(mark), Optional.empty());
            opened = true;
            return open;
        } catch (PhaseStoreException e) {
            throw new StoreUnavailableException(e.getMessage() + ", url=" + url.text, e);
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
