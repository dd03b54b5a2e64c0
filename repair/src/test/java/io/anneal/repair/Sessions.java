package io.anneal.repair;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.merge.Purger;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.net.Waiting;
import io.anneal.node.Receiving;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.SessionTerms;
import io.anneal.repair.row.DeletionItem;
import io.anneal.repair.row.ItemCodec;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Parameters, rows and encoded items of sessions over {@link HandMadeTable}. */
final class Sessions {
    static final TableSchema SCHEMA = HandMadeTable.schema(10);
    static final List<DecoratedKey> KEYS = HandMadeTable.keys(3);
    static final int BUFFER_BYTES = 1 << 20;
    static final int REPLICAS = 3;

    static final SessionTerms TERMS = terms(BUFFER_BYTES);

    /** At second 100: what was deleted before second 90 may be purged. */
    static HostEnvironment host() {
        return HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100));
    }

    private Sessions() {}

    static SessionTerms terms(int bufferBytes) {
        return new SessionTerms(
                SSTableVersion.NB.localDeletionTimeMaxSeconds(),
                bufferBytes,
                Receiving.NO_DEADLINE,
                SessionTerms.NO_CUTOFF,
                ReadRate.UNLIMITED);
    }

    static OpenSession open(long id, int bufferBytes) {
        return open(new UUID(0, id), SCHEMA, bufferBytes);
    }

    /** Of a replica that receives nothing. */
    static OpenSession dryRun(long id, int bufferBytes) {
        return new OpenSession(
                new UUID(0, id),
                "ks",
                "t",
                SchemaText.print(SCHEMA),
                List.of(TokenRange.FULL),
                100,
                1,
                bufferBytes,
                REPLICAS,
                true,
                Optional.empty(),
                1);
    }

    static OpenSession open(UUID id, TableSchema schema, int bufferBytes) {
        return open(id, schema, List.of(TokenRange.FULL), bufferBytes);
    }

    static OpenSession open(UUID id, TableSchema schema, List<TokenRange> ranges, int bufferBytes) {
        return new OpenSession(
                id,
                "ks",
                "t",
                SchemaText.print(schema),
                ranges,
                100,
                1,
                bufferBytes,
                REPLICAS,
                false,
                Optional.empty(),
                1);
    }

    /** Of a replica whose terms are agreed and that holds few rows: to its last boundary. */
    static void readAll(Participant replica) throws IOException {
        Waiting.result(replica.start(List.of(TokenRange.FULL)));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
    }

    static RepairConfig config(int bufferBytes) {
        return config(1, bufferBytes);
    }

    static RepairConfig config(long id, int bufferBytes) {
        return config(id, bufferBytes, List.of(TokenRange.FULL));
    }

    static RepairConfig config(long id, int bufferBytes, List<TokenRange> ranges) {
        return new RepairConfig(
                new UUID(0, id),
                "ks",
                "t",
                ranges,
                bufferBytes,
                100,
                1,
                false,
                false,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA),
                1,
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
    }

    static StagingArea staging(Path directory) throws IOException {
        return StagingArea.open(directory, "replica", () -> Instant.EPOCH);
    }

    /** One partition of {@code count} rows. */
    static FragmentList rows(DecoratedKey key, int count) {
        return rows(List.of(key), count);
    }

    /** One partition of {@code count} rows for each key, which are in the order of the ring. */
    static FragmentList rows(List<DecoratedKey> keys, int count) {
        FragmentList.Builder builder = FragmentList.builder(SCHEMA);
        for (DecoratedKey key : keys) {
            builder.partition(key);
            for (int i = 0; i < count; i++) {
                builder.row(HandMadeTable.row(i, 0).live(5).build());
            }
            builder.end();
        }
        return builder.build();
    }

    static FragmentList one(DecoratedKey key, Row row) {
        return FragmentList.builder(SCHEMA).partition(key).row(row).end().build();
    }

    private static ItemCodec codec() {
        return new ItemCodec(
                SCHEMA,
                SSTableVersion.NB.localDeletionTimeMaxSeconds(),
                new Purger(SCHEMA, new SessionPurgeRule(100, 10)),
                1);
    }

    /** The deletion of all that begins with a prefix. */
    static byte[] encodedDeletion(DecoratedKey key, Clustering prefix, long timestampMicros, long localSeconds) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(prefix);
        range.end().wrap(prefix);
        range.weights(ClusteringComparator.BEFORE, ClusteringComparator.AFTER);
        range.deletion(timestampMicros, localSeconds);
        return codec().encode(DeletionItem.ofRange(key, range));
    }

    static byte[] encoded(DecoratedKey key, Row row) {
        ItemCodec codec = codec();
        KeyView view = new KeyView();
        view.wrap(key);
        ByteWriter out = new ByteWriter(64);
        codec.row(view, row, out);
        return out.toByteArray();
    }
}
