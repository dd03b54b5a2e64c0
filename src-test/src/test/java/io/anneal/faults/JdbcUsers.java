package io.anneal.faults;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** {@link UserDao} over one table of one database, in the transaction of the calling thread if there is one. Any thread may call. */
final class JdbcUsers implements UserDao {
    static final String TABLE = "create table if not exists users (id bigint primary key, name varchar not null,"
            + " city varchar not null, visits int not null, deleted boolean not null);"
            + " create index if not exists users_by_city on users (city)";

    private static final String COLUMNS = "select id, name, city, visits, deleted from users ";
    private static final String DUPLICATE_KEY = "23505";

    private final DataSource database;
    private final ThreadLocal<Connection> bound = new ThreadLocal<>();

    JdbcUsers(DataSource database) {
        this.database = database;
    }

    /** A database did not do what it was told. */
    static final class DatabaseException extends RuntimeException {
        private static final long serialVersionUID = 1;

        DatabaseException(SQLException cause) {
            super(cause.getMessage(), cause);
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private <T> T with(Work<T> work) {
        try {
            Connection current = bound.get();
            if (current != null) {
                return work.on(current);
            }
            try (Connection own = database.getConnection()) {
                return work.on(own);
            }
        } catch (SQLException e) {
            throw new DatabaseException(e);
        }
    }

    private int update(String sql, Object... values) {
        return with(connection -> {
            try (PreparedStatement statement = prepared(connection, sql, values)) {
                return statement.executeUpdate();
            }
        });
    }

    private List<User> query(String sql, Object... values) {
        return with(connection -> {
            List<User> users = new ArrayList<>();
            try (PreparedStatement statement = prepared(connection, sql, values);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    users.add(new User(
                            rows.getLong(1), rows.getString(2), rows.getString(3), rows.getInt(4), rows.getBoolean(5)));
                }
            }
            return users;
        });
    }

    private static PreparedStatement prepared(Connection connection, String sql, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    private static User one(List<User> users) {
        return users.isEmpty() ? null : users.get(0);
    }

    /** Works in a transaction that this thread's calls are part of, committed at the end unless the work says no or throws. */
    void inTransaction(Supplier<Boolean> work) {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            bound.set(connection);
            boolean commits = false;
            try {
                commits = work.get();
            } finally {
                bound.remove();
                if (commits) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new DatabaseException(e);
        }
    }

    @Override
    public User find(long id) {
        return one(query(COLUMNS + "where id = ? and not deleted", id));
    }

    @Override
    public List<User> findByCity(String city) {
        return query(COLUMNS + "where city = ? and not deleted order by id", city);
    }

    @Override
    public void save(User user) {
        String sql = "merge into users u using (values (cast(? as bigint), ?, ?, cast(? as boolean)))"
                + " n (id, name, city, deleted) on u.id = n.id"
                + " when matched then update set name = n.name, city = n.city, deleted = n.deleted"
                + " when not matched then insert values (n.id, n.name, n.city, 0, n.deleted)";
        insertedOnce(() -> update(sql, user.id(), user.name(), user.city(), user.deleted()));
    }

    /** Two that insert the same row at the same moment: the second finds it there. */
    private static void insertedOnce(Supplier<Integer> merge) {
        try {
            merge.get();
        } catch (DatabaseException e) {
            if (!((SQLException) e.getCause()).getSQLState().equals(DUPLICATE_KEY)) {
                throw e;
            }
            merge.get();
        }
    }

    @Override
    public void remove(long id) {
        update("delete from users where id = ?", id);
    }

    @Override
    public boolean rename(long id, String from, String to) {
        return update("update users set name = ? where id = ? and name = ? and not deleted", to, id, from) == 1;
    }

    @Override
    public boolean visit(long id) {
        return update("update users set visits = visits + 1 where id = ?", id) == 1;
    }

    /** The whole row, marked as deleted or not; null if there is none. */
    User load(long id) {
        return one(query(COLUMNS + "where id = ?", id));
    }

    /** Makes the row what another database has. */
    void store(User user) {
        insertedOnce(() -> update(
                "merge into users key (id) values (?, ?, ?, ?, ?)",
                user.id(),
                user.name(),
                user.city(),
                user.visits(),
                user.deleted()));
    }

    /** Keeps a row from changing until the transaction ends, and gives it. */
    User lock(long id) {
        return one(query(COLUMNS + "where id = ? for update", id));
    }

    /** The rows of these ids, the first one outside. */
    List<User> rows(long after, long through) {
        return query(COLUMNS + "where id > ? and id <= ? order by id", after, through);
    }
}
