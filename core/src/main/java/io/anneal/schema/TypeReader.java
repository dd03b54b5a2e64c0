package io.anneal.schema;

import io.anneal.schema.grammar.CqlParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Types in schema text; user-defined ones are looked up among all that the text declares, wherever they stand. */
final class TypeReader {
    /** A type's fields in order, while statements are read. */
    private record Declaration(String keyspace, String name, Map<String, CqlParser.TypeContext> fields) {}

    private final SchemaReader reader;
    private final Map<String, Declaration> declarations = new HashMap<>();
    private final Map<String, CqlType> userTypes = new HashMap<>();
    private final Set<String> unfinished = new HashSet<>();

    TypeReader(SchemaReader reader) {
        this.reader = reader;
    }

    void declare(CqlParser.CreateTypeContext create) {
        Declaration declaration =
                new Declaration(keyspace(create.typeName()), name(create.typeName()), new LinkedHashMap<>());
        create.field().forEach(field -> add(field, declaration));
        String qualifiedName = declaration.keyspace + "." + declaration.name;
        Declaration earlier = declarations.putIfAbsent(qualifiedName, declaration);
        // Snapshots that are put into one file bring the same types again, each IF NOT EXISTS.
        if (earlier != null && create.ifNotExists() == null) {
            throw reader.error(create, "type declared twice, type=" + qualifiedName);
        }
    }

    private String keyspace(CqlParser.TypeNameContext type) {
        return reader.keyspaceOr(type.identifier().size() == 2 ? type.identifier(0) : null, type);
    }

    private static String name(CqlParser.TypeNameContext type) {
        return SchemaReader.name(type.identifier(type.identifier().size() - 1));
    }

    private void add(CqlParser.FieldContext field, Declaration declaration) {
        String fieldName = SchemaReader.name(field.identifier());
        if (declaration.fields.putIfAbsent(fieldName, field.type()) != null) {
            throw reader.error(field, "field declared twice, field=" + fieldName + ", type=" + declaration.name);
        }
    }

    /** Changes a type that stands before in the text; all that uses it, wherever that stands, sees the last form. */
    void alter(CqlParser.AlterTypeContext alter) {
        String qualifiedName = keyspace(alter.typeName()) + "." + name(alter.typeName());
        Declaration declaration = declarations.get(qualifiedName);
        if (declaration == null) {
            throw reader.error(alter, "unknown type, type=" + qualifiedName);
        }
        if (alter.typeAlteration() instanceof CqlParser.AddFieldsContext added) {
            added.field().forEach(field -> add(field, declaration));
        } else if (alter.typeAlteration() instanceof CqlParser.RenameFieldsContext renamed) {
            renamed.rename().forEach(rename -> rename(rename, declaration));
        } else {
            CqlParser.ChangeFieldTypeContext changed = (CqlParser.ChangeFieldTypeContext) alter.typeAlteration();
            String fieldName = SchemaReader.name(changed.identifier());
            if (declaration.fields.replace(fieldName, changed.type()) == null) {
                throw reader.error(changed, "type has no such field, field=" + fieldName + ", type=" + qualifiedName);
            }
        }
    }

    private void rename(CqlParser.RenameContext rename, Declaration declaration) {
        String before = SchemaReader.name(rename.before);
        String after = SchemaReader.name(rename.after);
        if (!declaration.fields.containsKey(before) || declaration.fields.containsKey(after)) {
            throw reader.error(
                    rename, "field cannot be renamed, from=" + before + ", to=" + after + ", type=" + declaration.name);
        }
        Map<String, CqlParser.TypeContext> fields = new LinkedHashMap<>(declaration.fields);
        declaration.fields.clear();
        fields.forEach((name, type) -> declaration.fields.put(name.equals(before) ? after : name, type));
    }

    /** Takes a type that no text declares. */
    void declare(UserType type) {
        userTypes.put(type.keyspace() + "." + type.name(), type);
    }

    /** The same, unless a text declares one of its name. */
    void declareUnlessGiven(UserType type) {
        if (!declarations.containsKey(type.keyspace() + "." + type.name())) {
            declare(type);
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
        List<String> fieldNames = List.copyOf(declaration.fields.keySet());
        List<CqlType> fields = declaration.fields.values().stream()
                .map(field -> type(field, declaration.keyspace))
                .toList();
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
            throw reader.error(argument, "a vector's dimension is wanted here, from 1 to 999999999");
        }
        return Integer.parseInt(argument.getText());
    }
}
