package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteWriter;
import io.anneal.net.PeerAddress;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node answers that is damaged, or has something against who asks; a real one answers in {@code LiveNodeTest}. */
final class CqlConnectionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Optional<LiveNodeConfig.Login> LOGIN =
            Optional.of(new LiveNodeConfig.Login("anneal", "a secret"));
    private static final Answer READY = message(CqlConnection.READY, 0, new ByteWriter(1));
    private static final Answer NONE = stream -> new byte[0];
    private static final UUID ID = new UUID(1, 2);

    private final List<byte[]> asked = new CopyOnWriteArrayList<>();
    private ServerSocket server;
    private CompletableFuture<Void> served;

    /** The bytes of an answer to the question of a stream. */
    @FunctionalInterface
    private interface Answer {
        byte[] to(int stream);

        default Answer inSegment() {
            return stream -> CqlSegments.of(to(stream));
        }

        /** As many as it takes. */
        default Answer inSegments() {
            return stream -> {
                byte[] whole = to(stream);
                ByteWriter out = new ByteWriter(whole.length);
                for (int from = 0; from < whole.length; from += CqlSegments.LENGTH_MAX_BYTES) {
                    int end = Math.min(whole.length, from + CqlSegments.LENGTH_MAX_BYTES);
                    out.writeBytes(CqlSegments.of(Arrays.copyOfRange(whole, from, end)));
                }
                return out.toByteArray();
            };
        }

        /** By a negative offset from the end on. */
        default Answer with(int offset, int value) {
            return stream -> {
                byte[] changed = to(stream);
                changed[offset < 0 ? changed.length + offset : offset] = (byte) value;
                return changed;
            };
        }
    }

    /** Gives the next of the answers for each question, and closes the connection after the last. */
    private InetSocketAddress serve(Answer... answers) throws IOException {
        return serve(InetAddress.getLoopbackAddress(), answers);
    }

    private InetSocketAddress serve(InetAddress where, Answer... answers) throws IOException {
        server = new ServerSocket(0, 1, where);
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
                    out.write(answers[i].to((int) (number(header, 0) & 0xFFFF)));
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

    private static Answer message(int opcode, int flags, ByteWriter body) {
        return stream -> {
            ByteWriter out = new ByteWriter(64);
            out.writeByte(CqlConnection.ANSWER | CqlConnection.VERSION);
            out.writeByte(flags);
            out.writeShort(stream);
            out.writeByte(opcode);
            out.writeInt(body.lengthBytes());
            out.writeBytes(body.array(), 0, body.lengthBytes());
            return out.toByteArray();
        };
    }

    private static void text(ByteWriter out, String text) {
        out.writeShort(text.length());
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void value(ByteWriter out, byte[] value) {
        out.writeInt(value.length);
        out.writeBytes(value);
    }

    private static Answer error(int code, String text) {
        ByteWriter body = new ByteWriter(64);
        body.writeInt(code);
        text(body, text);
        return message(CqlConnection.ERROR, 0, body);
    }

    private static Answer authenticate() {
        return authenticate("org.apache.cassandra.auth.PasswordAuthenticator");
    }

    private static Answer authenticate(String authenticator) {
        ByteWriter body = new ByteWriter(64);
        text(body, authenticator);
        return message(CqlConnection.AUTHENTICATE, 0, body);
    }

    /** Of one text each. */
    private static Answer rows(int flags, String... texts) {
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
        return CqlConnection.open(address, login, Optional.empty(), Optional.empty(), System::nanoTime, PATIENCE);
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
                message(CqlConnection.AUTH_SUCCESS, 0, new ByteWriter(1)).inSegment(),
                rows(1, "one", "two").inSegment());
        try (CqlConnection connection = open(node, LOGIN)) {
            assertThat(connection.rows("SELECT key FROM t WHERE k = ?", "a value"))
                    .hasSize(2);
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
        InetSocketAddress node = serve(
                READY,
                message(CqlConnection.RESULT, CqlConnection.HAS_WARNINGS, body).inSegment());
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
        try (CqlConnection connection = open(serve(READY, rows(1, texts).inSegments()))) {
            assertThat(texts(connection)).containsExactly(texts);
        }
    }

    private static List<String> texts(CqlConnection connection) throws IOException {
        List<String> texts = new ArrayList<>();
        for (CqlRow row : connection.rows("SELECT key FROM system.local")) {
            texts.add(row.requiredText("key"));
        }
        return texts;
    }

    @Test
    void shouldAskOnAfterWhatTheNodeRefuses() throws IOException {
        InetSocketAddress node = serve(
                READY,
                error(0x2200, "unconfigured table nowhere").inSegment(),
                rows(1, "here").inSegment());
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
        InetSocketAddress node = serve(
                authenticate(), error(0x100, "Provided username is incorrect").inSegment());
        assertThatExceptionOfType(CqlConnection.RefusedException.class)
                .isThrownBy(() -> open(node, LOGIN))
                .withMessageContaining("Provided username is incorrect");
    }

    @Test
    void shouldNotSayThePasswordToWhomeverAsks() throws IOException {
        InetSocketAddress node = serve(authenticate("com.example.auth.PasswordCollector"));
        assertThatExceptionOfType(CqlConnection.RefusedException.class)
                .isThrownBy(() -> open(node, LOGIN))
                .withMessageContaining(
                        "not known to take a password, authenticator=com.example.auth.PasswordCollector");
        served.join();
        assertThat(asked).as("no more than the first question").hasSize(1);
    }

    @Test
    void shouldNotSendALoginOverANetworkInTheClear() throws IOException {
        InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 9042);
        LiveNodeConfig config = LiveNodeConfig.of(elsewhere);

        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> config.requireHidden(LOGIN, false, elsewhere))
                .withMessageContaining("login is not sent without TLS")
                .withMessageContaining("--plain-login, address=192.0.2.1:9042");
        config.requireHidden(LOGIN, true, elsewhere);
        config.requireHidden(Optional.empty(), false, elsewhere);
        config.requireHidden(LOGIN, false, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9042));
        config.withPlainLogin().requireHidden(LOGIN, false, elsewhere);
        // Neither by JMX nor by CQL is anything connected to before that is looked at.
        LiveNodeConfig withLogin = config.withLogins(LOGIN, LOGIN);
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> NodeBeans.connect(withLogin, HostEnvironment.system()))
                .withMessageContaining("login is not sent without TLS");
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> NodeTables.connect(withLogin, HostEnvironment.system(), elsewhere, new UUID(1, 2)))
                .withMessageContaining("login is not sent without TLS");
    }

    @Test
    void shouldNotKnowOtherWaysToLogIn() throws IOException {
        InetSocketAddress node =
                serve(authenticate(), message(0x0E, 0, new ByteWriter(1)).inSegment());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> open(node, LOGIN))
                .withMessageContaining("answer is of another kind, opcode=14");
    }

    /** Once one is damaged nobody knows which bytes are the next answer's. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 9, 20, -1})
    void shouldRefuseASegmentThatIsDamagedAndAskNoMore(int damaged) throws IOException {
        Answer segment = stream -> {
            byte[] bytes = rows(1, "here").inSegment().to(stream);
            bytes[damaged < 0 ? bytes.length - 1 : damaged] ^= 1;
            return bytes;
        };
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
        Answer cut = stream -> Arrays.copyOf(rows(1, "here").inSegment().to(stream), lengthBytes);
        try (CqlConnection connection = open(serve(READY, cut))) {
            assertThatExceptionOfType(EOFException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"));
        }
    }

    @Test
    void shouldNotWaitForeverForANodeThatIsSilent() throws IOException {
        InetSocketAddress node = serve();
        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> CqlConnection.open(
                        node,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        System::nanoTime,
                        Duration.ofMillis(200)));
    }

    /** Each byte comes in time; it is a record's of TLS there, whose next bytes nobody but TLS reads. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotWaitForeverForANodeThatGoesOnWithoutAnEnd(boolean tls) throws Exception {
        Semaphore reads = new Semaphore(0);
        AtomicLong nanos = new AtomicLong();
        LongSupplier nanoTime = () -> {
            reads.release();
            return nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        };
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        served = CompletableFuture.runAsync(() -> {
            try (Socket socket = server.accept()) {
                socket.getOutputStream()
                        .write(tls ? new byte[] {22, 3, 3, 0x40, 0} : new byte[] {(byte) 0x85, 0, 0, 1, 2, 0, 0, 1, 0});
                for (int i = 0; i < 1_000 && reads.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS); i++) {
                    socket.getOutputStream().write(2);
                }
            } catch (IOException e) {
                // The other side has had enough.
                reads.drainPermits();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        Optional<SSLSocketFactory> factory =
                tls ? Optional.of(SSLContext.getDefault().getSocketFactory()) : Optional.empty();
        assertThatExceptionOfType(SocketTimeoutException.class)
                .isThrownBy(() -> CqlConnection.open(
                        new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
                        Optional.empty(),
                        factory,
                        Optional.empty(),
                        nanoTime,
                        PATIENCE))
                .withMessageContaining("answer was not whole in time, limit=PT30S");
        reads.release(2);
    }

    @Test
    void shouldNotReadEmptySegmentsForever() throws IOException {
        AtomicLong nanos = new AtomicLong();
        byte[] empty = CqlSegments.of(new byte[0]);
        ByteWriter many = new ByteWriter(1 << 20);
        while (many.lengthBytes() < 1 << 20) {
            many.writeBytes(empty);
        }
        try (CqlConnection connection = CqlConnection.open(
                serve(READY, stream -> many.toByteArray()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                () -> nanos.addAndGet(Duration.ofSeconds(1).toNanos()),
                PATIENCE)) {
            assertThatExceptionOfType(SocketTimeoutException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining("answer was not whole in time");
        }
    }

    /** A socket is read on: what was asked is answered, and whoever interrupted is heard afterwards. */
    @Test
    void shouldReadOnWhenInterrupted() throws IOException {
        try (CqlConnection connection = open(serve(READY, rows(1, "here").inSegment()))) {
            Thread.currentThread().interrupt();
            assertThat(texts(connection)).containsExactly("here");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void shouldSpeakToAnAddressOfVersionSix() throws IOException {
        try (CqlConnection connection =
                open(serve(InetAddress.getByName("::1"), READY, rows(1, "here").inSegment()))) {
            assertThat(texts(connection)).containsExactly("here");
        }
    }

    @Test
    void shouldSendAPasswordOfAnyLetters() throws IOException {
        InetSocketAddress node = serve(
                authenticate(),
                message(CqlConnection.AUTH_SUCCESS, 0, new ByteWriter(1)).inSegment());
        open(node, Optional.of(new LiveNodeConfig.Login("Jürgen", "пароль 🔑"))).close();
        assertThat(asked.get(1)).endsWith("\0Jürgen\0пароль 🔑".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayThatAQuestionIsLongerThanASegment() throws IOException {
        InetSocketAddress node = serve(authenticate());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> open(
                        node, Optional.of(new LiveNodeConfig.Login("u", "p".repeat(CqlSegments.LENGTH_MAX_BYTES)))))
                .withMessageContaining("question is too long");
    }

    /** A row of one column; the body ends with what is to be read as its type, and as rows. */
    private static Answer typed(ByteWriter typeAndRows) {
        ByteWriter body = new ByteWriter(64);
        body.writeInt(2);
        body.writeInt(1);
        body.writeInt(1);
        for (String text : List.of("system", "local", "key")) {
            text(body, text);
        }
        body.writeBytes(typeAndRows.toByteArray());
        return message(CqlConnection.RESULT, 0, body);
    }

    private static Answer nested(int depth) {
        ByteWriter type = new ByteWriter(64);
        for (int i = 0; i < depth; i++) {
            type.writeShort(0x20);
        }
        type.writeShort(0x0D);
        type.writeInt(0);
        return typed(type);
    }

    /** As many columns as {@code columns} says, and rows of them; of none of these there is a byte. */
    private static Answer counts(int columns, int rows) {
        ByteWriter body = new ByteWriter(64);
        body.writeInt(2);
        body.writeInt(1);
        body.writeInt(columns);
        for (String text : List.of("system", "local")) {
            text(body, text);
        }
        body.writeInt(rows);
        return message(CqlConnection.RESULT, 0, body);
    }

    private static ByteWriter number(int value) {
        ByteWriter body = new ByteWriter(Integer.BYTES);
        body.writeInt(value);
        return body;
    }

    private static Answer rowCount(int rows) {
        ByteWriter type = new ByteWriter(64);
        type.writeShort(0x0D);
        type.writeInt(rows);
        return typed(type);
    }

    /** Nothing is allocated for what is not there, and what comes after an answer that was not understood is not taken for the next. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "version",
                "compressed",
                "traced",
                "payload",
                "length",
                "negative length",
                "void",
                "more",
                "no columns told",
                "short",
                "no column",
                "negative columns",
                "columns",
                "negative rows",
                "rows",
                "deep",
                "warnings",
                "other stream",
                "event",
                "error of no question",
                "error without text",
                "opcode"
            })
    void shouldRefuseWhatItDoesNotUnderstand(String what) throws IOException {
        Answer here = rows(1, "here");
        Answer answer = switch (what) {
            case "version" -> here.with(0, 0x84);
            case "compressed" -> here.with(1, 1);
            case "traced" -> here.with(1, 2);
            case "payload" -> here.with(1, 4);
            case "length" -> here.with(5, 0x7F);
            case "negative length" -> here.with(5, 0xFF);
            case "void" -> message(CqlConnection.RESULT, 0, number(1));
            case "more" -> rows(3, "here");
            case "no columns told" -> rows(4, "here");
            case "no column" -> counts(0, Integer.MAX_VALUE);
            case "negative columns" -> counts(-1, 1);
            case "columns" -> counts(Integer.MAX_VALUE, 0);
            case "negative rows" -> rowCount(-1);
            case "rows" -> rowCount(Integer.MAX_VALUE);
            case "deep" -> nested(1 << 20);
            // The first bytes of the body, as their number.
            case "warnings" -> here.with(9, 0xFF).with(1, CqlConnection.HAS_WARNINGS);
            case "other stream" -> here.with(3, 77);
            case "event" -> message(0x0C, 0, new ByteWriter(1)).with(2, 0xFF).with(3, 0xFF);
            case "error of no question" -> error(0, "out of memory").with(3, 0);
            case "error without text" -> message(CqlConnection.ERROR, 0, new ByteWriter(1));
            case "opcode" -> here.with(4, CqlConnection.READY);
            // So many rows are not there.
            default -> here.with(46, 9);
        };
        InetSocketAddress node = serve(READY, answer.inSegments());
        try (CqlConnection connection = open(node)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining(
                            switch (what) {
                                case "version" -> "answer is not by version 5 of CQL's protocol, first byte=132";
                                case "compressed", "traced", "payload" -> "flags that nobody asked for";
                                case "length", "negative length" -> "answer is too long";
                                case "void" -> "answer is no rows, kind=1";
                                case "more" -> "answer is not all of the rows, or does not name their columns, flags=3";
                                case "no columns told" -> "does not name their columns, flags=4";
                                case "other stream" -> "answer is of no question, opcode=8, stream=77, asked=2";
                                case "event" -> "answer is of no question, opcode=12, stream=65535, asked=2";
                                case "error of no question" -> "stream=0, asked=2, error=out of memory, code=0";
                                case "opcode" -> "answer is of another kind, opcode=2, wanted=8";
                                default -> "answer is malformed";
                            });
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> connection.rows("SELECT key FROM system.local"))
                    .withMessageContaining("connection has failed before");
        }
    }

    @Test
    void shouldPassOverTypesAsDeepAsTheyCome() throws IOException {
        try (CqlConnection connection = open(serve(READY, nested(32).inSegment()))) {
            assertThat(connection.rows("SELECT key FROM system.local")).isEmpty();
        }
    }

    private static CqlRow row(byte[] value) {
        return new CqlRow(Map.of("v", 0), List.of(value));
    }

    @Test
    void shouldRefuseValuesOfAnotherType() {
        byte[] negative = {-1, -1, -1, -1};
        byte[] many = {0x7F, -1, -1, -1};
        byte[] twiceIsNegative = {0x40, 0, 0, 0};
        byte[] noElement = {0, 0, 0, 1, -1, -1, -1, -1};
        byte[] more = {0, 0, 0, 0, 1};
        for (byte[] value : List.of(negative, many, twiceIsNegative, noElement, more)) {
            assertThatExceptionOfType(IOException.class)
                    .as(Arrays.toString(value))
                    .isThrownBy(() -> row(value).digitsByUuid("v"))
                    .withMessageContaining("value is not of its type, column=v, lengthBytes=" + value.length);
        }
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> row(more).texts("v"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> row(more).uuid("v"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> row(more).integer("v"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> row(new byte[3]).integer("v"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> row(elements(2, new byte[15], new byte[1])).digitsByUuid("v"));
    }

    @Test
    void shouldNameTheNodeThatAnswersOtherwiseThanItShould() throws IOException {
        InetSocketAddress withoutTheColumn = serve(READY, rows(1, "here").inSegment());
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> connect(withoutTheColumn))
                .withMessageContaining("address=" + PeerAddress.text(withoutTheColumn))
                .withMessageContaining("what=SELECT host_id FROM system.local")
                .withMessageContaining("no such column, column=host_id");
        close();
        InetSocketAddress withoutARow = serve(READY, rows(1).inSegment());
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> connect(withoutARow))
                .withMessageContaining("address=" + PeerAddress.text(withoutARow))
                .withMessageContaining("answer has no row");
        close();
        InetSocketAddress hangsUp = serve(NONE);
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> connect(hangsUp))
                .withMessageContaining("what=connect without TLS");
    }

    private static NodeTables connect(InetSocketAddress node) throws LiveNodeException {
        return NodeTables.connect(LiveNodeConfig.of(node, node), HostEnvironment.system(), node, ID);
    }

    @Test
    void shouldSayWhatElseAnswersThere() throws IOException {
        InetSocketAddress node = serve(stream -> "HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.UTF_8));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> open(node))
                .withMessageContaining("not by version 5 of CQL's protocol");
    }
}
