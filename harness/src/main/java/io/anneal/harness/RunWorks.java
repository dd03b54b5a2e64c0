package io.anneal.harness;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.store.ListedPartitions;
import io.anneal.harness.store.PartitionDao;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.ReverseResult;
import io.anneal.migrate.bulk.VerificationResult;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * What a walk does between phases.
 *
 * @param backfill brings to the target what was there before phase 2
 * @param verification compares both sides
 * @param reverse from 4 or 5 back to where the origin is complete again
 * @param keys in words, if the three look at these alone
 */
public record RunWorks(WalkWork backfill, WalkWork verification, WalkWork reverse, Optional<String> keys) {
    /**
     * For two open stores: row by row between those of the command, else key by key.
     *
     * @param load of this run: stores of the caller's own can't list their keys, and hold these
     * @param patience how long instances may take on the way back
     */
    public static RunWorks of(
            MigrationSides sides,
            DualDao<PartitionDao> dual,
            PhaseStore phases,
            Optional<LoadConfig> load,
            BulkSettings settings,
            Duration patience,
            InstantSource clock) {
        PartitionDao origin = sides.origin().dao();
        PartitionDao target = sides.target().dao();
        if (!BulkWork.possible(sides)) {
            boolean listed = origin instanceof ListedPartitions && target instanceof ListedPartitions;
            Optional<String> alone = listed ? Optional.empty() : load.map(made -> words(made.firstKey(), made.keys()));
            return ofKeys(
                    dual,
                    List.of(source(origin, load), source(target, load)),
                    settings.who(),
                    settings.rereadDelay(),
                    patience,
                    alone);
        }
        BulkWork work = new BulkWork(sides, phases, dual.control(), settings, clock);
        return new RunWorks(
                () -> text(work.backfill()),
                () -> text(work.verification()),
                () -> text(work.reverse(patience)),
                Optional.empty());
    }

    private static KeySource<Long> source(PartitionDao dao, Optional<LoadConfig> load) {
        if (dao instanceof ListedPartitions listed) {
            return KeySource.of(dao.identity(), () -> listed.keys().iterator());
        }
        long firstKey = load.map(LoadConfig::firstKey).orElse(0L);
        int count = load.map(LoadConfig::keys).orElse(0);
        return KeySource.of(
                "the load, " + words(firstKey, count) + " alone",
                () -> LongStream.range(firstKey, firstKey + count).iterator());
    }

    /**
     * By the dual DAO itself, over all keys that sources list.
     *
     * @param keys the first lists those of the origin, the others what the target may have beside them
     * @param rereadDelay after which a mismatch is read again before it is believed
     * @param patience how long instances may take on the way back
     * @param alone the keys in words, if there may be others
     */
    public static <K> RunWorks ofKeys(
            DualDao<?> dual,
            List<KeySource<K>> keys,
            String who,
            Duration rereadDelay,
            Duration patience,
            Optional<String> alone) {
        return new KeyedWork<>(dual, keys, who, rereadDelay, patience).works(alone);
    }

    /** A range of keys. */
    static String words(long firstKey, int count) {
        return "keys " + firstKey + " to " + (firstKey + count - 1);
    }

    private static String text(BackfillResult done) {
        return String.format(Locale.ROOT, "%,d rows copied from the origin in %.1f s", done.rows(), done.seconds());
    }

    /** What it found, or an exception if something differs. */
    static String text(VerificationResult found) throws IOException {
        if (!found.clean()) {
            throw new IOException("sides differ, entries=" + found.entries() + ", onlyOrigin=" + found.onlyOrigin()
                    + ", onlyTarget=" + found.onlyTarget() + ", different=" + found.different() + ", writtenPast="
                    + found.writtenPast() + ", complete=" + found.complete() + ", samples=" + found.samples());
        }
        return String.format(
                Locale.ROOT, "%,d rows compared in %.1f s, 0 mismatches", found.entries(), found.seconds());
    }

    private static String text(ReverseResult done) throws IOException {
        return "the origin is complete again: " + text(done.verification());
    }
}
