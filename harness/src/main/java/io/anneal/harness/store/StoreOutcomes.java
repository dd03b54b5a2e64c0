package io.anneal.harness.store;

import com.datastax.oss.driver.api.core.DriverException;
import io.anneal.dualdao.cassandra.DriverFailures;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.environment.FutureFailure;
import io.anneal.io.StorageException;
import java.util.concurrent.CancellationException;
import java.util.function.Function;

/**
 * What an exception of the stores in the box says of a write. The dual DAO's own rule goes by names, and can't know that the
 * driver's {@code WriteFailureException}, {@code ClosedConnectionException}, {@code HeartbeatException}, {@code ServerError} and
 * {@code CASWriteUnknownException} leave open whether the write happened; nor that a write that was refused at last may have
 * happened at a node that was asked before; nor that an embedded store doesn't know what of a failed sync lasts.
 */
public final class StoreOutcomes implements Function<Throwable, SideOutcome> {
    @Override
    public SideOutcome apply(Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        boolean open = cause instanceof DriverException ? DriverFailures.isOpen(cause) : isOpenByName(cause);
        return open ? SideOutcome.UNKNOWN : SideOutcome.FAILED;
    }

    private static boolean isOpenByName(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof StorageException
                    || cause instanceof java.io.InterruptedIOException
                    || cause instanceof CancellationException
                    || cause.getClass().getSimpleName().contains("Timeout")) {
                return true;
            }
        }
        return false;
    }
}
