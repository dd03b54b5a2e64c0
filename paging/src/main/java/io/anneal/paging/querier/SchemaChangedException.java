package io.anneal.paging.querier;

import io.anneal.schema.TableSchema;
import java.io.IOException;

/** The table was altered while a page was read: the page is read again. */
final class SchemaChangedException extends IOException {
    private static final long serialVersionUID = 1;

    SchemaChangedException(TableSchema schema) {
        super("table is altered again and again, so that no page of it could be read, table=" + schema.qualifiedName());
    }
}
