package io.anneal.peer.agent;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import org.apache.cassandra.auth.AuthenticatedUser;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.ColumnSpecification;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.ResultSet;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.db.marshal.AbstractType;
import org.apache.cassandra.db.marshal.AsciiType;
import org.apache.cassandra.db.marshal.UTF8Type;
import org.apache.cassandra.exceptions.CassandraException;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.ProtocolVersion;
import org.apache.cassandra.transport.messages.ResultMessage;

/**
 * CQL as an external client of the native protocol would send it: the same checks, timestamps and guardrails, one
 * session for all requests (so that {@code USE} holds), consistency ONE, no paging.
 *
 * <p>An answer is a row of column names, then the rows: text as it is, any other value as a CQL literal.
 */
final class CqlOperations {
    private static final long CLOCK_OF_NODE = Long.MIN_VALUE;
    private static final int WITHOUT_PAGING = -1;
    private static final String NULL = "null";

    private final ClientState session =
            ClientState.forExternalCalls(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

    CqlOperations() {
        session.login(AuthenticatedUser.ANONYMOUS_USER);
    }

    List<List<String>> execute(String statement) {
        return executeAt(CLOCK_OF_NODE, statement);
    }

    /** Time to live and expiry are judged as of that second; {@link #CLOCK_OF_NODE} for its clock. */
    List<List<String>> executeAt(long nowSeconds, String statement) {
        return execute(nowSeconds, statement, List.of());
    }

    /**
     * Each statement is its text, the number of its values and the values, in hexadecimal or {@code null}; answers what
     * the last one does.
     */
    List<List<String>> executeBound(long nowSeconds, List<String> statements) {
        List<List<String>> answer = List.of();
        Iterator<String> parts = statements.iterator();
        while (parts.hasNext()) {
            String statement = parts.next();
            List<ByteBuffer> values = new ArrayList<>();
            for (int i = Integer.parseInt(parts.next()); i > 0; i--) {
                String value = parts.next();
                values.add(
                        value.equals(NULL)
                                ? null
                                : ByteBuffer.wrap(HexFormat.of().parseHex(value)));
            }
            try {
                answer = execute(nowSeconds, statement, values);
            } catch (CassandraException e) {
                throw new IllegalArgumentException("statement failed, statement=" + statement, e);
            }
        }
        return answer;
    }

    private List<List<String>> execute(long nowSeconds, String statement, List<ByteBuffer> values) {
        QueryState state = new QueryState(session);
        QueryOptions options = QueryOptions.create(
                ConsistencyLevel.ONE,
                values,
                false,
                WITHOUT_PAGING,
                null,
                ConsistencyLevel.SERIAL,
                ProtocolVersion.CURRENT,
                null,
                Long.MIN_VALUE,
                nowSeconds);
        CQLStatement parsed = QueryProcessor.instance.parse(statement, state, options);
        ResultMessage message =
                QueryProcessor.instance.process(parsed, state, options, Dispatcher.RequestTime.forImmediateExecution());
        if (message instanceof ResultMessage.SchemaChange) {
            // as a driver does: the next statement may go to another node
            Ring.awaitSchemaAgreement();
        }
        return message instanceof ResultMessage.Rows rows ? texts(rows.result) : List.of();
    }

    List<List<String>> executeAll(List<String> statements) {
        for (int i = 0; i < statements.size(); i++) {
            try {
                execute(statements.get(i));
            } catch (CassandraException e) {
                throw new IllegalArgumentException(
                        "statement failed, index=" + i + ", statement=" + statements.get(i), e);
            }
        }
        return List.of();
    }

    private static List<List<String>> texts(ResultSet result) {
        List<ColumnSpecification> columns = result.metadata.requestNames();
        List<List<String>> texts = new ArrayList<>(result.size() + 1);
        texts.add(columns.stream().map(column -> column.name.toString()).toList());
        for (List<ByteBuffer> row : result.rows) {
            List<String> cells = new ArrayList<>(columns.size());
            for (int i = 0; i < columns.size(); i++) {
                cells.add(text(columns.get(i).type, row.get(i)));
            }
            texts.add(cells);
        }
        return texts;
    }

    private static String text(AbstractType<?> type, ByteBuffer value) {
        if (value == null) {
            return null;
        }
        AbstractType<?> plain = type.unwrap();
        if (plain instanceof UTF8Type || plain instanceof AsciiType) {
            return plain.getString(value);
        }
        return plain.asCQL3Type().toCQLLiteral(value);
    }
}
