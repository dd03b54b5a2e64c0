/** Stores ready to be origin, target or phase store, and the example model they hold. May import dualdao and core. Imported by the rest of migrate and cli. */
package io.anneal.migrate.store;
