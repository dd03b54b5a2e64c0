package io.anneal.simulation;

import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Random;

/** What goes wrong, and what else goes on, while pages are read. */
final class PagingFaults extends HostFaults {
    private static final int READS_MAX = 50;

    private final PagingCampaign campaign;
    private final PagingWorld world;
    private boolean hurts;

    PagingFaults(PagingCampaign campaign, PagingWorld world, Random random) {
        super(world.network(), world.hosts(), world.asker(), world::log, random);
        this.campaign = campaign;
        this.world = world;
    }

    /** Whether a page may fail now. */
    boolean hurts() {
        return hurts;
    }

    private StoreHost any() {
        List<StoreHost> hosts = world.stores();
        return hosts.get(random.nextInt(hosts.size()));
    }

    /** One more thing that happens sometime while pages are read, and harms nobody. */
    void addLife() {
        StoreHost host = any();
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> soon("write meanwhile", campaign::write);
            case 3 -> soon("flush at " + host, () -> live(host, StoreHost::flush));
            case 4 -> soon("compaction at " + host, () -> live(host, StoreHost::compact));
            case 7 -> soon("lag", () -> world.lag(host));
            case 8 -> soon("catching up", world::catchUp);
            case 5 -> soon("time", campaign::passTime);
            case 6 ->
                soon("truncation", () -> {
                    if (!anySuffers()) {
                        world.truncate();
                    }
                });
            default -> {
                if (world.setting().change().isPresent()) {
                    hurts = true;
                    alter();
                }
            }
        }
    }

    /** Reaches one host after the other, and may not reach all. */
    private void alter() {
        int reached = random.nextInt(world.stores().size() + 1);
        for (StoreHost host : world.stores().subList(0, reached)) {
            soon("alteration at " + host, () -> {
                if (!anySuffers()) {
                    world.alter(host);
                }
            });
        }
    }

    private interface Life {
        void live(StoreHost host) throws IOException;
    }

    private void live(StoreHost host, Life life) throws IOException {
        if (host.isRunning() && !suffers(host)) {
            life.live(host);
        }
    }

    /** One more thing that goes wrong. */
    void add() {
        hurts = true;
        StoreHost host = any();
        InetAddress asker = world.asker().host();
        switch (random.nextInt(10)) {
            case 0 -> network.faults(slow());
            case 1, 2 -> breakWay(asker, host.host());
            case 3 -> partition(asker, host.host());
            case 4 -> soon("cut", () -> network.cut(asker, host.host(), anyCut()));
            case 5, 6 -> soon("death of " + host, () -> die(host));
            case 7 -> soon("bad disk of " + host, () -> breakReads(host));
            case 8 -> soon("death of the asker", () -> world.asker().die(anyCut(), world.hosts()));
            default -> soon("restart of " + host, () -> restart(host));
        }
    }

    private void breakReads(StoreHost host) {
        suffer(host);
        Fault fault = Fault.on(Operation.READ).after(random.nextInt(READS_MAX));
        host.disk().inject(random.nextBoolean() ? fault.times(1) : fault);
    }

    /** With another number of shards. */
    private void restart(StoreHost host) throws IOException {
        if (host.isRunning() && !suffers(host)) {
            host.stop();
            comeBack(host);
        }
    }
}
