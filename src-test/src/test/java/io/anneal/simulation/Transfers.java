package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.job.JobFailedException;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.SimulatedFaults;
import io.anneal.node.Waiver;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamSource;
import io.anneal.table.TableTruncatedException;
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

/**
 * Streams between the hosts of a {@link RepairWorld}, and holds each plan to its word: after one that ended well the target shows
 * what it had and what its sources had in their ranges; after one that failed, what it had, or all of it.
 */
final class Transfers {
    /** How long a store keeps what a plan left that did not come to its end. */
    private static final Duration KEPT = Duration.ofDays(1);

    /**
     * What a plan is asked to do: ranges from each source.
     *
     * @param keeps whether what it leaves is there for the next one
     */
    record Wanted(
            ReplicaHost target, Map<ReplicaHost, List<TokenRange>> ranges, boolean keepsConnections, boolean keeps) {
        Wanted {
            ranges = new LinkedHashMap<>(ranges);
        }

        /** Others wait before they try again a host that could not be reached. */
        Wanted withOwnConnections() {
            return new Wanted(target, ranges, false, keeps);
        }
    }

    private final RepairWorld world;
    private final ReplicaViews views;
    /** The last one, if it failed. */
    private Optional<Attempt> failed = Optional.empty();

    Transfers(RepairWorld world, ReplicaViews views) {
        this.world = world;
        this.views = views;
    }

    /** Runs one; whether it ended well. */
    boolean run(Wanted wanted) throws IOException {
        Attempt attempt = new Attempt(wanted);
        failed = Optional.empty();
        world.begins();
        StreamReport report;
        try {
            report = plan(wanted);
        } catch (IOException | RuntimeException failure) {
            failed = Optional.of(attempt);
            attempt.failed(failure);
            return false;
        } finally {
            world.ends();
        }
        attempt.shouldHaveEndedWell(report);
        return true;
    }

    /** With everybody up again, whoever died meanwhile: nothing of a plan that failed is there, or all of a source's. */
    void shouldShowAllOrNothing() throws IOException {
        if (failed.isPresent() && failed.get().isUndisturbed()) {
            failed.get().shouldShowAllOrNothing();
        }
    }

    /** What failed comes to its end with nothing in the way, and goes on with what was kept. */
    void shouldEndWellWhenItIsAskedAgain() throws IOException {
        if (failed.isPresent() && failed.get().wanted.keeps()) {
            Wanted wanted = failed.get().wanted.withOwnConnections();
            world.unsettle();
            assertThat(run(wanted))
                    .as("transfer that is asked again, %s", wanted)
                    .isTrue();
        }
    }

    private StreamReport plan(Wanted wanted) throws IOException {
        if (wanted.keepsConnections()) {
            return plan(wanted, wanted.target().peers());
        }
        try (OneConnectionEach connections = wanted.target().ownConnections()) {
            return plan(wanted, connections);
        }
    }

    private StreamReport plan(Wanted wanted, Connector connector) throws IOException {
        StreamPlan plan =
                StreamPlan.into(wanted.target().source()).allow(EnumSet.of(Waiver.EMPTY_REPLICA, Waiver.NO_GC_GRACE));
        wanted.ranges()
                .forEach((source, ranges) -> plan.add(
                        RepairWorld.NAME,
                        StreamSource.at(connector, source.address()),
                        ranges.toArray(TokenRange[]::new)));
        if (wanted.keeps()) {
            plan.keptFor(KEPT);
        }
        StreamReport report = plan.run(world.host());
        world.log("transfer to " + wanted.target() + " ended well, from=" + wanted.ranges() + ", sstables="
                + report.sstables() + ", rows=" + report.rows() + ", bytes=" + report.bytes());
        return report;
    }

    /** A plan, with what its hosts were before it. */
    private final class Attempt {
        private final Wanted wanted;
        private final boolean alone = world.isAlone();
        /** This one is the next change. */
        private final int changesBefore = world.changes() + 1;

        private final int rewritesBefore = world.rewrites();

        private final Map<ReplicaHost, FragmentList> before = new HashMap<>();
        private final Map<ReplicaHost, Integer> truncations = new HashMap<>();
        private final Map<ReplicaHost, Integer> starts = new HashMap<>();
        private long ceilingSeconds = Long.MAX_VALUE;

        Attempt(Wanted wanted) throws IOException {
            this.wanted = wanted;
            if (alone) {
                // What an earlier repair left there is the target's by now.
                wanted.target().takeIn();
            }
            List<ReplicaHost> hosts = new ArrayList<>(wanted.ranges().keySet());
            hosts.add(wanted.target());
            for (ReplicaHost host : hosts) {
                ReplicaHost.Content content = host.content();
                ceilingSeconds = Math.min(ceilingSeconds, content.ceilingSeconds());
                before.put(host, content.fragments());
                truncations.put(host, host.truncations());
                starts.put(host, host.starts());
            }
        }

        private boolean isUndisturbed() {
            return alone && world.changes() == changesBefore;
        }

        private boolean wasTruncated(ReplicaHost host) {
            return host.truncations() != truncations.get(host);
        }

        /** What a range shows of what the target had and what came. */
        private List<String> expected(FragmentList shown, ReplicaHost source, TokenRange range) throws IOException {
            FragmentList had = wasTruncated(wanted.target()) ? views.nothing() : before.get(wanted.target());
            FragmentList came = wasTruncated(source) ? views.nothing() : before.get(source);
            FragmentList all = isUndisturbed() ? views.merged(had, came) : views.merged(had, came, shown);
            return views.of(all, range, ceilingSeconds);
        }

        void shouldHaveEndedWell(StreamReport report) throws IOException {
            ReplicaHost target = wanted.target();
            target.disk().heal();
            if (!target.isRunning()) {
                target.start();
            }
            if (wasTruncated(target) || target.stages() && !alone) {
                return;
            }
            target.takeIn();
            ReplicaHost.Content content = target.content();
            world.lowerCeiling(content.ceilingSeconds());
            ceilingSeconds = Math.min(ceilingSeconds, content.ceilingSeconds());
            for (Map.Entry<ReplicaHost, List<TokenRange>> each : wanted.ranges().entrySet()) {
                for (TokenRange range : each.getValue()) {
                    RepairWorld.shouldShow(
                            () -> "after a transfer that ended well, " + target + " differs, range=" + range,
                            expected(content.fragments(), each.getKey(), range),
                            views.of(content.fragments(), range, ceilingSeconds));
                }
            }
            world.hold(target, content.fragments());
            if (isUndisturbed() && starts.keySet().stream().allMatch(host -> host.starts() == starts.get(host))) {
                shouldHaveSentNothingTwice(report);
            }
        }

        /** With nothing in the way the same comes again, in as many bytes, unless its hosts have something else by then. */
        private void shouldHaveSentNothingTwice(StreamReport report) throws IOException {
            world.network().faults(SimulatedFaults.NONE);
            StreamReport again;
            try {
                again = plan(new Wanted(wanted.target(), wanted.ranges(), false, false));
            } catch (IOException | RuntimeException stillFaulty) {
                return;
            }
            if (isUndisturbed() && world.rewrites() == rewritesBefore) {
                assertThat(report.bytes())
                        .as("bytes sent, %s, again %s", report, again)
                        .isEqualTo(again.bytes());
            }
        }

        /** Whoever reads it must learn what to look at. */
        void failed(Exception failure) throws IOException {
            world.log("transfer to " + wanted.target() + " failed, type="
                    + failure.getClass().getSimpleName());
            world.unsettle();
            ReplicaHost target = wanted.target();
            if (!target.isRunning() || target.starts() != starts.get(target)) {
                return; // Nobody is left to read it.
            }
            List<Throwable> causes = failure instanceof JobFailedException job
                    ? job.failures().stream()
                            .map(each -> (Throwable) each.cause())
                            .toList()
                    : List.of(failure);
            for (Throwable cause : causes) {
                if (!(cause instanceof TableTruncatedException) && !RepairWorld.saysWhere(cause)) {
                    throw new AssertionError("failure does not say what happened where: " + cause, cause);
                }
            }
        }

        /** All where it failed behind its end. */
        private void shouldShowAllOrNothing() throws IOException {
            ReplicaHost target = wanted.target();
            target.takeIn();
            FragmentList content = target.content().fragments();
            for (Map.Entry<ReplicaHost, List<TokenRange>> each : wanted.ranges().entrySet()) {
                List<List<String>> shown = new ArrayList<>();
                List<List<String>> had = new ArrayList<>();
                List<List<String>> all = new ArrayList<>();
                for (TokenRange range : each.getValue()) {
                    shown.add(views.of(content, range, ceilingSeconds));
                    had.add(views.of(before.get(target), range, ceilingSeconds));
                    all.add(expected(content, each.getKey(), range));
                }
                assertThat(shown.equals(had) || shown.equals(all))
                        .as("all or nothing of a transfer that failed, source=%s", each.getKey())
                        .isTrue();
            }
        }
    }
}
