package io.anneal.harness;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.KeyRunResult;
import io.anneal.dualdao.config.KeySource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Back-fill, verification and the way back by the dual DAO itself, over the keys that sources list. One thread. */
final class KeyedWork<K> {
    private static final int REREADS = 3;

    private final DualDao<?> dual;
    private final KeySource<K>[] keys;
    private final String who;
    private final Duration rereadDelay;
    private final Duration patience;

    /**
     * @param keys the first lists those of the origin, the others what the target may have beside them
     * @param patience how long instances may take on the way back
     */
    @SuppressWarnings("unchecked")
    KeyedWork(DualDao<?> dual, List<KeySource<K>> keys, String who, Duration rereadDelay, Duration patience) {
        this.dual = dual;
        this.keys = keys.toArray(KeySource[]::new);
        this.who = who;
        this.rereadDelay = rereadDelay;
        this.patience = patience;
    }

    RunWorks works(Optional<String> alone) {
        return new RunWorks(this::backfill, () -> verification(false), this::reverse, alone);
    }

    private String backfill() throws IOException, InterruptedException {
        KeyRunResult done = dual.backfill(keys[0]).who(who).run();
        return String.format(
                Locale.ROOT,
                "%,d keys copied from the origin, %,d left: %s",
                done.keys() - done.left(),
                done.left(),
                keys[0].identity());
    }

    private String verification(boolean repairs) throws IOException, InterruptedException {
        KeyRunResult found = dual.verify(keys)
                .who(who)
                .rereads(REREADS, rereadDelay)
                .patience(patience)
                .repair(repairs)
                .run();
        if (!found.clean()) {
            throw new IOException("sides differ, keys=" + found.keys() + ", mismatches=" + found.mismatches()
                    + ", complete=" + found.complete() + ", samples=" + found.samples());
        }
        return String.format(
                Locale.ROOT,
                "%,d keys compared, %,d made good, 0 mismatches: %s",
                found.keys(),
                found.repaired(),
                keys[0].identity());
    }

    private String reverse() throws IOException, InterruptedException {
        dual.control()
                .reverseToBoth(who, "the way back", patience, dual.environment().sleeper());
        return "the origin is complete again: " + verification(true);
    }
}
