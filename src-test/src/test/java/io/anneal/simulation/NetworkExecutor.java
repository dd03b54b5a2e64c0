package io.anneal.simulation;

import io.anneal.net.SimulatedNetwork;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** Stands for a thread of a simulated machine: what it is given is done before the giver goes on, what is to be done later in time. */
final class NetworkExecutor extends TimedExecutor {
    private final SimulatedNetwork network;

    NetworkExecutor(SimulatedNetwork network) {
        this.network = network;
    }

    @Override
    long nanos() {
        return network.nanoTime();
    }

    @Override
    void after(long delayNanos, Runnable work) {
        network.scheduleTimer(Duration.ofNanos(delayNanos), work);
    }

    @Override
    public void execute(Runnable work) {
        if (isShutdown()) {
            throw new RejectedExecutionException("executor is shut down");
        }
        work.run();
    }
}
