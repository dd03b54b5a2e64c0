package io.anneal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TableSchemaBuilderTest {
    private static TableSchema.Builder orders() {
        return TableSchema.builder("shop", "orders").partitionKey("customer", "int");
    }

    @Test
    void shouldBuildWhatTextDescribes() {
        LinkedHashMap<String, String> address = new LinkedHashMap<>();
        address.put("street", "text");
        address.put("number", "int");
        TableSchema built = orders().partitionKey("region", "ascii")
                .clusteringDescending("placed", "timestamp")
                .clustering("line", "SMALLINT")
                .staticColumn("name", "varchar")
                .userType("address", address)
                .column("home", "address")
                .column("work", "frozen<shop.address>")
                .column("tags", "map<text, frozen<list<int>>>")
                .options(TableOptions.DEFAULTS
                        .withGcGraceSeconds(3600)
                        .withDefaultTimeToLiveSeconds(60)
                        .withCompression(Map.of("class", "ZstdCompressor"))
                        .withCompaction(Map.of("class", "SizeTieredCompactionStrategy"))
                        .with("comment", "x"))
                .build();

        String text = "CREATE TYPE shop.address (street text, number int);"
                + "CREATE TABLE shop.orders (customer int, region ascii, placed timestamp, line smallint,"
                + " name text static, home address, work frozen<address>, tags map<text, frozen<list<int>>>,"
                + " PRIMARY KEY ((customer, region), placed, line))"
                + " WITH CLUSTERING ORDER BY (placed DESC, line ASC) AND gc_grace_seconds = 3600"
                + " AND default_time_to_live = 60 AND comment = 'x' AND compression = {'class': 'ZstdCompressor'}"
                + " AND compaction = {'class': 'SizeTieredCompactionStrategy'}";
        assertThat(built)
                .isEqualTo(CqlSchema.parse(text, "text").tables().iterator().next());
        assertThat(CqlSchema.parse(SchemaText.print(built), "text").tables()).containsExactly(built);
    }

    @Test
    void shouldNameTheTypeThatIsNone() {
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> orders().column("v", "integer"))
                .withMessage("type:1:1: unknown type, type=shop.integer");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> orders().column("v", "int text"))
                .withMessageContaining("type=int text");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> orders().column("v", "set<"))
                .withMessageContaining("type:1:");
        assertThatExceptionOfType(SchemaException.class)
                .isThrownBy(() -> orders().column("v", "set<list<int>>"))
                .withMessageContaining("must be frozen");
    }
}
