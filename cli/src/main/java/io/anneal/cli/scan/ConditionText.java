package io.anneal.cli.scan;

import io.anneal.cli.rows.KeyParser;
import io.anneal.paging.query.Condition;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Conditions as users write them: {@code price >= 10}, {@code name = 'O''Neill'}, {@code item IN (bread, milk)}. Quotes around a value
 * may be left out where it has no comma, parenthesis or blank at its ends.
 */
final class ConditionText {
    private static final Pattern CONDITION = Pattern.compile(
            "\\s*(\"(?:[^\"]|\"\")+\"|\\w+)\\s*(!=|<=|>=|=|<|>|\\bIN\\b)\\s*(.*?)\\s*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern VALUE = Pattern.compile("\\s*(?:'((?:[^']|'')*)'|([^',]*?))\\s*(,|$)");

    private ConditionText() {}

    /** @throws IllegalArgumentException when the text is no condition on the table: says why */
    static Condition parse(TableSchema schema, String text) {
        Matcher matcher = CONDITION.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "condition is none, give COLUMN OPERATOR VALUE with one of = != < <= > >= IN, condition=" + text);
        }
        String name = unquoted(matcher.group(1));
        Condition.Operator operator = Condition.Operator.of(matcher.group(2));
        Column column = schema.column(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "table has no such column, table=" + schema.qualifiedName() + ", column=" + name));
        List<String> values =
                operator == Condition.Operator.IN ? list(matcher.group(3), text) : List.of(value(matcher.group(3)));
        return new Condition(
                name,
                operator,
                values.stream().map(value -> KeyParser.value(column, value)).toList());
    }

    /** A name in double quotes is as it stands there, any other one is of small letters, as in CQL. */
    private static String unquoted(String name) {
        return name.startsWith("\"")
                ? name.substring(1, name.length() - 1).replace("\"\"", "\"")
                : name.toLowerCase(Locale.ROOT);
    }

    private static String value(String text) {
        boolean isQuoted = text.length() > 1 && text.startsWith("'") && text.endsWith("'");
        return isQuoted ? text.substring(1, text.length() - 1).replace("''", "'") : text;
    }

    private static List<String> list(String text, String condition) {
        if (!text.startsWith("(") || !text.endsWith(")")) {
            throw new IllegalArgumentException("values of IN stand in parentheses, condition=" + condition);
        }
        String inner = text.substring(1, text.length() - 1);
        Matcher matcher = VALUE.matcher(inner);
        List<String> values = new ArrayList<>();
        int at = 0;
        boolean isEnd;
        do {
            matcher.region(at, inner.length());
            if (!matcher.lookingAt()) {
                throw new IllegalArgumentException("values of IN are not right, condition=" + condition);
            }
            values.add(
                    matcher.group(1) == null
                            ? matcher.group(2)
                            : matcher.group(1).replace("''", "'"));
            isEnd = matcher.group(3).isEmpty();
            at = matcher.end();
        } while (!isEnd);
        return values;
    }
}
