package io.anneal.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.DefaultWriteType;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import com.datastax.oss.driver.api.core.servererrors.ServerError;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import com.datastax.oss.driver.api.core.servererrors.WriteFailureException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.io.StorageException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class StoreOutcomesTest {
    private static void assertOutcome(SideOutcome expected, Throwable failure) {
        assertThat(new StoreOutcomes().apply(failure)).as(failure.toString()).isEqualTo(expected);
        assertThat(new StoreOutcomes().apply(new CompletionException(failure))).isEqualTo(expected);
    }

    @Test
    void shouldKnowWhenNothingHappened() {
        assertOutcome(SideOutcome.FAILED, new UnavailableException(null, ConsistencyLevel.QUORUM, 2, 1));
        assertOutcome(SideOutcome.FAILED, new OverloadedException(null));
        assertOutcome(SideOutcome.FAILED, new InvalidQueryException(null, "no such table"));
        assertOutcome(SideOutcome.FAILED, new NoNodeAvailableException());
        assertOutcome(SideOutcome.FAILED, new InjectedFailureException("x"));
        assertOutcome(SideOutcome.FAILED, new IllegalStateException("closed"));
    }

    @Test
    void shouldKnowWhenItIsOpenWhatHappened() {
        ConsistencyLevel quorum = ConsistencyLevel.QUORUM;
        assertOutcome(SideOutcome.UNKNOWN, new DriverTimeoutException("late"));
        assertOutcome(SideOutcome.UNKNOWN, new WriteTimeoutException(null, quorum, 1, 2, DefaultWriteType.SIMPLE));
        assertOutcome(
                SideOutcome.UNKNOWN,
                new WriteFailureException(null, quorum, 1, 2, DefaultWriteType.SIMPLE, 1, Map.of()));
        assertOutcome(SideOutcome.UNKNOWN, new ClosedConnectionException("closed"));
        assertOutcome(SideOutcome.UNKNOWN, new ServerError(null, "oops"));
        assertOutcome(SideOutcome.UNKNOWN, new InjectedTimeoutException("x"));
        assertOutcome(SideOutcome.UNKNOWN, new StorageException("sync failed", Path.of("f"), new IOException("disk")));
    }

    /** A write that was refused by one node may have been done by the node that was asked before. */
    @Test
    void shouldLookAtAllNodesThatWereAsked() {
        UnavailableException refused = new UnavailableException(null, ConsistencyLevel.QUORUM, 2, 1);
        assertOutcome(SideOutcome.FAILED, AllNodesFailedException.fromErrors(List.of(at("a", refused))));
        assertOutcome(
                SideOutcome.UNKNOWN,
                AllNodesFailedException.fromErrors(
                        List.of(at("a", new ClosedConnectionException("closed")), at("b", refused))));
    }

    private static Map.Entry<Node, Throwable> at(String name, Throwable error) {
        Node node = (Node) Proxy.newProxyInstance(
                StoreOutcomesTest.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> name.hashCode();
                    case "equals" -> proxy == arguments[0];
                    default -> name;
                });
        return Map.entry(node, error);
    }
}
