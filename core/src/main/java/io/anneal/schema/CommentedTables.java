package io.anneal.schema;

import io.anneal.schema.grammar.CqlLexer;
import java.util.ArrayList;
import java.util.List;
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
    private static final Pattern WARNING = Pattern.compile(
            "/\\*\\s*Warning: .*?omitted because it has constructs not compatible with CQL.*?(?=CREATE TABLE)",
            Pattern.DOTALL);
    private static final int CLOSE_LENGTH = 2;

    private final String text;
    /** Of each comment that was one no longer: the places of its first and last characters in code points, in order. */
    private final List<Integer> bounds;

    private CommentedTables(String text, List<Integer> bounds) {
        this.text = text;
        this.bounds = bounds;
    }

    /** Blanks out warnings and the ends of their comments, so that what stands between is read; positions stay what they were. */
    static CommentedTables uncomment(String text) {
        if (!WARNING.matcher(text).find()) {
            return new CommentedTables(text, List.of());
        }
        StringBuilder uncommented = new StringBuilder(text);
        List<Integer> bounds = new ArrayList<>();
        CqlLexer lexer = new CqlLexer(CharStreams.fromString(text));
        // What is wrong with the text is said when it is read.
        lexer.removeErrorListeners();
        for (Token token = lexer.nextToken(); token.getType() != Token.EOF; token = lexer.nextToken()) {
            if (token.getType() != CqlLexer.BLOCK_COMMENT) {
                continue;
            }
            Matcher warning = WARNING.matcher(token.getText());
            if (warning.lookingAt()) {
                int start = text.offsetByCodePoints(0, token.getStartIndex());
                int end = start + token.getText().length();
                blank(uncommented, start, start + warning.end());
                blank(uncommented, end - CLOSE_LENGTH, end);
                bounds.add(token.getStartIndex());
                bounds.add(token.getStopIndex());
            }
        }
        return new CommentedTables(uncommented.toString(), bounds);
    }

    String text() {
        return text;
    }

    /** Whether a statement that begins with this token stood in a comment. */
    boolean holds(Token token) {
        for (int i = 0; i < bounds.size(); i += 2) {
            if (bounds.get(i) <= token.getStartIndex() && token.getStartIndex() <= bounds.get(i + 1)) {
                return true;
            }
        }
        return false;
    }

    private static void blank(StringBuilder text, int start, int end) {
        for (int i = start; i < end; i++) {
            if (text.charAt(i) != '\n') {
                text.setCharAt(i, ' ');
            }
        }
    }
}
