package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteWriter;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node answers that is damaged, or has something against who asks; a real one answers in {@code LiveNodeTest}. */
final class CqlConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Optional<LiveNodeConfig.Login> LOGIN =
            Optional.of(new LiveNodeConfig.Login("anneal", "a secret"));
    private static final byte[] READY = message(CqlConnection.READY, 0, new ByteWriter(1));
    private static final UUID ID = new UUID(1, 2);

    private final List<byte[]> asked = new CopyOnWriteArrayList<>();
    private ServerSocket server;
    private CompletableFuture<Void> served;

    /** Gives the next of the answers for each question, and closes the connection after the last. */
    private InetSocketAddress serve(byte[]... answers) throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        served = CompletableFuture.runAsync(() -> {
            try (Socket socket = server.accept()) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                OutputStream out = socket.getOutputStream();
                for (int i = 0; i < answers.length; i++) {
                    if (i == 1) {
                        in = new DataInputStream(new CqlSegments.Payloads(socket.getInputStream()));
                    }
                    byte[] header = new byte[9];
                    in.readFully(header);
                    assertThat(header[0]).isEqualTo((byte) CqlConnection.VERSION);
                    byte[] body = new byte[Math.toIntExact(number(header, 5))];
                    in.readFully(body);
                    asked.add(body);
                    out.write(answers[i]);
                }
                if (answers.length == 0) {
                    // Until the other side has had enough.
                    in.transferTo(OutputStream.nullOutputStream());
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    private static long number(byte[] bytes, int offset) {
        long value = 0;
        for (int i = 0; i < 4; i++) {
            value = value << 8 | bytes[offset + i] & 0xFF;
        }
        return value;
    }

    private static byte[] message(int opcode, int flags, ByteWriter body) {
        ByteWriter out = new ByteWriter(64);
        out.writeByte(CqlConnection.ANSWER | CqlConnection.VERSION);
        out.writeByte(flags);
        out.writeShort(0);
        out.writeByte(opcode);
        out.writeInt(body.lengthBytes());
        out.writeBytes(body.array(), 0, body.lengthBytes());
        return out.toByteArray();
    }

    private static void text(ByteWriter out, String text) {
        out.writeShort(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void value(ByteWriter out, byte[] value) {
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    private static byte[] error(int code, String text) {
        ByteWriter body = new ByteWriter(64);
        body.writeInt(code);
        text(body, text);
        return message(CqlConnection.ERROR, 0, body);
    }

    private static byte[] authenticate() {
        ByteWriter body = new ByteWriter(64);
        text(body, "o.a.c.auth.PasswordAuthenticator");
        return message(CqlConnection.AUTHENTICATE, 0, body);
    }

    /** Of one text each. */
    private static byte[] rows(int flags, String... texts) {
        ByteWriter body = new ByteWriter(64);
        body.writeInt(2);
        body.writeInt(flags);
        body.writeInt(1);
        text(body, "system");
        text(body, "local");
        text(body, "key");
        body.writeShort(0x0D);
        body.writeInt(texts.length);
        for (String text : texts) {
            value(body, text.getBytes(StandardCharsets.UTF_8));
        }
        return message(CqlConnection.RESULT, 0, body);
    }

    private static CqlConnection open(InetSocketAddress address, Optional<LiveNodeConfig.Login> login)
            throws IOException {
        return CqlConnection.open(address, login, Optional.empty(), PATIENCE);
    }

    private static CqlConnection open(InetSocketAddress address) throws IOException {
        return open(address, Optional.empty());
    }

    @AfterEach
    void close() throws IOException {
        if (server != null) {
            server.close();
            served.join();
        }
    }

    @Test
    void shouldLogInAndAskWithValues() throws IOException {
        InetSocketAddress node = serve(
                authenticate(),
                CqlSegments.of(message(CqlConnection.AUTH_SUCCESS, 0, new ByteWriter(1))),
                CqlSegments.of(rows(1, "one", "two")));
        try (CqlConnection connection = open(node, LOGIN)) {
            assertThat(connection.rows("SELECT key FROM t WHERE k = ?", "a value"))
                    .extracting(row -> row.text("key").orElseThrow())
                    .containsExactly("one", "two");
        }
        assertThat(asked.get(1)).endsWith("\0anneal\0a secret".getBytes(StandardCharsets.UTF_8));
        assertThat(new String(asked.get(2), StandardCharsets.UTF_8))
                .contains("WHERE k = ?")
                .endsWith("a value");
    }

    @Test
    void shouldReadValuesOfAllTypesThatAreAskedForAndPassOverOthers() throws IOException {
        ByteWriter body = new ByteWriter(64);
        body.writeShort(1);
        text(body, "a warning");
        body.writeInt(2);
        body.writeInt(0);
        List<String> names = List.of("none", "id", "count", "yes", "set", "map", "times", "type", "tuple", "custom");
        body.writeInt(names.size());
        int[][] types = {
            {0x0D},
            {0x0C},
            {0x09},
            {0x04},
            {0x22, 0x0D},
            {0x21, 0x0D, 0x0D},
            {0x21, 0x0C, 0x03},
            {},
            {0x31, 2, 0x0D, 0x20, 9},
            {}
        };
        for (int i = 0; i < names.size(); i++) {
            text(body, "k");
            text(body, "t");
            text(body, names.get(i));
            Arrays.stream(types[i]).forEach(body::writeShort);
            if (names.get(i).equals("type")) {
                body.writeShort(0x30);
                text(body, "k");
                text(body, "address");
                body.writeShort(1);
                text(body, "street");
                body.writeShort(0x0D);
            }
            if (names.get(i).equals("custom")) {
                body.writeShort(0);
                text(body, "org.apache.cassandra.db.marshal.EmptyType");
            }
        }
        body.writeInt(1);
        body.writeInt(-1);
        body.writeInt(16);
        body.writeLong(1);
        body.writeLong(2);
        body.writeInt(4);
        body.writeInt(864_000);
        value(body, new byte[] {1});
        value(body, elements(1, "a".getBytes(StandardCharsets.UTF_8)));
        value(body, elements(2, "k".getBytes(StandardCharsets.UTF_8), "v".getBytes(StandardCharsets.UTF_8)));
        value(body, elements(2, new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2}, new byte[] {0x0A, -1}));
        for (int i = 0; i < 3; i++) {
            body.writeInt(-1);
        }
        InetSocketAddress node =
                serve(READY, CqlSegments.of(message(CqlConnection.RESULT, CqlConnection.HAS_WARNINGS, body)));
        try (CqlConnection connection = open(node)) {
            CqlRow row = connection.rows("SELECT * FROM k.t").get(0);

            assertThat(row.text("none")).isEmpty();
            assertThat(row.texts("none")).isEmpty();
            assertThat(row.isTrue("none")).isFalse();
            assertThat(row.has("nowhere")).isFalse();
            assertThat(row.uuid("id")).isEqualTo(ID);
            assertThat(row.integer("count")).isEqualTo(864_000);
            assertThat(row.isTrue("yes")).isTrue();
            assertThat(row.texts("set")).isEqualTo(Set.of("a"));
            assertThat(row.textByText("map")).isEqualTo(Map.of("k", "v"));
            assertThat(row.digitsByUuid("times")).isEqualTo(Map.of(ID, "0aff"));
            assertThat(row.text("custom")).isEmpty();
            assertThatThrownBy(() -> row.text("nowhere")).hasMessageContaining("no such column, column=nowhere");
            assertThatThrownBy(() -> row.integer("none")).hasMessageContaining("no value, column=none");
        }
    }

    private static byte[] elements(int eachOf, byte[]... elements) {
        ByteWriter out = new ByteWriter(64);
        out.writeInt(elements.length / eachOf);
        for (byte[] element : elements) {
            value(out, element);
        }
        return out.toByteArray();
    }

    @Test
    void shouldReadAnAnswerOfManySegments() throws IOException {
        String[] texts = new String[30];
        Arrays.setAll(texts, i -> Integer.toString(i).repeat(10_000));
        byte[] whole = rows(1, texts);
        ByteWriter segments = new ByteWriter(whole.length);
        for (int from = 0; from < whole.length; from += CqlSegments.LENGTH_MAX_BYTES) {
            segments.writeBytes(CqlSegments.of(
                    Arrays.copyOfRange(whole, from, Math.min(whole.length, from + CqlSegments.LENGTH_MAX_BYTES))));
        }
        try (CqlConnection connection = open(serve(READY, segments.toByteArray()))) {
            assertThat(connection.rows("SELECT key FROM system.local"))
                    .extracting(row -> row.text("key").orElseThrow())
                    .containsExactly(texts);
        }
    }

    @Test
    void shouldAskOnAfterWhatTheNodeRefuses() throws IOException {
        InetSocketAddress node = serve(
                READY, CqlSegments.of(error(0x2200, "unconfigured table nowhere")), CqlSegments.of(rows(1, "here")));
        try (CqlConnection connection = open(node)) {
            assertThatExceptionOfType(CqlConnection.RefusedException.class)
                    .isThrownBy(() -> connection.rows("SELECT * FROM nowhere"))
                    .withMessage("unconfigured table nowhere, code=8704");
            assertThat(connection.rows("SELECT key FROM system.local")).hasSize(1);
        }
    }

    @Test
    void shouldSayHowToLogIn() throws IOException {
        InetSocketAddress node = serve(authenticate());
        assertThatExceptionOfType(CqlConnection.RefusedException.class)
                .isThrownBy(() -> open(node))
                .withMessageContaining("give --cql-user")
                .withMessageContaining("PasswordAuthenticator");
    }

    @Test
    void shouldSayThatTheLoginIsRefused() throws IOException {
        InetSocketAddress node = serve(authenticate(), CqlSegments.of(error(0x100, "Provided username is incorrect")));
        assertThatExceptionOfType(CqlConnection.RefusedException.class)
                .isThrownBy(() -> open(node, LOGIN))
                .withMessageContaining("Provided username is incorrect");
    }

    @Test
    void shouldNotKnowOtherWaysToLogIn() throws IOException {
        InetSocketAddress node = serve(authenticate(), CqlSegments.of(message(0x0E, 0, new ByteWriter(1))));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> open(node, LOGIN))
                .withMessageContaining("answer is of another kind, opcode=14");
    }

    /** Once one is damaged nobody knows which bytes are the next answer's. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 9, 20, -1})
    void shouldRefuseASegmentThatIsDamagedAndAskNoMore(int damaged) throws IOException {
        byte[] segment = CqlSegments.of(rows(1, "here"));
        segment[damaged < 0 ? segment.length - 1 : damaged] ^= 1;
        try (CqlConnection connection = open(serve(READY, segment))) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining("does not match its checksum");
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining("connection has failed before");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 6, 30})
    void shouldSayThatAnAnswerIsCutOff(int lengthBytes) throws IOException {
        byte[] cut = Arrays.copyOf(CqlSegments.of(rows(1, "here")), lengthBytes);
        try (CqlConnection connection = open(serve(READY, cut))) {
            assertThatExceptionOfType(EOFException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"));
        }
    }

    @Test
    void shouldNotWaitForeverForANodeThatIsSilent() throws IOException {
        InetSocketAddress node = serve();
        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> CqlConnection.open(node, Optional.empty(), Optional.empty(), Duration.ofMillis(200)));
    }

    private static byte[] with(int offset, int value) {
        byte[] changed = rows(1, "here");
        changed[offset] = (byte) value;
        return CqlSegments.of(changed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"version", "flags", "length", "kind", "more", "short"})
    void shouldRefuseWhatItDoesNotUnderstand(String what) throws IOException {
        byte[] answer = switch (what) {
            case "version" -> with(0, 0x84);
            case "flags" -> with(1, 1);
            case "length" -> with(5, 0x7F);
            case "kind" -> with(12, 1);
            case "more" -> CqlSegments.of(rows(3, "here"));
            // So many rows are not there.
            default -> with(46, 9);
        };
        try (CqlConnection connection = open(serve(READY, answer))) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining(
                            switch (what) {
                                case "version" -> "answer is not by version 5 of CQL's protocol, first byte=132";
                                case "flags" -> "flags that nobody asked for";
                                case "length" -> "answer is too long";
                                case "kind", "more" -> "answer is no rows, or not all of them";
                                default -> "answer is malformed";
                            });
        }
    }

    @Test
    void shouldSayWhatElseAnswersThere() throws IOException {
        InetSocketAddress node = serve("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.UTF_8));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> open(node))
                .withMessageContaining("not by version 5 of CQL's protocol");
    }
}
