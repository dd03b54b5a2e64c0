import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.*;
import io.anneal.dualdao.jdbc.JdbcKeys;
import io.anneal.dualdao.operation.*;
import io.anneal.dualdao.phase.JdbcPhaseStore;
import io.anneal.dualdao.route.WriteTime;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** Serves profiles out of a relational database, on its way to Cassandra. Lines come in, answers go out. */
public final class ProfileService {
    public record Profile(long id, String name) {}

    public interface ProfileDao {
        @Read
        Profile find(@Key long id);

        @Write
        void save(@Key("id") Profile profile);

        @Delete
        void remove(@Key long id);
    }

    record JdbcProfiles(DataSource database) implements ProfileDao {
        @Override
        public Profile find(long id) {
            try (Connection connection = database.getConnection();
                    PreparedStatement select = connection.prepareStatement("select name from profiles where id = ?")) {
                select.setLong(1, id);
                var rows = select.executeQuery();
                return rows.next() ? new Profile(id, rows.getString(1)) : null;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void save(Profile profile) {
            execute("merge into profiles (id, name, changed_at) values (?, ?, now())", profile.id(), profile.name());
        }

        @Override
        public void remove(long id) {
            execute("delete from profiles where id = ?", id);
        }

        private void execute(String sql, Object... values) {
            try (Connection connection = database.getConnection();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                statement.executeUpdate();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    record CassandraProfiles(CqlSession session) implements ProfileDao {
        @Override
        public Profile find(long id) {
            Row row = session.execute("SELECT name FROM shop.profiles WHERE id = ?", id).one();
            return row == null ? null : new Profile(id, row.getString("name"));
        }

        @Override
        public void save(Profile profile) {
            execute("INSERT INTO shop.profiles (id, name) VALUES (?, ?)", profile.id(), profile.name());
        }

        @Override
        public void remove(long id) {
            execute("DELETE FROM shop.profiles WHERE id = ?", id);
        }

        private void execute(String cql, Object... values) {
            long micros = WriteTime.currentMicros().orElse(Long.MIN_VALUE);
            session.execute(SimpleStatement.newInstance(cql, values).setQueryTimestamp(micros));
        }
    }

    static final class ProfileCopy implements KeyCopy<ProfileDao, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.NONE; // the interface has no write at another time than now
        }

        @Override
        public CompletionStage<Void> copy(Long id, ProfileDao from, ProfileDao to, long takenAwayBeforeMicros) {
            Profile profile = from.find(id);
            if (profile == null) {
                to.remove(id);
            } else {
                to.save(profile);
            }
            return CompletableFuture.completedStage(null);
        }

        @Override
        public CompletionStage<Profile> read(Long id, ProfileDao dao) {
            return CompletableFuture.completedStage(dao.find(id));
        }
    }

    static DualDao<ProfileDao> wire(DataSource database, ProfileDao target, Path directory) {
        return DualDao.builder(ProfileDao.class)
                .name("profiles")
                .mode(Mode.MIGRATION)
                .origin(new JdbcProfiles(database))
                .target(target)
                .phases(new JdbcPhaseStore(database))
                .directory(directory)
                .copy(KeyCodec.LONG, new ProfileCopy())
                .keys(JdbcKeys.of(database, "profiles", "id", Long.class))
                .build();
    }

    static void serve(DualDao<ProfileDao> dual) {
        System.out.println("ready");
        for (var words = new java.util.Scanner(System.in); words.hasNext(); ) {
            switch (words.next()) {
                case "find" -> System.out.println(dual.dao().find(words.nextLong()));
                case "save" -> dual.dao().save(new Profile(words.nextLong(), words.next()));
                default -> dual.dao().remove(words.nextLong());
            }
        }
    }

    public static void main(String[] args) {
        var database = JdbcConnectionPool.create(args[0], "sa", "");
        var node = new InetSocketAddress(args[2], Integer.parseInt(args[3]));
        try (var session = CqlSession.builder().addContactPoint(node).withLocalDatacenter("datacenter1").build();
                var dual = wire(database, new CassandraProfiles(session), Path.of(args[1]))) {
            serve(dual);
        }
    }
}
