package io.anneal.simulation;

import io.anneal.net.SimulatedFaults;
import io.anneal.net.SimulatedFaults.Cut;
import io.anneal.net.SimulatedNetwork;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** What goes wrong with machines, their disks and the ways between them, until all that is mended at the end. */
abstract class HostFaults {
    private static final List<Operation> OPERATIONS = List.of(
            Operation.WRITE, Operation.FORCE, Operation.CREATE, Operation.RENAME, Operation.LINK, Operation.READ);

    final SimulatedNetwork network;
    final Random random;
    private final List<ReplicaHost> hosts;
    private final AskingHost asker;
    private final Consumer<String> log;
    /** Numbers of the hosts whose disk fails. */
    private final Set<Integer> suffering = new TreeSet<>();
    /** Of these those whose disk may have failed to force: until their machine starts again it promises nothing. */
    private final Set<Integer> untrusted = new TreeSet<>();

    private boolean ended;
    private Optional<AssertionError> wrong = Optional.empty();

    HostFaults(
            SimulatedNetwork network, List<ReplicaHost> hosts, AskingHost asker, Consumer<String> log, Random random) {
        this.network = network;
        this.random = random;
        this.hosts = hosts;
        this.asker = asker;
        this.log = log;
    }

    final boolean hasEnded() {
        return ended;
    }

    /** Whether its disk fails. */
    final boolean suffers(ReplicaHost host) {
        return suffering.contains(host.number());
    }

    final boolean anySuffers() {
        return !suffering.isEmpty();
    }

    /** Its disk fails from now on. */
    final void suffer(ReplicaHost host) {
        suffering.add(host.number());
    }

    /** Its disk may fail to force from now on. */
    final void distrust(ReplicaHost host) {
        suffer(host);
        untrusted.add(host.number());
    }

    /** What happens to a world. */
    interface Action {
        void run() throws IOException;
    }

    /** Sometime before the end, if it is so long till then. */
    final void soon(String what, Action action) {
        later(what, Duration.ofNanos((long) Math.pow(10, 3 + 6 * random.nextDouble())), action);
    }

    final void later(String what, Duration delay, Action action) {
        network.schedule(delay, () -> {
            if (ended || wrong.isPresent()) {
                return;
            }
            log.accept(what);
            try {
                action.run();
            } catch (IOException | RuntimeException | AssertionError e) {
                // It would fail whoever runs events now, and be taken for the failure of what is tried.
                wrong = Optional.of(new AssertionError(what + ": " + e, e));
            }
        });
    }

    final SimulatedFaults slow() {
        return SimulatedFaults.NONE.withDelay(Duration.ZERO, Duration.ofMillis(random.nextInt(50)));
    }

    final Cut anyCut() {
        return Cut.values()[random.nextInt(Cut.values().length)];
    }

    /** Either from one to the other or back. */
    final void breakWay(InetAddress one, InetAddress other) {
        boolean isBack = random.nextBoolean();
        InetAddress from = isBack ? other : one;
        InetAddress to = isBack ? one : other;
        long offset = anyOffset();
        SimulatedFaults slow = slow();
        network.faults(
                from,
                to,
                switch (random.nextInt(4)) {
                    case 0 -> slow.withCut(offset, anyCut());
                    case 1 -> slow.withCutChance(1.0 / offset, anyCut());
                    case 2 -> slow.withCorruptedByte(offset);
                    default -> slow.withCorruptedChance(1.0 / offset);
                });
    }

    /** From the first bytes of the handshake to the last of a repair, or beyond. */
    final long anyOffset() {
        return (long) Math.pow(10, 1 + random.nextDouble() * 4);
    }

    /** One that heals sooner or later: before the peer counts as lost, or after. */
    final void partition(InetAddress one, InetAddress other) {
        if (one.equals(other)) {
            return;
        }
        soon("partition of " + one.getHostAddress() + " and " + other.getHostAddress(), () -> {
            network.partition(one, other);
            network.schedule(
                    Duration.ofSeconds(random.nextBoolean() ? random.nextInt(15) : random.nextInt(300)),
                    () -> network.heal(one, other));
        });
    }

    final void die(ReplicaHost host) throws IOException {
        boolean powerFails = random.nextBoolean() || untrusted.contains(host.number());
        host.die(powerFails ? Optional.of(random.nextLong()) : Optional.empty(), anyCut(), hosts);
        if (random.nextBoolean()) {
            soon("return of " + host, () -> comeBack(host));
        }
    }

    final void comeBack(ReplicaHost host) throws IOException {
        if (host.isDown()) {
            try {
                host.start();
            } catch (IOException badDisk) {
                log.accept(host + " does not come back");
            }
        }
    }

    final void breakDisk(ReplicaHost host) {
        suffer(host);
        if (random.nextInt(3) == 0) {
            host.disk().fillUpAfter(random.nextInt(10_000));
            return;
        }
        Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
        if (operation == Operation.FORCE) {
            distrust(host);
        }
        Fault fault = Fault.on(operation).after((long) Math.pow(10, 2.5 * random.nextDouble()) - 1);
        host.disk().inject(random.nextBoolean() ? fault.times(1) : fault);
    }

    /** Nothing goes wrong any more; who was down or had a bad disk is started again. */
    final void end() throws IOException {
        ended = true;
        if (wrong.isPresent()) {
            throw wrong.get();
        }
        network.faults(SimulatedFaults.NONE);
        List<InetAddress> machines = new ArrayList<>(List.of(asker.host()));
        hosts.forEach(host -> machines.add(host.host()));
        for (InetAddress one : machines) {
            for (InetAddress other : machines) {
                if (!one.equals(other)) {
                    network.faults(one, other, SimulatedFaults.NONE);
                    network.heal(one, other);
                }
            }
        }
        asker.start();
        for (ReplicaHost host : hosts) {
            host.disk().heal();
            if (suffers(host)) {
                boolean powerFails = untrusted.contains(host.number());
                host.die(powerFails ? Optional.of(random.nextLong()) : Optional.empty(), Cut.RESET, hosts);
            }
            if (!host.isRunning()) {
                host.start();
            }
        }
    }
}
