package io.anneal.cli.repair;

import io.anneal.cli.command.KeyText;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.DifferenceListener;
import io.anneal.schema.TableSchema;
import java.io.PrintStream;

/** Names the rows in which replicas differ, a line each. */
final class RowLines implements DifferenceListener {
    private final PrintStream out;
    private TableSchema schema;

    RowLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begins(TableSchema table) {
        schema = table;
    }

    @Override
    public void deletionDiffers(DecoratedKey key) {
        out.println("differs: key=" + KeyText.of(schema, new KeyView().wrap(key)) + " deletion");
    }

    @Override
    public void rowDiffers(RingPosition position) {
        PositionInPartition place = position.position();
        out.println("differs: key="
                + KeyText.of(schema, new KeyView().wrap(position.key().orElseThrow()))
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(schema, place.prefix())));
    }
}
