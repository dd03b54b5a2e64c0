package io.anneal.dualdao.jdbc;

import io.anneal.dualdao.config.KeySource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The keys of a table, in the order of its key column, a page a query: {@code SELECT key FROM table WHERE key > ? ORDER BY key}. No
 * connection or transaction stays open between two pages. The key column must be unique and have an index. Names and conditions
 * go into the SQL as they are given. Immutable.
 *
 * @param <K> the type of the key column
 */
public final class JdbcKeys<K> implements KeySource<K> {
    private static final int PAGE_ROWS = 1_000;

    private final DataSource database;
    private final String table;
    private final String keyColumn;
    private final Class<K> type;
    private final Optional<String> timeColumn;
    private final Optional<String> condition;

    private JdbcKeys(
            DataSource database,
            String table,
            String keyColumn,
            Class<K> type,
            Optional<String> timeColumn,
            Optional<String> condition) {
        this.database = database;
        this.table = table;
        this.keyColumn = keyColumn;
        this.type = type;
        this.timeColumn = timeColumn;
        this.condition = condition;
    }

    /** The keys of all rows. */
    public static <K> JdbcKeys<K> of(DataSource database, String table, String keyColumn, Class<K> type) {
        return new JdbcKeys<>(database, table, keyColumn, type, Optional.empty(), Optional.empty());
    }

    /** Reads the time of each row's last write, too, from a column that is a timestamp: it tells what somebody wrote past the dual DAO. */
    public JdbcKeys<K> writtenAt(String column) {
        return new JdbcKeys<>(database, table, keyColumn, type, Optional.of(column), condition);
    }

    /** Leaves rows out that do not meet this condition, which is SQL. */
    public JdbcKeys<K> where(String sql) {
        return new JdbcKeys<>(database, table, keyColumn, type, timeColumn, Optional.of(sql));
    }

    @Override
    public String identity() {
        return table + "." + keyColumn + condition.map(sql -> " where " + sql).orElse("");
    }

    @Override
    public Iterator<Listed<K>> after(Optional<K> last) {
        return new Pages(last);
    }

    private String sql(boolean first) {
        String rest = condition.map(sql -> "(" + sql + ")").orElse("");
        if (!first) {
            rest = rest.isEmpty() ? keyColumn + " > ?" : rest + " AND " + keyColumn + " > ?";
        }
        return "SELECT " + keyColumn + timeColumn.map(column -> ", " + column).orElse("") + " FROM " + table
                + (rest.isEmpty() ? "" : " WHERE " + rest) + " ORDER BY " + keyColumn;
    }

    private final class Pages implements Iterator<Listed<K>> {
        private final Deque<Listed<K>> page = new ArrayDeque<>();
        private Optional<K> last;
        private boolean over;

        Pages(Optional<K> last) {
            this.last = last;
        }

        @Override
        public boolean hasNext() {
            if (page.isEmpty() && !over) {
                read();
            }
            return !page.isEmpty();
        }

        @Override
        public Listed<K> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return page.removeFirst();
        }

        private void read() {
            try (Connection connection = database.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql(last.isEmpty()))) {
                statement.setMaxRows(PAGE_ROWS);
                statement.setFetchSize(PAGE_ROWS);
                if (last.isPresent()) {
                    statement.setObject(1, last.get());
                }
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        page.addLast(new Listed<>(key(rows), writtenAt(rows)));
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(
                        "keys can't be listed, source=" + identity() + ", reason=" + e.getMessage(), e);
            }
            over = page.size() < PAGE_ROWS;
            if (!page.isEmpty()) {
                last = Optional.of(page.getLast().key());
            }
        }

        /** Drivers agree on these three getters, and not on which classes getObject makes. */
        private K key(ResultSet rows) throws SQLException {
            if (type == Long.class) {
                return type.cast(rows.getLong(1));
            }
            if (type == Integer.class) {
                return type.cast(rows.getInt(1));
            }
            return type == String.class ? type.cast(rows.getString(1)) : rows.getObject(1, type);
        }

        private Optional<Instant> writtenAt(ResultSet rows) throws SQLException {
            return timeColumn.isEmpty()
                    ? Optional.empty()
                    : Optional.ofNullable(rows.getTimestamp(2)).map(Timestamp::toInstant);
        }
    }
}
