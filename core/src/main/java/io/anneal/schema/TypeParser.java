package io.anneal.schema;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Cassandra's class names of types, as SSTable headers and old schemas hold them, to {@link CqlType}s; back goes
 * {@link CqlType#className()}. Names without dots are those of Cassandra's own package. The grammar is that of
 * {@code org.apache.cassandra.db.marshal.TypeParser}.
 */
public final class TypeParser {
    private static final String COMPOSITE = NativeType.PACKAGE + "CompositeType";

    private final String text;
    private int position;
    private int depth;

    private TypeParser(String text) {
        SchemaLimits.require(
                "class name is too long, in characters", text.length(), SchemaLimits.CLASS_NAME_CHARACTERS_MAX);
        this.text = text;
    }

    /**
     * @throws SchemaException when the text is no type, or one beyond a limit
     * @throws UnsupportedTypeException when it names a class that is not handled
     */
    public static CqlType parse(String className) {
        TypeParser parser = new TypeParser(className);
        CqlType type = parser.type();
        parser.requireEnd();
        return type;
    }

    /** The types of a key: of a {@code CompositeType} its components, otherwise the type alone. */
    public static List<CqlType> components(String className) {
        TypeParser parser = new TypeParser(className);
        if (!qualified(parser.identifier()).equals(COMPOSITE)) {
            return List.of(parse(className));
        }
        List<CqlType> components = parser.parameters();
        parser.requireEnd();
        if (components.isEmpty()) {
            throw parser.error("composite type without components");
        }
        return components;
    }

    /** The name that {@link #components} splits: what a header says of a partition key of these types. */
    public static String compositeClassName(List<CqlType> components) {
        if (components.size() == 1) {
            return components.get(0).className();
        }
        return COMPOSITE + "("
                + String.join(",", components.stream().map(CqlType::className).toList()) + ")";
    }

    private static String qualified(String name) {
        return name.indexOf('.') >= 0 ? name : NativeType.PACKAGE + name;
    }

    private CqlType type() {
        if (++depth > SchemaLimits.WRITTEN_NESTING_MAX) {
            throw error(SchemaLimits.TOO_DEEP);
        }
        CqlType type = typeAtThisDepth();
        depth--;
        return type;
    }

    private CqlType typeAtThisDepth() {
        skipBlanks();
        String name = identifier();
        if (name.isEmpty()) {
            throw error("a type's name is missing");
        }
        String className = qualified(name);
        skipBlanks();
        boolean hasParameters = position < text.length() && text.charAt(position) == '(';
        if (!hasParameters) {
            return CqlTypes.byClassName(className).orElseThrow(() -> unsupported(className));
        }
        if (!className.startsWith(NativeType.PACKAGE)) {
            throw unsupported(className);
        }
        return switch (className.substring(NativeType.PACKAGE.length())) {
            case "FrozenType" -> one(className).frozen();
            case "ReversedType" -> new ReversedType(one(className));
            case "ListType" -> CqlTypes.list(one(className));
            case "SetType" -> CqlTypes.set(one(className));
            case "MapType" -> {
                List<CqlType> types = exactly(2, className);
                yield CqlTypes.map(types.get(0), types.get(1));
            }
            case "TupleType" -> CqlTypes.tuple(parameters());
            case "VectorType" -> vector();
            case "UserType" -> userType();
            default -> withDefaultParameters(className);
        };
    }

    private CqlType one(String className) {
        return exactly(1, className).get(0);
    }

    private List<CqlType> exactly(int count, String className) {
        List<CqlType> types = parameters();
        if (types.size() != count) {
            throw error(
                    "wrong number of parameters, class=" + className + ", wanted=" + count + ", found=" + types.size());
        }
        return types;
    }

    private List<CqlType> parameters() {
        expect('(');
        List<CqlType> types = new ArrayList<>();
        while (!atClose()) {
            types.add(type());
        }
        return types;
    }

    private CqlType vector() {
        expect('(');
        CqlType element = type();
        atClose();
        String dimension = identifier();
        if (!dimension.matches("[1-9][0-9]{0,8}")) {
            throw error("vector without a dimension from 1 to 999999999");
        }
        expect(')');
        return CqlTypes.vector(element, Integer.parseInt(dimension));
    }

    private CqlType userType() {
        expect('(');
        skipBlanks();
        String keyspace = identifier();
        atClose();
        String name = hexText();
        List<String> fieldNames = new ArrayList<>();
        List<CqlType> fields = new ArrayList<>();
        while (!atClose()) {
            fieldNames.add(hexText());
            skipBlanks();
            expect(':');
            fields.add(type());
        }
        return CqlTypes.userType(keyspace, name, fieldNames, fields);
    }

    /** Old schemas write {@code Int32Type(reversed=true)} for descending order. */
    private CqlType withDefaultParameters(String className) {
        CqlType base = CqlTypes.byClassName(className).orElseThrow(() -> unsupported(className));
        expect('(');
        boolean reversed = false;
        while (!atClose()) {
            String key = identifier();
            String value = "";
            skipBlanks();
            if (position < text.length() && text.charAt(position) == '=') {
                position++;
                skipBlanks();
                value = identifier();
            }
            if (key.isEmpty()) {
                throw error("a parameter's name is missing");
            }
            reversed |= key.equals("reversed") && (value.isEmpty() || value.equals("true"));
        }
        return reversed ? new ReversedType(base) : base;
    }

    /** Passes over blanks and a comma; at a closing parenthesis passes over that too and says so. */
    private boolean atClose() {
        skipBlanks();
        if (position < text.length() && text.charAt(position) == ',') {
            position++;
            skipBlanks();
        }
        if (position >= text.length()) {
            throw error("text ends within parentheses");
        }
        if (text.charAt(position) == ')') {
            position++;
            return true;
        }
        return false;
    }

    private String hexText() {
        String hex = identifier();
        try {
            return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            SchemaException exception = error("name is not in hex, name=" + SchemaLimits.excerpt(hex));
            exception.initCause(e);
            throw exception;
        }
    }

    private String identifier() {
        int start = position;
        while (position < text.length() && isIdentifierPart(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    private static boolean isIdentifierPart(char c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || "-+._&".indexOf(c) >= 0;
    }

    private void expect(char wanted) {
        skipBlanks();
        if (position >= text.length() || text.charAt(position) != wanted) {
            throw error("unexpected character, wanted=" + wanted);
        }
        position++;
    }

    private void skipBlanks() {
        while (position < text.length() && " \t\n".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
    }

    private void requireEnd() {
        skipBlanks();
        if (position < text.length()) {
            throw error("text goes on after the type");
        }
    }

    private SchemaException error(String what) {
        return new SchemaException(what + ", position=" + position + ", className=" + SchemaLimits.excerpt(text));
    }

    private UnsupportedTypeException unsupported(String className) {
        return new UnsupportedTypeException("type is not supported, class=" + SchemaLimits.excerpt(className) + ", in="
                + SchemaLimits.excerpt(text));
    }
}
