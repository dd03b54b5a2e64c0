/**
 * The live page of a migration: a small server, and in the resources beside it the page itself. May import dualdao and io.
 * Imported by migrate and cli. The scheduler's thread looks at the phase store; the server's threads answer requests, and each open
 * stream holds one.
 */
package io.anneal.migrate.page;
