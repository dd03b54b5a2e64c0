package io.anneal.harness.store;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a keyspace is: {@code cassandra://HOST[:PORT][,HOST[:PORT]…]/KEYSPACE}. An IPv6 address stands in brackets. Of
 * Cassandra and of ScyllaDB.
 *
 * @param contacts not yet looked up
 * @param keyspace as it is written in the cluster, upper case included
 */
public record CassandraAddress(List<InetSocketAddress> contacts, String keyspace) {
    static final String SCHEME = "cassandra://";
    private static final int PORT_DEFAULT = 9042;
    private static final int PORT_MAX = 65_535;
    private static final Pattern CONTACT = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^\\[\\]:/\\s]+)(?::(\\d{1,5}))?");
    private static final Pattern KEYSPACE = Pattern.compile("\\w{1,48}");

    public CassandraAddress {
        contacts = List.copyOf(contacts);
    }

    /**
     * @throws IllegalArgumentException if it is none
     */
    public static CassandraAddress parse(String url) {
        if (!url.startsWith(SCHEME)) {
            throw wrong(url, "it does not begin with " + SCHEME);
        }
        String rest = url.substring(SCHEME.length());
        int slash = rest.indexOf('/');
        if (slash < 0 || !KEYSPACE.matcher(rest.substring(slash + 1)).matches()) {
            throw wrong(url, "it does not end with /KEYSPACE");
        }
        List<InetSocketAddress> contacts = new ArrayList<>();
        for (String contact : rest.substring(0, slash).split(",", -1)) {
            contacts.add(contact(url, contact));
        }
        return new CassandraAddress(contacts, rest.substring(slash + 1));
    }

    private static InetSocketAddress contact(String url, String contact) {
        Matcher matcher = CONTACT.matcher(contact);
        if (!matcher.matches()) {
            throw wrong(url, "'" + contact + "' is no HOST or HOST:PORT");
        }
        int port = matcher.group(2) == null ? PORT_DEFAULT : Integer.parseInt(matcher.group(2));
        if (port == 0 || port > PORT_MAX) {
            throw wrong(url, "port is out of range, port=" + port);
        }
        return InetSocketAddress.createUnresolved(matcher.group(1).replaceAll("[\\[\\]]", ""), port);
    }

    private static IllegalArgumentException wrong(String url, String reason) {
        return new IllegalArgumentException("not the address of a keyspace, url=" + url + ", reason=" + reason
                + "; write cassandra://HOST:PORT/KEYSPACE");
    }

    /** As it is parsed. */
    public String url() {
        return contacts.stream()
                .map(contact -> (contact.getHostString().contains(":")
                                ? "[" + contact.getHostString() + "]"
                                : contact.getHostString())
                        + ":" + contact.getPort())
                .collect(Collectors.joining(",", SCHEME, "/" + keyspace));
    }
}
