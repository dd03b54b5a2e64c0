package io.anneal.dualdao.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class JdbcTransactionsTest {
    private final JdbcTransactions transactions = new JdbcTransactions();
    private final List<String> happened = new ArrayList<>();
    private final DataSource source = transactions.wrap(driver());
    private boolean commitFails;

    @Test
    void shouldSeeNoTransactionWhileAutoCommitIsOn() throws SQLException {
        try (Connection connection = source.getConnection()) {
            assertThat(transactions.current()).isNull();
            assertThatThrownBy(() -> transactions.whenEnded(ended -> {})).isInstanceOf(IllegalStateException.class);
            assertThat(connection.getAutoCommit()).isTrue();
        }
    }

    @Test
    void shouldTellTheEndAfterTheDriverCommitted() throws SQLException {
        Connection connection = begun();
        Object first = transactions.current();
        transactions.whenEnded(this::ended);

        connection.commit();
        Object second = transactions.current();
        transactions.whenEnded(this::ended);
        connection.rollback();
        connection.close();

        assertThat(second).isNotNull().isNotEqualTo(first);
        assertThat(transactions.current()).isNull();
        assertThat(happened).containsExactly("commit", "ended COMMITTED", "rollback", "ended ROLLED_BACK", "close");
    }

    @Test
    void shouldEndByAutoCommitAndByClosing() throws SQLException {
        Connection connection = begun();
        transactions.whenEnded(this::ended);
        connection.setAutoCommit(true);
        assertThat(transactions.current()).isNull();
        connection.setAutoCommit(false);
        transactions.whenEnded(this::ended);
        connection.close();

        assertThat(transactions.current()).isNull();
        assertThat(happened).containsExactly("ended COMMITTED", "close", "ended ROLLED_BACK");
    }

    @Test
    void shouldNotEndAtASavepoint() throws SQLException {
        Connection connection = begun();
        Object before = transactions.current();

        connection.rollback(connection.setSavepoint());

        assertThat(transactions.current()).isSameAs(before);
    }

    @Test
    void shouldNotTellHowATransactionEndedWhoseCommitFailed() throws SQLException {
        Connection connection = begun();
        transactions.whenEnded(this::ended);
        commitFails = true;

        assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class).hasMessage("no");

        assertThat(happened).containsExactly("ended UNKNOWN");
    }

    @Test
    void shouldHandOnWhatAnEndingThrowsAfterAllWereTold() throws SQLException {
        Connection connection = begun();
        transactions.whenEnded(outcome -> {
            throw new CommittedException("one", null);
        });
        transactions.whenEnded(outcome -> {
            throw new CommittedException("two", null);
        });
        transactions.whenEnded(this::ended);

        assertThatThrownBy(connection::commit)
                .hasMessage("one")
                .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));

        assertThat(happened).containsExactly("commit", "ended COMMITTED");
    }

    @Test
    void shouldGoByTheLastConnectionOfTheThreadThatMayWrite() throws SQLException {
        Connection outer = begun();
        Object outside = transactions.current();
        Connection inner = begun();
        Object inside = transactions.current();

        assertThat(inside).isNotSameAs(outside);
        inner.setReadOnly(true);
        assertThat(transactions.current()).isSameAs(outside);
        inner.setReadOnly(false);
        assertThat(transactions.current()).isSameAs(inside);
        inner.close();
        assertThat(transactions.current()).isSameAs(outside);
        outer.close();
    }

    @Test
    void shouldLeaveOtherThreadsAlone() throws Exception {
        Connection connection = begun();
        var other = Executors.newSingleThreadExecutor();
        try {
            assertThat(CompletableFuture.supplyAsync(transactions::current, other)
                            .get())
                    .isNull();
            CompletableFuture.runAsync(() -> close(connection), other).get();
        } finally {
            other.shutdownNow();
        }

        assertThat(transactions.current()).isNull();
    }

    @Test
    void shouldBeTheDriversConnectionInAllElse() throws SQLException {
        Connection connection = begun();

        assertThat(connection).isEqualTo(connection).isNotEqualTo(begun());
        assertThat(connection.hashCode()).isEqualTo(connection.hashCode());
        assertThat(connection.nativeSQL("select")).isEqualTo("select");
        assertThatThrownBy(connection::createBlob)
                .isInstanceOf(SQLException.class)
                .hasMessage("createBlob");
    }

    private void ended(TransactionOutcome outcome) {
        happened.add("ended " + outcome);
    }

    private Connection begun() throws SQLException {
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private DataSource driver() {
        return proxy(DataSource.class, (method, arguments) -> connection());
    }

    private Connection connection() {
        boolean[] autoCommit = {true};
        return proxy(Connection.class, (method, arguments) -> switch (method) {
            case "getAutoCommit" -> autoCommit[0];
            case "setAutoCommit" -> {
                autoCommit[0] = (boolean) arguments[0];
                yield null;
            }
            case "isReadOnly" -> false;
            case "setReadOnly", "setSavepoint" -> null;
            case "nativeSQL" -> arguments[0];
            case "hashCode" -> System.identityHashCode(autoCommit);
            case "commit", "close" -> {
                if (method.equals("commit") && commitFails) {
                    throw new SQLException("no");
                }
                happened.add(method);
                yield null;
            }
            case "rollback" -> {
                if (arguments == null) {
                    happened.add(method);
                }
                yield null;
            }
            default -> throw new SQLException(method);
        });
    }

    private interface Driver {
        Object answer(String method, Object[] arguments) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Driver driver) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> driver.answer(method.getName(), arguments)));
    }
}
