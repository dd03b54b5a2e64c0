package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.Clustering;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** A cursor over fragments that a test writes down, in any order, right or wrong. */
public final class ScriptCursor extends SourceCursor {
    private record Step(FragmentKind kind, Consumer<ScriptCursor> action) {}

    private final Deque<Step> steps = new ArrayDeque<>();

    public ScriptCursor(TableSchema schema) {
        super(schema);
    }

    /** The token is the test's to choose: order is checked by it. */
    public ScriptCursor partition(long token, String keyText) {
        return partition(token, keyText, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
    }

    public ScriptCursor partition(long token, String keyText, long timestampMicros, long localSeconds) {
        byte[] bytes = keyText.getBytes(StandardCharsets.UTF_8);
        return step(FragmentKind.PARTITION_START, cursor -> {
            cursor.key.wrap(token, bytes, 0, bytes.length);
            cursor.partitionDeletion = new DeletionTime(timestampMicros, localSeconds);
        });
    }

    public ScriptCursor row(byte[] clustering, Consumer<Row> content) {
        return step(FragmentKind.CLUSTERING_ROW, cursor -> {
            cursor.row = new Row();
            cursor.row.clustering().wrap(Clustering.of(clustering));
            content.accept(cursor.row);
        });
    }

    public ScriptCursor staticRow(Consumer<Row> content) {
        return step(FragmentKind.STATIC_ROW, cursor -> {
            cursor.row = new Row();
            cursor.row.clear(true);
            content.accept(cursor.row);
        });
    }

    public ScriptCursor change(byte[] clustering, int weight, long timestampMicros, long localSeconds) {
        return step(FragmentKind.RANGE_TOMBSTONE_CHANGE, cursor -> {
            cursor.change.prefix().wrap(Clustering.of(clustering));
            cursor.change.weight(weight);
            cursor.change.deletion(timestampMicros, localSeconds);
        });
    }

    public ScriptCursor end() {
        return step(FragmentKind.PARTITION_END, cursor -> {});
    }

    /** The cursor breaks here. */
    public ScriptCursor failure() {
        return step(null, cursor -> {});
    }

    private ScriptCursor step(FragmentKind stepKind, Consumer<ScriptCursor> action) {
        steps.add(new Step(stepKind, action));
        return this;
    }

    @Override
    public FragmentKind advance() throws IOException {
        Step step = steps.poll();
        if (step == null) {
            kind = null;
            return null;
        }
        if (step.kind() == null) {
            throw new IOException("cursor broke");
        }
        step.action().accept(this);
        kind = step.kind();
        return kind;
    }

    @Override
    public void close() {
        steps.clear();
    }
}
