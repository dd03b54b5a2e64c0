package io.anneal.cli.repair;

import io.anneal.cli.command.KeyText;
import io.anneal.cli.command.Progress;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.RepairListener;
import io.anneal.schema.TableSchema;
import java.io.PrintStream;
import java.util.Optional;

/** Shows the progress of a repair, and names rows. */
final class RepairWatch implements RepairListener {
    private final Progress progress;
    private final PrintStream rows;
    private TableSchema schema;

    /** @param rows where differing rows are named; null for nowhere */
    RepairWatch(Progress progress, PrintStream rows) {
        this.progress = progress;
        this.rows = rows;
    }

    @Override
    public void begins(TableSchema table) {
        schema = table;
    }

    @Override
    public void progress(long windows, long rowsRead, long bytesRead, Optional<RingPosition> boundary) {
        progress.update(bytesRead, rowsRead);
    }

    @Override
    public void deletionDiffers(DecoratedKey key) {
        if (rows != null) {
            rows.println("differs: key=" + KeyText.of(schema, new KeyView().wrap(key)) + " deletion");
        }
    }

    @Override
    public void rowDiffers(RingPosition position) {
        if (rows == null) {
            return;
        }
        PositionInPartition place = position.position();
        rows.println("differs: key="
                + KeyText.of(schema, new KeyView().wrap(position.key().orElseThrow()))
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(schema, place.prefix())));
    }
}
