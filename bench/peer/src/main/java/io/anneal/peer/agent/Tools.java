package io.anneal.peer.agent;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.schema.TableMetadataRef;
import org.apache.cassandra.tools.INodeProbeFactory;
import org.apache.cassandra.tools.JsonTransformer;
import org.apache.cassandra.tools.NodeProbe;
import org.apache.cassandra.tools.NodeTool;
import org.apache.cassandra.tools.Output;
import org.apache.cassandra.tools.Util;

/** Cassandra's own command line tools, called without a JVM of their own. */
final class Tools {
    private Tools() {}

    /** Writes what {@code sstabledump -t} prints; the schema is the one in the SSTable itself, as there. */
    static List<List<String>> dump(String data, String target) throws IOException {
        Descriptor descriptor = Descriptor.fromFileWithComponent(new File(Path.of(data)), false).left;
        TableMetadata metadata = Util.metadataFromSSTable(descriptor);
        SSTableReader reader =
                SSTableReader.openNoValidation(null, descriptor, TableMetadataRef.forOfflineTools(metadata));
        try (ISSTableScanner scanner = reader.getScanner();
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(target)))) {
            Stream<UnfilteredRowIterator> partitions =
                    StreamSupport.stream(Spliterators.spliteratorUnknownSize(scanner, 0), false);
            JsonTransformer.toJson(scanner, partitions, true, metadata, out);
        } finally {
            reader.selfRef().release();
        }
        return List.of();
    }

    /** Answers what the command printed; a command that fails fails the request. */
    static List<List<String>> nodetool(List<String> arguments) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(printed, true, StandardCharsets.UTF_8);
        int exitCode = new NodeTool(new Probes(), new Output(stream, stream)).execute(arguments.toArray(String[]::new));
        String text = printed.toString(StandardCharsets.UTF_8);
        if (exitCode != 0) {
            throw new IllegalStateException("nodetool failed, exitCode=" + exitCode + ", output=" + text);
        }
        return List.of(List.of(text));
    }

    private static final class Probes implements INodeProbeFactory {
        @Override
        public NodeProbe create(String host, int port) throws IOException {
            return new NodeProbe(host, port);
        }

        @Override
        public NodeProbe create(String host, int port, String username, String password) throws IOException {
            return new NodeProbe(host, port, username, password);
        }
    }
}
