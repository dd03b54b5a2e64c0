package io.anneal.paging.message;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;

/**
 * Which table of which replica is meant.
 *
 * @param replica as the node knows it; empty for the only one
 */
public record TableName(String replica, String keyspace, String table) {
    public void encode(ByteWriter out) {
        Texts.write(out, replica);
        Texts.write(out, keyspace);
        Texts.write(out, table);
    }

    public static TableName decode(ByteReader in) {
        return new TableName(Texts.readVerbatim(in), Texts.readVerbatim(in), Texts.readVerbatim(in));
    }

    @Override
    public String toString() {
        return keyspace + "." + table;
    }
}
