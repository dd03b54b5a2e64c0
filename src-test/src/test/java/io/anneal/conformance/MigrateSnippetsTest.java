package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.KeyRunResult;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.jdbc.JdbcKeys;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.FilePhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.transaction.TransactionHook;
import io.anneal.dualdao.transaction.TransactionOutcome;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The snippets of {@code docs/migrate.md}: they compile, they run, and the page quotes them as they stand here. */
class MigrateSnippetsTest {
    @TempDir
    private Path directory;

    record User(long id, String name) {}

    // snippet: interface
    public interface UserDao {
        @Read
        User find(@Key long id);

        @Read
        Map<Long, User> findAll(@Key Collection<Long> ids);

        @Write
        void save(@Key("id") User user);

        @Delete
        void remove(@Key long id);

        @Conditional
        boolean rename(@Key long id, String from, String to);
    }
    // end

    // snippet: copy
    static final class UserCopy implements KeyCopy<UserDao, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.NONE; // SOURCE_TIMESTAMPS if your DAO can write at the time of the source's write
        }

        @Override
        public CompletionStage<Void> copy(Long id, UserDao from, UserDao to, long takenAwayBeforeMicros) {
            User user = from.find(id);
            if (user == null) {
                to.remove(id);
            } else {
                to.save(user);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<User> read(Long id, UserDao dao) {
            return CompletableFuture.completedStage(dao.find(id));
        }
    }
    // end

    /** Stands for whatever the reader has. */
    private static final class Users implements UserDao {
        private final Map<Long, User> users = new ConcurrentHashMap<>();

        @Override
        public User find(long id) {
            return users.get(id);
        }

        @Override
        public Map<Long, User> findAll(Collection<Long> ids) {
            Map<Long, User> found = new HashMap<>(users);
            found.keySet().retainAll(ids);
            return found;
        }

        @Override
        public void save(User user) {
            users.put(user.id(), user);
        }

        @Override
        public void remove(long id) {
            users.remove(id);
        }

        @Override
        public boolean rename(long id, String from, String to) {
            return users.replace(id, new User(id, from), new User(id, to));
        }
    }

    private static DualDao<UserDao> build(UserDao oracleUsers, UserDao cassandraUsers, Path directory) {
        // snippet: build
        // or a JdbcPhaseStore, a CassandraPhaseStore: all instances share it
        PhaseStore phases = new FilePhaseStore(directory.resolve("phases"));
        DualDao<UserDao> dual = DualDao.builder(UserDao.class)
                .name("users")
                .mode(Mode.MIGRATION)
                .origin(oracleUsers)
                .target(cassandraUsers)
                .phases(phases)
                // this instance's own: its journal of keys, the newest phase it saw
                .directory(directory.resolve("dual"))
                .copy(KeyCodec.LONG, new UserCopy())
                .build();
        UserDao users = dual.dao();
        // end
        assertThat(users).isNotNull();
        return dual;
    }

    @Test
    void shouldWalkTheFirstSteps() throws IOException {
        Commands.Result begun = Commands.run(
                "migrate", "init", "--name", "users", "--phase-store", "file:" + directory.resolve("phases"));
        assertThat(begun.exitCode()).as(begun.err()).isZero();
        Users origin = new Users();
        Users target = new Users();
        try (DualDao<UserDao> dual = build(origin, target, directory)) {
            dual.dao().save(new User(1, "Ada"));
            assertThat(target.users).isEmpty();

            dual.control().advance("test", "begin to write both");
            dual.poll();
            dual.dao().save(new User(2, "Grace"));
            assertThat(dual.dao().rename(2, "Grace", "Hopper")).isTrue();

            assertThat(dual.phase().phase()).isEqualTo(Phase.WRITE_BOTH);
            assertThat(target.users).containsOnly(Map.entry(2L, new User(2, "Hopper")));
            assertThat(dual.dao().findAll(List.of(1L, 2L))).hasSize(2);
        }
    }

    private static TransactionHook spring(DataSource dataSource) {
        // snippet: spring
        TransactionHook transactions = TransactionHook.of(
                () -> TransactionSynchronizationManager.isSynchronizationActive()
                                && TransactionSynchronizationManager.isActualTransactionActive()
                                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly()
                        ? TransactionSynchronizationManager.getResource(dataSource)
                        : null,
                ending -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        ending.ended(TransactionOutcome.COMMITTED);
                    }

                    @Override
                    public void afterCompletion(int status) {
                        // the first call counts
                        ending.ended(
                                status == STATUS_ROLLED_BACK
                                        ? TransactionOutcome.ROLLED_BACK
                                        : TransactionOutcome.UNKNOWN);
                    }
                }));
        // end
        return transactions;
    }

    @Test
    void shouldTellHowTransactionsOfSpringEnd() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:");
        TransactionHook hook = spring(dataSource);
        List<TransactionOutcome> outcomes = new ArrayList<>();
        TransactionTemplate writing = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        assertThat(hook.current()).isNull();

        writing.executeWithoutResult(status -> {
            assertThat(hook.current()).isNotNull();
            hook.whenEnded(outcomes::add);
        });
        writing.executeWithoutResult(status -> {
            hook.whenEnded(outcomes::add);
            status.setRollbackOnly();
        });
        TransactionTemplate unanswered = new TransactionTemplate(new DataSourceTransactionManager(dataSource) {
            @Override
            protected void doCommit(DefaultTransactionStatus status) {
                throw new TransactionSystemException("no answer");
            }
        });
        assertThatThrownBy(() -> unanswered.executeWithoutResult(status -> hook.whenEnded(outcomes::add)))
                .isInstanceOf(TransactionSystemException.class);
        TransactionTemplate reading = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        reading.setReadOnly(true);
        reading.executeWithoutResult(status -> assertThat(hook.current()).isNull());

        // Of what an ending is told the first counts.
        assertThat(outcomes)
                .containsExactly(
                        TransactionOutcome.COMMITTED,
                        TransactionOutcome.UNKNOWN,
                        TransactionOutcome.ROLLED_BACK,
                        TransactionOutcome.UNKNOWN);
    }

    @Test
    void shouldCopyAllOfATable() throws Exception {
        JdbcConnectionPool oracle = JdbcConnectionPool.create("jdbc:h2:mem:snippets", "sa", "");
        try (Connection connection = oracle.getConnection();
                Statement statement = connection.createStatement();
                DualDao<UserDao> dual = begun()) {
            statement.execute("create table users (id bigint primary key, changed_at timestamp)");
            statement.execute("insert into users values (1, current_timestamp), (2, current_timestamp)");
            dual.control().advance("test", "begin to write both");
            dual.poll();
            // snippet: bulk
            // any Iterable of keys does, as KeySource.of("users", ids); this one reads a page of keys at a time
            KeySource<Long> ofOracle =
                    JdbcKeys.of(oracle, "users", "id", Long.class).writtenAt("changed_at");
            dual.backfill(ofOracle).keysPerSecond(2_000).run();
            KeyRunResult found = dual.verify(ofOracle).run();
            // end
            assertThat(found.clean()).isTrue();
            assertThat(found.keys()).isEqualTo(2);
        }
        oracle.dispose();
    }

    private DualDao<UserDao> begun() throws IOException {
        Commands.run("migrate", "init", "--name", "users", "--phase-store", "file:" + directory.resolve("phases"));
        return build(new Users(), new Users(), directory);
    }

    @Test
    void shouldBeQuotedByThePage() throws IOException {
        Snippets.assertQuoted(MigrateSnippetsTest.class, "migrate.md", 5);
    }
}
