package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NodeTablesTest {
    /** As by JMX: a busy node does not answer within the driver's two seconds, and a repair should not end by that. */
    @Test
    void shouldGiveANodeAsLongToAnswerAsByOtherWays() {
        Duration limit = Duration.ofSeconds(17);

        try (DriverConfigLoader loader = NodeTables.asFewQuestions(limit)) {
            assertThat(List.of(
                            DefaultDriverOption.REQUEST_TIMEOUT,
                            DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT,
                            DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT,
                            DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT))
                    .allSatisfy(option -> assertThat(loader.getInitialConfig()
                                    .getDefaultProfile()
                                    .getDuration(option))
                            .as(option.getPath())
                            .isEqualTo(limit));
        }
    }
}
