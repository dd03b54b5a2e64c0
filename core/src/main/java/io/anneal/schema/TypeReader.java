package io.anneal.schema;

import io.anneal.schema.grammar.CqlParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Types in schema text; user-defined ones are looked up among all that the text declares, wherever they stand. */
final class TypeReader {
    private record Declaration(String keyspace, String name, CqlParser.CreateTypeContext context) {}

    private final SchemaReader reader;
    private final Map<String, Declaration> declarations = new HashMap<>();
    private final Map<String, CqlType> userTypes = new HashMap<>();
    private final Set<String> unfinished = new HashSet<>();

    TypeReader(SchemaReader reader) {
        this.reader = reader;
    }

    void declare(CqlParser.CreateTypeContext create) {
        List<CqlParser.IdentifierContext> names = create.typeName().identifier();
        String keyspace = reader.keyspaceOr(names.size() == 2 ? names.get(0) : null, create.typeName());
        String name = SchemaReader.name(names.get(names.size() - 1));
        Declaration earlier = declarations.putIfAbsent(keyspace + "." + name, new Declaration(keyspace, name, create));
        // Snapshots that are put into one file bring the same types again, each IF NOT EXISTS.
        if (earlier != null && create.ifNotExists() == null) {
            throw reader.error(create, "type declared twice, type=" + keyspace + "." + name);
        }
    }

    /** The type of a column or field in a keyspace. */
    CqlType type(CqlParser.TypeContext type, String keyspace) {
        return type(type, keyspace, false);
    }

    private CqlType type(CqlParser.TypeContext type, String keyspace, boolean insideFrozen) {
        if (type instanceof CqlParser.FrozenTypeContext frozen) {
            return type(frozen.type(), keyspace, true).frozen();
        }
        if (type instanceof CqlParser.ClassTypeContext named) {
            try {
                return TypeParser.parse(SchemaReader.string(named.STRING().getText()));
            } catch (SchemaException e) {
                SchemaException placed = reader.error(type, e.getMessage());
                placed.initCause(e);
                throw placed;
            }
        }
        CqlParser.NamedTypeContext named = (CqlParser.NamedTypeContext) type;
        CqlType found = named.typeArgument().isEmpty()
                ? withoutArguments(named, keyspace)
                : withArguments(named, keyspace, insideFrozen);
        return insideFrozen ? found.frozen() : found;
    }

    private CqlType withoutArguments(CqlParser.NamedTypeContext type, String keyspace) {
        List<CqlParser.IdentifierContext> names = type.typeName().identifier();
        if (names.size() == 1 && names.get(0).QUOTED_IDENTIFIER() == null) {
            Optional<CqlType> nativeType = CqlTypes.nativeType(names.get(0).getText());
            if (nativeType.isPresent()) {
                return nativeType.get();
            }
        }
        String typeKeyspace = names.size() == 2 ? SchemaReader.name(names.get(0)) : keyspace;
        return userType(typeKeyspace + "." + SchemaReader.name(names.get(names.size() - 1)), type);
    }

    private CqlType userType(String qualifiedName, CqlParser.TypeContext where) {
        CqlType known = userTypes.get(qualifiedName);
        if (known != null) {
            return known;
        }
        Declaration declaration = declarations.get(qualifiedName);
        if (declaration == null) {
            throw reader.error(where, "unknown type, type=" + qualifiedName);
        }
        if (!unfinished.add(qualifiedName)) {
            throw reader.error(where, "type contains itself, type=" + qualifiedName);
        }
        List<String> fieldNames = new ArrayList<>();
        List<CqlType> fields = new ArrayList<>();
        for (CqlParser.FieldContext field : declaration.context.field()) {
            fieldNames.add(SchemaReader.name(field.identifier()));
            fields.add(type(field.type(), declaration.keyspace));
        }
        CqlType type = CqlTypes.userType(declaration.keyspace, declaration.name, fieldNames, fields);
        userTypes.put(qualifiedName, type);
        unfinished.remove(qualifiedName);
        return type;
    }

    private CqlType withArguments(CqlParser.NamedTypeContext type, String keyspace, boolean insideFrozen) {
        String name = type.typeName().getText().toLowerCase(Locale.ROOT);
        return switch (name) {
            case "list" -> CqlTypes.list(element(type, keyspace, insideFrozen, 0, 1));
            case "set" -> CqlTypes.set(element(type, keyspace, insideFrozen, 0, 1));
            case "map" ->
                CqlTypes.map(element(type, keyspace, insideFrozen, 0, 2), element(type, keyspace, insideFrozen, 1, 2));
            case "vector" -> {
                CqlType element = element(type, keyspace, true, 0, 2);
                yield CqlTypes.vector(element, dimension(type.typeArgument(1)));
            }
            case "tuple" -> {
                List<CqlType> fields = new ArrayList<>();
                int count = type.typeArgument().size();
                for (int i = 0; i < count; i++) {
                    fields.add(element(type, keyspace, true, i, count));
                }
                yield CqlTypes.tuple(fields);
            }
            default -> throw reader.error(type, "type takes no parameters, type=" + name);
        };
    }

    private CqlType element(
            CqlParser.NamedTypeContext type, String keyspace, boolean insideFrozen, int index, int count) {
        if (type.typeArgument().size() != count) {
            throw reader.error(
                    type,
                    "wrong number of parameters, wanted=" + count + ", found="
                            + type.typeArgument().size());
        }
        CqlParser.TypeContext argument = type.typeArgument(index).type();
        if (argument == null) {
            throw reader.error(type.typeArgument(index), "a type is wanted here");
        }
        CqlType element = type(argument, keyspace, insideFrozen);
        if (element.isMultiCell()) {
            throw reader.error(argument, "type within a collection must be frozen, type=" + element.cqlName());
        }
        return element;
    }

    private int dimension(CqlParser.TypeArgumentContext argument) {
        if (argument.NUMBER() == null || !argument.getText().matches("[1-9][0-9]{0,8}")) {
            throw reader.error(argument, "a vector's dimension is wanted here");
        }
        return Integer.parseInt(argument.getText());
    }
}
