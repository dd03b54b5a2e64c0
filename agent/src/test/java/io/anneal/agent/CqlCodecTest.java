package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.protocol.internal.Compressor;
import com.datastax.oss.protocol.internal.CrcMismatchException;
import com.datastax.oss.protocol.internal.Frame;
import com.datastax.oss.protocol.internal.FrameCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.Segment;
import com.datastax.oss.protocol.internal.SegmentCodec;
import com.datastax.oss.protocol.internal.request.AuthResponse;
import com.datastax.oss.protocol.internal.request.Query;
import com.datastax.oss.protocol.internal.request.Startup;
import com.datastax.oss.protocol.internal.request.query.QueryOptions;
import com.datastax.oss.protocol.internal.response.AuthSuccess;
import com.datastax.oss.protocol.internal.response.Authenticate;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.error.Unprepared;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What is asked, the driver's codec reads; and what that writes is read: rows of all types, of one segment and of several. */
final class CqlCodecTest {
    private static final long SEED = Long.getLong("anneal.seed", 20_261_128);
    private static final int QUESTIONS = 300;
    private static final int PART_MAX_BYTES = 1 << 17;
    private static final UnpooledByteBufAllocator BUFFERS = new UnpooledByteBufAllocator(false, true);

    private final Random random = new Random(SEED);
    private final FrameCodec<ByteBuf> frames =
            FrameCodec.defaultServer(new ByteBufPrimitiveCodec(BUFFERS), Compressor.none());
    private final SegmentCodec<ByteBuf> segments =
            new SegmentCodec<>(new ByteBufPrimitiveCodec(BUFFERS), Compressor.none());
    private final Queue<Message> answers = new ConcurrentLinkedQueue<>();
    private final Queue<Message> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean hasAnsweredInParts;

    private void serve(Socket socket) throws IOException, CrcMismatchException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        ByteBuf startup = take(in, FrameCodec.V3_ENCODED_HEADER_SIZE);
        startup.writeBytes(take(in, frames.decodeBodySize(startup)));
        write(socket, frames.encode(answer(frames.decode(startup))));
        while (!answers.isEmpty()) {
            SegmentCodec.Header header =
                    segments.decodeHeader(take(in, segments.headerLength() + SegmentCodec.CRC24_LENGTH));
            assertThat(header.isSelfContained).isTrue();
            ByteBuf question =
                    segments.decode(header, take(in, header.payloadLength + SegmentCodec.CRC32_LENGTH)).payload;
            ByteBuf answer = frames.encode(answer(frames.decode(question)));
            assertThat(question.isReadable()).isFalse();
            boolean isWhole = answer.readableBytes() < PART_MAX_BYTES;
            hasAnsweredInParts |= !isWhole;
            while (answer.isReadable()) {
                ByteBuf part = answer.readRetainedSlice(Math.min(answer.readableBytes(), PART_MAX_BYTES - 1));
                List<Object> written = new ArrayList<>();
                segments.encode(new Segment<>(part, isWhole), written);
                for (Object bytes : written) {
                    write(socket, (ByteBuf) bytes);
                }
            }
        }
    }

    private static ByteBuf take(DataInputStream in, int lengthBytes) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        in.readFully(bytes);
        return BUFFERS.heapBuffer().writeBytes(bytes);
    }

    private static void write(Socket socket, ByteBuf bytes) throws IOException {
        bytes.readBytes(socket.getOutputStream(), bytes.readableBytes());
    }

    private Frame answer(Frame question) {
        assertThat(question.protocolVersion).isEqualTo(ProtocolConstants.Version.V5);
        asked.add(question.message);
        List<String> warnings = random.nextBoolean() ? List.of() : List.of("slow", "ключ");
        return Frame.forResponse(
                ProtocolConstants.Version.V5, question.streamId, null, Frame.NO_PAYLOAD, warnings, answers.remove());
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private RawType type(int depth) {
        int kind = random.nextInt(depth > 4 ? 2 : 7);
        return switch (kind) {
            case 0 -> RawType.PRIMITIVES.get(ProtocolConstants.DataType.VARCHAR);
            case 1 -> new RawType.RawCustom("org.apache.cassandra.db.marshal.Some");
            case 2 -> new RawType.RawList(type(depth + 1));
            case 3 -> new RawType.RawSet(type(depth + 1));
            case 4 -> new RawType.RawMap(type(depth + 1), type(depth + 1));
            case 5 -> new RawType.RawTuple(List.of(type(depth + 1), type(depth + 1)));
            default -> new RawType.RawUdt("k", "udt", Map.of("one", type(depth + 1), "two", type(depth + 1)));
        };
    }

    private String text() {
        int length = random.nextInt(20) == 0 ? random.nextInt(40_000) : random.nextInt(20);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.appendCodePoint("aZ9ß€🔑".codePointAt(random.nextInt(5)));
        }
        return text.toString();
    }

    /** Texts by the names of their columns, null for none; a column of some other type before them, which is passed over. */
    private DefaultRows rows(List<Map<String, Optional<String>>> expected) {
        boolean ofOneTable = random.nextBoolean();
        int columns = 1 + random.nextInt(6);
        List<ColumnSpec> specs = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            specs.add(new ColumnSpec("k", ofOneTable ? "t" : "t" + i, "c" + i, i, type(0)));
        }
        Queue<List<ByteBuffer>> data = new ArrayDeque<>();
        for (int left = random.nextInt(30); left > 0; left--) {
            Map<String, Optional<String>> row = new HashMap<>();
            List<ByteBuffer> values = new ArrayList<>();
            for (int i = 0; i < columns; i++) {
                Optional<String> text = random.nextInt(4) == 0 ? Optional.empty() : Optional.of(text());
                row.put("c" + i, text);
                values.add(text.map(CqlCodecTest::bytes).orElse(null));
            }
            expected.add(row);
            data.add(Collections.unmodifiableList(values));
        }
        return new DefaultRows(new RowsMetadata(specs, null, new int[0], null), data);
    }

    private static List<Map<String, Optional<String>>> texts(List<CqlRow> rows) throws IOException {
        List<Map<String, Optional<String>>> texts = new ArrayList<>();
        for (CqlRow row : rows) {
            Map<String, Optional<String>> byName = new HashMap<>();
            for (int i = 0; row.has("c" + i); i++) {
                byName.put("c" + i, row.text("c" + i));
            }
            texts.add(byName);
        }
        return texts;
    }

    @Test
    void shouldAskAndReadAsTheDriversCodecDoes() throws IOException {
        List<List<Map<String, Optional<String>>>> expected = new ArrayList<>();
        answers.add(new Authenticate("org.apache.cassandra.auth.PasswordAuthenticator"));
        answers.add(new AuthSuccess(null));
        for (int i = 0; i < QUESTIONS; i++) {
            List<Map<String, Optional<String>>> rows = new ArrayList<>();
            answers.add(rows(rows));
            expected.add(rows);
        }
        answers.add(new Unprepared("not prepared", new byte[16]));
        answers.add(new Error(ProtocolConstants.ErrorCode.SYNTAX_ERROR, "no viable alternative"));
        answers.add(rows(new ArrayList<>()));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    serve(socket);
                } catch (IOException | CrcMismatchException e) {
                    throw new IllegalStateException(e);
                }
            });
            ask(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), expected);
            served.join();
        }
        assertThat(hasAnsweredInParts).isTrue();
        assertThat(((Startup) asked.remove()).options).containsEntry("CQL_VERSION", "3.0.0");
        assertThat(((AuthResponse) asked.remove()).token).isEqualTo(bytes("\0ключ\0пароль"));
        for (int i = 0; i < QUESTIONS; i++) {
            Query query = (Query) asked.remove();
            assertThat(query.query).isEqualTo("SELECT ключ" + i);
            QueryOptions options = query.options;
            assertThat(options.consistency).isEqualTo(ProtocolConstants.ConsistencyLevel.ONE);
            assertThat(options.positionalValues)
                    .isEqualTo(i % 3 == 0 ? List.of() : List.of(bytes("ß" + i), bytes("two")));
            assertThat(options.pageSize).as("not in pages").isNegative();
        }
        assertThat(asked).hasSize(3);
    }

    private static void ask(InetSocketAddress node, List<List<Map<String, Optional<String>>>> expected)
            throws IOException {
        try (CqlConnection connection = CqlConnection.open(
                node,
                Optional.of(new LiveNodeConfig.Login("ключ", "пароль")),
                Optional.empty(),
                Optional.empty(),
                System::nanoTime,
                Duration.ofSeconds(30))) {
            for (int i = 0; i < expected.size(); i++) {
                Object[] values = i % 3 == 0 ? new Object[0] : new Object[] {"ß" + i, "two"};
                assertThat(texts(connection.rows("SELECT ключ" + i, values)))
                        .as("seed=%d, question=%d", SEED, i)
                        .isEqualTo(expected.get(i));
            }
            for (String reason : List.of("not prepared, code=9472", "no viable alternative, code=8192")) {
                assertThatExceptionOfType(CqlConnection.RefusedException.class)
                        .isThrownBy(() -> connection.rows("SELECT"))
                        .withMessage(reason);
            }
            assertThat(connection.rows("SELECT")).isNotNull();
        }
    }
}
