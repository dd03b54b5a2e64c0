package io.anneal.agent;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.io.ByteWriter;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * A connection to one node by Cassandra's native protocol. It speaks version 5, which each node does that is supported, also one that
 * refuses older ones. One question is under way at a time, and what has failed but by the node's own word asks no more. Safe for any thread.
 *
 * <p>A driver is for services: it finds all nodes, keeps connections to them and what they know, and tries again elsewhere. A few questions
 * to one node cost it more than all else that an agent does for a run without rows.
 *
 * <pre>
 * 1  version, 0x80 more in an answer      4  length of the body
 * 1  flags                                   body, which begins with warnings where a flag says so
 * 2  stream: an answer has its question's
 * 1  opcode
 * </pre>
 */
final class CqlConnection implements Closeable {
    static final int VERSION = 5;
    static final int ANSWER = 0x80;

    static final int ERROR = 0x00;
    static final int STARTUP = 0x01;
    static final int READY = 0x02;
    /** Those that take a name and a password as they are, of Cassandra and of others who offer it: the list that gocql has. */
    private static final Set<String> TAKE_PASSWORDS = Set.of(
            "org.apache.cassandra.auth.PasswordAuthenticator",
            "org.apache.cassandra.auth.MutualTlsWithPasswordFallbackAuthenticator",
            "com.amazon.helenus.auth.HelenusAuthenticator",
            "com.datastax.bdp.cassandra.auth.DseAuthenticator",
            "com.ericsson.bss.cassandra.ecaudit.auth.AuditAuthenticator",
            "com.ericsson.bss.cassandra.ecaudit.auth.AuditPasswordAuthenticator",
            "com.instaclustr.cassandra.auth.InstaclustrPasswordAuthenticator",
            "com.instaclustr.cassandra.auth.SharedSecretAuthenticator",
            "com.scylladb.auth.SaslauthdAuthenticator",
            "com.scylladb.auth.TransitionalAuthenticator",
            "io.aiven.cassandra.auth.AivenAuthenticator");

    static final int AUTHENTICATE = 0x03;
    static final int QUERY = 0x07;
    static final int RESULT = 0x08;
    static final int AUTH_RESPONSE = 0x0F;
    static final int AUTH_SUCCESS = 0x10;

    static final int HAS_WARNINGS = 0x08;

    private static final int ROWS = 2;
    private static final int ONE_TABLE = 0x01;
    private static final int HAS_VALUES = 0x01;
    private static final int CONSISTENCY_ONE = 1;

    /** What an agent asks for is some kilobytes; no length has it allocate without bounds. */
    private static final int BODY_MAX_BYTES = 4 << 20;
    /** Types are in types; a stack is no deeper for what an answer says. */
    private static final int TYPE_DEPTH_MAX = 32;

    private final DeadlineSocket socket;
    private final InputStream received;
    private final OutputStream sent;
    private DataInputStream in;
    private boolean isInSegments;
    private int stream;
    /** An answer is awaited, did not come, or was not understood: who knows what comes next. */
    private boolean isUnanswered;

    /** What the node has against a question, or against who asks. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /** Its reads end by one deadline, however little comes with each; those of TLS are reads of it too. */
    private static final class DeadlineSocket extends Socket {
        private final LongSupplier nanoTime;
        private final long limitNanos;
        private volatile long deadlineNanos;

        DeadlineSocket(LongSupplier nanoTime, Duration limit) {
            this.nanoTime = nanoTime;
            limitNanos = limit.toNanos();
        }

        void begin() {
            deadlineNanos = nanoTime.getAsLong() + limitNanos;
        }

        private int leftMs() throws SocketTimeoutException {
            long leftNanos = deadlineNanos - nanoTime.getAsLong();
            if (leftNanos <= 0) {
                throw new SocketTimeoutException("answer was not whole in time, limit=" + Duration.ofNanos(limitNanos));
            }
            // Nothing would be no limit.
            return (int) Math.max(
                    1, Math.min(Integer.MAX_VALUE, Duration.ofNanos(leftNanos).toMillis()));
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    setSoTimeout(leftMs());
                    return super.read();
                }

                @Override
                public int read(byte[] target, int offset, int lengthBytes) throws IOException {
                    setSoTimeout(leftMs());
                    return super.read(target, offset, lengthBytes);
                }
            };
        }
    }

    /** @param body after warnings */
    private record Answer(int opcode, ByteReader body) {}

    private CqlConnection(DeadlineSocket connected, Socket socket) throws IOException {
        this.socket = connected;
        received = new BufferedInputStream(socket.getInputStream());
        sent = socket.getOutputStream();
        in = new DataInputStream(received);
    }

    /**
     * Connects, and logs in where the node asks who comes.
     *
     * @param tls empty without; with it the certificate must be the node's, by the name
     * @param tlsName what the certificate is to name, where it is not the host of the address
     * @param nanoTime as {@link System#nanoTime()}
     * @param limit for so long the node may take for an answer, and to connect
     */
    static CqlConnection open(
            InetSocketAddress address,
            Optional<LiveNodeConfig.Login> login,
            Optional<SSLSocketFactory> tls,
            Optional<String> tlsName,
            LongSupplier nanoTime,
            Duration limit)
            throws IOException {
        DeadlineSocket socket = new DeadlineSocket(nanoTime, limit);
        boolean opened = false;
        try {
            socket.begin();
            socket.connect(address, socket.leftMs());
            socket.setTcpNoDelay(true);
            CqlConnection connection = new CqlConnection(
                    socket,
                    tls.isPresent()
                            ? named(tls.get(), socket, tlsName.orElse(address.getHostString()), address.getPort())
                            : socket);
            connection.start(login);
            opened = true;
            return connection;
        } catch (ByteUnderflowException e) {
            throw malformed(e);
        } finally {
            if (!opened) {
                socket.close();
            }
        }
    }

    /** TLS that ends when the certificate is right but somebody else's: as browsers check it, by its subjectAltName. */
    private static Socket named(SSLSocketFactory tls, Socket socket, String name, int port) throws IOException {
        SSLSocket named = (SSLSocket) tls.createSocket(socket, name, port, true);
        SSLParameters parameters = named.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        named.setSSLParameters(parameters);
        return named;
    }

    private void start(Optional<LiveNodeConfig.Login> login) throws IOException {
        ByteWriter options = new ByteWriter(64);
        options.writeShort(2);
        for (String text : List.of("CQL_VERSION", "3.0.0", "DRIVER_NAME", "anneal")) {
            write(options, text);
        }
        Answer answer = ask(STARTUP, options);
        // From here on both sides write segments.
        in = new DataInputStream(new CqlSegments.Payloads(received));
        isInSegments = true;
        if (answer.opcode() == AUTHENTICATE) {
            String authenticator = read(answer.body());
            LiveNodeConfig.Login who = login.orElseThrow(() -> new RefusedException(
                    "node asks who comes: give --cql-user and --cql-password-file, authenticator=" + authenticator));
            if (!TAKE_PASSWORDS.contains(authenticator)) {
                throw new RefusedException(
                        "node asks who comes by what is not known to take a password, authenticator=" + authenticator);
            }
            byte[] words = ("\0" + who.user() + "\0" + who.password()).getBytes(StandardCharsets.UTF_8);
            ByteWriter token = new ByteWriter(64);
            token.writeInt(words.length);
            token.writeBytes(words);
            require(AUTH_SUCCESS, ask(AUTH_RESPONSE, token));
        } else {
            require(READY, answer);
        }
    }

    private static void require(int opcode, Answer answer) throws IOException {
        if (answer.opcode() != opcode) {
            throw new IOException("answer is of another kind, opcode=" + answer.opcode() + ", wanted=" + opcode);
        }
    }

    private static void write(ByteWriter out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.writeBytes(bytes);
    }

    private static String read(ByteReader in) {
        return new String(in.readBytes(in.readUnsignedShort()), StandardCharsets.UTF_8);
    }

    /** @throws RefusedException when the node answers with an error */
    private Answer ask(int opcode, ByteWriter body) throws IOException {
        stream = stream + 1 & Short.MAX_VALUE;
        ByteWriter message = new ByteWriter(9 + body.lengthBytes());
        message.writeByte(VERSION);
        message.writeByte(0);
        message.writeShort(stream);
        message.writeByte(opcode);
        message.writeInt(body.lengthBytes());
        message.writeBytes(body.array(), 0, body.lengthBytes());
        if (message.lengthBytes() > CqlSegments.LENGTH_MAX_BYTES) {
            throw new IOException("question is too long, lengthBytes=" + message.lengthBytes() + ", most="
                    + CqlSegments.LENGTH_MAX_BYTES);
        }
        socket.begin();
        sent.write(isInSegments ? CqlSegments.of(message.toByteArray()) : message.toByteArray());
        sent.flush();
        return answer();
    }

    private Answer answer() throws IOException {
        int version = in.readUnsignedByte();
        if (version != (ANSWER | VERSION)) {
            throw new IOException("answer is not by version " + VERSION + " of CQL's protocol, first byte=" + version);
        }
        int flags = in.readUnsignedByte();
        if ((flags & ~HAS_WARNINGS) != 0) {
            throw new IOException("answer has flags that nobody asked for, flags=" + flags);
        }
        int answered = in.readUnsignedShort();
        int opcode = in.readUnsignedByte();
        int lengthBytes = in.readInt();
        if (lengthBytes < 0 || lengthBytes > BODY_MAX_BYTES) {
            throw new IOException("answer is too long, lengthBytes=" + lengthBytes + ", most=" + BODY_MAX_BYTES);
        }
        byte[] body = new byte[lengthBytes];
        in.readFully(body);
        ByteReader reader = new ByteReader(body);
        if ((flags & HAS_WARNINGS) != 0) {
            for (int left = reader.readUnsignedShort(); left > 0; left--) {
                read(reader);
            }
        }
        String error = opcode == ERROR ? error(reader) : "";
        if (answered != stream) {
            throw new IOException("answer is of no question, opcode=" + opcode + ", stream=" + answered + ", asked="
                    + stream + (opcode == ERROR ? ", error=" + error : ""));
        }
        if (opcode == ERROR) {
            throw new RefusedException(error);
        }
        return new Answer(opcode, reader);
    }

    private static String error(ByteReader in) {
        int code = in.readInt();
        return read(in) + ", code=" + code;
    }

    /**
     * All rows at once: pages are not asked for.
     *
     * @param values of the question marks, which stand for texts
     * @throws RefusedException when the node answers with an error, after which it can be asked again
     */
    synchronized List<CqlRow> rows(String query, Object... values) throws IOException {
        if (isUnanswered) {
            throw new IOException("connection has failed before");
        }
        byte[] text = query.getBytes(StandardCharsets.UTF_8);
        ByteWriter question = new ByteWriter(256);
        question.writeInt(text.length);
        question.writeBytes(text);
        question.writeShort(CONSISTENCY_ONE);
        question.writeInt(HAS_VALUES);
        question.writeShort(values.length);
        for (Object value : values) {
            byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
            question.writeInt(bytes.length);
            question.writeBytes(bytes);
        }
        isUnanswered = true;
        try {
            Answer answer = ask(QUERY, question);
            require(RESULT, answer);
            List<CqlRow> rows = rows(answer.body());
            isUnanswered = false;
            return rows;
        } catch (RefusedException e) {
            isUnanswered = false;
            throw e;
        } catch (ByteUnderflowException e) {
            throw malformed(e);
        }
    }

    private static IOException malformed(ByteUnderflowException e) {
        return new IOException("answer is malformed, reason=" + e.getMessage(), e);
    }

    private static List<CqlRow> rows(ByteReader in) throws IOException {
        int kind = in.readInt();
        if (kind != ROWS) {
            throw new IOException("answer is no rows, kind=" + kind);
        }
        int flags = in.readInt();
        if ((flags & ~ONE_TABLE) != 0) {
            throw new IOException("answer is not all of the rows, or does not name their columns, flags=" + flags);
        }
        int columnCount = in.readInt();
        if (columnCount < 1) {
            throw new IOException("answer is malformed, columns=" + columnCount);
        }
        if ((flags & ONE_TABLE) != 0) {
            readTable(in);
        }
        Map<String, Integer> columns = new HashMap<>();
        for (int i = 0; i < columnCount; i++) {
            if ((flags & ONE_TABLE) == 0) {
                readTable(in);
            }
            columns.put(read(in), i);
            readType(in, 0);
        }
        int rowCount = in.readInt();
        if (rowCount < 0) {
            throw new IOException("answer is malformed, rows=" + rowCount);
        }
        List<CqlRow> rows = new ArrayList<>();
        for (int row = 0; row < rowCount; row++) {
            List<byte[]> values = new ArrayList<>(columnCount);
            for (int i = 0; i < columnCount; i++) {
                int lengthBytes = in.readInt();
                values.add(lengthBytes < 0 ? null : in.readBytes(lengthBytes));
            }
            rows.add(new CqlRow(columns, values));
        }
        return rows;
    }

    private static void readTable(ByteReader in) {
        read(in);
        read(in);
    }

    /** Passes over a type: what is asked for is known. */
    private static void readType(ByteReader in, int depth) throws IOException {
        if (depth > TYPE_DEPTH_MAX) {
            throw new IOException("answer is malformed, type is in more types than " + TYPE_DEPTH_MAX);
        }
        switch (in.readUnsignedShort()) {
            case 0x00 -> read(in); // the class of a custom one
            case 0x20, 0x22 -> readType(in, depth + 1); // list, set
            case 0x21 -> { // map
                readType(in, depth + 1);
                readType(in, depth + 1);
            }
            case 0x30 -> { // user-defined
                readTable(in);
                for (int left = in.readUnsignedShort(); left > 0; left--) {
                    read(in);
                    readType(in, depth + 1);
                }
            }
            case 0x31 -> { // tuple
                for (int left = in.readUnsignedShort(); left > 0; left--) {
                    readType(in, depth + 1);
                }
            }
            default -> {}
        }
    }

    /** Whoever waits for an answer then fails. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
