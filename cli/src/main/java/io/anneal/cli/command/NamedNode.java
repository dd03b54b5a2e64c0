package io.anneal.cli.command;

import io.anneal.net.PeerAddress;
import java.net.InetSocketAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A node on the command line: {@code [NAME=]HOST:PORT}.
 *
 * @param name by which a ring knows it; its host by default
 */
public record NamedNode(String name, InetSocketAddress address) {
    /** Reads it. */
    public static final class Converter implements ITypeConverter<NamedNode> {
        @Override
        public NamedNode convert(String text) {
            int equals = text.indexOf('=');
            try {
                InetSocketAddress address = PeerAddress.parse(text.substring(equals + 1));
                return new NamedNode(equals < 0 ? address.getHostString() : text.substring(0, equals), address);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is no node, as HOST:PORT or NAME=HOST:PORT");
            }
        }
    }
}
