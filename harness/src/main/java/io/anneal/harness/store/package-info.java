/**
 * Stores ready to be origin, target or phase store, and the example model they hold. May import dualdao, core and migrate.service.
 * Imported by the rest of harness and cli.
 */
package io.anneal.harness.store;
