package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.config.KeySource.Listed;
import io.anneal.dualdao.jdbc.JdbcKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The keys of a table in H2. */
class JdbcKeysTest {
    private JdbcConnectionPool pool;

    @BeforeEach
    void start() throws SQLException {
        pool = JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        execute(
                "create table users (id bigint primary key, code varchar unique, tag uuid, changed timestamp, gone boolean)",
                "insert into users select x, 'code ' || x, random_uuid(), timestamp with time zone '2026-01-01 00:00:00+00',"
                        + " mod(x, 2) = 0 from system_range(1, 2500)");
    }

    @AfterEach
    void stop() throws SQLException {
        execute("shutdown");
        pool.dispose();
    }

    private void execute(String... texts) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.execute(text);
            }
        }
    }

    private static <K> List<K> keys(JdbcKeys<K> source, Optional<K> after) {
        List<K> keys = new ArrayList<>();
        source.after(after).forEachRemaining(listed -> keys.add(listed.key()));
        return keys;
    }

    @Test
    void shouldListAllKeysPageByPage() {
        JdbcKeys<Long> source = JdbcKeys.of(pool, "users", "id", Long.class);

        assertThat(keys(source, Optional.empty()))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 2500).boxed().toList());
        assertThat(keys(source, Optional.of(2499L))).containsExactly(2500L);
        assertThat(pool.getActiveConnections()).isZero();
    }

    @Test
    void shouldTakeTextAndOtherTypesInTheOrderOfTheDatabase() {
        JdbcKeys<String> codes = JdbcKeys.of(pool, "users", "code", String.class);
        assertThat(keys(codes, Optional.empty()))
                .hasSize(2500)
                .doesNotHaveDuplicates()
                .isSorted();
        assertThat(keys(codes, Optional.of("code 998"))).containsExactly("code 999");
        assertThat(keys(JdbcKeys.of(pool, "users", "tag", UUID.class), Optional.empty()))
                .hasSize(2500);
        assertThat(keys(JdbcKeys.of(pool, "users", "cast(id as int)", Integer.class), Optional.of(2498)))
                .containsExactly(2499, 2500);
    }

    @Test
    void shouldLeaveOutWhatDoesNotMeetTheCondition() {
        JdbcKeys<Long> source = JdbcKeys.of(pool, "users", "id", Long.class).where("gone = true or id = 1");

        assertThat(keys(source, Optional.empty())).hasSize(1251);
        assertThat(keys(source, Optional.of(2498L))).containsExactly(2500L);
    }

    @Test
    void shouldTellWhenRowsWereWritten() throws SQLException {
        execute("update users set changed = null where id = 2");
        List<Listed<Long>> listed = new ArrayList<>();
        JdbcKeys.of(pool, "users", "id", Long.class)
                .writtenAt("changed")
                .after(Optional.empty())
                .forEachRemaining(listed::add);

        assertThat(listed.get(0).writtenAt()).contains(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(listed.get(1).writtenAt()).isEmpty();
    }

    @Test
    void shouldNameWhatCanNotBeListed() {
        assertThatThrownBy(() -> keys(JdbcKeys.of(pool, "nobody", "id", Long.class), Optional.empty()))
                .hasMessageContaining("keys can't be listed, source=nobody.id, reason=");
    }
}
