import io.anneal.dualdao.route.WriteTime;
import io.anneal.store.RowBuilder;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.h2.jdbcx.JdbcConnectionPool;

/** Profiles in an embedded store. */
record StoreProfiles(Table profiles) implements ProfileService.ProfileDao {
    @Override
    public ProfileService.Profile find(long id) {
        try {
            return profiles.row(Map.of("id", id))
                    .map(row -> new ProfileService.Profile(id, row.getString("name")))
                    .orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void save(ProfileService.Profile profile) {
        try {
            row(profile.id()).set("name", profile.name()).insert();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void remove(long id) {
        try {
            row(id).deletePartition();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private RowBuilder row(long id) {
        RowBuilder row = profiles.row().key("id", id);
        WriteTime.currentMicros().ifPresent(row::timestampMicros);
        return row;
    }

    public static void main(String[] args) throws IOException {
        try (var store = Store.open(Path.of(args[2]), StoreConfig.defaults())) {
            var profiles = store.createTable(
                    "CREATE TABLE IF NOT EXISTS shop.profiles (id bigint PRIMARY KEY, name text)");
            var database = JdbcConnectionPool.create(args[0], "sa", "");
            try (var dual = ProfileService.wire(database, new StoreProfiles(profiles), Path.of(args[1]))) {
                ProfileService.serve(dual);
            }
        }
    }
}
