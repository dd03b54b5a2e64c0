package io.anneal.schema;

import io.anneal.schema.grammar.CqlLexer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.Token;

/**
 * Tables with {@code COMPACT STORAGE}, which Cassandra 4.0 and later describe inside of a comment: a warning that the table
 * was omitted, and behind it the statements for reference.
 *
 * <pre>
 *   /&#42;
 *   Warning: Table ks.t omitted because it has constructs not compatible with CQL (was created via legacy API).
 *   Approximate structure, for reference:
 *   (this should not be used to reproduce this schema)
 *
 *   CREATE TABLE IF NOT EXISTS ks.t (...) WITH COMPACT STORAGE ...;
 *   &#42;/
 * </pre>
 */
final class CommentedTables {
    private static final Pattern START = Pattern.compile("/\\*\\s*+Warning: ");
    private static final String REASON = "omitted because it has constructs not compatible with CQL";
    private static final String STATEMENT = "CREATE TABLE";
    private static final int CLOSE_LENGTH = 2;

    private final String text;
    /** Of each comment that is one no longer: the place of its last character by that of its first, in code points. */
    private final NavigableMap<Integer, Integer> bounds;

    private CommentedTables(String text, NavigableMap<Integer, Integer> bounds) {
        this.text = text;
        this.bounds = bounds;
    }

    /** Blanks out warnings and the ends of their comments, so that what stands between is read; positions stay what they were. */
    static CommentedTables uncomment(String text) {
        NavigableMap<Integer, Integer> bounds = new TreeMap<>();
        if (!text.contains(REASON)) {
            return new CommentedTables(text, bounds);
        }
        StringBuilder uncommented = new StringBuilder(text);
        int start = 0;
        int codePoints = 0;
        CqlLexer lexer = new CqlLexer(CharStreams.fromString(text));
        // What is wrong with the text is said when it is read.
        lexer.removeErrorListeners();
        for (Token token = lexer.nextToken(); token.getType() != Token.EOF; token = lexer.nextToken()) {
            if (token.getType() != CqlLexer.BLOCK_COMMENT) {
                continue;
            }
            String comment = token.getText();
            int statement = statementIn(comment);
            if (statement >= 0) {
                start = text.offsetByCodePoints(start, token.getStartIndex() - codePoints);
                codePoints = token.getStartIndex();
                int end = start + comment.length();
                blank(uncommented, start, start + statement);
                blank(uncommented, end - CLOSE_LENGTH, end);
                bounds.put(token.getStartIndex(), token.getStopIndex());
            }
        }
        return new CommentedTables(uncommented.toString(), bounds);
    }

    String text() {
        return text;
    }

    /** Whether a statement that begins with this token stood in a comment. */
    boolean holds(Token token) {
        Map.Entry<Integer, Integer> comment = bounds.floorEntry(token.getStartIndex());
        return comment != null && token.getStartIndex() <= comment.getValue();
    }

    /** Where behind the warning the table's statement begins; negative in any other comment. */
    private static int statementIn(String comment) {
        Matcher start = START.matcher(comment);
        int reason = start.lookingAt() ? comment.indexOf(REASON, start.end()) : -1;
        return reason < 0 ? -1 : comment.indexOf(STATEMENT, reason);
    }

    private static void blank(StringBuilder text, int start, int end) {
        for (int i = start; i < end; i++) {
            if (text.charAt(i) != '\n') {
                text.setCharAt(i, ' ');
            }
        }
    }
}
