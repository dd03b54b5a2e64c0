package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.net.SimulatedNetwork;
import io.anneal.paging.Consistency;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Stores of a ring on a simulated network that serve pages of one table, and beside them what it has held from each change to the
 * next. Every owner takes each change; one that is down takes it before anybody hears of it again, and one that lags some time, where
 * the consistency of the readings makes up for it.
 */
final class PagingWorld implements AutoCloseable {
    /** By then who asks has noticed who was gone. */
    private static final Duration NOTICED = Duration.ofMinutes(2);

    private static final List<String> ZERO_AT_THE_END = List.of(
            "paging.querier_cache_population",
            "paging.active_reads",
            "paging.reads_memory_consumption",
            "paging.multishard_query_failed_reader_saves",
            "paging.multishard_query_failed_reader_stops");

    private final ReplicaHost.Setting setting;
    private final List<StoreHost> hosts;
    private final Ownership ownership;
    private final AskingHost asker;
    private final ShownHistory history;
    private final List<Consistency> levels;
    private final List<String> log = new ArrayList<>();
    /** What the clock has shown. */
    private final List<Long> seconds = new ArrayList<>();

    private ReplicaViews views;
    private boolean isAltered;

    PagingWorld(ReplicaHost.Setting setting, List<StoreHost> hosts, Ownership ownership, List<Consistency> levels)
            throws IOException {
        this.setting = setting;
        this.hosts = List.copyOf(hosts);
        this.ownership = ownership;
        this.levels = List.copyOf(levels);
        history = new ShownHistory(setting.schema());
        views = new ReplicaViews(setting.schema(), setting.clock(), false);
        asker = new AskingHost(setting.network());
        asker.start();
        for (StoreHost host : hosts) {
            host.start();
        }
        tick();
    }

    SimulatedNetwork network() {
        return setting.network();
    }

    ReplicaHost.Setting setting() {
        return setting;
    }

    List<ReplicaHost> hosts() {
        return List.copyOf(hosts);
    }

    List<StoreHost> stores() {
        return hosts;
    }

    Ownership ownership() {
        return ownership;
    }

    AskingHost asker() {
        return asker;
    }

    /** How many owners those may read who read. */
    List<Consistency> levels() {
        return levels;
    }

    /** Whether what several owners hold may be put together to a page. */
    boolean isMerged() {
        return !levels.equals(List.of(Consistency.ONE));
    }

    ShownHistory history() {
        return history;
    }

    /** Of the table, once all hosts have it so. */
    TableSchema schema() {
        return isAltered ? setting.change().orElseThrow().after() : setting.schema();
    }

    /** What happened, in order; the same for the same seed. */
    List<String> log() {
        return log;
    }

    void log(String line) {
        log.add(line + ", version=" + history.latest() + ", nanos=" + network().nanoTime());
    }

    // Time.

    private void tick() {
        seconds.add(nowSeconds());
    }

    long nowSeconds() {
        return setting.clock().instant().getEpochSecond();
    }

    /** How often the clock has moved. */
    int ticks() {
        return seconds.size() - 1;
    }

    /** What the clock has shown since it moved so often. */
    Set<Long> secondsSince(int tick) {
        return new LinkedHashSet<>(seconds.subList(tick, seconds.size()));
    }

    void passTime(Duration time) {
        setting.clock().advance(time);
        tick();
        log("time passed, seconds=" + time.toSeconds());
    }

    // Changes. None is made while a host starts or ends: it would be half a change.

    private boolean isSteady() {
        return hosts.stream().allMatch(host -> host.isRunning() || host.isDown());
    }

    private boolean isBeingAltered() {
        return !isAltered && hosts.stream().anyMatch(ReplicaHost::isAltered);
    }

    void write(FragmentList draw) throws IOException {
        if (!isSteady() || isBeingAltered()) {
            return;
        }
        FragmentList written = isAltered ? setting.change().orElseThrow().asWritten(draw) : draw;
        for (StoreHost host : hosts) {
            FragmentList owned = views.within(written, ownership.of(host));
            host.take(taking -> taking.write(owned));
        }
        history.write(written);
        log("write");
    }

    /** One of the owners takes what is written only later: nobody misses it for that who reads more than half of them. */
    void lag(StoreHost host) throws IOException {
        boolean isAlone = ownership.sets().stream().anyMatch(set -> set.owners().size() == 1);
        if (!levels.contains(Consistency.ONE) && !isAlone && isSteady()) {
            catchUp();
            host.lag();
            log("lag of " + host);
        }
    }

    void catchUp() throws IOException {
        for (StoreHost host : hosts) {
            host.catchUp();
        }
    }

    /** As the statement does, which needs all of them. */
    void truncate() throws IOException {
        if (hosts.stream().allMatch(ReplicaHost::isRunning)) {
            catchUp();
            for (StoreHost host : hosts) {
                host.truncate();
            }
            history.truncate();
            log("truncated everywhere");
        }
    }

    /** Reaches one host; those that are down hear of it when they are back, and once all have it the table is another one. */
    void alter(StoreHost host) throws IOException {
        if (!isSteady() || isAltered || setting.change().isEmpty() || host.isAltered()) {
            return;
        }
        catchUp();
        if (host.isRunning()) {
            host.alter();
            log("alteration of " + host);
        }
        if (hosts.stream().noneMatch(running -> running.isRunning() && !running.isAltered())) {
            for (StoreHost down : hosts) {
                down.take(ReplicaHost::alter);
            }
            isAltered = true;
            history.alter(schema());
            views = new ReplicaViews(schema(), setting.clock(), false);
            log("alteration is everywhere");
        }
    }

    /** Ends an alteration that has begun. */
    void alterAll() throws IOException {
        if (isBeingAltered()) {
            for (StoreHost host : hosts) {
                alter(host);
            }
        }
    }

    /** Everybody is up again and has noticed what happened. */
    void settle() throws IOException {
        asker.start();
        for (StoreHost host : hosts) {
            if (!host.isRunning()) {
                host.start();
            }
        }
        catchUp();
        network().runFor(NOTICED);
        log("settled");
    }

    /** Nobody reads any more, and what was kept for who might have gone on is gone. */
    void shouldEndWithNothingHeld() throws IOException {
        network().runFor(NOTICED);
        for (StoreHost host : hosts) {
            Map<String, Number> counts = host.pageCounts();
            for (String name : ZERO_AT_THE_END) {
                assertThat(counts.get(name).longValue())
                        .as("%s of %s", name, host)
                        .isZero();
            }
        }
        asker.close();
        assertThat(asker.budget().reservedBytes())
                .as("bytes reserved by the asker")
                .isZero();
        for (StoreHost host : hosts) {
            host.shouldEndWithNothingHeld();
        }
        network().runUntilIdle();
        assertThat(network().bufferBytes()).as("bytes in buffers").isZero();
    }

    @Override
    public void close() throws IOException {
        asker.close();
        for (StoreHost host : hosts) {
            host.close();
        }
    }
}
