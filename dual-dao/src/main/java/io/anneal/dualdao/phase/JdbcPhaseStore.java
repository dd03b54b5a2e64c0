package io.anneal.dualdao.phase;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Phases in two tables of a relational database, by {@code java.sql} alone: {@code anneal_phase} has the version in force of each
 * migration, and {@code anneal_phase_lines} all else, in the lines that {@link FilePhaseStore} describes. A change is an {@code UPDATE
 * ... WHERE version = ?}, and the record that goes with it, in one transaction; it keeps other writers to the migration waiting.
 *
 * <p>Give it a data source whose connections are no part of its caller's transactions, and that leads to the primary. Any thread
 * may call.
 */
public final class JdbcPhaseStore implements PhaseStore {
    private static final String RECORD = "record";
    private static final String INSTANCE = "instance";
    private static final String NOTE = "note";
    private static final int FORMAT = 2;
    private static final String DUPLICATE = "23";
    private static final int ID_DIGITS = 19;

    private final DataSource database;

    /** Over tables that {@link #createSchema} or somebody else made. Looks at nothing yet. The data source stays the caller's. */
    public JdbcPhaseStore(DataSource database) {
        this.database = database;
    }

    /**
     * Makes the tables, where they are not there.
     *
     * @throws PhaseStoreException when the database refuses
     */
    public static void createSchema(DataSource database) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet found = connection
                    .getMetaData()
                    .getTables(connection.getCatalog(), connection.getSchema(), "%", new String[] {"TABLE"})) {
                while (found.next()) {
                    tables.add(found.getString("TABLE_NAME").toLowerCase(Locale.ROOT));
                }
            }
            String text = text(connection.getMetaData().getDatabaseProductName());
            if (!tables.contains("anneal_phase")) {
                statement.executeUpdate("CREATE TABLE anneal_phase (name VARCHAR(255) NOT NULL PRIMARY KEY,"
                        + " version " + number(connection) + " NOT NULL)");
            }
            if (!tables.contains("anneal_phase_lines")) {
                statement.executeUpdate("CREATE TABLE anneal_phase_lines (name VARCHAR(255) NOT NULL,"
                        + " kind VARCHAR(16) NOT NULL, id VARCHAR(255) NOT NULL, line " + text
                        + " NOT NULL, PRIMARY KEY (name, kind, id))");
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new PhaseStoreException("phase store can't be made, reason=" + e.getMessage(), e);
        }
    }

    private static String number(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().startsWith("Oracle") ? "NUMBER(19)" : "BIGINT";
    }

    /** What text of any length is called there; it holds histograms. */
    private static String text(String product) {
        if (product.startsWith("PostgreSQL")) {
            return "TEXT";
        }
        if (product.startsWith("MySQL") || product.startsWith("MariaDB")) {
            return "LONGTEXT";
        }
        return product.startsWith("Microsoft") ? "VARCHAR(MAX)" : "CLOB";
    }

    /** Work in a transaction. */
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T transaction(String name, Work<T> work) {
        try (Connection connection = database.getConnection()) {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                T result = work.on(connection);
                connection.commit();
                done = true;
                return result;
            } finally {
                if (!done) {
                    connection.rollback();
                }
                connection.setAutoCommit(before);
            }
        } catch (SQLException | IllegalArgumentException | DateTimeException e) {
            throw new PhaseStoreException(
                    "phase store can't be asked, store=jdbc, name=" + name + ", reason=" + e.getMessage()
                            + "; check that the database runs and that the tables were made by init",
                    e);
        }
    }

    private static int update(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static List<String> texts(Connection connection, String sql, Object... values) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement statement = prepared(connection, sql, values);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Long number) {
                statement.setLong(i + 1, number);
            } else {
                statement.setString(i + 1, (String) values[i]);
            }
        }
        return statement;
    }

    private static void insert(Connection connection, String name, String kind, String id, String line)
            throws SQLException {
        update(
                connection,
                "INSERT INTO anneal_phase_lines (name, kind, id, line) VALUES (?, ?, ?, ?)",
                id(name),
                kind,
                id,
                line);
    }

    private static <T> List<T> lines(
            Connection connection, String name, String kind, Function<PhaseText.Fields, T> value) throws SQLException {
        return texts(
                        connection,
                        "SELECT line FROM anneal_phase_lines WHERE name = ? AND kind = ? ORDER BY id",
                        id(name),
                        kind)
                .stream()
                .map(line -> value.apply(new PhaseText.Fields(FORMAT, line)))
                .toList();
    }

    /** The version in force, as text; empty if there is no such migration. */
    private static Optional<Long> version(Connection connection, String name) throws SQLException {
        return texts(connection, "SELECT version FROM anneal_phase WHERE name = ?", id(name)).stream()
                .map(Long::valueOf)
                .findFirst();
    }

    /** A name in letters that any collation tells apart. */
    private static String id(String name) {
        StringBuilder id = new StringBuilder();
        for (char c : PhaseText.fileName(name).toCharArray()) {
            id.append(c >= 'A' && c <= 'Z' ? "+" + (char) (c + 'a' - 'A') : c);
        }
        return id.toString();
    }

    /** A number as text that sorts as it does. */
    private static String id(long number) {
        String digits = Long.toString(number);
        return "0".repeat(ID_DIGITS - digits.length()) + digits;
    }

    @Override
    public Optional<PhaseRecord> read(String name) {
        List<PhaseRecord> history = history(name);
        return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1));
    }

    @Override
    public void create(String name, PhaseRecord first) {
        boolean created = transaction(name, connection -> {
            try {
                update(connection, "INSERT INTO anneal_phase (name, version) VALUES (?, ?)", id(name), first.version());
            } catch (SQLException e) {
                if (isDuplicate(e)) {
                    return false;
                }
                throw e;
            }
            insert(connection, name, RECORD, id(first.version()), PhaseText.line(first));
            return true;
        });
        if (!created) {
            throw new IllegalStateException("there is a migration of that name, store=jdbc, name=" + name);
        }
    }

    private static boolean isDuplicate(SQLException e) {
        return e instanceof SQLIntegrityConstraintViolationException
                || e.getSQLState() != null && e.getSQLState().startsWith(DUPLICATE);
    }

    @Override
    public boolean compareAndSet(String name, long expectedVersion, PhaseRecord next) {
        if (next.version() != expectedVersion + 1) {
            throw new IllegalArgumentException(
                    "not the next version, expectedVersion=" + expectedVersion + ", version=" + next.version());
        }
        return transaction(name, connection -> {
            int changed = update(
                    connection,
                    "UPDATE anneal_phase SET version = ? WHERE name = ? AND version = ?",
                    next.version(),
                    id(name),
                    expectedVersion);
            if (changed == 1) {
                insert(connection, name, RECORD, id(next.version()), PhaseText.line(next));
            }
            return changed == 1;
        });
    }

    @Override
    public List<PhaseRecord> history(String name) {
        return transaction(name, connection -> {
            Optional<Long> inForce = version(connection, name);
            List<PhaseRecord> records = lines(connection, name, RECORD, PhaseText::filed).stream()
                    .map(PhaseText.Filed::phaseRecord)
                    .filter(each -> inForce.isPresent() && each.version() <= inForce.get())
                    .toList();
            if (inForce.isPresent() && records.size() != inForce.get()) {
                throw new PhaseStoreException("phase store holds no whole record, store=jdbc, name=" + name
                        + ", inForce=" + inForce.get() + ", records=" + records.size()
                        + "; its tables were changed by hand, or restored in parts: restore them whole");
            }
            return records;
        });
    }

    /** Lets one write at a time to a migration. */
    private static void lock(Connection connection, String name) throws SQLException {
        if (update(connection, "UPDATE anneal_phase SET version = version WHERE name = ?", id(name)) == 0) {
            throw new PhaseStoreException("no phase record of that name, store=jdbc, name=" + name);
        }
    }

    /** Takes no lock: whoever holds it must not keep instances from showing that they live. */
    @Override
    public void heartbeat(String name, Heartbeat heartbeat) {
        boolean known = transaction(name, connection -> {
            if (version(connection, name).isEmpty()) {
                throw new PhaseStoreException("no phase record of that name, store=jdbc, name=" + name);
            }
            return renew(connection, name, heartbeat) == 1;
        });
        if (!known) {
            transaction(name, connection -> {
                try {
                    insert(connection, name, INSTANCE, id(heartbeat.instance()), PhaseText.line(heartbeat));
                    return 1;
                } catch (SQLException e) {
                    if (isDuplicate(e)) {
                        return 0; // of another thread at this moment
                    }
                    throw e;
                }
            });
        }
    }

    private static int renew(Connection connection, String name, Heartbeat heartbeat) throws SQLException {
        return update(
                connection,
                "UPDATE anneal_phase_lines SET line = ? WHERE name = ? AND kind = ? AND id = ?",
                PhaseText.line(heartbeat),
                id(name),
                INSTANCE,
                id(heartbeat.instance()));
    }

    @Override
    public List<Heartbeat> heartbeats(String name) {
        return transaction(name, connection -> lines(connection, name, INSTANCE, PhaseText::heartbeat));
    }

    @Override
    public void forget(String name, String instance) {
        transaction(
                name,
                connection -> update(
                        connection,
                        "DELETE FROM anneal_phase_lines WHERE name = ? AND kind = ? AND id = ?",
                        id(name),
                        INSTANCE,
                        id(instance)));
    }

    @Override
    public void addNote(String name, PhaseNote note) {
        transaction(name, connection -> {
            lock(connection, name);
            long next = texts(
                                    connection,
                                    "SELECT MAX(id) FROM anneal_phase_lines WHERE name = ? AND kind = ?",
                                    id(name),
                                    NOTE)
                            .stream()
                            .filter(last -> last != null)
                            .mapToLong(Long::parseLong)
                            .sum()
                    + 1;
            insert(connection, name, NOTE, id(next), PhaseText.line(note));
            return next;
        });
    }

    @Override
    public List<PhaseNote> notes(String name) {
        return transaction(name, connection -> lines(connection, name, NOTE, PhaseText::note));
    }

    @Override
    public boolean persistent() {
        return true;
    }

    /** Does nothing: no connection stays open between two calls. */
    @Override
    public void close() {}
}
