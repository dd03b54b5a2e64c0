package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.phase.Agreement;
import io.anneal.dualdao.stats.DualStats;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What the routes of all operations share.
 *
 * @param ordered whether writes to a key wait for each other
 * @param agreement asked before a copy takes anything away; may block
 */
record EngineParts<D>(
        DualConfig<D> config,
        DualStats stats,
        Outcomes outcomes,
        WriteTimes times,
        KeyOrder order,
        boolean ordered,
        DirtyKeys dirty,
        KeyCopies<D> copies,
        Background background,
        SerialLanes lanes,
        Repairs<D> repairs,
        Batches batches,
        ScheduledExecutorService scheduler,
        Supplier<Agreement> agreement) {}
