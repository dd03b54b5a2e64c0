package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DriverTimeoutException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class NodeTablesTest {
    @Test
    @Timeout(30)
    void shouldFindTheReasonOfAFailureThatSuppressesWhatItCaused() {
        DriverTimeoutException failure = new DriverTimeoutException("timed out");
        IOException beneath = new IOException("connection refused", failure);
        failure.addSuppressed(beneath);

        assertThat(NodeTables.reason(failure)).isSameAs(beneath);
    }
}
