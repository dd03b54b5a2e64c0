package io.anneal.migrate;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.WorkStart;
import io.anneal.migrate.store.Partition;
import io.anneal.migrate.store.PartitionCopy;
import io.anneal.migrate.store.PartitionDao;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;

/**
 * The back-fill and the verification of a migration between stores of which one can't list its keys: over a range of keys, one
 * by one. Enough for trying a DAO out with the harness's load; it sees nothing beside that range, and says so in its notes.
 */
final class KeyedWork {
    private static final int REREADS = 3;

    private final PartitionDao origin;
    private final PartitionDao target;
    private final long firstKey;
    private final int keys;
    private final PhaseControl control;
    private final String who;
    private final DualEnvironment time;
    private final Duration rereadDelay;

    KeyedWork(
            MigrationSides sides,
            long firstKey,
            int keys,
            PhaseControl control,
            String who,
            DualEnvironment time,
            Duration rereadDelay) {
        origin = sides.origin().dao();
        target = sides.target().dao();
        this.firstKey = firstKey;
        this.keys = keys;
        this.control = control;
        this.who = who;
        this.time = time;
        this.rereadDelay = rereadDelay;
    }

    /** Nothing that was compared is nothing that a gate may open for. */
    private void requireKeys() throws IOException {
        if (keys == 0) {
            throw new IOException("no keys are known that the stores may hold, origin=" + origin.identity()
                    + ", target=" + target.identity() + "; they are those of the load");
        }
    }

    private String words() {
        return RunWorks.words(firstKey, keys) + " alone, one by one";
    }

    private LongStream range() {
        return LongStream.range(firstKey, firstKey + keys);
    }

    String backfill() throws IOException {
        requireKeys();
        WorkStart start = control.begin();
        PartitionCopy copy = PartitionCopy.between(origin, target);
        try {
            range().forEach(key -> copy.copy(key, origin, target, Long.MAX_VALUE)
                    .toCompletableFuture()
                    .join());
        } catch (CompletionException e) {
            throw new IOException("copying a key failed, reason=" + e.getCause(), e);
        }
        control.finish(
                start, PhaseNote.Kind.BACKFILL, who, Map.of(Facts.ROWS, Integer.toString(keys), Facts.TEXT, words()));
        return String.format(Locale.ROOT, "%,d keys copied from the origin: %s", keys, words());
    }

    String verification() throws IOException, InterruptedException {
        requireKeys();
        WorkStart start = control.begin();
        int mismatches = 0;
        for (long key : range().toArray()) {
            if (!same(key)) {
                mismatches++;
            }
        }
        control.finish(
                start,
                PhaseNote.Kind.VERIFICATION,
                who,
                Map.of(
                        Facts.ROWS,
                        Integer.toString(keys),
                        Facts.MISMATCHES,
                        Integer.toString(mismatches),
                        Facts.TEXT,
                        words()));
        if (mismatches > 0) {
            throw new IOException("sides differ, keys=" + keys + ", mismatches=" + mismatches);
        }
        return String.format(Locale.ROOT, "%,d keys compared, 0 mismatches: %s", keys, words());
    }

    /** Under load two reads may see a write between them; what differs each time differs. */
    private boolean same(long key) throws IOException, InterruptedException {
        for (int read = 0; read <= REREADS; read++) {
            if (read > 0) {
                time.sleeper().sleep(rereadDelay);
            }
            try {
                Partition there = target.read(key).toCompletableFuture().join();
                Partition here = origin.read(key).toCompletableFuture().join();
                if (Objects.equals(here, there)) {
                    return true;
                }
            } catch (CompletionException e) {
                throw new IOException("reading a key failed, key=" + key + ", reason=" + e.getCause(), e);
            }
        }
        return false;
    }
}
