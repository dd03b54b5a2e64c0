package io.anneal.dualdao.cassandra;

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
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** What exceptions of the Java driver say. */
public final class DriverFailures {
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

    private DriverFailures() {}

    /** Whether what was asked for may have happened all the same. */
    public static boolean isOpen(Throwable failure) {
        boolean open = failure instanceof AllNodesFailedException all
                ? all.getAllErrors().values().stream()
                        .flatMap(Collection::stream)
                        .anyMatch(DriverFailures::isOpen)
                : NOTHING_HAPPENED.stream().noneMatch(type -> type.isInstance(failure));
        return open || earlierErrors(failure).anyMatch(DriverFailures::isOpen);
    }

    private static Stream<Throwable> earlierErrors(Throwable failure) {
        ExecutionInfo execution = failure instanceof DriverException driver ? driver.getExecutionInfo() : null;
        return execution == null
                ? Stream.of()
                : execution.getErrors().stream().map(Map.Entry::getValue).filter(earlier -> earlier != failure);
    }

    /** What a driver's exception comes down to: of the nodes it tried the first one's innermost failure. */
    public static String reason(Throwable failure) {
        Throwable cause = failure;
        String node = "";
        if (failure instanceof AllNodesFailedException all
                && !all.getAllErrors().isEmpty()) {
            var first = all.getAllErrors().entrySet().iterator().next();
            node = first.getKey().getEndPoint() + ": ";
            cause = first.getValue().get(0);
        }
        cause = innermost(cause);
        String text = cause.getMessage() == null ? "" : ": " + cause.getMessage();
        return node + cause.getClass().getSimpleName() + text;
    }

    /**
     * Of a connection that was refused the driver tells what became of its first request, and the refusal beside that. What TLS
     * objects to says more than what lies below it.
     */
    private static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (true) {
            for (Throwable beside : cause.getSuppressed()) {
                if (beside instanceof IOException) {
                    return beside;
                }
            }
            if (cause.getCause() == null || cause instanceof SSLException) {
                return cause;
            }
            cause = cause.getCause();
        }
    }
}
