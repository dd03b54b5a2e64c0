import io.anneal.dualdao.route.WriteTime;
import io.anneal.store.RowBuilder;
import io.anneal.store.Table;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Profiles in an embedded store. */
record StoreProfiles(Table profiles) implements ProfileService.ProfileDao {
    @Override
    public ProfileService.Profile find(long id) {
        try {
            return profiles.row(id)
                    .map(row -> new ProfileService.Profile(id, row.value("name", String.class)))
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
}
