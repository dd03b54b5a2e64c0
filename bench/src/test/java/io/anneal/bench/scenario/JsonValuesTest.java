package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class JsonValuesTest {
    private static final String JSON = "{\"tables\": [{\"rows\": 3, \"inner\": {\"rows\": 4}}], \"from\": \"rows\"}";

    @Test
    void shouldFindFieldsWhereverTheyAre() throws IOException {
        assertThat(JsonValues.numbers(JSON, "rows")).containsExactly(3L, 4L);
        assertThat(JsonValues.of(JSON, "from")).containsExactly("rows");
    }

    /** No field is not zero: else a command that tells nothing would have moved nothing. */
    @Test
    void shouldFailWhereNothingIsTold() {
        assertThatThrownBy(() -> JsonValues.numbers(JSON, "moved"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("moved");
        assertThatThrownBy(() -> JsonValues.of("error: no agent", "rows")).isInstanceOf(IOException.class);
    }
}
