package io.anneal.simulation;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.net.SimulatedNetwork;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * One seed: three to six replicas, stores and directories, that are written to, repaired while everything goes wrong, and
 * repaired once more; or six nodes of a ring, three of which own each token. Either timestamps tie and nothing is ever purged
 * from a disk; or times move on from phase to phase, and compactions purge what every replica has, as where repairs come in time.
 */
final class RepairCampaign implements AutoCloseable {
    private static final int KEYS = 6;
    private static final int RING_NODES = 6;
    private static final int RING_FACTOR = 3;
    private static final int RING_TOKENS_MAX = 2;
    private static final int COLUMNS_MAX = 20;
    /** So many that some are mostly there, and not all, when the way to them is lost. */
    private static final int FILES_OF_ITS_OWN = 4;

    private static final long NEXT_TABLE = 1L << 33;
    private static final int ROWS_OF_WIDE_PARTITION = 40;
    private static final int UNITS_MAX = 5;
    private static final int RESUMED_UNITS_MAX = 12;
    private static final int PIECES_MAX = 9;
    /** Of a directory that is replaced. */
    private static final int FILES_KEPT_MAX = 2;
    /** Some are drawn twice. */
    private static final int MANY_ROWS_DRAWN = 2_000;

    private static final int MANY_ROWS_MIN = 1_600;
    private static final int MANY_ROWS_BUFFER_BYTES = 16_000;

    private static final SSTableVersion[] VERSIONS = {SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.DA};

    /** Timestamps of a draw are set apart from those of others by this factor, and a number below it. */
    private static final int DRAWS_MAX = 64;
    /** More than all timestamps of a phase. */
    private static final long PHASE_MICROS = 8L * RandomFragments.TIMESTAMP_SPREAD_MICROS * DRAWS_MAX;

    private static final long GC_GRACE_LEAST_SECONDS = 4L * RandomFragments.DELETION_SPREAD_SECONDS;
    /** What was deleted in a phase is kept so much longer, at least, than the next phase takes. */
    private static final int PASSES_MEANWHILE_SECONDS = 2 * RandomFragments.DELETION_SPREAD_SECONDS;
    /** Behind 2038, where formats part. */
    private static final long FAR_SECONDS = 500_000_000;

    private final Path parent;
    private final Random random;
    private final RandomFragments fragments;
    private final boolean counters;
    private final boolean purges;
    private final boolean far;
    private final long gcGraceSeconds;
    private final ManualClock clock;
    private final RepairWorld world;
    private final boolean streams;
    private final boolean ring;
    private final boolean alters;
    /** Whether some repairs are of so many rows that not all their hashes are listed. */
    private final boolean many;

    private final Transfers transfers;

    private int bufferBytesMin = 1;
    private int phase;
    private int draws;
    private long phaseStartSeconds = RandomFragments.DELETION_BASE_SECONDS;
    /** That may pass while repairs run: then stores may purge the deletions of the phase before. */
    private int passesMeanwhileSeconds;

    private int attempts;
    private int succeeded;

    RepairCampaign(Path parent, long seed) throws IOException {
        this(parent, seed, false);
    }

    /** @param streams whether faults meet transfers, and not repairs */
    RepairCampaign(Path parent, long seed, boolean streams) throws IOException {
        this.parent = parent;
        this.streams = streams;
        random = new Random(seed);
        counters = random.nextInt(10) == 0;
        purges = !counters && random.nextInt(3) > 0;
        far = purges && random.nextInt(4) == 0;
        gcGraceSeconds = purges
                ? GC_GRACE_LEAST_SECONDS + random.nextInt(1_000)
                : random.nextInt(RandomFragments.DELETION_SPREAD_SECONDS);
        Set<Feature> features = counters
                ? Set.of(Feature.COUNTERS)
                : !purges && random.nextInt(3) == 0 ? Set.of(Feature.DROPPED_COLUMNS) : Set.of();
        TableOptions options = new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of());
        ring = !streams && random.nextInt(6) == 0;
        many = !streams && !counters && !ring && random.nextInt(7) == 0;
        fragments = fragments(seed, options, features, many).wideRows(ROWS_OF_WIDE_PARTITION);
        if (random.nextBoolean()) {
            fragments.allowShadowed();
        }
        clock = ManualClock.at(Instant.ofEpochSecond(phaseStartSeconds
                + (purges
                        ? RandomFragments.DELETION_SPREAD_SECONDS
                        : random.nextInt(2 * RandomFragments.DELETION_SPREAD_SECONDS))));
        // Stores purge nothing before anything was deleted.
        ManualClock storeClock = purges ? clock : ManualClock.at(Instant.ofEpochSecond(phaseStartSeconds - 1_000));
        TableSchema schema = fragments.schema().withId(new UUID(random.nextLong(), random.nextLong()).toString());
        // Tables are small here: either all that is cut goes as rows, or nothing that can go in parts.
        long sectionsMinBytes = streams && random.nextBoolean() ? 1 : Long.MAX_VALUE;
        Optional<TableChange> change = streams || counters || random.nextInt(5) > 0
                ? Optional.empty()
                : Optional.of(TableChange.any(schema, purges ? GC_GRACE_LEAST_SECONDS : 0, random));
        ReplicaHost.Setting setting = new ReplicaHost.Setting(
                new SimulatedNetwork(seed), schema, change, clock, storeClock, sectionsMinBytes, Optional.empty());
        alters = change.isPresent();
        ReplicaViews views = new ReplicaViews(change.map(TableChange::after).orElse(schema), clock, counters);
        List<ReplicaHost> hosts = hosts(setting, parent);
        world = new RepairWorld(setting, views, hosts, ring ? ring(hosts) : Ownership.full(hosts));
        transfers = new Transfers(world, views);
    }

    private Ownership ring(List<ReplicaHost> hosts) {
        List<Long> keys = fragments.keys().stream().map(DecoratedKey::token).toList();
        return Ownership.ring(hosts, RING_FACTOR, 1 + random.nextInt(RING_TOKENS_MAX), keys, random);
    }

    /** Wide tables take long to model, and others try them; where many rows are wanted the clustering has to tell them apart. */
    private static RandomFragments fragments(long seed, TableOptions options, Set<Feature> features, boolean many) {
        long next = seed;
        while (isTooWide(drawn(next, options, features)) || many && !canHoldMany(drawn(next, options, features))) {
            next += NEXT_TABLE;
        }
        return drawn(next, options, features);
    }

    private static RandomFragments drawn(long seed, TableOptions options, Set<Feature> features) {
        return RandomFragments.withDistinctClusterings(seed, KEYS, options, features);
    }

    private static boolean isTooWide(RandomFragments drawn) {
        return drawn.schema().regularColumns().size() > COLUMNS_MAX;
    }

    private static boolean canHoldMany(RandomFragments drawn) {
        return drawn.nextWide(MANY_ROWS_DRAWN).fragments().stream()
                        .filter(fragment -> fragment.kind() == FragmentKind.CLUSTERING_ROW)
                        .count()
                > MANY_ROWS_MIN;
    }

    private List<ReplicaHost> hosts(ReplicaHost.Setting setting, Path parent) throws IOException {
        List<ReplicaHost> hosts = new ArrayList<>();
        boolean onlyStores = !counters && random.nextInt(4) == 0;
        int count = ring ? RING_NODES : 3 + Math.min(random.nextInt(4), random.nextInt(4));
        for (int number = 1; number <= count; number++) {
            SSTableVersion version = VERSIONS[random.nextInt(VERSIONS.length)];
            boolean directory = counters || !onlyStores && random.nextBoolean();
            hosts.add(
                    directory
                            ? new DirectoryHost(setting, number, version, parent)
                            : new StoreHost(setting, number, version, parent, random.nextLong()));
        }
        return hosts;
    }

    RepairWorld world() {
        return world;
    }

    int attempts() {
        return attempts;
    }

    int succeeded() {
        return succeeded;
    }

    void run() throws IOException {
        if (ring) {
            for (ReplicaHost host : world.hosts()) {
                if (random.nextBoolean()) {
                    world.leave(host, draw(false));
                }
            }
        }
        for (int phases = purges ? 1 + random.nextInt(2) : 1; phase < phases; phase++) {
            if (phase > 0) {
                passGcGrace();
            }
            diverge();
            if (!streams && random.nextInt(2) == 0) {
                lookUpToCutOff();
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                if (!streams && random.nextInt(5) == 0) {
                    attemptInRuns();
                } else {
                    attempt();
                }
                if (random.nextBoolean()) {
                    world.settle();
                }
                if (random.nextInt(3) == 0) {
                    chore(anyHost());
                }
                if (!streams && random.nextInt(5) == 0) {
                    lose(anyHost());
                }
            }
            world.settle();
            world.alterAll();
            world.shouldConverge(
                    everything(false), ring && random.nextBoolean(), !streams && !(ring && random.nextBoolean()));
        }
        if (!streams && random.nextInt(4) == 0) {
            differInOnePartition();
        }
        if (many) {
            differInFewOfMany();
        }
        if (!streams && !counters && random.nextInt(4) == 0) {
            differInWhatIsLeftOut();
        }
        world.shouldEndWithNothingHeld();
    }

    /** All in which replicas differ was written after the cut-off. */
    private void differInWhatIsLeftOut() throws IOException {
        long laterMicros = (phase + 1) * PHASE_MICROS;
        world.write(anyHost(), MovedFragments.of(draw(false), micros -> micros + laterMicros, seconds -> seconds));
        for (RepairWorld.Wanted wanted : everything(true)) {
            world.repair(wanted.leavingOut(since(RandomFragments.TIMESTAMP_BASE_MICROS + laterMicros - 1)));
        }
    }

    /**
     * So many rows that listing their hashes is not the cheapest way to find the few that differ: sketches are where a window has
     * some dozens, sums of ranges where it has a thousand.
     */
    private void differInFewOfMany() throws IOException {
        FragmentList rows = moved(fragments.nextWide(MANY_ROWS_DRAWN), false);
        for (ReplicaHost host : world.hosts()) {
            world.write(host, rows);
        }
        bufferBytesMin = MANY_ROWS_BUFFER_BYTES;
        for (int bufferBytes : new int[] {1 << 20, MANY_ROWS_BUFFER_BYTES << random.nextInt(4)}) {
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                world.write(anyHost(), moved(fragments.nextWide(1 + random.nextInt(3)), false));
            }
            world.log("few of many differ");
            if (random.nextInt(3) == 0) {
                attempt();
                world.settle();
            }
            world.shouldConverge(
                    List.of(new RepairWorld.Wanted(
                            world.hosts(),
                            List.of(TokenRange.FULL),
                            1,
                            bufferBytes,
                            false,
                            Optional.empty(),
                            false,
                            true)),
                    false,
                    false);
        }
    }

    /** A dry run with nothing in its way, which leaves out what was written last. */
    private void lookUpToCutOff() throws IOException {
        world.repair(anyWanted().leavingOut(recent()));
    }

    /** The least that a repair has to tell, where all the rest is equal. */
    private void differInOnePartition() throws IOException {
        world.write(anyHost(), moved(fragments.nextWide(1), false));
        for (RepairWorld.Wanted wanted : everything(true)) {
            world.repair(wanted);
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            world.write(anyHost(), draw(false));
        }
        for (RepairWorld.Wanted wanted : everything(true)) {
            world.repair(wanted.leavingOut(recent()));
        }
    }

    /** All deletions so far are everywhere, and may be purged: by some at once, by others later; or from the midst of a repair on. */
    private void passGcGrace() throws IOException {
        boolean meanwhile = !streams && random.nextBoolean();
        passesMeanwhileSeconds = meanwhile ? PASSES_MEANWHILE_SECONDS : 0;
        long seconds = gcGraceSeconds
                + (meanwhile
                        ? -random.nextInt(RandomFragments.DELETION_SPREAD_SECONDS)
                        : RandomFragments.DELETION_SPREAD_SECONDS + random.nextInt(2_000));
        clock.advance(Duration.ofSeconds(seconds));
        phaseStartSeconds = clock.instant().getEpochSecond() - RandomFragments.DELETION_SPREAD_SECONDS;
        Optional<ReplicaHost> late = streams ? Optional.of(anyHost()) : Optional.empty();
        for (ReplicaHost host : world.hosts()) {
            if (late.isPresent() ? host != late.get() : random.nextBoolean()) {
                host.compact();
            }
        }
        world.log("gc_grace passed");
        if (late.isPresent()) {
            transferFrom(late.get());
        }
    }

    /** From one that has purged nothing to one that has, which loses it on the way. */
    private void transferFrom(ReplicaHost late) throws IOException {
        List<ReplicaHost> others = new ArrayList<>(world.hosts());
        others.remove(late);
        ReplicaHost target = others.get(random.nextInt(others.size()));
        for (int i = 0; i < FILES_OF_ITS_OWN; i++) {
            writeAsFile(late, draw(false));
        }
        Disturbances disturbances = new Disturbances(this, world, random, true);
        disturbances.lose(late, target);
        transfer(wanted(List.of(target, late), TokenRange.FULL, false));
        end(disturbances);
    }

    private void end(Disturbances disturbances) throws IOException {
        disturbances.end();
        world.shouldLackWhatWasTold();
        transfers.shouldShowAllOrNothing();
        transfers.shouldEndWellWhenItIsAskedAgain();
    }

    /** Whether the table is changed while repairs run. */
    boolean alters() {
        return alters;
    }

    /** Whether deletions may become old enough to be purged while a repair runs. */
    boolean timeMayPass() {
        return passesMeanwhileSeconds > 0;
    }

    /** More of what was deleted in the phase before may be purged. */
    void passSomeTime() {
        if (timeMayPass()) {
            int seconds = 1 + random.nextInt(passesMeanwhileSeconds);
            passesMeanwhileSeconds -= seconds;
            world.passTime(Duration.ofSeconds(seconds));
        }
    }

    // Writes.

    private void diverge() throws IOException {
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            boolean later = far && random.nextBoolean();
            FragmentList draw = draw(later);
            boolean most = random.nextBoolean();
            for (ReplicaHost host : world.hosts()) {
                // A format refuses what it cannot hold.
                if ((random.nextInt(4) == 0 ^ most) && !(later && host.version() == SSTableVersion.NB)) {
                    if (streams && random.nextBoolean()) {
                        writeAsFile(host, draw);
                    } else {
                        world.write(host, draw);
                    }
                    if (random.nextInt(4) == 0) {
                        chore(host);
                    }
                }
            }
        }
        world.log("written");
    }

    /** To an SSTable of its own. */
    private void writeAsFile(ReplicaHost host, FragmentList draw) throws IOException {
        world.write(host, draw);
        if (host instanceof StoreHost store) {
            world.flush(store);
        }
    }

    private FragmentList draw(boolean later) {
        FragmentList draw = random.nextInt(8) == 0
                ? fragments.nextWide(ROWS_OF_WIDE_PARTITION)
                : fragments.next(0.2 + 0.6 * random.nextDouble());
        return moved(draw, later);
    }

    /** To times that follow those of the draws before it. */
    private FragmentList moved(FragmentList draw, boolean later) {
        if (!purges) {
            return draw;
        }
        long firstMicros = RandomFragments.TIMESTAMP_BASE_MICROS + phase * PHASE_MICROS + draws++ % DRAWS_MAX;
        long laterSeconds = phaseStartSeconds - RandomFragments.DELETION_BASE_SECONDS + (later ? FAR_SECONDS : 0);
        return MovedFragments.of(
                draw,
                micros -> firstMicros + (micros - RandomFragments.TIMESTAMP_BASE_MICROS) * DRAWS_MAX,
                seconds -> seconds + laterSeconds);
    }

    void write(ReplicaHost host) throws IOException {
        world.write(host, draw(false));
    }

    private ReplicaHost anyHost() {
        return world.hosts().get(random.nextInt(world.hosts().size()));
    }

    /** What a replica does by itself. */
    void chore(ReplicaHost host) throws IOException {
        if (!host.isRunning()) {
            return;
        }
        if (host instanceof StoreHost store && random.nextBoolean()) {
            world.flush(store);
        } else {
            world.compact(host);
        }
    }

    /** What was only there is gone, as nobody tells the others. */
    void lose(ReplicaHost host) throws IOException {
        if (host instanceof DirectoryHost directory && random.nextBoolean()) {
            world.replace(directory, random.nextInt(FILES_KEPT_MAX + 1));
        } else {
            world.truncate(host);
        }
    }

    // Repairs.

    /** All that is owned, each between all its owners. */
    private List<RepairWorld.Wanted> everything(boolean dryRun) {
        List<RepairWorld.Wanted> all = new ArrayList<>();
        for (Ownership.Owned set : world.ownership().sets()) {
            List<ReplicaHost> owners = new ArrayList<>(set.owners());
            Collections.shuffle(owners, random);
            all.add(wanted(owners, set.ranges(), dryRun));
        }
        return all;
    }

    private RepairWorld.Wanted wanted(List<ReplicaHost> hosts, TokenRange range, boolean dryRun) {
        return wanted(hosts, List.of(range), dryRun);
    }

    private RepairWorld.Wanted wanted(List<ReplicaHost> hosts, List<TokenRange> ranges, boolean dryRun) {
        int bufferBytes = bufferBytesMin + random.nextInt(random.nextBoolean() ? 2_000 : 100_000);
        int units = random.nextBoolean() ? 1 : 1 + random.nextInt(UNITS_MAX);
        Optional<Duration> leavesOut = dryRun && random.nextBoolean() ? Optional.of(recent()) : Optional.empty();
        return new RepairWorld.Wanted(
                List.copyOf(hosts),
                ranges,
                units,
                bufferBytes,
                dryRun,
                leavesOut,
                random.nextInt(4) == 0,
                random.nextBoolean());
    }

    /** So long before now that what was written in the midst of this phase is left out, and what was written before is not. */
    private Duration recent() {
        long spreadMicros = 3L * RandomFragments.TIMESTAMP_SPREAD_MICROS * (purges ? DRAWS_MAX : 1);
        long firstMicros = RandomFragments.TIMESTAMP_BASE_MICROS + (purges ? phase * PHASE_MICROS : 0);
        long cutoffMicros = firstMicros + (long) (random.nextDouble() * spreadMicros);
        return since(cutoffMicros);
    }

    private Duration since(long cutoffMicros) {
        long nowMicros = TimeUnit.SECONDS.toMicros(clock.instant().getEpochSecond());
        return Duration.of(Math.max(0, nowMicros - cutoffMicros), ChronoUnit.MICROS);
    }

    RepairWorld.Wanted anyWanted() {
        List<Ownership.Owned> sets = world.ownership().sets();
        Ownership.Owned set = sets.get(random.nextInt(sets.size()));
        List<ReplicaHost> hosts = new ArrayList<>(set.owners());
        Collections.shuffle(hosts, random);
        int count = random.nextBoolean() ? hosts.size() : 2 + random.nextInt(hosts.size() - 1);
        hosts = List.copyOf(hosts.subList(0, count));
        if (ring) {
            return wanted(hosts, set.ranges(), random.nextInt(8) == 0);
        }
        TokenRange range =
                random.nextInt(3) == 0 ? new TokenRange(random.nextLong(), random.nextLong()) : TokenRange.FULL;
        return wanted(hosts, streams ? List.of(range) : some(range), random.nextInt(8) == 0);
    }

    /** One repair, or several at once, with faults. */
    private void attempt() throws IOException {
        Disturbances disturbances = new Disturbances(this, world, random, streams);
        RepairWorld.Wanted wanted = anyWanted();
        int kind = streams ? 0 : random.nextInt(5);
        if (kind == 1) {
            disturbances.addCorruptionAndDeath(wanted);
        }
        if (kind == 2) {
            // Alone: then it is known what each replica has to show.
            world.settle();
            disturbances.failLastStep(wanted);
        }
        for (int i = kind == 2 ? 0 : random.nextInt(4); i > 0; i--) {
            disturbances.add(wanted);
        }
        if (streams) {
            transfer(wanted);
        } else {
            repair(wanted);
        }
        end(disturbances);
    }

    /** A repair with a checkpoint that is killed, or fails, once or twice before nothing is in its way. */
    private void attemptInRuns() throws IOException {
        world.settle();
        RepairWorld.Wanted any = anyWanted();
        RepairWorld.Wanted wanted = new RepairWorld.Wanted(
                any.hosts(),
                any.ranges(),
                2 + random.nextInt(RESUMED_UNITS_MAX - 1),
                any.bufferBytes(),
                false,
                Optional.empty(),
                any.isAsked(),
                any.keepsConnections());
        try (ResumedRepair repair = new ResumedRepair(world, wanted, parent)) {
            for (int faulty = 1 + random.nextInt(2); faulty >= 0 && !repair.isComplete(); faulty--) {
                Disturbances disturbances = new Disturbances(this, world, random, false);
                if (faulty > 0) {
                    disturbances.kill(repair);
                    for (int i = random.nextInt(3); i > 0; i--) {
                        disturbances.add(wanted);
                    }
                } else {
                    world.alterAll();
                }
                attempts++;
                repair.run();
                succeeded += repair.isComplete() ? 1 : 0;
                end(disturbances);
                repair.comeBack();
                world.settle();
            }
            repair.shouldHaveEndedWell();
        }
    }

    /** The range to the first of them from the others, each of which gives some pieces of it. */
    private void transfer(RepairWorld.Wanted wanted) throws IOException {
        // One source gives whole SSTables, several mostly parts of them.
        List<ReplicaHost> sources = wanted.hosts()
                .subList(1, random.nextBoolean() ? 2 : wanted.hosts().size());
        Map<ReplicaHost, List<TokenRange>> ranges = new LinkedHashMap<>();
        for (TokenRange piece : pieces(wanted.ranges().get(0), sources.size() * (1 + random.nextInt(3)))) {
            ranges.computeIfAbsent(sources.get(random.nextInt(sources.size())), source -> new ArrayList<>())
                    .add(piece);
        }
        attempts++;
        succeeded += transfers.run(new Transfers.Wanted(
                        wanted.master(), ranges, wanted.keepsConnections(), random.nextInt(3) == 0))
                ? 1
                : 0;
    }

    /** All of a range, or some pieces of it with gaps between them. */
    private List<TokenRange> some(TokenRange range) {
        if (random.nextBoolean()) {
            return List.of(range);
        }
        List<TokenRange> pieces = new ArrayList<>(pieces(range, 2 + random.nextInt(PIECES_MAX - 1)));
        for (int i = random.nextInt(pieces.size()); i > 0; i--) {
            pieces.remove(random.nextInt(pieces.size()));
        }
        return List.copyOf(pieces);
    }

    /** Even ones, or such that end with a partition. */
    private List<TokenRange> pieces(TokenRange range, int count) {
        if (random.nextBoolean()) {
            return range.split(count);
        }
        List<TokenRange> pieces = new ArrayList<>();
        TokenRange rest = range;
        for (long token : world.tokens()) {
            if (pieces.size() < count - 1 && rest.contains(token) && token != rest.left() && token != rest.right()) {
                pieces.add(new TokenRange(rest.left(), token));
                rest = new TokenRange(token, rest.right());
            }
        }
        pieces.add(rest);
        return pieces;
    }

    void repair(RepairWorld.Wanted wanted) throws IOException {
        attempts++;
        succeeded += world.repair(wanted) ? 1 : 0;
    }

    @Override
    public void close() throws IOException {
        world.close();
    }
}
