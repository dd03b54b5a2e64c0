/** Copying and comparing whole stores, range by range. May import migrate.store. Imported by migrate and cli. */
package io.anneal.migrate.bulk;
