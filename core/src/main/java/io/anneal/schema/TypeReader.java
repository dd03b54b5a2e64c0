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
    private static final class Field {
        private String name;
        private CqlParser.TypeContext type;
    }

    /** A type's fields in order, while statements are read; and by their names. */
    private record Declaration(String keyspace, String name, List<Field> fields, Map<String, Field> byName) {}

    private final SchemaReader reader;
    private final Map<String, Declaration> declarations = new HashMap<>();
    private final Map<String, CqlType> userTypes = new HashMap<>();
    private final Set<String> unfinished = new HashSet<>();
    private long classNameCharacters;

    TypeReader(SchemaReader reader) {
        this.reader = reader;
    }

    void declare(CqlParser.CreateTypeContext create) {
        Declaration declaration = new Declaration(
                keyspace(create.typeName()), name(create.typeName()), new ArrayList<>(), new HashMap<>());
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
        Field added = new Field();
        added.name = SchemaReader.name(field.identifier());
        added.type = field.type();
        if (declaration.byName.putIfAbsent(added.name, added) != null) {
            throw reader.error(field, "field declared twice, field=" + added.name + ", type=" + declaration.name);
        }
        declaration.fields.add(added);
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
            Field field = declaration.byName.get(fieldName);
            if (field == null) {
                throw reader.error(changed, "type has no such field, field=" + fieldName + ", type=" + qualifiedName);
            }
            field.type = changed.type();
        }
    }

    private void rename(CqlParser.RenameContext rename, Declaration declaration) {
        String before = SchemaReader.name(rename.before);
        String after = SchemaReader.name(rename.after);
        if (!declaration.byName.containsKey(before) || declaration.byName.containsKey(after)) {
            throw reader.error(
                    rename, "field cannot be renamed, from=" + before + ", to=" + after + ", type=" + declaration.name);
        }
        Field field = declaration.byName.remove(before);
        field.name = after;
        declaration.byName.put(after, field);
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
        try {
            CqlType found = type instanceof CqlParser.ClassTypeContext named
                    ? TypeParser.parse(SchemaReader.string(named.STRING().getText()))
                    : named((CqlParser.NamedTypeContext) type, keyspace, insideFrozen);
            if (!found.components().isEmpty()) {
                classNameCharacters += found.className().length();
                SchemaLimits.require(
                        "types of the text are too large with all that they are made of, in characters",
                        classNameCharacters,
                        SchemaLimits.TEXT_CLASS_NAME_CHARACTERS_MAX);
            }
            return found;
        } catch (SchemaException e) {
            throw e.isPlaced() ? e : reader.error(type, e);
        }
    }

    private CqlType named(CqlParser.NamedTypeContext type, String keyspace, boolean insideFrozen) {
        CqlType found = type.typeArgument().isEmpty()
                ? withoutArguments(type, keyspace)
                : withArguments(type, keyspace, insideFrozen);
        return insideFrozen ? found.frozen() : found;
    }

    /** Characters of the class names of all types that were made. */
    long classNameCharacters() {
        return classNameCharacters;
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
        SchemaLimits.require("types are nested too deeply", unfinished.size(), SchemaLimits.NESTING_MAX);
        List<String> fieldNames =
                declaration.fields.stream().map(field -> field.name).toList();
        List<CqlType> fields = declaration.fields.stream()
                .map(field -> type(field.type, declaration.keyspace))
                .toList();
        CqlType type = CqlTypes.userType(declaration.keyspace, declaration.name, fieldNames, fields);
        userTypes.put(qualifiedName, type);
        unfinished.remove(qualifiedName);
        return type;
    }

    private CqlType withArguments(CqlParser.NamedTypeContext type, String keyspace, boolean insideFrozen) {
        String name = type.typeName().getText().toLowerCase(Locale.ROOT);
        // Asking the context for one argument walks over those before it.
        List<CqlParser.TypeArgumentContext> arguments = type.typeArgument();
        return switch (name) {
            case "frozen" -> type(only(type, arguments), keyspace, true).frozen();
            case "list" -> CqlTypes.list(element(only(type, arguments), keyspace, insideFrozen));
            case "set" -> CqlTypes.set(element(only(type, arguments), keyspace, insideFrozen));
            case "map" -> {
                requireCount(type, arguments, 2);
                yield CqlTypes.map(
                        element(type(arguments.get(0)), keyspace, insideFrozen),
                        element(type(arguments.get(1)), keyspace, insideFrozen));
            }
            case "vector" -> {
                requireCount(type, arguments, 2);
                yield CqlTypes.vector(element(type(arguments.get(0)), keyspace, true), dimension(arguments.get(1)));
            }
            case "tuple" -> {
                List<CqlType> fields = new ArrayList<>();
                for (CqlParser.TypeArgumentContext argument : arguments) {
                    fields.add(element(type(argument), keyspace, true));
                }
                yield CqlTypes.tuple(fields);
            }
            default -> throw reader.error(type, "type takes no parameters, type=" + name);
        };
    }

    private CqlParser.TypeContext only(CqlParser.NamedTypeContext type, List<CqlParser.TypeArgumentContext> arguments) {
        requireCount(type, arguments, 1);
        return type(arguments.get(0));
    }

    private void requireCount(
            CqlParser.NamedTypeContext type, List<CqlParser.TypeArgumentContext> arguments, int count) {
        if (arguments.size() != count) {
            throw reader.error(type, "wrong number of parameters, wanted=" + count + ", found=" + arguments.size());
        }
    }

    private CqlParser.TypeContext type(CqlParser.TypeArgumentContext argument) {
        if (argument.type() == null) {
            throw reader.error(argument, "a type is wanted here");
        }
        return argument.type();
    }

    private CqlType element(CqlParser.TypeContext argument, String keyspace, boolean insideFrozen) {
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
