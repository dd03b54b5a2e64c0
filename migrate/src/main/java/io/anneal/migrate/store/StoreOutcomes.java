package io.anneal.migrate.store;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.ConnectionInitException;
import com.datastax.oss.driver.api.core.cql.ExecutionInfo;
import com.datastax.oss.driver.api.core.servererrors.BootstrappingException;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.ReadFailureException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.environment.FutureFailure;
import io.anneal.io.StorageException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What an exception of the stores in the box says of a write. The dual DAO's own rule goes by names, and can't know that the
 * driver's {@code WriteFailureException}, {@code ClosedConnectionException}, {@code HeartbeatException}, {@code ServerError} and
 * {@code CASWriteUnknownException} leave open whether the write happened; nor that a write that was refused at last may have
 * happened at a node that was asked before; nor that an embedded store doesn't know what of a failed sync lasts.
 */
public final class StoreOutcomes implements Function<Throwable, SideOutcome> {
    /** Answers of a node that has done nothing, or of a driver that has sent nothing. Whatever else it is, it is open. */
    private static final List<Class<?>> NOTHING_HAPPENED = List.of(
            UnavailableException.class,
            OverloadedException.class,
            BootstrappingException.class,
            QueryValidationException.class,
            ReadFailureException.class,
            NodeUnavailableException.class,
            BusyConnectionException.class,
            RequestThrottlingException.class,
            AuthenticationException.class,
            ConnectionInitException.class);

    @Override
    public SideOutcome apply(Throwable failure) {
        Throwable cause = FutureFailure.cause(failure);
        boolean open = cause instanceof DriverException ? isOpen(cause) : isOpenByName(cause);
        return open ? SideOutcome.UNKNOWN : SideOutcome.FAILED;
    }

    private static boolean isOpen(Throwable failure) {
        boolean open = failure instanceof AllNodesFailedException all
                ? all.getAllErrors().values().stream()
                        .flatMap(Collection::stream)
                        .anyMatch(StoreOutcomes::isOpen)
                : NOTHING_HAPPENED.stream().noneMatch(type -> type.isInstance(failure));
        return open || earlierErrors(failure).anyMatch(StoreOutcomes::isOpen);
    }

    private static Stream<Throwable> earlierErrors(Throwable failure) {
        ExecutionInfo execution = failure instanceof DriverException driver ? driver.getExecutionInfo() : null;
        return execution == null
                ? Stream.of()
                : execution.getErrors().stream().map(Map.Entry::getValue).filter(earlier -> earlier != failure);
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
