package io.anneal.table;

import java.util.Hashtable;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * What a metric is about: a shard of a table, a table, or the whole store.
 *
 * @param table {@code keyspace.table}; empty for the store
 * @param shard {@link #ALL} for the table as a whole
 */
record MetricName(String table, int shard, String name) {
    static final int ALL = -1;

    static MetricName ofStore(String name) {
        return new MetricName("", ALL, name);
    }

    /** {@code ks.t.shard-0.name}, {@code ks.t.name} or {@code store.name}. */
    @Override
    public String toString() {
        String scope = table.isEmpty() ? "store" : shard == ALL ? table : table + ".shard-" + shard;
        return scope + "." + name;
    }

    /** {@code domain:type=Shard,store="...",table=ks.t,shard=0,name=...}. */
    ObjectName objectName(String domain, String store) {
        Hashtable<String, String> properties = new Hashtable<>();
        properties.put("type", table.isEmpty() ? "Store" : shard == ALL ? "Table" : "Shard");
        properties.put("store", ObjectName.quote(store));
        if (!table.isEmpty()) {
            properties.put("table", table);
        }
        if (shard != ALL) {
            properties.put("shard", Integer.toString(shard));
        }
        properties.put("name", name);
        try {
            return new ObjectName(domain, properties);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException("metric cannot be named in JMX, metric=" + this, e);
        }
    }
}
