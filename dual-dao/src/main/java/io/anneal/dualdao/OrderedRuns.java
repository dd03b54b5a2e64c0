package io.anneal.dualdao;

import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.BulkOrders;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes up orders for work on all keys, one at a time, on a thread of its own. Any thread may call. */
final class OrderedRuns {
    private static final Logger LOG = LoggerFactory.getLogger(OrderedRuns.class);

    private static final ShadowConfig ONE_THREAD = new ShadowConfig(1, 1);

    private final DualDao<?> dual;
    private final ExecutorService thread;
    private final BulkOrders orders;
    private final AtomicBoolean running = new AtomicBoolean();

    OrderedRuns(DualDao<?> dual) {
        this.dual = dual;
        thread = dual.environment().threads().shadow(ONE_THREAD);
        orders = new BulkOrders(dual.control());
    }

    /** Whether an order could be taken up now. */
    boolean free(Phase phase) {
        return phase.writes(Side.TARGET) && phase.writes(Side.ORIGIN) && !running.get();
    }

    /** Looks whether there is one for this instance among all notes. */
    void look(List<PhaseNote> notes) {
        orders.due(dual.instance(), notes).ifPresent(order -> {
            if (running.compareAndSet(false, true)) {
                thread.execute(() -> run(order));
            }
        });
    }

    private void run(BulkOrders.Order order) {
        LOG.info(
                "work on all keys begins, as ordered, kind={}, name={}, who={}",
                order.kind(),
                dual.name(),
                order.who());
        try {
            List<KeySource<Object>> keys = dual.config.keys;
            KeyRun<Object> run =
                    order.kind() == PhaseNote.Kind.BACKFILL ? dual.backfill(keys.get(0)) : dual.verifyAll(keys);
            if (order.keysPerSecond() > 0) {
                run.keysPerSecond(order.keysPerSecond());
            }
            run.order = order.id();
            run.who(order.who()).repair(order.repairs()).run();
        } catch (InterruptedException ending) { // the order stays, and with it where the run stopped
            Thread.currentThread().interrupt();
        } catch (RuntimeException
                | Error e) { // of the caller's sources and copies, too, as of a class that can't be loaded
            boolean again = dual.closed() || e instanceof KeyRunException early && early.isTooEarly();
            if (!again) {
                fail(order, e);
            }
        } finally {
            running.set(false);
        }
    }

    /** Tells why: else it would be tried again for ever. */
    private void fail(BulkOrders.Order order, Throwable failure) {
        String reason = failure instanceof Error ? failure.toString() : String.valueOf(failure.getMessage());
        LOG.warn("work on all keys failed, kind={}, name={}", order.kind(), dual.name(), failure);
        try {
            boolean refused = failure instanceof KeyRunException known && known.isRefused();
            orders.failed(order, dual.instance(), reason, refused);
        } catch (PhaseStoreException lost) {
            LOG.warn("phase store can't be told, name={}, reason={}", dual.name(), lost.getMessage());
        }
    }

    /** Leaves the order to others, or to the next run of this instance. */
    void close() {
        thread.shutdownNow();
    }
}
