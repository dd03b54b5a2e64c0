package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerAddress;
import io.anneal.node.Ring;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Cassandra node that runs on this machine, unmodified: asked what it knows and told what to do, by JMX and, where that
 * does not tell, by CQL. Nothing is remembered between two questions. Safe for any thread.
 */
public final class LiveNode implements Closeable {
    private static final String NEVER_PURGE = "NeverPurgeTombstones";
    private static final String STRING = String.class.getName();
    private static final String STRINGS = String[].class.getName();
    /** What was read of their sources, or tried: later ones import otherwise, and write files that nobody here reads. */
    private static final List<String> VERSIONS = List.of("4.0", "4.1", "5.0");

    /** A node removes what has outlived its time once a minute, and takes no less. */
    private static final long SNAPSHOT_KEPT_LEAST_SECONDS = 60;

    private static final String PARTITIONER = "org.apache.cassandra.dht.Murmur3Partitioner";

    private final LiveNodeConfig config;
    private final HostEnvironment host;
    private final NodeBeans beans;
    /** Connected when it is asked first: whoever only lets go asks nothing by CQL. Null before. */
    private NodeTables cql;

    private LiveNode(LiveNodeConfig config, HostEnvironment host, NodeBeans beans) {
        this.config = config;
        this.host = host;
        this.beans = beans;
    }

    /**
     * Connects to a node by JMX; by CQL at the first question that JMX does not answer.
     *
     * @throws LiveNodeException when it can't be reached, or is of a version or has a partitioner that are not supported
     */
    public static LiveNode open(LiveNodeConfig config, HostEnvironment host) throws IOException {
        NodeBeans beans = NodeBeans.connect(config, host);
        boolean opened = false;
        try {
            requireSupported(beans);
            opened = true;
            return new LiveNode(config, host, beans);
        } finally {
            if (!opened) {
                beans.close();
            }
        }
    }

    private synchronized NodeTables cql() throws LiveNodeException {
        if (cql == null) {
            cql = connectByCql();
        }
        return cql;
    }

    private NodeTables connectByCql() throws LiveNodeException {
        if (config.cql().isPresent()) {
            return NodeTables.connect(config, host, config.cql().get(), hostId());
        }
        try {
            return NodeTables.connect(config, host, nativeAddress(), hostId());
        } catch (LiveNodeException e) {
            throw LiveNodeException.unreachable(
                    "Cassandra's CQL can't be used where the node says by JMX that it is: say where with --cql, node="
                            + beans.address() + ", reason=" + e.getMessage(),
                    e);
        }
    }

    /** Where the node has clients come for CQL. No bean tells it but of the owners of ranges, and it owns all of what only it has. */
    private InetSocketAddress nativeAddress() throws LiveNodeException {
        Set<String> told = ranges("getRangeToNativeaddressWithPortMap", "system").values().stream()
                .flatMap(owners -> strings(owners).stream())
                .collect(Collectors.toSet());
        if (told.size() == 1) {
            try {
                return PeerAddress.parse(told.iterator().next());
            } catch (IllegalArgumentException e) {
                throw new LiveNodeException("address is not known, " + e.getMessage(), e);
            }
        }
        throw new LiveNodeException("node tells no address, or several, told=" + told);
    }

    private static void requireSupported(NodeBeans beans) throws LiveNodeException {
        String version = text(beans, "ReleaseVersion");
        if (VERSIONS.stream().noneMatch(known -> version.startsWith(known + "."))) {
            throw new LiveNodeException("version of Cassandra is not supported, node=" + beans.address() + ", version="
                    + version + ", supported=" + VERSIONS);
        }
        String partitioner = text(beans, "PartitionerName");
        if (!partitioner.equals(PARTITIONER)) {
            throw new LiveNodeException("partitioner is not supported, node=" + beans.address() + ", partitioner="
                    + partitioner + ", supported=" + PARTITIONER);
        }
    }

    private static String text(NodeBeans beans, String attribute) throws LiveNodeException {
        return beans.attribute(NodeBeans.storageService(), attribute).toString();
    }

    /** Whether it answers still, by JMX and, once that was asked, by CQL. */
    synchronized boolean answers() {
        try {
            return cql == null ? hostId() != null : hostId().equals(cql.hostId());
        } catch (LiveNodeException gone) {
            return false;
        }
    }

    /** Where it is, for messages. */
    String address() {
        return beans.address();
    }

    public UUID hostId() throws LiveNodeException {
        return UUID.fromString(text(beans, "LocalHostId"));
    }

    public String version() throws LiveNodeException {
        return text(beans, "ReleaseVersion");
    }

    public String dataCentre() throws LiveNodeException {
        return beans.attribute(NodeBeans.endpointSnitch(), "Datacenter").toString();
    }

    /** Its name in the ring, as {@link #ring} has it of a ring in which hosts have one node each, and with a port. */
    public String endpoint() throws LiveNodeException {
        Object own = endpoints().get(hostId().toString());
        return own == null ? "no node of the ring" : shortest(own.toString());
    }

    /** An address of the ring as it is shown: the node writes one of IPv6 with all of its digits. */
    private static String shortest(String endpoint) {
        return PeerAddress.text(PeerAddress.parse(endpoint));
    }

    /** Of all nodes, by host id. */
    private Map<?, ?> endpoints() throws LiveNodeException {
        return (Map<?, ?>) beans.attribute(NodeBeans.storageService(), "HostIdToEndpointWithPort");
    }

    /** The data centre of a node of the ring. */
    public String dataCentre(String owner) throws LiveNodeException {
        // Without a port it would be asked for a node at the port of this one.
        String endpoint = strings(endpoints().values()).stream()
                .filter(one ->
                        PeerAddress.host(one).equals(owner) || shortest(one).equals(owner))
                .findFirst()
                .orElse(owner);
        return beans.invoke(NodeBeans.endpointSnitch(), "getDatacenter", new Object[] {endpoint}, STRING)
                .toString();
    }

    /** One, or one a disk. */
    public List<Path> dataDirectories() throws LiveNodeException {
        String[] paths = (String[]) beans.attribute(NodeBeans.storageService(), "AllDataFileLocations");
        return Stream.of(paths).map(Path::of).toList();
    }

    /** All in which it keeps files of its own, as far as it tells: data, logs, caches and hints. */
    List<Path> ownDirectories() throws LiveNodeException {
        List<Path> own = new ArrayList<>(dataDirectories());
        own.add(Path.of(text(beans, "CommitLogLocation")));
        own.add(Path.of(text(beans, "SavedCachesLocation")));
        for (String setting : List.of("hints_directory", "cdc_raw_directory")) {
            cql().setting(setting).map(Path::of).ifPresent(own::add);
        }
        return own;
    }

    void requireHere(Path dataDirectory) throws LiveNodeException {
        if (!Files.isDirectory(dataDirectory)) {
            throw new LiveNodeException("data of the node is not here: the agent runs on the node's machine, node="
                    + address() + ", directory=" + dataDirectory);
        }
    }

    /**
     * Where its data directories meet, for a keyspace: the last token of each but the last one, none where there is one. A directory
     * that the node has given up since it started is not known of.
     */
    public List<Long> diskBoundaries(String keyspace) throws LiveNodeException {
        String[] directories =
                (String[]) beans.attribute(NodeBeans.storageService(), "NonLocalSystemKeyspacesDataFileLocations");
        if (directories.length == 1) {
            return List.of();
        }
        String own = endpoint();
        List<TokenRange> owned = ring(keyspace).parts().stream()
                .filter(part -> part.owners().stream()
                        .anyMatch(owner -> owner.equals(own) || owner.equals(PeerAddress.host(own))))
                .map(Ring.Part::range)
                .toList();
        boolean hasVirtualNodes =
                cql().setting("num_tokens").map(Integer::parseInt).orElse(1) > 1;
        return DiskBoundaries.of(owned, directories.length, hasVirtualNodes);
    }

    /** When its process began, by the clock of its machine. */
    public Instant startedAt() throws LiveNodeException {
        return Instant.ofEpochMilli((Long) beans.attribute("java.lang:type=Runtime", "StartTime"));
    }

    /** Who owns what of a keyspace: vnodes, replication and data centres are resolved by the node. */
    public Ring ring(String keyspace) throws LiveNodeException {
        Map<?, ?> ranges = ranges("getRangeToEndpointWithPortMap", keyspace);
        List<Ring.Part> parts = new ArrayList<>();
        // A ring has many ranges, and few nodes.
        Map<String, String> names = new HashMap<>();
        for (Map.Entry<?, ?> entry : ranges.entrySet()) {
            List<String> ends = strings(entry.getKey());
            parts.add(new Ring.Part(
                    new TokenRange(Long.parseLong(ends.get(0)), Long.parseLong(ends.get(1))),
                    strings(entry.getValue()).stream()
                            .map(owner -> names.computeIfAbsent(owner, LiveNode::shortest))
                            .toList()));
        }
        return Ring.whole(parts);
    }

    /** Whether ranges of a keyspace are about to have other owners. */
    public boolean isPending(String keyspace) throws LiveNodeException {
        return !ranges("getPendingRangeToEndpointWithPortMap", keyspace).isEmpty();
    }

    private Map<?, ?> ranges(String operation, String keyspace) throws LiveNodeException {
        return (Map<?, ?>) beans.invoke(NodeBeans.storageService(), operation, new Object[] {keyspace}, STRING);
    }

    private static List<String> strings(Object collection) {
        return ((Collection<?>) collection).stream().map(Object::toString).toList();
    }

    /** Of all nodes; what it does not reach stands as {@code UNREACHABLE}. One if they agree. */
    public Set<String> schemaVersions() throws LiveNodeException {
        return nodesBySchemaVersion().keySet();
    }

    private Map<String, Set<String>> nodesBySchemaVersion() throws LiveNodeException {
        Map<?, ?> versions = (Map<?, ?>) beans.attribute(NodeBeans.storageProxy(), "SchemaVersionsWithPort");
        Map<String, Set<String>> nodes = new HashMap<>();
        versions.forEach((version, of) -> nodes.put(version.toString(), Set.copyOf(strings(of))));
        return nodes;
    }

    /** Empty if it has no such table. */
    public Optional<LiveTable> table(String keyspace, String name) throws LiveNodeException {
        return cql().table(keyspace, name);
    }

    boolean hasKeyspace(String name) throws LiveNodeException {
        return cql().hasKeyspace(name);
    }

    /** The names of a keyspace's tables; none if it has no such keyspace. */
    public List<String> tables(String keyspace) throws LiveNodeException {
        return cql().names(keyspace);
    }

    /** Of all tables of all keyspaces, 32 hexadecimal digits each, as a directory has them. */
    Set<String> tableIds() throws LiveNodeException {
        return cql().ids().stream().map(id -> id.toString().replace("-", "")).collect(Collectors.toSet());
    }

    /**
     * Flushes the tables, and links their files.
     *
     * @param kept for so long; a node of 4.0 keeps it until it is told otherwise
     */
    public void takeSnapshot(String tag, List<LiveTable> of, Duration kept) throws LiveNodeException {
        Map<String, String> options = new HashMap<>();
        if (!version().startsWith("4.0.")) {
            options.put("ttl", Math.max(SNAPSHOT_KEPT_LEAST_SECONDS, kept.toSeconds()) + "s");
        }
        beans.work(
                NodeBeans.storageService(),
                "takeSnapshot",
                new Object[] {tag, options, NodeMoment.names(of).toArray(String[]::new)},
                STRING,
                Map.class.getName(),
                STRINGS);
    }

    /** Where a snapshot's files of a table lie: in as many directories as the node has disks with some. */
    public List<Path> snapshotDirectories(String tag, LiveTable table) throws LiveNodeException {
        String directory = table.name() + "-" + table.id().toString().replace("-", "");
        return dataDirectories().stream()
                .map(data -> data.resolve(table.keyspace())
                        .resolve(directory)
                        .resolve("snapshots")
                        .resolve(tag))
                .filter(Files::isDirectory)
                .toList();
    }

    /** Removes a snapshot, if it is there, of all tables of the keyspaces; of all keyspaces if none is named. */
    public void clearSnapshot(String tag, Set<String> keyspaces) throws LiveNodeException {
        beans.invoke(
                NodeBeans.storageService(),
                "clearSnapshot",
                new Object[] {tag, keyspaces.toArray(String[]::new)},
                STRING,
                STRINGS);
    }

    /** Whether compactions leave all deletions in a table. */
    public boolean neverPurges(LiveTable table) throws LiveNodeException {
        return (Boolean) beans.attribute(NodeBeans.table(table), NEVER_PURGE);
    }

    /** Holds deletions in a table, or no longer, until the node ends. */
    void neverPurge(LiveTable table, boolean never) throws LiveNodeException {
        beans.set(NodeBeans.table(table), NEVER_PURGE, never);
    }

    /** Empties the cache from which a counter's next increment starts: an import does not reach it. */
    void invalidateCounterCache() throws LiveNodeException {
        beans.invoke(NodeBeans.caches(), "invalidateCounterCache", new Object[0]);
    }

    /**
     * Moves SSTables into the table, after Cassandra has looked at all of their rows and tokens; answers how many.
     *
     * @param directory that ends with the names of keyspace and table, on the file system of the data
     * @throws LiveNodeException when any of them was not taken
     */
    int importSSTables(LiveTable table, Path directory) throws IOException {
        int found = data(directory).size();
        if (found == 0) {
            throw new LiveNodeException(
                    "directory has no SSTable to import, node=" + address() + ", directory=" + directory);
        }
        Object failed = askForImport(table, directory);
        // What it does not know it leaves there, and says nothing.
        List<Path> left = data(directory);
        if (!strings(failed).isEmpty() || !left.isEmpty()) {
            throw new LiveNodeException("Cassandra did not import all SSTables, its log says why, node=" + address()
                    + ", table=" + table.qualifiedName() + ", left=" + left);
        }
        return found;
    }

    /**
     * Waits until what was asked to be imported into a table is, whoever asked: the node does it one after the other, and this is nothing.
     *
     * @param empty a directory without SSTables, which the node may read and write
     */
    void awaitImports(LiveTable table, Path empty) throws LiveNodeException {
        askForImport(table, empty);
    }

    private Object askForImport(LiveTable table, Path directory) throws LiveNodeException {
        // reset level, clear repaired, verify, verify tokens, invalidate caches, extended verify; not: copy data
        boolean[] flags = {true, true, true, true, true, true, false};
        Object[] arguments = new Object[1 + flags.length];
        String[] types = new String[1 + flags.length];
        arguments[0] = new HashSet<>(Set.of(directory.toString()));
        types[0] = Set.class.getName();
        for (int i = 0; i < flags.length; i++) {
            arguments[i + 1] = flags[i];
            types[i + 1] = boolean.class.getName();
        }
        return beans.work(NodeBeans.table(table), "importNewSSTables", arguments, types);
    }

    static List<Path> data(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().endsWith("-Data.db"))
                    .sorted()
                    .toList();
        }
    }

    /** What must stay as it is until an import. */
    NodeMoment moment(List<LiveTable> of) throws LiveNodeException {
        Map<UUID, String> truncations = cql().truncations();
        Map<String, Ring> rings = new HashMap<>();
        Set<String> pending = new HashSet<>();
        Map<String, Map<String, UUID>> ids = new HashMap<>();
        Map<String, NodeMoment.TableMoment> moments = new HashMap<>();
        for (LiveTable table : of) {
            if (!rings.containsKey(table.keyspace())) {
                rings.put(table.keyspace(), ring(table.keyspace()));
                if (isPending(table.keyspace())) {
                    pending.add(table.keyspace());
                }
                // No more is asked of each table of many.
                ids.put(
                        table.keyspace(),
                        of.size() == 1 ? cql().id(table.keyspace(), table.name()) : cql().ids(table.keyspace()));
            }
            UUID id = ids.get(table.keyspace()).get(table.name());
            if (id != null) {
                moments.put(
                        table.qualifiedName(),
                        new NodeMoment.TableMoment(id, Optional.ofNullable(truncations.get(id))));
            }
        }
        return new NodeMoment(hostId(), startedAt(), nodesBySchemaVersion(), rings, pending, moments);
    }

    @Override
    public synchronized void close() throws IOException {
        try {
            if (cql != null) {
                NodeTables closing = cql;
                cql = null;
                closing.close();
            }
        } finally {
            beans.close();
        }
    }
}
