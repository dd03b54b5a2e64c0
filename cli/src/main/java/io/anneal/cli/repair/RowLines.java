package io.anneal.cli.repair;

import io.anneal.cli.command.KeyText;
import io.anneal.cli.command.Progress;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.DeletionDifference;
import io.anneal.repair.DifferenceListener;
import io.anneal.repair.RowDifference;
import io.anneal.schema.TableSchema;
import java.io.PrintStream;
import java.util.List;

/** Names the rows in which replicas differ, a line each. */
final class RowLines implements DifferenceListener {
    private final PrintStream out;
    private final Progress progress;
    private TableSchema schema;

    RowLines(PrintStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    private void print(String line) {
        progress.aside(() -> out.println(line));
    }

    @Override
    public void begins(TableSchema table, List<String> replicas) {
        schema = table;
    }

    @Override
    public void deletionDiffers(DeletionDifference difference) {
        print("differs: key=" + KeyText.of(schema, new KeyView().wrap(difference.key())) + " deletion");
    }

    @Override
    public void rowDiffers(RowDifference difference) {
        RingPosition position = difference.place();
        PositionInPartition place = position.position();
        print("differs: key="
                + KeyText.of(schema, new KeyView().wrap(position.key().orElseThrow()))
                + (place.region() == PositionInPartition.Region.STATIC
                        ? " static"
                        : " clustering=" + KeyText.of(schema, place.prefix())));
    }
}
