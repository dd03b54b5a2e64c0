package io.anneal.bench.scenario;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Long links, which stay until those who speak over them are gone: else they would tell of a lost connection. One thread. */
final class DelayProxies implements Closeable {
    private final long delayNanos;
    private final LongSupplier nanoTime;
    private final List<DelayProxy> proxies = new ArrayList<>();

    /** @param delayNanos of each way */
    DelayProxies(long delayNanos, LongSupplier nanoTime) {
        this.delayNanos = delayNanos;
        this.nanoTime = nanoTime;
    }

    /** Where to connect to in the place of the target. */
    InetSocketAddress to(InetSocketAddress target) throws IOException {
        DelayProxy proxy = DelayProxy.to(target, delayNanos, nanoTime);
        proxies.add(proxy);
        return proxy.address();
    }

    @Override
    public void close() throws IOException {
        for (DelayProxy proxy : proxies) {
            proxy.close();
        }
    }
}
