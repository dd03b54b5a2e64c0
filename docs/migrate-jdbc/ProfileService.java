import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.cassandra.CassandraPhaseMark;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.jdbc.JdbcKeys;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.JdbcPhaseStore;
import io.anneal.dualdao.route.WriteTime;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Scanner;
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
                ResultSet rows = select.executeQuery();
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
            SimpleStatement statement = SimpleStatement.newInstance(cql, values);
            session.execute(statement.setQueryTimestamp(WriteTime.currentMicros().orElse(Long.MIN_VALUE)));
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

    static DualDao<ProfileDao> wire(DataSource database, CqlSession session, Path directory) {
        return DualDao.builder(ProfileDao.class)
                .name("profiles")
                .mode(Mode.MIGRATION)
                .origin(new JdbcProfiles(database))
                .target(new CassandraProfiles(session))
                .phases(new JdbcPhaseStore(database))
                .directory(directory)
                .targetMark(new CassandraPhaseMark(session, "shop"))
                .copy(KeyCodec.LONG, new ProfileCopy())
                .keys(JdbcKeys.of(database, "profiles", "id", Long.class))
                .build();
    }

    public static void main(String[] args) {
        DataSource database = JdbcConnectionPool.create(args[0], "sa", "");
        InetSocketAddress node = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        try (CqlSession session = CqlSession.builder().addContactPoint(node).withLocalDatacenter(args[3]).build();
                DualDao<ProfileDao> dual = wire(database, session, Path.of(args[4]))) {
            System.out.println("ready");
            for (Scanner lines = new Scanner(System.in); lines.hasNext(); ) {
                switch (lines.next()) {
                    case "find" -> System.out.println(dual.dao().find(lines.nextLong()));
                    case "save" -> dual.dao().save(new Profile(lines.nextLong(), lines.next()));
                    default -> dual.dao().remove(lines.nextLong());
                }
            }
        }
    }
}
