/** The live page of a migration. May import dualdao. Imported by migrate and cli. */
package io.anneal.migrate.page;
