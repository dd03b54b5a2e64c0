package io.anneal.bench.peer;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * How to run one node.
 *
 * @param release which Cassandra it is
 * @param directory everything the node writes, its logs included, goes below it; must not exist or be empty
 * @param version what its flushes and compactions write
 * @param columnIndexSizeKiB distance of the entries in the index of a wide partition; 0 leaves it to Cassandra
 * @param heapMiB size of the Java heap
 * @param address loopback address to listen on; ports are free ones of that address
 * @param partitioner class name without package; of every table of the node
 * @param token the one token of the node
 * @param seed {@code address:storagePort} of a node of the cluster to join; empty for a cluster of its own
 * @param yamlLines appended to cassandra.yaml
 * @param jvmOptions appended to the options of the JVM
 * @param startTimeout from the start of the process to the first CQL client accepted
 * @param requestTimeout for one request; a node that exceeds it is killed
 */
public record CassandraPeerConfig(
        CassandraRelease release,
        Path directory,
        PeerSSTableVersion version,
        int columnIndexSizeKiB,
        int heapMiB,
        String address,
        String partitioner,
        long token,
        String seed,
        List<String> yamlLines,
        List<String> jvmOptions,
        Duration startTimeout,
        Duration requestTimeout) {
    private static final int HEAP_MIB_MIN = 256;
    private static final String MURMUR3 = "Murmur3Partitioner";

    public CassandraPeerConfig {
        directory = directory.toAbsolutePath().normalize();
        yamlLines = List.copyOf(yamlLines);
        jvmOptions = List.copyOf(jvmOptions);
        if (columnIndexSizeKiB < 0) {
            throw new IllegalArgumentException("negative column index size, columnIndexSizeKiB=" + columnIndexSizeKiB);
        }
        if (heapMiB < HEAP_MIB_MIN) {
            throw new IllegalArgumentException("heap too small for Cassandra, heapMiB=" + heapMiB);
        }
        if (!address.startsWith("127.")) {
            throw new IllegalArgumentException("not a loopback address, address=" + address);
        }
    }

    /** A cluster of one node of 5.0 which writes nb, with 1 GiB of heap, on 127.0.0.1. */
    public static CassandraPeerConfig in(Path directory) {
        return new CassandraPeerConfig(
                CassandraRelease.V5_0,
                directory,
                PeerSSTableVersion.NB,
                0,
                1024,
                "127.0.0.1",
                MURMUR3,
                0,
                "",
                List.of(),
                List.of(),
                Duration.ofMinutes(3),
                Duration.ofMinutes(10));
    }

    /** A node of an older one writes nb. Of what {@link CassandraPeer} asks, it answers {@code awaitRing} and {@code nodetool} alone. */
    public CassandraPeerConfig withRelease(CassandraRelease value) {
        return new CassandraPeerConfig(
                value,
                directory,
                version,
                columnIndexSizeKiB,
                heapMiB,
                address,
                partitioner,
                token,
                seed,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    public CassandraPeerConfig withVersion(PeerSSTableVersion value) {
        return new CassandraPeerConfig(
                release,
                directory,
                value,
                columnIndexSizeKiB,
                heapMiB,
                address,
                partitioner,
                token,
                seed,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    public CassandraPeerConfig withColumnIndexSizeKiB(int value) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                value,
                heapMiB,
                address,
                partitioner,
                token,
                seed,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    public CassandraPeerConfig withHeapMiB(int value) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                columnIndexSizeKiB,
                value,
                address,
                partitioner,
                token,
                seed,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    /** Cassandra refuses SSTables of another partitioner than its own. */
    public CassandraPeerConfig withPartitioner(String className) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                columnIndexSizeKiB,
                heapMiB,
                address,
                className,
                token,
                seed,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    /** Places the node in a ring: its address, its token, and the node to join, if any. */
    public CassandraPeerConfig withPlace(String addressOfNode, long tokenOfNode, String seedOfCluster) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                columnIndexSizeKiB,
                heapMiB,
                addressOfNode,
                partitioner,
                tokenOfNode,
                seedOfCluster,
                yamlLines,
                jvmOptions,
                startTimeout,
                requestTimeout);
    }

    /** Further settings: lines of cassandra.yaml, and options of the JVM. */
    public CassandraPeerConfig withSettings(List<String> linesOfYaml, List<String> optionsOfJvm) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                columnIndexSizeKiB,
                heapMiB,
                address,
                partitioner,
                token,
                seed,
                linesOfYaml,
                optionsOfJvm,
                startTimeout,
                requestTimeout);
    }

    public CassandraPeerConfig withTimeouts(Duration start, Duration request) {
        return new CassandraPeerConfig(
                release,
                directory,
                version,
                columnIndexSizeKiB,
                heapMiB,
                address,
                partitioner,
                token,
                seed,
                yamlLines,
                jvmOptions,
                start,
                request);
    }
}
