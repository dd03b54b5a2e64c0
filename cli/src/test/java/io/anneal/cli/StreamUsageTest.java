package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong on the command line of streaming: exit code 2 and one line that says what, before any node is asked. */
@Timeout(60)
final class StreamUsageTest {
    private static final String NODES = "--from n1=127.0.0.1:1 --to n2=127.0.0.1:2 --table ks.t ";
    private static final String ALL = NODES + "--full-replicas ";

    @TempDir
    private Path directory;

    @BeforeEach
    void makeFiles() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "0123456789abcdef");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        CommandRun.copyTable(directory.resolve("data/corpus/dropped-00000000000000000000000000000001"));
        Files.createDirectory(directory.resolve("folder"));
        Files.writeString(directory.resolve("empty"), "");
        Files.write(directory.resolve("binary"), new byte[] {(byte) 0xc3, 0x28, 0, (byte) 0xff});
        try (RandomAccessFile huge =
                new RandomAccessFile(directory.resolve("huge").toFile(), "rw")) {
            huge.setLength(1L << 31);
        }
        ring("hole", "start_token:0, end_token:4000, endpoints:[n1, n2]");
        ring("ring", "start_token:0, end_token:0, endpoints:[n1, n2]");
        ring("after", "start_token:0, end_token:0, endpoints:[n2, n9]");
    }

    private void ring(String name, String part) throws IOException {
        Files.writeString(directory.resolve(name), "TokenRange: \n\tTokenRange(" + part + ", rpc_endpoints:[])\n");
    }

    private void assertUsage(String arguments, String... reasons) throws IOException {
        List<Object> args = new ArrayList<>();
        Arrays.stream(arguments.split(" "))
                .map(word -> word.replace("DIR", directory.toString()))
                .forEach(args::add);
        args.addAll(List.of("--token-file", directory.resolve("token")));

        CommandRun run = CommandRun.inTime(args.toArray());

        assertThat(run.exitCode()).as(arguments + ": " + run.err()).isEqualTo(2);
        assertThat(run.out()).as(arguments).isEmpty();
        assertThat(run.err().lines())
                .as(arguments)
                .singleElement()
                .asString()
                .startsWith("anneal: error ANL-4001: ")
                .contains(reasons)
                .doesNotContain("Exception");
        assertThat(directory.resolve("staging")).as(arguments).doesNotExist();
    }

    @Test
    void shouldRefuseNumbersThatAreNone() throws IOException {
        String parallel = "stream transfer " + ALL + "--parallel ";
        assertUsage(parallel + "0", "--parallel takes a number of pairs");
        assertUsage(parallel + "-1", "--parallel takes a number of pairs");
        assertUsage(parallel + "99999999999", "--parallel", "99999999999");
        assertUsage(parallel + "many", "--parallel", "many");
        String rate = "stream transfer " + ALL + "--net-rate=";
        for (String wrong : List.of("-1", "fast", "10MB/s", "1.5MiB", "99999999999TiB", "")) {
            assertUsage(rate + wrong, "--net-rate", "'" + wrong + "'");
        }
    }

    @Test
    void shouldRefuseRangesThatAreNone() throws IOException {
        String range = "stream transfer " + NODES + "--range=";
        for (String wrong : List.of("", "1", "(1,2)", "[1,2]", "(a,b]", "1:2:3", "(1,99999999999999999999]")) {
            assertUsage(range + wrong, "--range: ", "range=" + wrong);
        }
        assertUsage(range + "(5,5]", "(5,5]", "say --full-replicas");
        assertUsage(range + "(0,10] --range=5:20", "two of --range overlap", "(5,20]", "(0,10]");
        assertUsage(range + "(0,10] --range=0:10", "two of --range overlap");
        assertUsage(range + "(0,10] --full-replicas", "by one of --ring FILE");
        assertUsage("stream transfer " + NODES, "by one of --ring FILE");
    }

    @Test
    void shouldRefuseNodesThatItCannotTellApart() throws IOException {
        String table = " --table ks.t --full-replicas";
        assertUsage("stream transfer --from 127.0.0.1:1 --to 127.0.0.1:2" + table, "nodes on one host need names");
        assertUsage(
                "stream rebuild --from a=127.0.0.1:1 --from a=127.0.0.1:2 --to b=127.0.0.1:3" + table,
                "a node is given twice");
        assertUsage(
                "stream rebuild --from a=127.0.0.1:1 --from b=127.0.0.1:1 --to c=127.0.0.1:3" + table,
                "two nodes have one address",
                "node=b",
                "address=127.0.0.1:1");
        assertUsage("stream transfer --from a=127.0.0.1:1 --to b=127.0.0.1:1" + table, "two nodes have one address");
        assertUsage(
                "stream transfer --from a=127.0.0.1:1 --from b=127.0.0.1:2 --to c=127.0.0.1:3" + table,
                "--from is given once in 'transfer'");
        for (String wrong : List.of("n1", "n1=", "n1=127.0.0.1", "n1=127.0.0.1:x", "n1=127.0.0.1:99999", "")) {
            assertUsage("stream transfer --to b=127.0.0.1:1 --from=" + wrong + table, "'" + wrong + "' is no node");
        }
    }

    @Test
    void shouldRefuseTablesThatAreNone() throws IOException {
        String nodes = "stream transfer --from n1=127.0.0.1:1 --to n2=127.0.0.1:2 --full-replicas --table=";
        assertUsage(nodes + "ks.t --table ks.t", "--table is given twice, table=ks.t");
        assertUsage(nodes + "ks.*", "--table takes one table");
        for (String wrong : List.of("", "t", "ks.", ".t", "a.b.c")) {
            assertUsage(nodes + wrong, "'" + wrong + "' is no table");
        }
    }

    @Test
    void shouldRefuseAFileThatIsNoRing() throws IOException {
        String ring = "stream transfer " + NODES + "--ring DIR/";
        assertUsage(ring + "folder", "not a directory", "folder");
        assertUsage(ring + "empty", "text has no ranges of a ring", "nodetool describering", "file=");
        assertUsage(ring + "binary", "a ring is a text", "file=");
        assertUsage(ring + "huge", "too long to be a ring", "lengthBytes=2147483648");
        assertUsage(ring + "hole", "ring has a hole", "file=");
        assertUsage(
                "stream transfer --from x=127.0.0.1:1 --to n2=127.0.0.1:2 --table ks.t --ring DIR/ring",
                "ring has no such node",
                "node=x");
        assertUsage("stream decommission " + NODES + "--ring DIR/ring", "--ring and --ring-after go together");
        assertUsage("stream decommission " + NODES + "--ring-after DIR/ring", "--ring and --ring-after go together");
        assertUsage(
                "stream decommission " + NODES + "--ring DIR/ring --ring-after DIR/ring",
                "node is still in the ring that it has left");
        assertUsage(
                "stream decommission " + NODES + "--ring DIR/ring --ring-after DIR/after",
                "takes over is not given as --to",
                "node=n9");
        assertUsage("stream decommission " + NODES + "--ring DIR/ring --ring-after DIR/folder", "not a directory");
    }

    @Test
    void shouldRefuseBoundariesThatAreNone() throws IOException {
        String serve = "serve --data DIR/data --listen 127.0.0.1:0 --staging DIR/staging --disk-boundaries=";
        assertUsage(serve + "nope=1,2", "keyspace that has no table here", "keyspace=nope");
        for (String wrong : List.of("", "corpus", "=1")) {
            assertUsage(serve + wrong, "is not KS=TOKEN", "given=" + wrong);
        }
        for (String wrong : List.of("", "1,", ",1", "1,,2", "max(1)", "1.5", "9223372036854775808")) {
            assertUsage(serve + "corpus=" + wrong, "has what is no token", "keyspace=corpus");
        }
        assertUsage(serve + "corpus=2,1", "must ascend");
        assertUsage(serve + "corpus=1,1", "must ascend");
        assertUsage(serve + "corpus=1 --disk-boundaries corpus=2", "given twice for a keyspace", "keyspace=corpus");
        assertUsage(
                "serve --data DIR/data --listen 127.0.0.1:0 --disk-boundaries corpus=1",
                "--disk-boundaries goes with --staging");
        assertUsage(serve + "corpus=1 --net-rate=-5", "--net-rate");
    }

    /** What is missing is no usage error, but named. */
    @Test
    void shouldNameAFileThatIsNotThere() {
        for (String option : List.of("--ring", "--ring-after")) {
            List<Object> args = new ArrayList<>(Stream.of(("stream decommission " + NODES).split(" "))
                    .map(word -> (Object) word)
                    .toList());
            args.addAll(List.of("--token-file", directory.resolve("token")));
            args.addAll(List.of("--ring", directory.resolve(option.equals("--ring") ? "nothing" : "ring")));
            args.addAll(List.of("--ring-after", directory.resolve("nothing")));

            CommandRun run = CommandRun.inTime(args.toArray());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err()).startsWith("anneal: error ANL-1003: ").contains("nothing");
        }
        CommandRun serve = CommandRun.inTime(
                "serve",
                "--data",
                directory.resolve("data"),
                "--listen",
                "127.0.0.1:0",
                "--token-file",
                directory.resolve("token"),
                "--schema",
                directory.resolve("nothing"));
        assertThat(serve.exitCode()).isEqualTo(1);
        assertThat(serve.err()).startsWith("anneal: error ANL-1003: ").contains("nothing");
    }
}
