package io.anneal.dualdao.config;

import io.anneal.dualdao.control.PhaseControl;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a dual DAO, and what walks it through its phases, takes from outside: time and threads.
 *
 * @param clock for records, heartbeats and write times
 * @param nanoTime for measuring, as {@link System#nanoTime()}
 * @param sleeper waits in that time
 * @param threads where its work runs
 */
public record DualEnvironment(
        InstantSource clock, LongSupplier nanoTime, PhaseControl.Sleeper sleeper, Threads threads) {
    /** Gives out executors; the dual DAO shuts them down. */
    public interface Threads {
        /** For polling the phase, heartbeats, time limits, the journal. Its tasks are short; it should forget those that are cancelled. */
        ScheduledExecutorService scheduler();

        /**
         * For what runs beside calls; throws {@link java.util.concurrent.RejectedExecutionException} when full, and gives back from
         * {@link ExecutorService#shutdownNow} what it was given and never began.
         */
        ExecutorService shadow(ShadowConfig config);

        /** For what a caller waits for on a thread that is not its own: begins each task at once, however many there are. */
        default ExecutorService handOff() {
            return new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), daemon("anneal-dual-handoff"));
        }
    }

    /** The machine's time, and daemon threads. */
    public static DualEnvironment system() {
        return new DualEnvironment(Clock.systemUTC(), System::nanoTime, PhaseControl.Sleeper.THREAD, new Threads() {
            @Override
            public ScheduledExecutorService scheduler() {
                ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1, daemon("anneal-dual"));
                scheduler.setRemoveOnCancelPolicy(true);
                return scheduler;
            }

            @Override
            public ExecutorService shadow(ShadowConfig config) {
                return new ThreadPoolExecutor(
                        config.threads(),
                        config.threads(),
                        1,
                        TimeUnit.MINUTES,
                        new ArrayBlockingQueue<>(config.queueLength()),
                        daemon("anneal-dual-shadow"));
            }
        });
    }

    /** Returns the same with other clocks, of the same time. */
    public DualEnvironment withClocks(InstantSource otherClock, LongSupplier otherNanoTime) {
        return new DualEnvironment(otherClock, otherNanoTime, sleeper, threads);
    }

    /** A name that no other instance has, and that tells a person where it runs. */
    public static String newInstanceName() {
        String unique = UUID.randomUUID().toString().substring(0, 8);
        return hostName() + "-" + ProcessHandle.current().pid() + "-" + unique;
    }

    /** A name that no other journal has. */
    public static String newJournalId() {
        return UUID.randomUUID().toString();
    }

    public static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    private static ThreadFactory daemon(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
