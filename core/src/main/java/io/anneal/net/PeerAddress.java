package io.anneal.net;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An address as text. */
public final class PeerAddress {
    private static final int IPV6_PREFIX_BYTES = 8;

    private PeerAddress() {}

    /** Reads {@code host:port}, of which the host may be a name or, in brackets, an IPv6 address. */
    public static InetSocketAddress parse(String hostAndPort) {
        int colon = hostAndPort.lastIndexOf(':');
        if (colon <= 0) {
            throw new IllegalArgumentException("address is not host:port, address=" + hostAndPort);
        }
        String host = hostAndPort.substring(0, colon);
        boolean isOneWord = host.indexOf(':') < 0 && host.indexOf('[') < 0;
        // Without brackets nobody knows whether the last part is of the address or the port.
        if (!isOneWord && !(host.startsWith("[") && NetUtil.isValidIpV6Address(host))) {
            throw new IllegalArgumentException(
                    "address is not host:port, where an IPv6 address stands in brackets, address=" + hostAndPort);
        }
        try {
            return new InetSocketAddress(host, Integer.parseInt(hostAndPort.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("port is not a number from 0 to 65535, address=" + hostAndPort, e);
        }
    }

    /** As {@link #parse} reads it: a name where one was given, else the address in its shortest form. */
    public static String text(InetSocketAddress address) {
        InetAddress resolved = address.getAddress();
        String host = address.getHostString();
        if (resolved != null && host.equals(resolved.getHostAddress())) {
            host = NetUtil.toAddressString(resolved);
        }
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    /** The host of an address that may lack the port: a name as it is, an IP address in its shortest form, without brackets. */
    public static String host(String address) {
        int close = address.startsWith("[") ? address.indexOf(']') : -1;
        int colon = address.indexOf(':');
        String host = address;
        if (close > 0) {
            host = address.substring(1, close);
        } else if (colon >= 0 && colon == address.lastIndexOf(':')) {
            host = address.substring(0, colon);
        }
        InetAddress parsed = NetUtil.createInetAddressFromIpAddressString(host);
        return parsed == null ? host : NetUtil.toAddressString(parsed);
    }

    /** Where an address comes from, for counting: of IPv6 the first 64 bits, all that a single host has to itself. */
    static Object source(InetAddress address) {
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(Arrays.copyOf(address.getAddress(), IPV6_PREFIX_BYTES))
                : address;
    }
}
