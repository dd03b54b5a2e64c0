package io.anneal.dualdao.transaction;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;

/**
 * The transactions of JDBC connections: a thread is in one while it has a connection of a {@linkplain #wrap wrapped} data source
 * whose auto-commit it turned off, unless the connection is read-only. It ends with {@code commit}, {@code rollback}, {@code
 * setAutoCommit(true)} or {@code close}; an SQL text that commits is not seen. Of several such connections the last one counts.
 *
 * <p>Frameworks that use the wrapped data source need nothing else. A connection belongs to the thread that turned its auto-commit
 * off, or that got it so. Any thread may call.
 */
public final class JdbcTransactions implements TransactionHook {
    /** The connections of a thread whose auto-commit is off, the last one first. */
    private final ThreadLocal<Deque<Watched>> manual = ThreadLocal.withInitial(ConcurrentLinkedDeque::new);

    /** Returns the same data source with connections that are watched. */
    public DataSource wrap(DataSource source) {
        return proxy(DataSource.class, (proxy, method, arguments) -> {
            Object answer = invoke(source, method, arguments);
            return answer instanceof Connection connection ? wrap(connection) : answer;
        });
    }

    /** Returns the same connection, watched: one that comes from elsewhere than a data source. */
    public Connection wrap(Connection connection) throws SQLException {
        Watched watched = new Watched(connection, connection.isReadOnly());
        watched.manual(!connection.getAutoCommit());
        return proxy(Connection.class, watched);
    }

    @Override
    public Object current() {
        for (Watched watched : manual.get()) {
            if (!watched.readOnly) {
                return watched.transaction();
            }
        }
        return null;
    }

    @Override
    public void whenEnded(Ending ending) {
        for (Watched watched : manual.get()) {
            if (!watched.readOnly) {
                watched.transaction().endings.add(ending);
                return;
            }
        }
        throw new IllegalStateException("no transaction on this thread, thread="
                + Thread.currentThread().getName());
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class
                            && method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    return handler.invoke(proxy, method, arguments);
                }));
    }

    private static Object invoke(Object delegate, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(delegate, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    /** One transaction, equal to itself alone. */
    private static final class Transaction {
        private final List<Ending> endings = new ArrayList<>();

        void end(TransactionOutcome outcome, Throwable failure) throws Throwable {
            Throwable first = failure;
            for (Ending ending : endings) {
                try {
                    ending.ended(outcome);
                } catch (RuntimeException thrown) { // the others must be told all the same
                    if (first == null) {
                        first = thrown;
                    } else {
                        first.addSuppressed(thrown);
                    }
                }
            }
            if (first != null) {
                throw first;
            }
        }
    }

    /** A connection. */
    private final class Watched implements InvocationHandler {
        private final Connection connection;
        private boolean readOnly;

        /** Of the thread that turned auto-commit off, null while it is on. */
        private Deque<Watched> owner;

        /** Null until somebody asks. */
        private Transaction transaction;

        Watched(Connection connection, boolean readOnly) {
            this.connection = connection;
            this.readOnly = readOnly;
        }

        Transaction transaction() {
            if (transaction == null) {
                transaction = new Transaction();
            }
            return transaction;
        }

        void manual(boolean on) {
            if (on && owner == null) {
                owner = manual.get();
                owner.addFirst(this);
            } else if (!on && owner != null) {
                owner.remove(this);
                owner = null;
            }
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            int count = arguments == null ? 0 : arguments.length;
            return switch (method.getName()) {
                case "commit" -> ending(method, arguments, TransactionOutcome.COMMITTED);
                case "rollback" ->
                    count == 0
                            ? ending(method, arguments, TransactionOutcome.ROLLED_BACK)
                            : JdbcTransactions.invoke(connection, method, arguments);
                case "close", "abort" -> {
                    manual(false);
                    yield ending(method, arguments, TransactionOutcome.ROLLED_BACK);
                }
                case "setAutoCommit" -> {
                    boolean on = (boolean) arguments[0];
                    if (!on) {
                        Object answer = JdbcTransactions.invoke(connection, method, arguments);
                        manual(true);
                        yield answer;
                    }
                    manual(false);
                    yield ending(method, arguments, TransactionOutcome.COMMITTED);
                }
                case "setReadOnly" -> {
                    Object answer = JdbcTransactions.invoke(connection, method, arguments);
                    readOnly = (boolean) arguments[0];
                    yield answer;
                }
                default -> JdbcTransactions.invoke(connection, method, arguments);
            };
        }

        private Object ending(Method method, Object[] arguments, TransactionOutcome wanted) throws Throwable {
            Object answer = null;
            Throwable failure = null;
            TransactionOutcome outcome = wanted;
            try {
                answer = JdbcTransactions.invoke(connection, method, arguments);
            } catch (Throwable thrown) { // the driver's, handed on when all were told
                failure = thrown;
                // Whatever the driver says: a server that was asked to commit may still do so.
                outcome = wanted == TransactionOutcome.COMMITTED ? TransactionOutcome.UNKNOWN : wanted;
            }
            Transaction ended = transaction;
            transaction = null;
            if (ended != null) {
                ended.end(outcome, failure);
            } else if (failure != null) {
                throw failure;
            }
            return answer;
        }
    }
}
