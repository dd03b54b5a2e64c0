package io.anneal.cli.scan;

import io.anneal.cli.rows.KeyParser;
import io.anneal.paging.query.Condition;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A condition as users write it: {@code price >= 10}, {@code name = 'O''Neill'}, {@code item IN (bread, milk)}. Quotes around a value
 * may be left out where it has no blank, comma, parenthesis or quote, and begins with no sign of an operator.
 */
record ConditionText(String text, String column, Condition.Operator operator, List<String> values) {
    private static final List<Condition.Operator> SIGNS = List.of(
            Condition.Operator.NOT_EQUAL,
            Condition.Operator.AT_MOST,
            Condition.Operator.AT_LEAST,
            Condition.Operator.EQUAL,
            Condition.Operator.LESS,
            Condition.Operator.GREATER);

    private static final String NOT_IN_VALUES = ",()'\"";
    private static final String FORM = "give COLUMN OPERATOR VALUE with one of = != < <= > >= IN";

    /**
     * Reads the text alone, before any table is known.
     *
     * @throws IllegalArgumentException when it is no condition: says why, and at which character
     */
    static ConditionText parse(String text) {
        return new Reader(text).condition();
    }

    /** @throws IllegalArgumentException when the table has no such column, or it no such value */
    Condition on(TableSchema schema) {
        Column found = schema.column(column)
                .orElseThrow(() -> new IllegalArgumentException(
                        "table has no such column, table=" + schema.qualifiedName() + ", column=" + column));
        return new Condition(
                column,
                operator,
                values.stream().map(value -> KeyParser.value(found, value)).toList());
    }

    /** Reads a condition from left to right. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        ConditionText condition() {
            skipBlanks();
            String column = column();
            skipBlanks();
            Condition.Operator operator = operator();
            skipBlanks();
            List<String> values = operator == Condition.Operator.IN ? list() : List.of(value());
            skipBlanks();
            if (at < text.length()) {
                throw wrong("condition ends here, and more follows: give each its own --where, and quote a text");
            }
            return new ConditionText(text, column, operator, values);
        }

        /** A name in double quotes is as it stands there, any other one is of small letters, as in CQL. */
        private String column() {
            Optional<String> quoted = quoted('"');
            if (quoted.isPresent()) {
                return quoted.get();
            }
            int from = at;
            while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
                at++;
            }
            if (at == from) {
                throw wrong("condition has no column: " + FORM);
            }
            return text.substring(from, at).toLowerCase(Locale.ROOT);
        }

        private Condition.Operator operator() {
            for (Condition.Operator sign : SIGNS) {
                if (text.startsWith(sign.text(), at)) {
                    at += sign.text().length();
                    return sign;
                }
            }
            String in = Condition.Operator.IN.text();
            int end = at + in.length();
            boolean isIn = text.regionMatches(true, at, in, 0, in.length())
                    && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)));
            if (!isIn) {
                throw wrong("condition has no operator: " + FORM);
            }
            at = end;
            return Condition.Operator.IN;
        }

        private List<String> list() {
            if (!isNext('(')) {
                throw wrong("values of IN stand in parentheses");
            }
            List<String> values = new ArrayList<>();
            do {
                at++;
                skipBlanks();
                values.add(value());
                skipBlanks();
            } while (isNext(','));
            if (!isNext(')')) {
                throw wrong("values of IN have commas between them, and end with a parenthesis");
            }
            at++;
            return values;
        }

        private String value() {
            Optional<String> quoted = quoted('\'');
            if (quoted.isPresent()) {
                return quoted.get();
            }
            int from = at;
            if (at < text.length() && "=<>!".indexOf(text.charAt(at)) >= 0) {
                throw wrong("operator is unknown, or the value needs quotes: " + FORM);
            }
            while (at < text.length() && !isBlank() && NOT_IN_VALUES.indexOf(text.charAt(at)) < 0) {
                at++;
            }
            if (at == from) {
                throw wrong("value is missing");
            }
            return text.substring(from, at);
        }

        /** Within quotes a doubled one is one of the text. */
        private Optional<String> quoted(char quote) {
            if (!isNext(quote)) {
                return Optional.empty();
            }
            int from = at;
            StringBuilder quoted = new StringBuilder();
            for (at++; at < text.length(); at++) {
                if (text.charAt(at) != quote) {
                    quoted.append(text.charAt(at));
                } else if (at + 1 < text.length() && text.charAt(at + 1) == quote) {
                    quoted.append(quote);
                    at++;
                } else {
                    at++;
                    return Optional.of(quoted.toString());
                }
            }
            at = from;
            throw wrong("quote is not closed");
        }

        private boolean isNext(char c) {
            return at < text.length() && text.charAt(at) == c;
        }

        private boolean isBlank() {
            return Character.isWhitespace(text.charAt(at));
        }

        private void skipBlanks() {
            while (at < text.length() && isBlank()) {
                at++;
            }
        }

        private IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException(what + ", condition=" + text + ", character=" + (at + 1));
        }
    }
}
