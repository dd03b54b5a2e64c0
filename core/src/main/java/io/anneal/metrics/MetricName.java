package io.anneal.metrics;

import java.util.Hashtable;
import java.util.Map;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * What a metric is about, and its name among those.
 *
 * @param scope what it is about, as it stands before the name
 * @param keys  the same for JMX: {@code type} and what tells this one from others of the type, quoted where needed
 */
public record MetricName(String scope, Map<String, String> keys, String name) {
    /** The key that each has: what kind of thing it is about. */
    static final String TYPE = "type";

    /** {@code scope.name}. */
    @Override
    public String toString() {
        return scope + "." + name;
    }

    /** The owner's key and the metric's own: {@code domain:type=Shard,store="...",table=ks.t,shard=0,name=...}. */
    ObjectName objectName(String domain, String ownerKey, String owner) {
        Hashtable<String, String> properties = new Hashtable<>(keys);
        properties.put(ownerKey, ObjectName.quote(owner));
        properties.put("name", name);
        try {
            return new ObjectName(domain, properties);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException("metric cannot be named in JMX, metric=" + this, e);
        }
    }
}
