package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an error says is to be done is what helps: a typo in a path is no failure of a disk, nor of a table's name. */
final class ErrorAdviceTest {
    private static final String PATH = "check the path";
    private static final String TABLE = "check the table's name, and that the directory is the one that has it";
    private static final String TABLES =
            "give a store, a directory of its tables, a data directory of Cassandra's or a snapshot";
    private static final String STORE = "give the directory of a store: the one that has the file STORE";
    private static final String DIRECTORY = "give a directory here";
    private static final String SCHEMA = "pass the table's schema with --schema FILE.cql";
    private static final String SCHEMA_PLACE =
            "mend the text at that place, or give another one with --schema FILE.cql";
    private static final String SCHEMA_TABLE =
            "check the table's name, or give the text that describes it with --schema FILE.cql";
    private static final String SERVED =
            "check --table, and that the node serves it; or mend what the line names there, then scan again";
    private static final String CREDENTIALS =
            "mend the file that is named; docs/operate.md shows how tokens and certificates are made";
    private static final String RESTORE =
            "restore the file named from a backup of the store, or the store from a snapshot";
    private static final String RELEASE = "use the release of Anneal that wrote it, or a newer one";

    @TempDir
    private Path directory;

    private Path one;
    private Path two;
    private Path store;
    private Path token;
    private Path absent;
    private Path empty;
    private Path text;
    private Path binary;

    @BeforeEach
    void makeFiles() throws IOException {
        one = directory.resolve("one");
        two = directory.resolve("two");
        for (Path replica : List.of(one, two)) {
            Tables.write(
                    replica,
                    rows -> rows.row()
                            .key("id", 1)
                            .clustering("at", 1)
                            .set("name", "a")
                            .insert());
        }
        store = Tables.store(
                directory.resolve("store"),
                Tables.STORE,
                HostEnvironment.system(),
                rows -> rows.row().key("id", 1).clustering("at", 1).insert());
        token = Files.writeString(directory.resolve("token"), "0123456789abcdef");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        absent = directory.resolve("absent");
        empty = Files.createDirectories(directory.resolve("empty"));
        text = Files.writeString(directory.resolve("text"), "nonsense");
        binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    }

    private static String words(Object... words) {
        return Stream.of(words).map(Object::toString).collect(Collectors.joining(" "));
    }

    /** @param names what the line has to name */
    private static void assertAdvice(String code, Object names, String advice, String command, Object... more) {
        Object[] words =
                Stream.concat(Stream.of(command.split(" ")), Stream.of(more)).toArray();
        CommandRun run = CommandRun.inTime(words);
        assertThat(run.exitCode()).as(words(words)).isNotZero();
        assertThat(run.err().lines().filter(line -> line.startsWith("anneal: error ")))
                .as(words(words) + ": " + run.err())
                .singleElement()
                .asString()
                .startsWith("anneal: error " + code + ": ")
                .contains(names.toString())
                .endsWith("; " + advice);
    }

    @Test
    void shouldNameAPathThatIsNotThere() {
        assertAdvice("ANL-1003", absent, PATH, "scan --data", absent);
        assertAdvice("ANL-1003", absent, PATH, "diff", one, absent);
        assertAdvice("ANL-1003", absent, PATH, "sstable verify", absent);
        assertAdvice("ANL-1003", absent, PATH, "store info", absent);
        assertAdvice("ANL-1003", absent, PATH, "serve --listen=127.0.0.1:0 --token-file", token, "--data", absent);
        assertAdvice("ANL-1003", absent, PATH, "repair --status --state", absent);
        assertAdvice("ANL-1003", absent, PATH, "scan --data", one, "--cookie-key", absent);
        assertAdvice("ANL-1003", absent, PATH, "scan --data", one, "--schema", absent);
        assertAdvice("ANL-1003", absent, PATH, "explain ks.readings 1 --dir", one, "--schema", absent);
        assertAdvice("ANL-1003", absent, PATH, "sstable verify", one.resolve("ks/readings"), "--schema", absent);
        assertAdvice("ANL-1003", absent, PATH, "sstable generate --rows=1 --schema", absent, "--to", empty);
        assertAdvice("ANL-1003", absent, PATH, "repair --table=ks.readings --ring", absent, "--dir", one, "--dir", two);
        assertAdvice(
                "ANL-1003",
                absent,
                PATH,
                "repair --table=ks.readings --full-replicas --schema",
                absent,
                "--dir",
                one,
                "--dir",
                two);
    }

    @Test
    void shouldTellATableFromAPath() {
        assertAdvice("ANL-1003", "table=ks.absent", TABLE, "scan --table=ks.absent --data", one);
        assertAdvice("ANL-1003", "table=ks.absent", TABLE, "diff --table=ks.absent", one, two);
        assertAdvice("ANL-1003", "table=ks.absent", TABLE, "explain ks.absent 1 --dir", one);
        for (String table : List.of("ks.absent", "absent.*")) {
            assertAdvice(
                    "ANL-1003",
                    "table=" + table,
                    TABLE,
                    "repair --full-replicas --table=" + table,
                    "--dir",
                    one,
                    "--dir",
                    two);
        }
        assertAdvice("ANL-1003", empty, TABLES, "serve --listen=127.0.0.1:0 --token-file", token, "--data", empty);
        assertAdvice("ANL-1003", one, STORE, "store info", one);
        assertAdvice("ANL-1003", one, STORE, "store check", one);
    }

    @Test
    void shouldNameWhatIsNoSchemaText() {
        for (Path wrong : List.of(binary, empty, text)) {
            String advice = wrong.equals(text) ? SCHEMA_PLACE : SCHEMA;
            assertAdvice("ANL-2001", wrong, advice, "scan --data", one, "--schema", wrong);
            assertAdvice("ANL-2001", wrong, advice, "explain ks.readings 1 --dir", one, "--schema", wrong);
            assertAdvice("ANL-2001", wrong, advice, "sstable generate --rows=1 --schema", wrong, "--to", absent);
            assertAdvice(
                    "ANL-2001",
                    wrong,
                    advice,
                    "serve --listen=127.0.0.1:0 --token-file",
                    token,
                    "--data",
                    one,
                    "--schema",
                    wrong);
        }
    }

    @Test
    void shouldTellATableThatATextLacks() throws IOException {
        Path schema = Files.writeString(directory.resolve("t.cql"), Tables.TEXT);
        String named = "table=ks.raedings";
        assertAdvice(
                "ANL-2001",
                named,
                SCHEMA_TABLE,
                "sstable generate --table=ks.raedings --rows=1 --schema",
                schema,
                "--to",
                absent);
        Path other = Files.writeString(directory.resolve("other.cql"), Tables.TEXT.replace("readings", "others"));
        Path copied = directory.resolve("data/ks/readings-5a1c395eb41f11e59f22ba0be0483c18");
        Files.createDirectories(copied.getParent());
        Files.move(one.resolve("ks/readings"), copied);
        assertAdvice("ANL-2001", "table=ks.readings", SCHEMA_TABLE, "scan --data", copied, "--schema", other);
    }

    @Test
    void shouldTellATableThatANodeDoesNotServe() throws Exception {
        try (Store open = Store.open(store);
                CommandNode server = CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new StoreReplicas(open),
                        CommandNode.config(new UUID(1, 2), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system())) {
            assertAdvice(
                    "ANL-3003",
                    "table=ks.raedings",
                    SERVED,
                    "scan --table=ks.raedings --replica",
                    PeerAddress.text(server.address()),
                    "--token-file",
                    token);
        }
    }

    @Test
    void shouldTellFilesFromDirectories() {
        assertAdvice("ANL-1004", text, DIRECTORY, "scan --data", text);
        assertAdvice("ANL-1004", text, DIRECTORY, "sstable rewrite", one.resolve("ks/readings"), "--to", text);
        assertAdvice("ANL-4001", empty, "see 'anneal scan --help'", "scan --data", one, "--cookie-key", empty);
    }

    @Test
    void shouldNameFilesOfSecrets() {
        assertAdvice("ANL-3006", absent, CREDENTIALS, "serve --listen=127.0.0.1:0 --data", one, "--token-file", absent);
        assertAdvice("ANL-3006", absent, CREDENTIALS, "cluster status --agent=127.0.0.1:1 --token-file", absent);
        String phases = "file:" + directory.resolve("phases");
        CommandRun.of("migrate", "init", "--name=m", "--phase-store=" + phases);
        assertAdvice("ANL-1003", absent, PATH, "migrate page --name=m --phase-store=" + phases, "--token-file", absent);
    }

    @Test
    void shouldNotAskForARepairWhereAnAgentCantStart() {
        assertAdvice(
                "ANL-3010",
                "JMX can't be reached",
                "check that the node runs, --jmx and --cql, and whether it wants TLS or a login there",
                "agent --jmx=127.0.0.1:1 --listen=127.0.0.1:0 --directory",
                empty,
                "--token-file",
                token);
    }

    @Test
    void shouldTellWhatIsWrongWithAStore() throws IOException {
        Path table;
        try (DirectoryStream<Path> tables = Files.newDirectoryStream(store.resolve("data/ks"))) {
            table = tables.iterator().next();
        }
        for (Path file : List.of(store.resolve("STORE"), table.resolve("MANIFEST"))) {
            String right = Files.readString(file);
            Files.writeString(file, "");
            assertAdvice("ANL-1010", file, RESTORE, "store info", store);
            assertAdvice("ANL-1010", file, RESTORE, "scan --data", store);
            Files.writeString(file, right.replaceFirst("\\d", "9"));
            assertAdvice("ANL-1002", file, RELEASE, "store info", store);
            assertAdvice("ANL-1002", file, RELEASE, "scan --data", store);
            Files.writeString(file, right);
        }
        Files.delete(table.resolve("MANIFEST"));
        assertAdvice("ANL-1010", table.resolve("MANIFEST"), RESTORE, "store info", store);
    }
}
