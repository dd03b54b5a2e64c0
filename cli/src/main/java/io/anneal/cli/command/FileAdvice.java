package io.anneal.cli.command;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.schema.SchemaException;
import io.anneal.store.directory.DataNotFoundException;

/** What a user can do about files, by what is wrong with them. */
final class FileAdvice {
    private FileAdvice() {}

    static String of(DataNotFoundException.Sought sought) {
        return switch (sought) {
            case TABLE -> "check the table's name, and that the directory is the one that has it";
            case TABLES -> "give a store, a directory of its tables, a data directory of Cassandra's or a snapshot";
            case STORE -> "give the directory of a store: the one that has the file STORE";
            case SSTABLE -> "run again; of a directory that changes take a snapshot";
        };
    }

    static String of(SchemaException.Subject subject) {
        return switch (subject) {
            case TEXT -> "mend the text at that place, or give another one with --schema FILE.cql";
            case TABLE -> "check the table's name, or give the text that describes it with --schema FILE.cql";
            case SCHEMA -> ErrorCode.SCHEMA.advice();
        };
    }

    static String of(UnsupportedVersionException.Subject subject) {
        return switch (subject) {
            case SSTABLE -> ErrorCode.UNSUPPORTED_VERSION.advice();
            case OWN_FILE -> "use the release of Anneal that wrote it, or a newer one";
            case PEER -> "upgrade the older side";
        };
    }
}
