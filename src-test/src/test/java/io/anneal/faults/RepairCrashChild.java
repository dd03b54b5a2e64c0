package io.anneal.faults;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The process that is to be killed in the middle of a repair: a store and two Cassandra directories, while four threads write
 * to the store. Says on its standard output, a line each: {@code A n} the row of key n is acknowledged; {@code P phase} what
 * begins; {@code X text} something failed.
 */
final class RepairCrashChild {
    /** A replica begins to write what it receives. */
    static final String RECEIVES = "receives";
    /** A replica, behind its name, keeps what it received. */
    static final String COMPLETE = "complete ";
    /** It has kept it. */
    static final String COMPLETED = "completed ";
    /** The repair has ended well. */
    static final String DONE = "done";

    static final List<String> REPLICAS = List.of("store", "first", "second");
    static final int BUFFER_BYTES = 64 << 10;

    private static final int WRITERS = 4;
    private static final long WRITE_PERIOD_NANOS = 5_000_000;
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private RepairCrashChild() {}

    /** @param arguments the directory that holds the replicas, which of them is the master, and the first key to write */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        AtomicLong next = new AtomicLong(Long.parseLong(arguments[2]));
        try (Store store = openStore(directory)) {
            Table table = store.table("ks.t");
            for (int i = 0; i < WRITERS; i++) {
                Thread writer = new Thread(() -> write(table, next));
                writer.setDaemon(true);
                writer.start();
            }
            try (StagingArea first = staging(directory, "first");
                    StagingArea second = staging(directory, "second")) {
                repair(directory, store, Integer.parseInt(arguments[1]), first, second);
            }
            say("P " + DONE);
            // Whatever the plan was: the parent ends this process, and the writers with it.
            Runtime.getRuntime().halt(0);
        } catch (IOException | RuntimeException | Error failure) {
            say("X " + String.valueOf(failure).replace('\n', ' '));
            throw failure;
        }
    }

    static Store openStore(Path directory) throws IOException {
        return Store.open(
                directory.resolve("store"),
                StoreConfig.defaults().withShardCount(2).withMemtableBudgetBytes(1 << 20));
    }

    static StagingArea staging(Path directory, String replica) throws IOException {
        return StagingArea.open(
                directory.resolve("staging-" + replica),
                replica,
                HostEnvironment.system().clock());
    }

    static CassandraReplicas cassandra(Path directory, String replica, StagingArea staging) {
        return new CassandraReplicas(
                List.of(directory.resolve(replica).resolve("ks").resolve("t")), Optional.empty(), Optional.of(staging));
    }

    private static void repair(Path directory, Store store, int master, StagingArea first, StagingArea second)
            throws IOException {
        List<ReplicaSource> sources = List.of(
                new StoreReplicas(store), cassandra(directory, "first", first), cassandra(directory, "second", second));
        RepairMember[] members = new RepairMember[sources.size()];
        for (int i = 0; i < members.length; i++) {
            int number = (master + i) % members.length;
            members[i] = RepairMember.here(watched(REPLICAS.get(number), sources.get(number)));
        }
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            Repair.of("ks.t")
                    .between(members)
                    .range(TokenRange.FULL)
                    .bufferBytes(BUFFER_BYTES)
                    .run(new RepairEnvironment(HostEnvironment.system(), executor, ByteBudget.of(64 << 20)));
        } finally {
            executor.shutdown();
        }
    }

    /** The same, but it says when what was received is kept. */
    private static ReplicaSource watched(String name, ReplicaSource source) {
        return (keyspace, table, staged) -> {
            Replica replica = source.open(keyspace, table, staged);
            return proxy(Replica.class, replica, (method, call) -> {
                Object result = call.run();
                return method.getName().equals("receive")
                        ? proxy(Receiving.class, (Receiving) result, (step, complete) -> {
                            boolean completes = step.getName().equals("complete");
                            if (completes) {
                                say("P " + COMPLETE + name);
                            } else if (step.getName().equals("newWriter")) {
                                say("P " + RECEIVES);
                            }
                            Object deadline = complete.run();
                            if (completes) {
                                say("P " + COMPLETED + name);
                            }
                            return deadline;
                        })
                        : result;
            });
        };
    }

    private interface Call {
        Object run() throws Throwable;
    }

    private interface Around {
        Object run(Method method, Call call) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, T behind, Around around) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> around.run(method, () -> {
                    try {
                        return method.invoke(behind, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                })));
    }

    private static void write(Table table, AtomicLong next) {
        try {
            while (true) {
                long k = next.getAndIncrement();
                table.row().key("k", k).set("v", ByteBuffer.allocate(100)).insert();
                say("A " + k);
                // More of them would only keep the repair busy.
                LockSupport.parkNanos(WRITE_PERIOD_NANOS);
            }
        } catch (IOException | RuntimeException | Error failure) {
            say("X " + String.valueOf(failure).replace('\n', ' '));
        }
    }

    /** One call of write, so that a line is there whole or not at all. */
    private static synchronized void say(String line) {
        try {
            OUT.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // Nobody listens any more.
            Runtime.getRuntime().halt(1);
        }
    }
}
