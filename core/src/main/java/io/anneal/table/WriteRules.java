package io.anneal.table;

import io.anneal.compaction.CompactionStrategy;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationTranslator;
import io.anneal.fragment.MutationValidator;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;

/**
 * What follows from a table's schema and from the version of its SSTables: which mutations it takes, and how it is
 * compacted. Replaced as a whole when either changes. Immutable but for {@link #accept}, which the log's thread alone calls.
 */
final class WriteRules {
    private final TableSchema schema;
    private final SSTableVersion version;
    private final CompactionStrategy strategy;
    private final MutationValidator validator;
    /** Of the last mutation that was made by another schema; null before there was one. */
    private MutationTranslator translator;

    WriteRules(TableSchema schema, SSTableVersion version) {
        this.schema = schema;
        this.version = version;
        strategy = CompactionStrategy.of(schema);
        validator = version.validator(schema);
    }

    TableSchema schema() {
        return schema;
    }

    SSTableVersion version() {
        return version;
    }

    CompactionStrategy strategy() {
        return strategy;
    }

    /**
     * A mutation by this schema.
     *
     * @throws CorruptItemException when it could not be applied once it is in the commit log
     */
    Mutation accept(Mutation mutation) throws CorruptItemException {
        Mutation accepted = mutation.isOf(schema) ? mutation : translate(mutation);
        validator.validate(accepted);
        return accepted;
    }

    private Mutation translate(Mutation mutation) throws CorruptItemException {
        TableSchema before = mutation.schema().orElseThrow();
        if (translator == null || !translator.isBetween(before, schema)) {
            translator = new MutationTranslator(before, schema);
        }
        return translator.translate(mutation);
    }
}
