package io.anneal.migrate;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.BulkStores;
import io.anneal.migrate.bulk.ReverseResult;
import io.anneal.migrate.bulk.VerificationResult;
import io.anneal.migrate.load.LoadConfig;
import io.anneal.migrate.store.PartitionDao;
import java.io.IOException;
import java.time.Duration;
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
     * For two open stores; where one can't tell times of writes, key by key over those of the load.
     *
     * @param load of this run: stores of the caller's own can't list their keys, and hold these; without it the works fail there
     * @param patience how long instances may take on the way back
     */
    public static RunWorks of(
            MigrationSides sides,
            DualDao<PartitionDao> dual,
            PhaseStore phases,
            Optional<LoadConfig> load,
            BulkSettings settings,
            Duration patience,
            DualEnvironment time) {
        boolean listed = BulkStores.listsKeys(sides.origin().dao())
                && BulkStores.listsKeys(sides.target().dao());
        Optional<String> alone = listed ? Optional.empty() : load.map(made -> words(made.firstKey(), made.keys()));
        if (!BulkWork.possible(sides)) {
            long firstKey = load.map(LoadConfig::firstKey).orElse(0L);
            int count = load.map(LoadConfig::keys).orElse(0);
            KeyedWork work =
                    new KeyedWork(sides, firstKey, count, dual.control(), settings.who(), time, settings.rereadDelay());
            return new RunWorks(
                    work::backfill,
                    work::verification,
                    new ReverseWork(dual.control(), phases, dual, work::verification, settings.who(), patience, time),
                    alone);
        }
        BulkWork work = new BulkWork(sides, () -> keys(load), phases, dual.control(), settings, time.clock());
        return new RunWorks(
                () -> text(work.backfill()),
                () -> text(work.verification()),
                () -> text(work.reverse(patience)),
                alone);
    }

    private static List<Long> keys(Optional<LoadConfig> load) {
        LoadConfig made = load.orElseThrow(() -> new IllegalStateException(
                "no keys are known that a store of the caller's own may hold: there is no load"));
        return LongStream.range(made.firstKey(), made.firstKey() + made.keys())
                .boxed()
                .toList();
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
