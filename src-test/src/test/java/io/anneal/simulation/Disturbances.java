package io.anneal.simulation;

import io.anneal.io.ByteBudget;
import io.anneal.net.SimulatedFaults.Cut;
import io.anneal.sstable.Component;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** What goes wrong, and what else goes on, while a repair runs; until it has ended. */
final class Disturbances extends HostFaults {
    /** Of a few SSTables. */
    private static final int RENAMES_MAX = 20;
    /** Less than it takes to ask for a file. */
    private static final Duration LOOKS_EVERY = Duration.ofNanos(100_000);
    /** A tenth of a second: most transfers with nothing in their way. */
    private static final int LOOKS_MAX = 1_000;

    private final RepairCampaign campaign;
    private final RepairWorld world;
    private final boolean streams;

    /** @param streams whether they meet a transfer, which hurts most where it writes and when its source rewrites */
    Disturbances(RepairCampaign campaign, RepairWorld world, Random random, boolean streams) {
        super(world.network(), world.hosts(), world.asker(), world::log, random);
        this.streams = streams;
        this.campaign = campaign;
        this.world = world;
    }

    /** One more, mostly where the repair is. */
    void add(RepairWorld.Wanted wanted) {
        if (wanted.isAsked() && random.nextInt(3) == 0) {
            disturbAsker(wanted);
            return;
        }
        List<ReplicaHost> repaired = wanted.hosts();
        if (campaign.alters() && random.nextInt(3) == 0) {
            alterTable();
            return;
        }
        if (campaign.timeMayPass() && random.nextInt(3) == 0) {
            soon("time", () -> passTime(repaired));
            return;
        }
        ReplicaHost host = anyOf(repaired);
        switch (random.nextInt(streams ? 15 : 17)) {
            case 0 -> network.faults(slow());
            case 1, 2 -> breakWay(repaired);
            case 3 -> partition(repaired.get(0).host(), host.host());
            case 4 -> soon("cut", () -> network.cut(repaired.get(0).host(), host.host(), anyCut()));
            case 5 -> soon("death of " + host, () -> die(host));
            case 6 -> soon("bad disk of " + host, () -> breakDisk(host));
            case 7 -> soon("no room at " + host, () -> beBusy(host));
            case 8, 9 -> soon("life at " + host, () -> live(host));
            case 10 -> soon("another repair", this::repair);
            default -> {
                if (streams) {
                    addToTransfer(repaired);
                } else {
                    addToRepair(repaired, host);
                }
            }
        }
    }

    /** Bytes break on the way to or from a host, whatever else is late, and a host dies: the same one or another. */
    void addCorruptionAndDeath(RepairWorld.Wanted wanted) {
        List<ReplicaHost> repaired = wanted.hosts();
        network.faults(slow());
        ReplicaHost follower = repaired.get(1 + random.nextInt(repaired.size() - 1));
        boolean isBack = random.nextBoolean();
        InetAddress from = (isBack ? follower : wanted.master()).host();
        InetAddress to = (isBack ? wanted.master() : follower).host();
        network.faults(from, to, slow().withCorruptedChance(1.0 / anyOffset()));
        ReplicaHost dying = anyOf(repaired);
        if (random.nextBoolean()) {
            soon("death among corrupted bytes of " + dying, () -> die(dying));
        } else {
            whenKept(anyOf(repaired), "death among corrupted bytes of " + dying, () -> die(dying));
        }
    }

    /** Between the one who asked for the repair and the master that does it. */
    private void disturbAsker(RepairWorld.Wanted wanted) {
        AskingHost asker = world.asker();
        ReplicaHost master = wanted.master();
        switch (random.nextInt(5)) {
            case 0 -> soon("death of the asker", () -> asker.die(anyCut(), world.hosts()));
            case 1 -> whenKept(anyOf(wanted.hosts()), "death of the asker", () -> asker.die(anyCut(), world.hosts()));
            case 2 -> soon("cut", () -> network.cut(asker.host(), master.host(), anyCut()));
            case 3 -> breakWay(asker.host(), master.host());
            default -> partition(asker.host(), master.host());
        }
    }

    private void addToTransfer(List<ReplicaHost> all) {
        switch (random.nextInt(4)) {
            case 0 -> soon("bad disk of " + all.get(0), () -> breakDisk(all.get(0)));
            case 1 -> soon("death of " + all.get(0), () -> die(all.get(0)));
            default -> lose(all.get(1 + random.nextInt(all.size() - 1)), all.get(0));
        }
    }

    private void addToRepair(List<ReplicaHost> repaired, ReplicaHost host) {
        if (random.nextInt(3) > 0 && world.hosts().stream().allMatch(StoreHost.class::isInstance)) {
            soon("truncation", this::truncateEverywhere);
        } else {
            failLastStep(repaired, host);
        }
    }

    /** Some that repair purge what is old enough now. */
    private void passTime(List<ReplicaHost> repaired) throws IOException {
        campaign.passSomeTime();
        for (ReplicaHost host : repaired) {
            if (host.isRunning() && !suffers(host) && random.nextBoolean()) {
                world.compact(host);
            }
        }
    }

    /** Reaches one host after the other; a repair may meet both tables. */
    private void alterTable() {
        int reached = 1 + random.nextInt(world.hosts().size());
        for (ReplicaHost host : world.hosts().subList(0, reached)) {
            soon("alteration at " + host, () -> {
                if (host.isRunning() && !host.isAltered() && !suffers(host)) {
                    world.alter(host);
                }
            });
        }
    }

    /** Which needs all of them. */
    private void truncateEverywhere() throws IOException {
        if (!anySuffers() && world.hosts().stream().allMatch(ReplicaHost::isRunning)) {
            world.truncateEverywhere();
        }
    }

    /** The same of any of them. */
    void failLastStep(RepairWorld.Wanted wanted) {
        failLastStep(wanted.hosts(), anyOf(wanted.hosts()));
    }

    /** When one of those that repair makes an SSTable of what it received, another one is lost, or its own disk is. */
    private void failLastStep(List<ReplicaHost> repaired, ReplicaHost first) {
        ReplicaHost other = anyOf(repaired);
        switch (random.nextInt(4)) {
            case 0 -> {
                distrust(first);
                Operation[] last = {Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME};
                first.disk().inject(Fault.on(last[random.nextInt(last.length)]).named(Disturbances::isLastOfSSTable));
            }
            case 1 -> whenKept(first, "bad disk of " + other, () -> breakDisk(other));
            case 2 -> whenKept(first, "death of " + other, () -> die(other));
            default -> whenKept(first, "cut", () -> network.cut(repaired.get(0).host(), other.host(), anyCut()));
        }
    }

    private static boolean isLastOfSSTable(String name) {
        return name.endsWith(Component.TOC.fileSuffix());
    }

    /** As soon as the next SSTable of a host has its name, of those that the simulation's own threads make. */
    private void whenKept(ReplicaHost host, String what, Action action) {
        AtomicBoolean seen = new AtomicBoolean();
        host.disk().inject(Fault.on(Operation.RENAME).named(name -> {
            if (network.isTurn() && isLastOfSSTable(name) && seen.compareAndSet(false, true)) {
                later(what + " when " + host + " keeps something", Duration.ZERO, action);
            }
            return false;
        }));
    }

    /** The process of a repair, which is its master's too, or asked it. */
    void kill(ResumedRepair repair) {
        boolean atEnd = random.nextInt(4) == 0;
        ReplicaHost master = repair.wanted().master();
        Action death = () -> {
            Optional<Long> powerSeed = random.nextBoolean() ? Optional.of(random.nextLong()) : Optional.empty();
            repair.die(powerSeed);
            if (repair.wanted().isAsked()) {
                world.asker().die(anyCut(), world.hosts());
            } else {
                master.die(powerSeed, anyCut(), world.hosts());
            }
        };
        if (atEnd) {
            whenKept(anyOf(repair.wanted().hosts()), "death of the repair", death);
        } else {
            soon("death of the repair", death);
        }
    }

    private ReplicaHost anyOf(List<ReplicaHost> hosts) {
        return hosts.get(random.nextInt(hosts.size()));
    }

    private void breakWay(List<ReplicaHost> repaired) {
        breakWay(
                repaired.get(0).host(),
                repaired.get(1 + random.nextInt(repaired.size() - 1)).host());
    }

    /**
     * A transfer loses its source when some of it has got its names at the target: for good, or it is not what it was when the
     * target asks again.
     */
    void lose(ReplicaHost source, ReplicaHost target) {
        boolean forGood = random.nextBoolean();
        long renames = target.disk().count(Operation.RENAME) + 1 + random.nextInt(RENAMES_MAX);
        look(LOOKS_MAX, () -> target.disk().count(Operation.RENAME) >= renames, "loss of " + source, () -> {
            network.cut(source.host(), target.host(), Cut.RESET);
            network.cut(target.host(), source.host(), Cut.RESET);
            if (forGood) {
                source.die(Optional.empty(), Cut.RESET, world.hosts());
            } else if (source.isRunning() && !suffers(source)) {
                world.compact(source);
            }
        });
    }

    /** Does it once this holds, if that is soon. */
    private void look(int times, BooleanSupplier condition, String what, Action action) {
        network.schedule(LOOKS_EVERY, () -> {
            if (!hasEnded() && condition.getAsBoolean()) {
                later(what, Duration.ZERO, action);
            } else if (!hasEnded() && times > 1) {
                look(times - 1, condition, what, action);
            }
        });
    }

    /** For a while there is no room for another session. */
    private void beBusy(ReplicaHost host) {
        ByteBudget budget = host.budget();
        long bytes = budget.lastingBytes() - budget.reservedBytes();
        if (bytes > 0 && budget.tryReserveLasting(bytes)) {
            network.schedule(Duration.ofMillis(random.nextInt(30_000)), () -> budget.release(bytes));
        }
    }

    private void live(ReplicaHost host) throws IOException {
        if (!host.isRunning() || suffers(host)) {
            return;
        }
        if (random.nextInt(3) == 0 && (host instanceof StoreHost || !streams)) {
            campaign.lose(host);
        } else if (host instanceof StoreHost && random.nextBoolean()) {
            campaign.write(host);
        } else {
            campaign.chore(host);
        }
    }

    private void repair() throws IOException {
        RepairWorld.Wanted wanted = campaign.anyWanted();
        boolean up = wanted.hosts().stream().allMatch(host -> host.isRunning() && !suffers(host));
        if (up) {
            campaign.repair(wanted);
        }
    }
}
