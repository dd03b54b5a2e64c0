package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.conformance.Differences;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.StorageException;
import io.anneal.job.JobFailedException;
import io.anneal.job.RangeUnit;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.net.SimulatedNetwork;
import io.anneal.node.ReplicaException;
import io.anneal.node.Waiver;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairException;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.Unkept;
import io.anneal.repair.message.RepairCounts;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Replicas of one table on a simulated network, and beside them what was ever written to any of them. Holds each repair to
 * its word: after one that ended well its replicas show the merge of what they had.
 */
final class RepairWorld implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** By then every host has noticed who is gone, and every repair that was cut off has ended there too. */
    private static final Duration NOTICED = Duration.ofMinutes(5);

    static final String NAME = "ks.t";

    /**
     * What a repair is asked to do.
     *
     * @param ranges apart from each other
     * @param units into which they are cut
     * @param leavesOut what was written so long before it, and later, is not compared
     * @param isAsked whether another machine asks the master for it, and watches
     */
    record Wanted(
            List<ReplicaHost> hosts,
            List<TokenRange> ranges,
            int units,
            int bufferBytes,
            boolean dryRun,
            Optional<Duration> leavesOut,
            boolean isAsked,
            boolean keepsConnections) {
        /** The same as a dry run that does so. */
        Wanted leavingOut(Duration recent) {
            return new Wanted(hosts, ranges, units, bufferBytes, true, Optional.of(recent), isAsked, keepsConnections);
        }

        ReplicaHost master() {
            return hosts.get(0);
        }
    }

    private final ReplicaHost.Setting setting;
    private final ReplicaViews views;
    private final List<ReplicaHost> hosts;
    private final AskingHost asker;
    private final Ownership ownership;
    /** What each replica holds for certain. */
    private final Map<ReplicaHost, FragmentList> held = new HashMap<>();
    /** What each has of tokens that it does not own, and keeps as it is. */
    private final Map<ReplicaHost, FragmentList> leftovers = new HashMap<>();

    private final List<String> log = new ArrayList<>();

    /** Whatever was written to anybody, in order. */
    private final List<FragmentList> writes = new ArrayList<>();

    /** Of repairs that ended well. */
    private RepairCounts counts = RepairCounts.NONE;

    /** Repairs that failed, and what they said of what is missing was not looked at yet. */
    private final List<Attempt> unfinished = new ArrayList<>();

    private FragmentList everything;
    /** What was written last: mostly to one replica after the other. */
    private FragmentList last;

    /** The lowest that any replica could write: what is later may have been cut to it. */
    private long ceilingSeconds = Long.MAX_VALUE;
    /** Of whatever may change what a replica shows. */
    private int changes;
    /** How often a replica wrote its SSTables anew, or more of them, with nothing changed in what it shows. */
    private int rewrites;
    /** Begun so far. */
    private int repairs;
    /** Repairs that run, one inside the other. */
    private int active;
    /** Whether no repair that failed may still go on somewhere. */
    private boolean settled = true;
    /** Whether a replica lost what others keep. */
    private boolean truncatedAlone;

    RepairWorld(ReplicaHost.Setting setting, ReplicaViews views, List<ReplicaHost> hosts, Ownership ownership)
            throws IOException {
        this.setting = setting;
        this.views = views;
        this.hosts = List.copyOf(hosts);
        this.ownership = ownership;
        everything = views.nothing();
        last = views.nothing();
        asker = new AskingHost(setting.network());
        asker.start();
        for (ReplicaHost host : hosts) {
            host.start();
            held.put(host, views.nothing());
            leftovers.put(host, views.nothing());
        }
    }

    Ownership ownership() {
        return ownership;
    }

    List<ReplicaHost> hosts() {
        return hosts;
    }

    AskingHost asker() {
        return asker;
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

    /** What all repairs that ended well counted. */
    RepairCounts counts() {
        return counts;
    }

    // What is done to replicas.

    /** What the host owns of them. */
    void write(ReplicaHost host, FragmentList fragments) throws IOException {
        changes++;
        FragmentList owned = views.within(asWritten(host, fragments), ownership.of(host));
        host.write(owned);
        writes.add(owned);
        if (owned != last) {
            everything = views.merged(everything, owned);
            last = owned;
        }
        held.put(host, views.merged(held.get(host), owned));
    }

    private FragmentList asWritten(ReplicaHost host, FragmentList fragments) {
        return host.isAltered() ? setting.change().orElseThrow().asWritten(fragments) : fragments;
    }

    /** What the host does not own of them, as if it had once. */
    void leave(ReplicaHost host, FragmentList fragments) throws IOException {
        changes++;
        FragmentList left = views.within(fragments, ownership.notOf(host));
        host.write(left);
        leftovers.put(host, views.merged(leftovers.get(host), left));
    }

    void compact(ReplicaHost host) throws IOException {
        rewrites++;
        if (!host.stages()) {
            host.compact();
            return;
        }
        long ceilingSeconds = host.content().ceilingSeconds();
        host.compact();
        if (host.content().ceilingSeconds() != ceilingSeconds) {
            // Files of a newer version hold later times: replicas that showed the same may differ from now on.
            changes++;
        }
    }

    void flush(StoreHost host) throws IOException {
        rewrites++;
        host.flush();
    }

    void truncate(ReplicaHost host) throws IOException {
        log("truncation of " + host);
        changes++;
        truncatedAlone = true;
        host.truncate();
        held.put(host, views.nothing());
        leftovers.put(host, views.nothing());
    }

    /** @param kept how many of its SSTables are still there */
    void replace(DirectoryHost host, int kept) throws IOException {
        log("replacement of " + host);
        changes++;
        truncatedAlone = true;
        host.replace(kept);
        FragmentList left = host.content().fragments();
        held.put(host, views.within(left, ownership.of(host)));
        leftovers.put(host, views.within(left, ownership.notOf(host)));
    }

    /** As the statement does, of which nobody wants to see a row again. */
    void truncateEverywhere() throws IOException {
        for (ReplicaHost host : hosts) {
            truncate(host);
        }
        log("truncated everywhere");
        truncatedAlone = false;
        everything = views.nothing();
        last = views.nothing();
    }

    /** From then on the replica has the table as it is after the change. */
    void alter(ReplicaHost host) throws IOException {
        host.alter();
        log("alteration of " + host);
    }

    void alterAll() throws IOException {
        for (ReplicaHost host : hosts) {
            if (setting.change().isPresent() && !host.isAltered()) {
                alter(host);
            }
        }
    }

    void passTime(Duration time) {
        changes++;
        setting.clock().advance(time);
        log("time passed, seconds=" + time.toSeconds());
    }

    // What they show.

    private FragmentList content(ReplicaHost host) throws IOException {
        ReplicaHost.Content content = host.content();
        ceilingSeconds = Math.min(ceilingSeconds, content.ceilingSeconds());
        return content.fragments();
    }

    /** What a host shows of what it owns. */
    private List<String> view(ReplicaHost host, FragmentList content) throws IOException {
        return views.of(content, ownership.of(host), ceilingSeconds);
    }

    private void shouldHaveLeftTheRest(ReplicaHost host, FragmentList content) throws IOException {
        List<TokenRange> notOwned = ownership.notOf(host);
        if (!notOwned.isEmpty()) {
            shouldShow(
                    () -> host + " differs where it owns nothing",
                    views.of(leftovers.get(host), notOwned, ceilingSeconds),
                    views.of(content, notOwned, ceilingSeconds));
        }
    }

    static void shouldShow(Supplier<String> what, List<String> expected, List<String> shown) {
        if (!shown.equals(expected)) {
            Differences.assertSame(what.get(), expected, shown);
        }
    }

    /** What it took is there, whatever happened to it, and nothing is that nobody wrote. */
    private void shouldHoldWhatItMust(ReplicaHost host, FragmentList content, List<String> everythingShown)
            throws IOException {
        shouldHaveLeftTheRest(host, content);
        shouldShow(
                () -> host + " lost something", view(host, views.merged(content, held.get(host))), view(host, content));
        shouldShow(
                () -> host + " holds what nobody wrote",
                view(host, views.merged(views.within(everything, ownership.of(host)), content)),
                everythingShown);
        held.put(host, content);
    }

    // Repairs.

    /** Runs one; whether it ended well. */
    boolean repair(Wanted wanted) throws IOException {
        Attempt attempt = begin(wanted);
        Optional<RepairReport> report = tried(attempt, wanted, attempt::heard);
        if (report.isPresent()) {
            attempt.shouldHaveEndedWell(report.get());
        } else {
            unfinished.add(attempt);
        }
        return report.isPresent();
    }

    /** Before the first run of a repair. */
    Attempt begin(Wanted wanted) throws IOException {
        return new Attempt(wanted);
    }

    /**
     * One run.
     *
     * @param how what else is asked of it
     * @return empty when it failed, and said why
     */
    Optional<RepairReport> tried(Attempt attempt, Wanted wanted, UnaryOperator<Repair> how) throws IOException {
        active++;
        try {
            return Optional.of(run(wanted, how));
        } catch (IOException | RuntimeException failure) {
            attempt.failed(failure);
            return Optional.empty();
        } finally {
            active--;
        }
    }

    private RepairReport run(Wanted wanted, UnaryOperator<Repair> how) throws IOException {
        if (wanted.keepsConnections()) {
            return run(
                    wanted,
                    how,
                    wanted.isAsked() ? asker.peers() : wanted.master().peers());
        }
        try (OneConnectionEach connections =
                wanted.isAsked() ? asker.ownConnections() : wanted.master().ownConnections()) {
            return run(wanted, how, connections);
        }
    }

    private RepairReport run(Wanted wanted, UnaryOperator<Repair> how, Connector connector) throws IOException {
        List<RepairMember> members = new ArrayList<>();
        for (ReplicaHost host : wanted.hosts()) {
            boolean isHere = host == wanted.master() && !wanted.isAsked();
            members.add(isHere ? host.here() : host.from(connector));
        }
        return run(wanted, how.apply(Repair.of(NAME).between(members).ranges(wanted.ranges())));
    }

    /** All that is owned, in one repair of one process: it finds out who owns what. */
    private RepairReport runByRing(Wanted wanted) throws IOException {
        log("repair by the ring");
        return run(
                wanted,
                Repair.of(NAME)
                        .between(hosts.stream().map(ReplicaHost::here).toList())
                        .ring(
                                ownership.ring(),
                                hosts.stream().map(ReplicaHost::name).toList()));
    }

    private RepairReport run(Wanted wanted, Repair repair) throws IOException {
        wanted.leavesOut().ifPresent(repair::leaveOutRecent);
        RepairReport report = repair.units(wanted.units())
                .dryRun(wanted.dryRun())
                .bufferBytes(wanted.bufferBytes())
                .allow(EnumSet.of(Waiver.EMPTY_REPLICA, Waiver.NO_GC_GRACE, Waiver.TRUNCATED))
                .patience(PATIENCE)
                .run(new RepairEnvironment(
                        host(),
                        Runnable::run,
                        wanted.isAsked() ? asker.budget() : wanted.master().budget()));
        counts = counts.plus(report.counts());
        log("repair of " + wanted.hosts() + " ended well, isAsked=" + wanted.isAsked() + ", dryRun=" + wanted.dryRun()
                + wanted.leavesOut()
                        .map(window -> ", cutoff=" + report.cutoffMicros())
                        .orElse("") + ", ranges="
                + wanted.ranges().size() + ", units=" + wanted.units() + ", buffer=" + wanted.bufferBytes()
                + ", windows=" + report.windows() + ", rows="
                + report.rowsDiffering()
                + ", deletions=" + report.deletionsDiffering() + ", fetched=" + report.itemsFetched() + ", pushed="
                + report.itemsPushed());
        return report;
    }

    HostEnvironment host() {
        return setting.host();
    }

    static boolean saysWhere(Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        if (failure instanceof PeerException peer) {
            return peer.peer().matches(".*127\\.0\\.0\\..*|this process")
                    && !peer.code().isEmpty();
        }
        if (failure instanceof CorruptFrameException corrupt) {
            return corrupt.peer().contains("127.0.0.");
        }
        if (failure instanceof StorageException storage) {
            return text.contains(String.valueOf(storage.file()));
        }
        return (failure instanceof RepairException || failure instanceof ReplicaException)
                && (text.contains("replica=") || text.contains("repair-master=127.0.0."));
    }

    // For transfers.

    int changes() {
        return changes;
    }

    int rewrites() {
        return rewrites;
    }

    /** Whether nothing else runs, and nothing that failed may still go on somewhere. */
    boolean isAlone() {
        return settled && active == 0;
    }

    /** Of partitions that were written to anybody, in their order. */
    List<Long> tokens() {
        return everything.fragments().stream()
                .filter(fragment -> fragment.kind() == FragmentKind.PARTITION_START)
                .map(fragment -> fragment.key().token())
                .toList();
    }

    void begins() {
        changes++;
        active++;
    }

    void ends() {
        active--;
    }

    void unsettle() {
        settled = false;
    }

    void lowerCeiling(long seconds) {
        ceilingSeconds = Math.min(ceilingSeconds, seconds);
    }

    void hold(ReplicaHost host, FragmentList content) throws IOException {
        held.put(host, views.merged(held.get(host), content));
    }

    /** What a repair that failed said of what is missing is so, once everybody is up again. */
    void shouldLackWhatWasTold() throws IOException {
        for (Attempt attempt : unfinished) {
            attempt.shouldLackWhatItTold();
        }
        unfinished.clear();
    }

    /** Where a check reads what a replica shows. */
    interface Contents {
        FragmentList of(ReplicaHost host) throws IOException;
    }

    /** A repair, with what the replicas were before it. */
    final class Attempt {
        private final Wanted wanted;
        private final int changesBefore = ++changes;
        private final int writesBefore = writes.size();
        private final int repairsBefore = ++repairs;
        private final boolean alone = settled && active == 0;
        /** Before a change, and while it spreads, replicas differ in what the model does not show any more. */
        private final boolean oneTable =
                setting.change().isEmpty() || hosts.stream().allMatch(ReplicaHost::isAltered);

        private final int startsOfAsker = asker.starts();
        private final int startsOfMaster;
        private final Map<ReplicaHost, FragmentList> before = new LinkedHashMap<>();
        private final Map<ReplicaHost, Integer> truncations = new HashMap<>();
        /** Of each unit, when it was done. */
        private final Map<RangeUnit, RepairReport> done = new LinkedHashMap<>();
        /** Of units of which the last step failed. */
        private final List<RepairReport> left = new ArrayList<>();

        private long ownCeilingSeconds = Long.MAX_VALUE;

        Attempt(Wanted wanted) throws IOException {
            this.wanted = wanted;
            startsOfMaster = wanted.master().starts();
            for (ReplicaHost host : wanted.hosts()) {
                ReplicaHost.Content content = host.content();
                ownCeilingSeconds = Math.min(ownCeilingSeconds, content.ceilingSeconds());
                before.put(host, content.fragments());
                truncations.put(host, host.truncations());
            }
            ceilingSeconds = Math.min(ceilingSeconds, ownCeilingSeconds);
        }

        /** Whoever reads it must learn what to look at. */
        void failed(Exception failure) {
            log("repair of " + wanted.hosts() + " failed, isAsked=" + wanted.isAsked() + ", type="
                    + failure.getClass().getSimpleName() + ", code="
                    + (failure instanceof PeerException peer ? peer.code() : ""));
            settled = false;
            boolean isRead = wanted.isAsked()
                    ? asker.starts() == startsOfAsker && asker.isRunning()
                    : wanted.master().starts() == startsOfMaster
                            && wanted.master().isRunning();
            if (!isRead) {
                return;
            }
            if (!(failure instanceof JobFailedException units
                    ? units.failures().stream().allMatch(unit -> saysWhere(unit.cause()))
                    : saysWhere(failure))) {
                throw new AssertionError("failure does not say what happened where: " + failure, failure);
            }
        }

        private List<String> view(FragmentList content) throws IOException {
            return views.of(content, wanted.ranges(), ownCeilingSeconds);
        }

        Repair heard(Repair repair) {
            return repair.reports(done::put).unfinishedReports((what, report) -> left.add(report));
        }

        /**
         * Where the last step failed, a replica that did not keep what it was given shows what it did before, and each other one
         * what it shall.
         */
        void shouldLackWhatItTold() throws IOException {
            if (!isUndisturbed() || left.isEmpty()) {
                return;
            }
            RepairReport told = RepairReport.sum(left, false);
            List<TokenRange> failed = wanted.units() == 1
                    ? wanted.ranges()
                    : told.replicas().stream()
                            .flatMap(replica -> replica.unkept().stream())
                            .flatMap(unkept -> unkept.ranges().stream())
                            .distinct()
                            .toList();
            FragmentList merged = views.merged(List.copyOf(before.values()));
            for (RepairReport.ReplicaReport replica : told.replicas()) {
                ReplicaHost host = wanted.hosts().get(replica.member());
                FragmentList content = contentWithStaged(host, told);
                for (TokenRange range : failed) {
                    List<Unkept> unkept = replica.unkept().stream()
                            .filter(missing -> missing.ranges().contains(range))
                            .toList();
                    if (unkept.stream().noneMatch(Unkept::mayBeKept)) {
                        FragmentList expected = unkept.isEmpty() ? merged : before.get(host);
                        shouldShow(
                                () -> host + " after a last step that failed, unkept=" + unkept + ", range=" + range,
                                views.of(expected, range, ownCeilingSeconds),
                                views.of(content, range, ownCeilingSeconds));
                        log("last step of " + wanted.hosts() + " failed, " + host + " lacks something: "
                                + !unkept.isEmpty());
                    }
                }
            }
        }

        /** Of sessions of which it may have kept nothing. */
        private FragmentList contentWithStaged(ReplicaHost host, RepairReport report) throws IOException {
            List<FragmentList> contents = new ArrayList<>(List.of(host.contentNow()));
            if (host.stages()) {
                for (UUID session : report.sessionIds()) {
                    try {
                        contents.add(host.content(Optional.of(session)));
                    } catch (ReplicaException nothingStaged) {
                        log(host + " has nothing staged");
                    }
                }
            }
            return views.merged(contents);
        }

        void shouldHaveEndedWell(RepairReport report) throws IOException {
            if (isUndisturbed() && oneTable) {
                shouldHaveTold(report);
            }
            if (!wanted.dryRun()) {
                shouldHaveMadeEqual(host -> content(host, report));
            }
        }

        private boolean isUndisturbed() {
            return alone && changes == changesBefore;
        }

        /** @param contents what a replica shows now */
        void shouldHaveMadeEqual(Contents contents) throws IOException {
            boolean undisturbed = isUndisturbed();
            List<FragmentList> had = new ArrayList<>();
            for (ReplicaHost host : wanted.hosts()) {
                if (!truncatedMeanwhile(host)) {
                    had.add(before.get(host));
                } else if (host.stages()) {
                    // A directory that was empty when a session opened it is taken for one of the oldest format.
                    ownCeilingSeconds = Math.min(ownCeilingSeconds, SSTableVersion.NB.localDeletionTimeMaxSeconds());
                    lowerCeiling(ownCeilingSeconds);
                }
            }
            FragmentList merged = views.merged(had);
            List<String> expected = view(merged);
            FragmentList meanwhile = undisturbed ? views.nothing() : arrivedMeanwhile();
            for (ReplicaHost host : wanted.hosts()) {
                host.disk().heal();
                if (!host.isRunning()) {
                    host.start();
                }
                if (truncatedMeanwhile(host)) {
                    continue;
                }
                FragmentList content = contents.of(host);
                if (undisturbed) {
                    shouldShow(() -> "after a repair that ended well, " + host + " differs", expected, view(content));
                } else {
                    shouldHaveKept(host, content, merged, meanwhile);
                }
                if (host instanceof StoreHost) {
                    // A directory has it only staged.
                    held.put(host, views.merged(held.get(host), content));
                }
            }
        }

        /**
         * What was there is there, unless something that came meanwhile hides it; what was hidden by something else that was
         * there is hidden. A deletion that came meanwhile may be purged at once, and is shown nowhere.
         */
        private void shouldHaveKept(ReplicaHost host, FragmentList content, FragmentList merged, FragmentList meanwhile)
                throws IOException {
            Set<String> shown = qualified(view(content));
            Set<String> withAll = qualified(view(views.merged(content, merged, meanwhile)));
            Set<String> lost = qualified(view(merged));
            lost.retainAll(withAll);
            lost.removeAll(shown);
            assertThat(lost).as("lost in a repair that ended well, %s", host).isEmpty();
            Set<String> back = new TreeSet<>();
            for (FragmentList had : before.values()) {
                back.addAll(qualified(view(had)));
            }
            back.retainAll(shown);
            back.removeAll(qualified(view(views.merged(content, merged))));
            // A row of which something that came meanwhile hides all that was not everywhere is shown as one of them
            // had it.
            back.removeAll(withAll);
            assertThat(back)
                    .as("not deleted in a repair that ended well, %s", host)
                    .isEmpty();
        }

        /** Each line with its partition before it. */
        private static Set<String> qualified(List<String> view) {
            Set<String> lines = new TreeSet<>();
            String partition = "";
            for (String line : view) {
                if (line.startsWith("partition ")) {
                    partition = line.split(" ")[1];
                }
                lines.add(partition + " " + line);
            }
            return lines;
        }

        /** What may have come to the replicas beside the repair, and more. */
        private FragmentList arrivedMeanwhile() throws IOException {
            List<FragmentList> arrived = new ArrayList<>(writes.subList(writesBefore, writes.size()));
            if (!alone || repairs != repairsBefore) {
                for (ReplicaHost host : hosts) {
                    if (!wanted.hosts().contains(host)) {
                        host.disk().heal();
                        FragmentList there = host.isRunning() ? host.content().fragments() : held.get(host);
                        arrived.add(views.within(there, ownership.of(host)));
                    }
                }
            }
            return views.merged(arrived);
        }

        /** With what a directory has only staged. */
        private FragmentList content(ReplicaHost host, RepairReport report) throws IOException {
            List<FragmentList> contents = new ArrayList<>();
            for (UUID session : report.sessionIds()) {
                contents.add(host.content(Optional.of(session)));
            }
            return contents.size() == 1 ? contents.get(0) : views.merged(contents);
        }

        /** Of what an earlier run of it compared there is nothing left, so that it is not gone on with. */
        boolean hasLostReplica() throws IOException {
            for (ReplicaHost host : wanted.hosts()) {
                if (truncatedMeanwhile(host)
                        && host.content().fragments().lines().isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        private boolean truncatedMeanwhile(ReplicaHost host) {
            return host.truncations() != truncations.get(host);
        }

        /** Equal is called what was equal, and nothing else. */
        private void shouldHaveTold(RepairReport report) throws IOException {
            if (wanted.leavesOut().isPresent()) {
                for (Map.Entry<RangeUnit, RepairReport> unit : done.entrySet()) {
                    shouldHaveToldUpToCutOff(unit.getKey().ranges().ranges(), unit.getValue());
                }
                return;
            }
            List<List<String>> shown = new ArrayList<>();
            for (FragmentList content : before.values()) {
                shown.add(view(content));
            }
            boolean wereEqual = shown.stream().allMatch(shown.get(0)::equals);
            assertThat(report.wereEqual())
                    .as("said that they were equal, report=%s", report)
                    .isEqualTo(wereEqual);
        }

        /** The same of what is older than the cut-off; and what was left out is said. */
        private void shouldHaveToldUpToCutOff(List<TokenRange> ranges, RepairReport report) throws IOException {
            List<FragmentList> shown = new ArrayList<>();
            for (FragmentList content : before.values()) {
                shown.add(views.purged(content, ranges, ownCeilingSeconds));
            }
            CutOffViews model = new CutOffViews(shown, report.cutoffMicros());
            assertThat(report.deletionsDiffering() > 0)
                    .as("deletions differ, differences=%s, report=%s", model.deletionsDiffering(), report)
                    .isEqualTo(!model.deletionsDiffering().isEmpty());
            // A row that a deletion hides, which another replica has not, is no difference of its own.
            if (model.deletionsDiffering().isEmpty()) {
                assertThat(report.rowsDiffering())
                        .as("rows that differ, differences=%s, report=%s", model.rowsDiffering(), report)
                        .isEqualTo(model.rowsDiffering().size());
            }
            for (RepairReport.ReplicaReport replica : report.replicas()) {
                String what = wanted.hosts().get(replica.member()) + ", report=" + report;
                assertThat(replica.rowsRecent())
                        .as("rows left out, %s", what)
                        .isEqualTo(model.rowsLeftOut(replica.member()));
                boolean isTold = replica.deletionsRecent() > 0;
                assertThat(
                                isTold
                                        ? model.hasDeletionsLeftOut(replica.member())
                                        : !model.hasDeletionsLeftOutUnhidden(replica.member()))
                        .as("deletions left out, isTold=%s, %s", isTold, what)
                        .isTrue();
            }
            log("cut-off, rows left out=" + model.rowsLeftOut(0) + ", differ=" + !report.wereEqual());
        }
    }

    // Afterwards.

    /** Everybody is up again and has noticed what happened; what was received is taken in, and nothing else is left. */
    void settle() throws IOException {
        asker.start();
        for (ReplicaHost host : hosts) {
            if (!host.isRunning()) {
                host.start();
            }
        }
        network().runFor(NOTICED);
        List<FragmentList> contents = new ArrayList<>();
        for (ReplicaHost host : hosts) {
            host.takeIn();
            host.shouldHoldNothingOfThem();
            contents.add(content(host));
        }
        Map<List<TokenRange>, List<String>> everythingShown = new HashMap<>();
        for (int i = 0; i < hosts.size(); i++) {
            ReplicaHost host = hosts.get(i);
            List<TokenRange> owned = ownership.of(host);
            if (!everythingShown.containsKey(owned)) {
                everythingShown.put(owned, view(host, everything));
            }
            shouldHoldWhatItMust(host, contents.get(i), everythingShown.get(owned));
        }
        settled = true;
        log("settled");
    }

    /**
     * With nothing in the way one repair of all that is owned makes the owners equal, to what all of them had, and the next one
     * finds nothing. What they had is what was held when they settled.
     *
     * @param all together everything
     * @param byRing whether one repair does it, which knows the ring, and goes by the first of them in all else
     * @param again whether there is a next one
     */
    void shouldConverge(List<Wanted> all, boolean byRing, boolean again) throws IOException {
        Map<Ownership.Owned, FragmentList> merged = new LinkedHashMap<>();
        for (Ownership.Owned set : ownership.sets()) {
            merged.put(
                    set,
                    views.merged(set.owners().stream()
                            .map(owner -> views.within(held.get(owner), set.ranges()))
                            .toList()));
        }
        runAll(all, byRing);
        Map<ReplicaHost, FragmentList> contents = new LinkedHashMap<>();
        for (ReplicaHost host : hosts) {
            host.takeIn();
            host.shouldHoldNothingOfThem();
            contents.put(host, content(host));
        }
        for (Ownership.Owned set : ownership.sets()) {
            List<String> expected = views.of(merged.get(set), set.ranges(), ceilingSeconds);
            for (ReplicaHost host : set.owners()) {
                shouldShow(
                        () -> host + " differs after the last repair",
                        expected,
                        views.of(contents.get(host), set.ranges(), ceilingSeconds));
            }
            if (!truncatedAlone) {
                shouldShow(
                        () -> "replicas do not show what was written",
                        views.of(everything, set.ranges(), ceilingSeconds),
                        expected);
            }
        }
        for (ReplicaHost host : hosts) {
            shouldHaveLeftTheRest(host, contents.get(host));
        }
        held.putAll(contents);
        if (again) {
            assertThat(runAll(all, byRing))
                    .as("a second repair finds nothing, %s", all)
                    .allMatch(RepairReport::wereEqual);
        }
    }

    private List<RepairReport> runAll(List<Wanted> all, boolean byRing) throws IOException {
        if (byRing) {
            return List.of(runByRing(all.get(0)));
        }
        List<RepairReport> reports = new ArrayList<>();
        for (Wanted wanted : all) {
            reports.add(run(wanted, UnaryOperator.identity()));
        }
        return reports;
    }

    @Override
    public void close() throws IOException {
        asker.close();
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
