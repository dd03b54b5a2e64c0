package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.PeerException;
import io.anneal.net.SimulatedFaults;
import io.anneal.net.SimulatedFaults.Cut;
import io.anneal.net.SimulatedNetwork;
import io.anneal.repair.Participant;
import io.anneal.repair.RangeReport;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.RepairCounts;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A repair moves the same rows over whatever network; and where the network fails, it fails with a clear error, receives
 * nothing, and the next one makes the replicas equal.
 */
class RepairNetworkTest {
    private static final int SEEDS = Integer.getInteger("anneal.repair.network.seeds", 5);
    private static final int FAULT_SEEDS = Integer.getInteger("anneal.repair.fault.seeds", 40);

    /** A peer that is silent is lost after a minute, a step of a follower takes no time here. */
    private static final Duration REPAIR_MAX = Duration.ofMinutes(5);

    /** By then a follower has noticed that its master is gone. */
    private static final Duration NOTICED = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    @Test
    void shouldMoveTheSameRowsOverSocketsAndSimulatedNetwork() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        for (long seed = first; seed < first + SEEDS; seed++) {
            try (RepairScene inProcess = RepairScene.of(directory, seed, "in-process");
                    RepairScene overSockets = RepairScene.of(directory, seed, "sockets");
                    RepairScene simulated = RepairScene.of(directory, seed, "simulated");
                    LoopbackFollowers loopback = new LoopbackFollowers();
                    SimulatedFollowers followers = new SimulatedFollowers(new SimulatedNetwork(seed))) {
                RepairConfig config = Repairs.config(inProcess.rule(), inProcess.bufferBytes(), seed);

                RepairReport expected = Repairs.run(inProcess.replicas(), config);
                RepairReport sockets = repair(overSockets, loopback, config);
                RepairReport virtual = repair(simulated, followers, config);

                assertThat(sockets.networkBytes()).isPositive();
                assertThat(virtual.networkBytes()).isPositive();
                assertThat(withoutPlaces(sockets)).as("seed=%d", seed).isEqualTo(withoutPlaces(expected));
                assertThat(withoutPlaces(virtual)).as("seed=%d", seed).isEqualTo(withoutPlaces(expected));
                inProcess.shouldBeEqual();
                overSockets.shouldBeEqual();
                simulated.shouldBeEqual();
            }
        }
    }

    private static RepairReport repair(RepairScene scene, RemoteFollowers followers, RepairConfig config)
            throws IOException {
        followers.serve(scene.followers());
        return Repairs.run(scene.master(), followers.connect(), config);
    }

    @Test
    void shouldConvergeOrFailAndReceiveNothingWhenTheNetworkFails() throws IOException {
        long first = Long.getLong("anneal.seed", 1);
        int failed = 0;
        for (long seed = first; seed < first + FAULT_SEEDS; seed++) {
            try (RepairScene scene = RepairScene.of(directory, seed, "faults")) {
                failed += new FaultyRepair(scene).run() ? 0 : 1;
            } catch (IOException | RuntimeException | AssertionError failure) {
                throw new AssertionError("seed=" + seed + ", " + failure.getMessage(), failure);
            }
        }
        assertThat(failed).as("repairs that failed, of %d", FAULT_SEEDS).isBetween(FAULT_SEEDS / 4, FAULT_SEEDS - 1);
    }

    /** A repair under faults that follow from the seed, and the next one without. */
    private static final class FaultyRepair implements RepairListener {
        private final RepairScene scene;
        private final Random random;
        private final SimulatedNetwork network;
        private boolean finishing;

        FaultyRepair(RepairScene scene) {
            this.scene = scene;
            this.random = new Random(~scene.seed());
            this.network = new SimulatedNetwork(scene.seed());
        }

        /** True if the first one succeeds. */
        boolean run() throws IOException {
            try (SimulatedFollowers followers = new SimulatedFollowers(network)) {
                followers.serve(scene.followers());
                breakSomething();
                boolean success = repairedOrFailed(followers);
                network.faults(SimulatedFaults.NONE);
                for (int i = 1; i < scene.replicas().size(); i++) {
                    network.faults(SimulatedFollowers.MASTER, SimulatedFollowers.host(i), SimulatedFaults.NONE);
                    network.faults(SimulatedFollowers.host(i), SimulatedFollowers.MASTER, SimulatedFaults.NONE);
                    network.heal(SimulatedFollowers.MASTER, SimulatedFollowers.host(i));
                }
                network.runFor(NOTICED);
                assertThat(followers.sessionBytes())
                        .as("what sessions held is free")
                        .isZero();
                if (success) {
                    scene.shouldBeEqual();
                } else if (!finishing) {
                    shouldHaveReceivedNothing();
                }
                RepairReport again = repair(followers);
                scene.shouldBeEqual();
                assertThat(!success || again.wereEqual()).isTrue();
                return success;
            }
        }

        private boolean repairedOrFailed(SimulatedFollowers followers) throws IOException {
            long startNanos = network.nanoTime();
            try {
                repair(followers);
                return true;
            } catch (PeerException failure) {
                assertThat(failure.peer()).contains("127.0.0.");
                return false;
            } catch (CorruptFrameException failure) {
                assertThat(failure).hasMessageContaining("127.0.0.");
                return false;
            } finally {
                assertThat(Duration.ofNanos(network.nanoTime() - startNanos)).isLessThan(REPAIR_MAX);
            }
        }

        private RepairReport repair(SimulatedFollowers followers) throws IOException {
            List<Participant> connected = followers.connect();
            RepairConfig config = Repairs.config(scene.rule(), scene.bufferBytes(), random.nextLong());
            return Repairs.run(scene.master(), connected, config, this);
        }

        @Override
        public void progress(long windows, long rowsRead, long bytesRead, double covered) {
            finishing = covered == TokenRange.FULL.width();
        }

        private void shouldHaveReceivedNothing() throws IOException {
            for (MemoryReplica replica : scene.replicas()) {
                replica.reopen();
                assertThat(replica.receivedCount()).as(replica.name()).isZero();
            }
        }

        private void breakSomething() {
            InetAddress follower =
                    SimulatedFollowers.host(1 + random.nextInt(scene.replicas().size() - 1));
            boolean toFollower = random.nextBoolean();
            InetAddress from = toFollower ? SimulatedFollowers.MASTER : follower;
            InetAddress to = toFollower ? follower : SimulatedFollowers.MASTER;
            SimulatedFaults slow = SimulatedFaults.NONE.withDelay(Duration.ZERO, Duration.ofMillis(random.nextInt(20)));
            network.faults(slow);
            Cut cut = Cut.values()[random.nextInt(Cut.values().length)];
            // From the first bytes of the handshake to the last of the repair, or beyond.
            long offset = (long) Math.pow(10, 1 + random.nextDouble() * 3.5);
            switch (random.nextInt(5)) {
                case 0 -> network.faults(from, to, slow.withCut(offset, cut));
                case 1 -> network.faults(from, to, slow.withCutChance(1.0 / offset, cut));
                case 2 -> network.faults(from, to, slow.withCorruptedByte(offset));
                case 3 -> network.faults(from, to, slow.withCorruptedChance(1.0 / offset));
                default -> partition(follower);
            }
        }

        /** One that heals sooner or later: before the peer counts as lost, or after. */
        private void partition(InetAddress follower) {
            Duration start = Duration.ofMillis(random.nextInt(200));
            Duration length = Duration.ofSeconds(random.nextBoolean() ? random.nextInt(15) : random.nextInt(300));
            network.schedule(start, () -> network.partition(SimulatedFollowers.MASTER, follower));
            network.schedule(start.plus(length), () -> network.heal(SimulatedFollowers.MASTER, follower));
        }
    }

    /** Without what names files, counts bytes of the network and takes time. */
    private static RepairReport withoutPlaces(RepairReport report) {
        return new RepairReport(
                List.of(),
                report.replicas().stream()
                        .map(replica -> new RepairReport.ReplicaReport(
                                replica.member(),
                                replica.name(),
                                withoutPlaces(replica.counts()),
                                replica.importDeadlineSeconds(),
                                List.of(),
                                replica.unkept()))
                        .toList(),
                withoutPlaces(report.counts()),
                report.dryRun(),
                report.importDeadlineSeconds(),
                report.notes(),
                report.coveredUntilSeconds(),
                report.gcGraceSeconds(),
                report.cutoffMicros(),
                report.ranges().stream().map(RepairNetworkTest::withoutPlaces).toList());
    }

    private static RangeReport withoutPlaces(RangeReport range) {
        return new RangeReport(
                range.table(),
                range.range(),
                range.rowsCompared(),
                range.rowsDiffering(),
                range.deletionsDiffering(),
                range.replicas().stream()
                        .map(replica -> new RangeReport.Lacking(
                                replica.member(), "", replica.rows(), replica.deletions(), replica.bytes()))
                        .toList());
    }

    private static RepairCounts withoutPlaces(RepairCounts counts) {
        RepairCounts without = counts;
        for (RepairCount count : List.of(
                RepairCount.NETWORK_BYTES,
                RepairCount.PLACE_BYTES,
                RepairCount.READ_NANOS,
                RepairCount.WRITE_NANOS,
                RepairCount.WAIT_NANOS,
                RepairCount.RECONCILE_NANOS)) {
            without = without.with(count, 0);
        }
        return without;
    }
}
