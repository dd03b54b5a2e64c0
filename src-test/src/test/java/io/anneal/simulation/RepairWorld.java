package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.conformance.Differences;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.ByteBudget;
import io.anneal.io.StorageException;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.net.SimulatedNetwork;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.Waiver;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Replicas of one table on a simulated network, and a naive table of all that was ever written to any of them. Holds each
 * repair to its word: after one that ended well its replicas show the merge of what they had.
 */
final class RepairWorld implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    /** By then every host has noticed who is gone, and every repair that was cut off has ended there too. */
    private static final Duration NOTICED = Duration.ofMinutes(5);

    private static final String NAME = "ks.t";

    /** What a repair is asked to do. */
    record Wanted(
            List<ReplicaHost> hosts, TokenRange range, int bufferBytes, boolean dryRun, boolean keepsConnections) {
        ReplicaHost master() {
            return hosts.get(0);
        }
    }

    private final ReplicaHost.Setting setting;
    private final List<ReplicaHost> hosts;
    private final boolean counters;
    private final String what;
    /** What each replica holds for certain. */
    private final Map<ReplicaHost, FragmentList> held = new HashMap<>();

    private final List<String> log = new ArrayList<>();

    /** All that was ever written anywhere. */
    private FragmentList everything;

    /** The lowest that any replica could write: what is later may have been cut to it. */
    private long ceilingSeconds = Long.MAX_VALUE;
    /** Of whatever may change what a replica shows, but for repairs themselves. */
    private int changes;
    /** Repairs that run, one inside the other. */
    private int active;
    /** Whether no repair that failed may still go on somewhere. */
    private boolean settled = true;

    /** @param counters whether the model does not know what the table holds, and the merge has to be believed */
    RepairWorld(ReplicaHost.Setting setting, List<ReplicaHost> hosts, boolean counters, String what)
            throws IOException {
        this.setting = setting;
        this.hosts = List.copyOf(hosts);
        this.counters = counters;
        this.what = what;
        everything = FragmentList.builder(setting.schema()).build();
        for (ReplicaHost host : hosts) {
            host.start();
            held.put(host, everything);
        }
    }

    List<ReplicaHost> hosts() {
        return hosts;
    }

    SimulatedNetwork network() {
        return setting.network();
    }

    /** What happened, in order; the same for the same seed. */
    List<String> log() {
        return log;
    }

    void log(String line) {
        log.add(line + ", nanos=" + network().nanoTime());
    }

    private String what(Object detail) {
        return what + ", " + detail;
    }

    // What is done to replicas.

    void write(ReplicaHost host, FragmentList fragments) throws IOException {
        changes++;
        host.write(fragments);
        everything = merged(List.of(everything, fragments));
        held.put(host, merged(List.of(held.get(host), fragments)));
    }

    void truncate(StoreHost host) throws IOException {
        changes++;
        host.truncate();
        held.put(host, FragmentList.builder(setting.schema()).build());
    }

    // Views.

    private FragmentList merged(List<FragmentList> sources) throws IOException {
        if (counters && !sources.isEmpty()) {
            try (FragmentCursor cursor = MergeCursor.of(
                    setting.schema(), sources.stream().map(FragmentList::cursor).toList())) {
                return FragmentList.copyOf(cursor);
            }
        }
        NaiveTable model = new NaiveTable(setting.schema());
        sources.forEach(model::add);
        return model.content();
    }

    /** What counts now of what is merged already. */
    private List<String> view(FragmentList content, TokenRange range, long ceiling) throws IOException {
        FragmentList cut = MovedFragments.of(content, micros -> micros, seconds -> Math.min(seconds, ceiling));
        SessionPurgeRule rule = new SessionPurgeRule(
                setting.clock().instant().getEpochSecond(),
                setting.schema().options().gcGraceSeconds());
        FragmentList purged;
        try (FragmentCursor cursor = new PurgeCursor(cut.cursor(), rule)) {
            purged = FragmentList.copyOf(cursor);
        }
        return within(purged, range).lines();
    }

    private static FragmentList within(FragmentList list, TokenRange range) {
        FragmentList.Builder builder = FragmentList.builder(list.schema());
        boolean isWanted = false;
        for (Fragment fragment : list.fragments()) {
            if (fragment.kind() == FragmentKind.PARTITION_START) {
                isWanted = range.contains(fragment.key().token());
            }
            if (isWanted) {
                builder.add(fragment);
            }
        }
        return builder.build();
    }

    private FragmentList content(ReplicaHost host) throws IOException {
        return content(host, Optional.empty());
    }

    private FragmentList content(ReplicaHost host, Optional<UUID> staged) throws IOException {
        ReplicaHost.Content content = host.content(host instanceof DirectoryHost ? staged : Optional.empty());
        ceilingSeconds = Math.min(ceilingSeconds, content.ceilingSeconds());
        return content.fragments();
    }

    private void shouldHold(String detail, FragmentList content, FragmentList part, TokenRange range, long ceiling)
            throws IOException {
        shouldShow(
                () -> what(detail),
                view(merged(List.of(content, part)), range, ceiling),
                view(content, range, ceiling));
    }

    /** What it took is there, whatever happened to it; and nothing is that nobody wrote. */
    void shouldHoldWhatItMust(ReplicaHost host) throws IOException {
        FragmentList content = content(host);
        shouldHold(host + " lost something", content, held.get(host), TokenRange.FULL, ceilingSeconds);
        shouldHold(host + " holds what nobody wrote", everything, content, TokenRange.FULL, ceilingSeconds);
    }

    private static void shouldShow(Supplier<String> detail, List<String> expected, List<String> shown) {
        if (!shown.equals(expected)) {
            Differences.assertSame(detail.get(), expected, shown);
        }
    }

    // Repairs.

    /** Runs one; whether it ended well. */
    boolean repair(Wanted wanted) throws IOException {
        Attempt attempt = new Attempt(wanted);
        active++;
        RepairReport report;
        try {
            report = repairOf(wanted).run(environment());
        } catch (IOException | RuntimeException failure) {
            attempt.failed(failure);
            return false;
        } finally {
            active--;
        }
        log("repair of " + wanted.hosts() + " ended well, dryRun=" + wanted.dryRun() + ", buffer="
                + wanted.bufferBytes() + ", windows=" + report.windows() + ", rows=" + report.rowsDiffering()
                + ", deletions=" + report.deletionsDiffering() + ", fetched=" + report.itemsFetched() + ", pushed="
                + report.itemsPushed());
        attempt.shouldHaveEndedWell(report);
        return true;
    }

    private Repair repairOf(Wanted wanted) {
        List<RepairMember> members = new ArrayList<>(List.of(wanted.master().here()));
        for (ReplicaHost follower : wanted.hosts().subList(1, wanted.hosts().size())) {
            members.add(follower.from(wanted.master(), wanted.keepsConnections()));
        }
        return Repair.of(NAME)
                .between(members)
                .range(wanted.range())
                .dryRun(wanted.dryRun())
                .bufferBytes(wanted.bufferBytes())
                .allow(EnumSet.of(Waiver.EMPTY_REPLICA, Waiver.NO_GC_GRACE))
                .patience(PATIENCE);
    }

    private RepairEnvironment environment() {
        HostEnvironment host = new HostEnvironment(
                setting.clock(),
                network()::nanoTime,
                network().random(),
                nanos -> network().runFor(Duration.ofNanos(nanos)),
                name -> {
                    throw new AssertionError("a repair starts no thread, name=" + name);
                });
        return new RepairEnvironment(host, Runnable::run, ByteBudget.of(1 << 20));
    }

    /** A repair, with what the replicas were before it. */
    private final class Attempt {
        private final Wanted wanted;
        private final int changesBefore = ++changes;
        private final boolean alone = settled && active == 0;
        private final int startsOfMaster;
        private final Map<ReplicaHost, FragmentList> before = new HashMap<>();
        private final Map<ReplicaHost, Integer> truncations = new HashMap<>();

        Attempt(Wanted wanted) throws IOException {
            this.wanted = wanted;
            startsOfMaster = wanted.master().starts();
            for (ReplicaHost host : wanted.hosts()) {
                before.put(host, content(host));
                truncations.put(host, host.truncations());
            }
        }

        /** Whoever reads it must learn what to look at. */
        void failed(Exception failure) {
            String text = String.valueOf(failure.getMessage());
            log("repair of " + wanted.hosts() + " failed, type="
                    + failure.getClass().getSimpleName() + ", code="
                    + (failure instanceof PeerException peer ? peer.code() : ""));
            settled = false;
            if (wanted.master().starts() != startsOfMaster || !wanted.master().isRunning()) {
                return; // Nobody is left to read it.
            }
            boolean saysWhere;
            if (failure instanceof PeerException peer) {
                saysWhere = peer.peer().contains("127.0.0.") && !peer.code().isEmpty();
            } else if (failure instanceof CorruptFrameException corrupt) {
                saysWhere = corrupt.peer().contains("127.0.0.");
            } else if (failure instanceof StorageException storage) {
                saysWhere = text.contains(String.valueOf(storage.file()));
            } else {
                saysWhere = failure instanceof RepairException && text.contains("replica=");
            }
            if (!saysWhere) {
                throw new AssertionError(what("failure does not say what happened where: " + failure), failure);
            }
        }

        private long ceiling() throws IOException {
            long lowest = Long.MAX_VALUE;
            for (ReplicaHost host : wanted.hosts()) {
                lowest = Math.min(lowest, host.content().ceilingSeconds());
            }
            return lowest;
        }

        void shouldHaveEndedWell(RepairReport report) throws IOException {
            for (ReplicaHost host : wanted.hosts()) {
                if (!host.isRunning()) {
                    host.disk().heal();
                    host.start();
                }
            }
            Optional<UUID> staged = wanted.dryRun() ? Optional.empty() : Optional.of(report.sessionId());
            if (wanted.dryRun()) {
                shouldHaveTold(report);
                return;
            }
            boolean undisturbed = alone && changes == changesBefore;
            List<FragmentList> all = wanted.hosts().stream()
                    .filter(host -> host.truncations() == truncations.get(host))
                    .map(before::get)
                    .toList();
            FragmentList expected = merged(all);
            for (ReplicaHost host : wanted.hosts()) {
                if (host.truncations() != truncations.get(host)) {
                    continue;
                }
                FragmentList content = content(host, staged);
                String detail = "after a repair that ended well, " + host;
                shouldHold(detail + " lacks something", content, expected, wanted.range(), ceilingSeconds);
                if (undisturbed) {
                    long ceiling = ceiling();
                    shouldShow(
                            () -> what(detail + " differs"),
                            view(expected, wanted.range(), ceiling),
                            view(content, wanted.range(), ceiling));
                }
                if (host instanceof StoreHost) {
                    isHeld(host, content);
                }
            }
            if (undisturbed) {
                shouldHaveTold(report);
            }
        }

        /** Equal is called what was equal, and nothing else. */
        private void shouldHaveTold(RepairReport report) throws IOException {
            if (!alone || changes != changesBefore) {
                return;
            }
            long ceiling = ceiling();
            List<List<String>> views = new ArrayList<>();
            for (FragmentList content : before.values()) {
                views.add(view(content, wanted.range(), ceiling));
            }
            boolean wereEqual = views.stream().allMatch(views.get(0)::equals);
            assertThat(report.wereEqual())
                    .as(what("said that they were equal, report=" + report))
                    .isEqualTo(wereEqual);
        }
    }

    // Afterwards.

    /** Everybody is up again and has noticed what happened; what was received is taken in, and nothing else is left. */
    void settle() throws IOException {
        for (ReplicaHost host : hosts) {
            if (!host.isRunning()) {
                host.start();
            }
        }
        network().runFor(NOTICED);
        for (ReplicaHost host : hosts) {
            takeIn(host);
            shouldHoldWhatItMust(host);
            host.shouldHoldNothingOfThem();
        }
        settled = true;
        log("settled");
    }

    /** What a directory received is its replica's from now on, and lasts. */
    private void takeIn(ReplicaHost host) throws IOException {
        host.takeIn();
        isHeld(host, content(host));
    }

    /** From now on this is what is there for certain; what was before still is. */
    private void isHeld(ReplicaHost host, FragmentList content) throws IOException {
        shouldHold(host + " lost something", content, held.get(host), TokenRange.FULL, ceilingSeconds);
        held.put(host, content);
    }

    /** With nothing in the way one repair makes all equal, to what all of them had; and the next one finds nothing. */
    void shouldConverge(Wanted wanted) throws IOException {
        List<FragmentList> all = new ArrayList<>();
        for (ReplicaHost host : hosts) {
            all.add(content(host));
        }
        FragmentList expected = merged(all);
        assertThat(repair(wanted)).as(what("repair without faults")).isTrue();
        for (ReplicaHost host : hosts) {
            takeIn(host);
            FragmentList content = content(host);
            shouldShow(
                    () -> what(host + " differs after the last repair"),
                    view(expected, TokenRange.FULL, ceilingSeconds),
                    view(content, TokenRange.FULL, ceilingSeconds));
            shouldHoldWhatItMust(host);
            host.shouldHoldNothingOfThem();
        }
        if (hosts.stream().allMatch(host -> host.truncations() == 0)) {
            shouldShow(
                    () -> what("replicas do not show what was written"),
                    view(everything, TokenRange.FULL, ceilingSeconds),
                    view(expected, TokenRange.FULL, ceilingSeconds));
        }
        assertThat(repair(wanted)).as(what("repair of equal replicas")).isTrue();
    }

    @Override
    public void close() throws IOException {
        for (ReplicaHost host : hosts) {
            host.close();
        }
    }

    void shouldEndWithNothingHeld() throws IOException {
        for (ReplicaHost host : hosts) {
            host.shouldEndWithNothingHeld();
        }
    }
}
