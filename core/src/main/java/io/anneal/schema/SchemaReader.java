package io.anneal.schema;

import io.anneal.schema.grammar.CqlLexer;
import io.anneal.schema.grammar.CqlParser;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.tree.ErrorNode;
import org.antlr.v4.runtime.tree.ParseTreeListener;
import org.antlr.v4.runtime.tree.TerminalNode;

/**
 * Walks the statements of one text. Types first, since they may stand after the tables that use them; then tables and
 * what alters them in order; views last.
 */
final class SchemaReader {
    /** What {@code CREATE} and {@code ALTER} may be followed by without concerning us, besides the grammar's own words. */
    private static final Set<String> PASSED_OVER = Set.of("function", "aggregate", "trigger", "role", "user", "or");

    private final String resourceName;
    private final TypeReader types;
    private final Map<String, TableDraft> drafts = new LinkedHashMap<>();
    private final Map<String, String> refusals = new LinkedHashMap<>();
    private final Set<String> conditional = new HashSet<>();
    private final Map<String, ViewText> views = new LinkedHashMap<>();
    private final Set<String> keyspaces = new HashSet<>();
    private String keyspace;

    SchemaReader(String resourceName) {
        this.resourceName = resourceName;
        this.types = new TypeReader(this);
    }

    CqlSchema read(String text) {
        CommentedTables commented = CommentedTables.uncomment(text);
        CqlParser.FileContext file = parser(commented.text()).file();
        // A comment only approximates a table that is given outside of comments as well.
        Set<String> given = new HashSet<>();
        keyspace = null;
        for (CqlParser.StatementContext statement : file.statement()) {
            if (statement.use() != null) {
                keyspace = name(statement.use().identifier());
            } else if (statement.createType() != null) {
                types.declare(statement.createType());
            } else if (statement.alterType() != null) {
                types.alter(statement.alterType());
            } else if (statement.createTable() != null && !commented.holds(statement.getStart())) {
                given.add(tableName(statement.createTable().tableName()));
            }
        }
        keyspace = null;
        for (CqlParser.StatementContext statement : file.statement()) {
            if (!commented.holds(statement.getStart()) || !given.contains(tableOf(statement))) {
                statement(statement);
            }
        }
        Map<String, TableSchema> tables = new LinkedHashMap<>();
        drafts.forEach((name, draft) -> tables.put(name, draft.build()));
        return new CqlSchema(tables, refusals, conditional, views, keyspaces);
    }

    /** The table that a statement creates or alters; empty for other statements. */
    private String tableOf(CqlParser.StatementContext statement) {
        if (statement.createTable() != null) {
            return tableName(statement.createTable().tableName());
        }
        return statement.alterTable() == null
                ? ""
                : tableName(statement.alterTable().tableName());
    }

    /** The type that a text names; user-defined types are those of {@link #declare}. */
    CqlType type(String text, String typeKeyspace) {
        SchemaLimits.requireText(resourceName, text.length(), SchemaLimits.TEXT_CHARACTERS_MAX);
        CqlParser parser = parser(text);
        CqlParser.TypeContext type = parser.type();
        Token behind = parser.getCurrentToken();
        if (behind.getType() != Token.EOF) {
            throw new SchemaException(
                    resourceName,
                    behind.getLine(),
                    behind.getCharPositionInLine() + 1,
                    "type goes on behind its end, type=" + SchemaLimits.excerpt(text));
        }
        return types.type(type, typeKeyspace);
    }

    /** Characters of the class names of all types that were made. */
    long classNameCharacters() {
        return types.classNameCharacters();
    }

    void declare(UserType type) {
        types.declare(type);
    }

    void declareUnlessGiven(UserType type) {
        types.declareUnlessGiven(type);
    }

    /** A text of one {@code ALTER TABLE}, with types and a {@code USE} if need be. */
    TableAlteration readAlteration(String text) {
        SchemaLimits.requireText(resourceName, text.length(), SchemaLimits.TEXT_CHARACTERS_MAX);
        TableAlteration alteration = null;
        for (CqlParser.StatementContext statement : parser(text).file().statement()) {
            if (statement.use() != null) {
                keyspace = name(statement.use().identifier());
            } else if (statement.createType() != null) {
                types.declare(statement.createType());
            } else if (statement.alterTable() == null || alteration != null) {
                throw error(statement, "a single ALTER TABLE is wanted here");
            } else {
                alteration = alteration(statement.alterTable());
            }
        }
        if (alteration == null) {
            throw new SchemaException(resourceName, 1, 1, "an ALTER TABLE is wanted here");
        }
        return alteration;
    }

    private TableAlteration alteration(CqlParser.AlterTableContext alter) {
        TableAlteration alteration = new TableAlteration(tableName(alter.tableName()), alter.EXISTS() != null, this);
        CqlParser.AlterationContext said = alter.alteration();
        if (said instanceof CqlParser.AddColumnsContext add) {
            for (CqlParser.ColumnContext column : add.column()) {
                if (column.mask() != null) {
                    throw error(column.mask(), "a store keeps no masks");
                }
                alteration.add(
                        name(column.identifier()),
                        typeKeyspace -> types.type(column.type(), typeKeyspace),
                        column.STATIC() != null,
                        add.ifNotExists() != null);
            }
        } else if (said instanceof CqlParser.DropColumnsContext drop) {
            Optional<Long> timestampMicros = Optional.ofNullable(drop.NUMBER())
                    .map(number -> new OptionsReader(this).integer(number.getText(), drop));
            drop.identifier().stream()
                    .map(SchemaReader::name)
                    .distinct()
                    .forEach(column ->
                            alteration.change(draft -> draft.drop(column, timestampMicros, drop.EXISTS() != null)));
        } else if (said instanceof CqlParser.RenameColumnsContext renamed) {
            for (CqlParser.RenameContext rename : renamed.rename()) {
                alteration.change(
                        draft -> draft.rename(name(rename.before), name(rename.after), renamed.EXISTS() != null));
            }
        } else if (said instanceof CqlParser.AlterOptionsContext changed) {
            alteration.change(draft -> draft.options(options -> changed(options, changed.options_())));
        } else {
            throw error(said, refusal(said));
        }
        return alteration;
    }

    private static String refusal(CqlParser.AlterationContext said) {
        if (said instanceof CqlParser.ChangeColumnTypeContext) {
            return "the type of a column cannot be changed: add another column";
        }
        return said instanceof CqlParser.DropCompactStorageContext
                ? "COMPACT STORAGE cannot be dropped"
                : "a store keeps no masks";
    }

    private TableOptions changed(TableOptions options, CqlParser.Options_Context said) {
        OptionsReader changed = new OptionsReader(this, options);
        for (CqlParser.OptionContext option : said.option()) {
            if (!(option instanceof CqlParser.ValueOptionContext value)) {
                throw error(option, "this can be said when a table is created, and not later");
            }
            if (name(value.identifier()).equals("id")) {
                throw error(option, "the id of a table cannot be changed");
            }
            changed.read(value);
        }
        return changed.options();
    }

    private CqlParser parser(String text) {
        BaseErrorListener errors = new BaseErrorListener() {
            @Override
            public void syntaxError(
                    Recognizer<?, ?> recognizer,
                    Object symbol,
                    int line,
                    int charPositionInLine,
                    String message,
                    RecognitionException e) {
                throw new SchemaException(resourceName, line, charPositionInLine + 1, SchemaLimits.excerpt(message));
            }
        };
        CqlLexer lexer = new CqlLexer(CharStreams.fromString(text, resourceName));
        lexer.removeErrorListeners();
        lexer.addErrorListener(errors);
        CqlParser parser = new CqlParser(new CommonTokenStream(lexer));
        parser.removeErrorListeners();
        parser.addErrorListener(errors);
        parser.addParseListener(new NestingOfTypes());
        return parser;
    }

    private void statement(CqlParser.StatementContext statement) {
        if (statement.use() != null) {
            keyspace = name(statement.use().identifier());
        } else if (statement.createTable() != null) {
            createTable(statement.createTable());
        } else if (statement.alterTable() != null) {
            alterTable(statement.alterTable());
        } else if (statement.createView() != null) {
            createView(statement.createView());
        } else if (statement.createKeyspace() != null) {
            keyspaces.add(name(statement.createKeyspace().identifier()));
        } else if (statement.passedOver() != null && statement.passedOver().word != null) {
            String word = statement.passedOver().word.getText().toLowerCase(Locale.ROOT);
            if (!PASSED_OVER.contains(word)) {
                throw error(statement, "unknown statement, word=" + word);
            }
        }
    }

    private void createView(CqlParser.CreateViewContext create) {
        String base = tableName(create.base);
        ViewText view = view(create);
        views.put(view.qualifiedName(), view);
        TableDraft draft = drafts.get(base);
        if (draft != null) {
            draft.viewBase();
        }
    }

    /** Without a key where the text has none, as one that was written by hand. */
    private ViewText view(CqlParser.CreateViewContext create) {
        OptionsReader options = new OptionsReader(this);
        List<String> partitionKey = List.of();
        List<String> clustering = List.of();
        CqlParser.ViewKeyContext key = create.viewKey();
        if (key != null) {
            partitionKey = key.partitionKey().identifier().stream()
                    .map(SchemaReader::name)
                    .toList();
            clustering = key.identifier().stream().map(SchemaReader::name).toList();
            if (key.options_() != null) {
                for (CqlParser.OptionContext option : key.options_().option()) {
                    // The order of the clustering is in the headers of SSTables.
                    if (option instanceof CqlParser.ValueOptionContext value) {
                        options.read(value);
                    }
                }
            }
        }
        return new ViewText(
                keyspaceOf(create.tableName(0)),
                name(lastIdentifier(create.tableName(0))),
                name(lastIdentifier(create.base)),
                options.id(),
                partitionKey,
                clustering,
                options.options());
    }

    private void createTable(CqlParser.CreateTableContext create) {
        String qualifiedName = tableName(create.tableName());
        if (drafts.containsKey(qualifiedName) || refusals.containsKey(qualifiedName)) {
            throw error(create, "table declared twice, table=" + qualifiedName);
        }
        if (create.ifNotExists() != null) {
            conditional.add(qualifiedName);
        }
        try {
            TableDraft draft = new TableDraft(
                    this, types, keyspaceOf(create.tableName()), name(lastIdentifier(create.tableName())), create);
            drafts.put(qualifiedName, draft);
        } catch (UnsupportedTypeException e) {
            refusals.put(qualifiedName, e.getMessage() + ", table=" + qualifiedName + ", at=" + position(create));
        }
    }

    private void alterTable(CqlParser.AlterTableContext alter) {
        String qualifiedName = tableName(alter.tableName());
        if (refusals.containsKey(qualifiedName)) {
            return;
        }
        TableDraft draft = drafts.get(qualifiedName);
        if (draft == null) {
            throw error(alter, "unknown table, table=" + qualifiedName);
        }
        try {
            draft.alter(alter.alteration());
        } catch (UnsupportedTypeException e) {
            drafts.remove(qualifiedName);
            refusals.put(qualifiedName, e.getMessage() + ", table=" + qualifiedName + ", at=" + position(alter));
        }
    }

    private String tableName(CqlParser.TableNameContext name) {
        return keyspaceOf(name) + "." + name(lastIdentifier(name));
    }

    private String keyspaceOf(CqlParser.TableNameContext name) {
        return keyspaceOr(name.identifier().size() == 2 ? name.identifier(0) : null, name);
    }

    /** The keyspace that is named, or else the one in use. */
    String keyspaceOr(CqlParser.IdentifierContext named, ParserRuleContext where) {
        if (named != null) {
            return name(named);
        }
        if (keyspace == null) {
            throw error(where, "name without a keyspace, name=" + SchemaLimits.excerpt(where.getText()));
        }
        return keyspace;
    }

    private static CqlParser.IdentifierContext lastIdentifier(CqlParser.TableNameContext name) {
        return name.identifier(name.identifier().size() - 1);
    }

    /** An identifier as it is stored: without quotes, or in lower case when it had none. */
    static String name(CqlParser.IdentifierContext identifier) {
        String text = identifier.getText();
        if (identifier.QUOTED_IDENTIFIER() != null) {
            return text.substring(1, text.length() - 1).replace("\"\"", "\"");
        }
        return text.toLowerCase(Locale.ROOT);
    }

    /** A literal's text: of strings what stands between the quotes. */
    static String literal(CqlParser.LiteralContext literal) {
        return literal.STRING() == null ? literal.getText() : string(literal.getText());
    }

    static String string(String quoted) {
        return quoted.startsWith("$$")
                ? quoted.substring(2, quoted.length() - 2)
                : quoted.substring(1, quoted.length() - 1).replace("''", "'");
    }

    /** The same error, with its place. */
    SchemaException error(ParserRuleContext where, SchemaException cause) {
        SchemaException placed = error(where, cause.getMessage());
        placed.initCause(cause);
        return placed;
    }

    SchemaException error(ParserRuleContext where, String reason) {
        Token start = where.getStart();
        return new SchemaException(resourceName, start.getLine(), start.getCharPositionInLine() + 1, reason);
    }

    private String position(ParserRuleContext where) {
        return resourceName + ":" + where.getStart().getLine();
    }

    /** Ends the parser, which calls itself for each type within a type, before the stack does. */
    private final class NestingOfTypes implements ParseTreeListener {
        private int depth;

        @Override
        public void enterEveryRule(ParserRuleContext context) {
            if (context instanceof CqlParser.TypeContext && ++depth > SchemaLimits.WRITTEN_NESTING_MAX) {
                throw error(context, SchemaLimits.TOO_DEEP);
            }
        }

        @Override
        public void exitEveryRule(ParserRuleContext context) {
            if (context instanceof CqlParser.TypeContext) {
                depth--;
            }
        }

        @Override
        public void visitTerminal(TerminalNode node) {}

        @Override
        public void visitErrorNode(ErrorNode node) {}
    }
}
